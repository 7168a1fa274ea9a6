//! What every page has around it.

use ::report::markup::text;
use maud::{Markup, PreEscaped, html};

use crate::site::Site;

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

pub fn page(site: &Site, title: &str, place: Place, body: &Markup) -> String {
    let page = html! {
        (PreEscaped("<!doctype html>\n"))
        html lang="en" {
            head { (head(site, title)) }
            "\n"
            body {
                a class="skip" href="#content" { "Skip to content" }
                header {
                    a class="brand" href=(site.to("/")) { "guestlist" }
                    nav aria-label="Pages" { (links(site, place)) }
                }
                "\n"
                main id="content" tabindex="-1" { (body) }
            }
        }
        "\n"
    };
    page.into_string()
}

fn head(site: &Site, title: &str) -> Markup {
    html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        title { (text(title)) " · guestlist" }
        link rel="icon" href="data:,";
        link rel="stylesheet" href=(site.to("/assets/dashboard.css"));
        script src=(site.to("/assets/dashboard.js")) defer {}
    }
}

fn links(site: &Site, place: Place) -> Markup {
    html! {
        @for (other, link, name) in PLACES {
            a href=(site.to(link)) aria-current=[(other == place).then_some("page")] { (name) }
        }
    }
}

/// A choice in a form.
pub fn select(name: &str, label: &str, options: &[(String, String)], chosen: &str) -> Markup {
    html! {
        label {
            (label)
            select name=(name) data-submit {
                @for (value, words) in options { (option(value, words, value == chosen)) }
            }
        }
    }
}

/// One of the things to choose from.
pub fn option(value: &str, words: &str, chosen: bool) -> Markup {
    html! { option value=(text(value)) selected[chosen] { (text(words)) } }
}
