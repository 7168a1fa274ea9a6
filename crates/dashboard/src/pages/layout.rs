//! What every page has around it.

use crate::markup::{Html, html};

/// Where in the dashboard a page is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Audits,
    Trend,
    Compare,
    Nowhere,
}

const PLACES: [(Place, &str, &str); 3] = [
    (Place::Audits, "/", "Audits"),
    (Place::Trend, "/trend", "Trend"),
    (Place::Compare, "/compare", "Compare"),
];

pub fn page(title: &str, place: Place, body: &Html) -> String {
    let links: Html = PLACES
        .into_iter()
        .map(|(other, link, name)| match other == place {
            true => html!("<a href=\"{}\" aria-current=\"page\">{}</a>", link, name),
            false => html!("<a href=\"{}\">{}</a>", link, name),
        })
        .collect();
    let page = html!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\">\
         <title>{} · guestlist</title>\
         <link rel=\"icon\" href=\"data:,\">\
         <link rel=\"stylesheet\" href=\"/assets/dashboard.css\">\
         <script src=\"/assets/dashboard.js\" defer></script></head>\n\
         <body><a class=\"skip\" href=\"#content\">Skip to content</a>\
         <header><a class=\"brand\" href=\"/\">guestlist</a><nav aria-label=\"Pages\">{}</nav></header>\n\
         <main id=\"content\" tabindex=\"-1\">{}</main></body></html>\n",
        title,
        links,
        body
    );
    page.into_string()
}

/// A choice in a form.
pub fn select(name: &str, label: &str, options: &[(String, String)], chosen: &str) -> Html {
    let options: Html = options
        .iter()
        .map(|(value, words)| match value == chosen {
            true => html!("<option value=\"{}\" selected>{}</option>", value, words),
            false => html!("<option value=\"{}\">{}</option>", value, words),
        })
        .collect();
    html!(
        "<label>{}<select name=\"{}\" data-submit>{}</select></label>",
        label,
        name,
        options
    )
}

/// A table that scrolls in its own box where it is wider than the page.
pub fn table(caption: &str, heads: &[&str], rows: &Html) -> Html {
    let heads: Html = heads
        .iter()
        .map(|head| html!("<th scope=\"col\">{}</th>", head))
        .collect();
    html!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\
         <caption class=\"hidden\">{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>",
        caption,
        caption,
        heads,
        rows
    )
}
