//! The first page: all audits.

use crate::http::post::link;
use crate::http::query::Query;
use crate::library::{Measure, Summary};
use crate::markup::{Html, html};
use crate::time::{moment, seconds};

use super::App;
use super::layout::{self, Place, select};
use super::list::{self, ORDERS, Page, order};
use super::numbers::{count, reading, verdict};
use super::running::{self, parts};

pub fn page(app: &App, query: &Query) -> String {
    let shown = list::page(app.library.audits(), query);
    let body = html!(
        "<h1>Audits</h1>{}{}<section id=\"audits\" data-live aria-label=\"Audits\">{}{}{}</section>{}<div data-events=\"/events\"></div>",
        running::section(&app.live.all(), &app.root),
        form(query),
        tally(app, &shown),
        table(app, &shown, query),
        pager(&shown, query),
        waiting(app)
    );
    layout::page("Audits", Place::Audits, &body)
}

fn form(query: &Query) -> Html {
    let any = |words: &str| (String::new(), words.to_owned());
    let mut verdicts = vec![any("any verdict")];
    verdicts.extend(["pass", "fail", "inconclusive", "damaged"].map(|v| (v.into(), v.into())));
    let mut kinds = vec![any("any target")];
    kinds.extend(list::kinds());
    let (sort, downwards) = order(query);
    html!(
        "<form class=\"filters\" method=\"get\" action=\"/\" role=\"search\">\
         <label>Search<input type=\"search\" name=\"search\" value=\"{}\" placeholder=\"part of a name\"></label>\
         {}{}<input type=\"hidden\" name=\"sort\" value=\"{}\"><input type=\"hidden\" name=\"order\" value=\"{}\">\
         <button>Show</button></form>",
        query.get("search").unwrap_or_default(),
        select(
            "verdict",
            "Verdict",
            &verdicts,
            query.get("verdict").unwrap_or_default()
        ),
        select(
            "kind",
            "Target",
            &kinds,
            query.get("kind").unwrap_or_default()
        ),
        sort,
        if downwards { "desc" } else { "asc" }
    )
}

fn tally(app: &App, shown: &Page) -> Html {
    let (complete, cut) = app.library.state();
    let mut words = match (shown.all, shown.fitting == shown.all) {
        (0, _) if complete => {
            "No audits here yet: write one with `guestlist audit --out` or `guestlist run`."
                .to_owned()
        }
        (1, true) => "1 audit".to_owned(),
        (all, true) => format!("{} audits", count(all)),
        (all, false) => format!("{} of {} audits", count(shown.fitting), count(all)),
    };
    if !complete {
        words += "; still reading";
    }
    if cut {
        words += "; there are too many folders to look at all of them: serve a part of them";
    }
    let reading = if complete { "" } else { "yes" };
    html!(
        "<p class=\"tally\" role=\"status\" data-reading=\"{}\">{}</p>",
        reading,
        words
    )
}

fn table(app: &App, shown: &Page, query: &Query) -> Html {
    if shown.audits.is_empty() {
        return Html::default();
    }
    let heads: Html = ORDERS
        .iter()
        .map(|(name, words)| head(name, words, query))
        .collect();
    let rows: Html = shown.audits.iter().map(|audit| row(app, audit)).collect();
    html!(
        "<form method=\"get\" action=\"/compare\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Audits\">\
         <table class=\"audits\"><caption class=\"hidden\">Audits</caption><thead><tr>{}\
         <th scope=\"col\">Compare</th></tr></thead><tbody>{}</tbody></table></div>\
         <p><button data-two>Compare two</button></p></form>",
        heads,
        rows
    )
}

/// A head that orders the list, and the other way round when it does already.
fn head(name: &str, words: &str, query: &Query) -> Html {
    let (column, downwards) = order(query);
    let here = column == name;
    let sorted = match (here, downwards) {
        (false, _) => "none",
        (true, true) => "descending",
        (true, false) => "ascending",
    };
    let down = if here {
        !downwards
    } else {
        matches!(name, "auc" | "records" | "modified")
    };
    let next = if down { "desc" } else { "asc" };
    let link = query.with(&[("sort", name), ("order", next), ("page", "")]);
    let sign = match sorted {
        "ascending" => " ▲",
        "descending" => " ▼",
        _ => "",
    };
    html!(
        "<th scope=\"col\" aria-sort=\"{}\"><a href=\"/{}\">{}<span aria-hidden=\"true\">{}</span></a></th>",
        sorted,
        link,
        words,
        sign
    )
}

fn row(app: &App, audit: &Summary) -> Html {
    let link = link(&parts(&audit.path));
    let name = audit.name(&app.root);
    let modified = moment(seconds(audit.version.modified));
    let pick = html!(
        "<td><input type=\"checkbox\" name=\"run\" value=\"{}\" aria-label=\"compare {}\"></td>",
        format!("/{}", audit.path),
        name
    );
    match &audit.audited {
        Ok(audited) => {
            let auc = audited.reading(None, Measure::Auc);
            html!(
                "<tr><td>{}</td><th scope=\"row\"><a href=\"{}\">{}</a></th><td>{}</td>\
                 <td class=\"number\">{} <span class=\"interval\">{}</span></td><td class=\"number\">{}</td><td>{}</td>{}</tr>",
                verdict(audited.outcome),
                link,
                name,
                audited.kind.to_string(),
                auc.map_or_else(Html::default, |(_, auc)| reading(auc)),
                auc.map_or("", |(attack, _)| attack),
                count(audited.records),
                modified,
                pick
            )
        }
        Err(problem) => html!(
            "<tr class=\"damaged\"><td><span class=\"verdict fail\"><span aria-hidden=\"true\">⚠</span> damaged</span></td>\
             <th scope=\"row\"><a href=\"{}\">{}</a></th><td colspan=\"3\">report.json {}</td><td>{}</td><td></td></tr>",
            link,
            name,
            problem,
            modified
        ),
    }
}

fn pager(shown: &Page, query: &Query) -> Html {
    if shown.pages == 1 {
        return Html::default();
    }
    let to = |page: usize, words: &str| match (1..=shown.pages).contains(&page) {
        true => html!(
            "<a href=\"/{}\">{}</a>",
            query.with(&[("page", &page.to_string())]),
            words
        ),
        false => html!("<span aria-disabled=\"true\">{}</span>", words),
    };
    html!(
        "<nav class=\"pager\" aria-label=\"Pages of the list\">{}<span>page {} of {}</span>{}</nav>",
        to(shown.page.wrapping_sub(1), "Previous"),
        shown.page,
        shown.pages,
        to(shown.page + 1, "Next")
    )
}

/// Configurations whose audits can be started, and have not been.
fn waiting(app: &App) -> Html {
    if app.runs.is_none() {
        return Html::default();
    }
    let items: Html = app
        .library
        .configured()
        .iter()
        .filter(|path| app.library.audit(path).is_none())
        .map(|path| {
            let name = crate::library::named(path, &app.root);
            html!("<li><a href=\"{}\">{}</a></li>", link(&parts(path)), name)
        })
        .collect();
    match items == Html::default() {
        true => items,
        false => html!("<h2>Configurations without a report</h2><ul>{}</ul>", items),
    }
}
