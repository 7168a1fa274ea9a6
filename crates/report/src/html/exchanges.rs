//! Questions and answers that gave members of a store away, as text.

use super::writer::Html;
use crate::detail::Detail;
use crate::document::Report;
use crate::rag::Exposed;

pub fn write(html: &mut Html, report: &Report) {
    let Detail::Rag(rag) = &report.detail else {
        return;
    };
    if rag.exposed.is_empty() {
        return;
    }
    html.line("h3", &[], "Members that gave themselves away most");
    html.line(
        "p",
        &[],
        "One exchange of each, as the service gave it. The text of questions and answers is shown as it \
         is; nothing in it is a link.",
    );
    for (place, found) in rag.exposed.iter().enumerate() {
        // The first shows what the others hold.
        let open = [("class", "exchange"), ("open", "")];
        let attributes = if place == 0 { &open[..] } else { &open[..1] };
        html.tag("details", attributes, |html| {
            html.tag("summary", &[], |html| html.outside(&found.document));
            exchange(html, found);
        });
    }
}

/// What was asked, and what came back.
pub fn exchange(html: &mut Html, exposed: &Exposed) {
    html.tag("dl", &[("class", "exchange")], |html| {
        html.tag("dt", &[], |html| {
            html.text("Asked by ");
            html.outside(&exposed.strategy);
        });
        html.tag("dd", &[], |html| html.quoted("said", &exposed.query));
        html.line("dt", &[], "Answered");
        html.tag("dd", &[], |html| html.quoted("said", &exposed.answer));
        html.line("dt", &[], "Score");
        html.tag("dd", &[], |html| html.decimal(exposed.score, 4));
    });
}
