//! Tables whose cells hold numbers with all their digits: a caption for those who cannot see where they
//! are, heads, and a box to scroll in.

use maud::{Markup, html};

use crate::markup::{outside, text};

/// One column.
pub struct Column {
    pub head: String,
    /// Numbers stand to the right.
    pub numeric: bool,
}

impl Column {
    pub fn new(head: &str, numeric: bool) -> Self {
        Self {
            head: head.to_owned(),
            numeric,
        }
    }

    pub fn text(head: &str) -> Self {
        Self::new(head, false)
    }

    pub fn number(head: &str) -> Self {
        Self::new(head, true)
    }
}

pub fn table(caption: &str, columns: &[Column], rows: &Markup) -> Markup {
    boxed(
        "box",
        caption,
        &html! { table { (inside(caption, columns, rows)) } },
    )
}

/// A table whose heads sort it, under an id that tools refer to.
pub fn sortable(caption: &str, columns: &[Column], id: &str, rows: &Markup) -> Markup {
    let table = html! { table id=(id) class="sortable" { (inside(caption, columns, rows)) } };
    boxed("box tall", caption, &table)
}

fn boxed(class: &str, caption: &str, table: &Markup) -> Markup {
    html! {
        div class=(class) role="region" aria-label=(text(caption)) tabindex="0" { (table) }
        "\n"
    }
}

fn inside(caption: &str, columns: &[Column], rows: &Markup) -> Markup {
    html! {
        caption { (text(caption)) }
        thead {
            tr {
                @for column in columns {
                    th scope="col" class=(if column.numeric { "n" } else { "t" }) {
                        (outside(&column.head))
                    }
                }
            }
        }
        tbody { (rows) }
    }
}

/// One choice among those that a list can be narrowed to: what items are marked with, and words.
pub type Choice = (&'static str, &'static str);

/// A search box over the items of an element, and choices that narrow them. Hidden until the script
/// is there to serve them.
pub fn tools(of: &str, noun: &str, choices: &[Choice]) -> Markup {
    html! {
        div class="tools" data-for=(of) data-noun=(noun) hidden="" {
            label { "Search " input type="search" autocomplete="off"; }
            @if !choices.is_empty() {
                label {
                    "Show "
                    select {
                        option value="" { "all" }
                        @for (value, words) in choices { option value=(value) { (words) } }
                    }
                }
            }
            output aria-live="polite" {}
        }
        "\n"
    }
}
