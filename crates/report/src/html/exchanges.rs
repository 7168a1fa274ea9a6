//! Questions and answers that gave members of a store away, as text.

use maud::{Markup, html};

use crate::detail::Detail;
use crate::document::Report;
use crate::markup::{decimal, outside, quoted};
use crate::rag::Exposed;

pub fn part(report: &Report) -> Markup {
    let Detail::Rag(rag) = &report.detail else {
        return html! {};
    };
    if rag.exposed.is_empty() {
        return html! {};
    }
    html! {
        h3 { "Members that gave themselves away most" }
        p {
            "One exchange of each, as the service gave it. The text of questions and answers is shown as it \
             is; nothing in it is a link."
        }
        @for (place, found) in rag.exposed.iter().enumerate() {
            // The first shows what the others hold.
            details class="exchange" open=[(place == 0).then_some("")] {
                summary { (outside(&found.document)) }
                (exchange(found))
            }
            "\n"
        }
    }
}

/// What was asked, and what came back.
pub fn exchange(exposed: &Exposed) -> Markup {
    html! {
        dl class="exchange" {
            dt { "Asked by " (outside(&exposed.strategy)) }
            dd { (quoted("said", &exposed.query)) }
            dt { "Answered" }
            dd { (quoted("said", &exposed.answer)) }
            dt { "Score" }
            dd { (decimal(exposed.score, 4)) }
        }
    }
}
