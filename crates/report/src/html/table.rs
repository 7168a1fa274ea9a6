//! Tables: a caption for those who cannot see where they are, heads, and a box to scroll in.

use super::writer::Html;

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

/// A table without its rows.
pub struct Table<'a> {
    caption: &'a str,
    columns: &'a [Column],
    /// Tables with an id can be sorted and searched.
    id: Option<&'a str>,
}

impl<'a> Table<'a> {
    pub fn new(caption: &'a str, columns: &'a [Column]) -> Self {
        Self {
            caption,
            columns,
            id: None,
        }
    }

    /// A table whose heads sort it, under an id that tools refer to.
    pub fn sortable(caption: &'a str, columns: &'a [Column], id: &'a str) -> Self {
        let id = Some(id);
        Self {
            caption,
            columns,
            id,
        }
    }

    pub fn write(&self, html: &mut Html, rows: impl FnOnce(&mut Html)) {
        let class = if self.id.is_some() { "box tall" } else { "box" };
        let region = [
            ("class", class),
            ("role", "region"),
            ("aria-label", self.caption),
            ("tabindex", "0"),
        ];
        html.tag("div", &region, |html| match self.id {
            Some(id) => html.tag("table", &[("id", id), ("class", "sortable")], |html| {
                self.inside(html, rows);
            }),
            None => html.tag("table", &[], |html| self.inside(html, rows)),
        });
    }

    fn inside(&self, html: &mut Html, rows: impl FnOnce(&mut Html)) {
        html.line("caption", &[], self.caption);
        html.tag("thead", &[], |html| {
            html.tag("tr", &[], |html| {
                for column in self.columns {
                    let class = if column.numeric { "n" } else { "t" };
                    let attributes = [("scope", "col"), ("class", class)];
                    html.tag("th", &attributes, |html| html.outside(&column.head));
                }
            });
        });
        html.tag("tbody", &[], rows);
    }
}

/// One choice among those that a list can be narrowed to: what items are marked with, and words.
pub type Choice = (&'static str, &'static str);

/// A search box over the items of an element, and choices that narrow them. Hidden until the script
/// is there to serve them.
pub fn tools(html: &mut Html, of: &str, noun: &str, choices: &[Choice]) {
    let attributes = [
        ("class", "tools"),
        ("data-for", of),
        ("data-noun", noun),
        ("hidden", ""),
    ];
    html.tag("div", &attributes, |html| {
        html.tag("label", &[], |html| {
            html.text("Search ");
            html.void("input", &[("type", "search"), ("autocomplete", "off")]);
        });
        if !choices.is_empty() {
            html.tag("label", &[], |html| {
                html.text("Show ");
                html.tag("select", &[], |html| {
                    html.line("option", &[("value", "")], "all");
                    for (value, words) in choices {
                        html.line("option", &[("value", value)], words);
                    }
                });
            });
        }
        html.tag("output", &[("aria-live", "polite")], |_| {});
    });
}
