//! Which elements are open at a place of a page, and whether a reader sees what stands there.
//!
//! Pages leave ends out, as of `<p>` and `<li>`: where the next element begins they end all the same, so
//! that one that is hidden does not hide the rest of the page.

use html5ever::tokenizer::Tag;

use super::INLINE;

/// Elements whose content nobody reads.
const UNREAD: [&str; 6] = ["script", "style", "template", "noscript", "svg", "iframe"];
/// Elements that have nothing within, and so no end.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];
/// The page itself: pages that hide it show it by a script once they are loaded.
const PAGE: [&str; 2] = ["html", "body"];
/// Browsers keep no more open either.
const DEEPEST: usize = 512;

/// Elements that end where one of others begins, and those that they are looked for within.
struct Ends {
    begins: &'static [&'static str],
    ended: &'static [&'static str],
    within: &'static [&'static str],
}

const ENDS: [Ends; 6] = [
    Ends {
        begins: &[
            "address",
            "article",
            "aside",
            "blockquote",
            "details",
            "div",
            "dl",
            "fieldset",
            "figcaption",
            "figure",
            "footer",
            "form",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "header",
            "hr",
            "main",
            "menu",
            "nav",
            "ol",
            "p",
            "pre",
            "section",
            "table",
            "ul",
        ],
        ended: &["p"],
        within: &["button", "table", "td", "th", "caption", "object"],
    },
    Ends {
        begins: &["li"],
        ended: &["li"],
        within: &["ul", "ol", "menu"],
    },
    Ends {
        begins: &["dt", "dd"],
        ended: &["dt", "dd"],
        within: &["dl"],
    },
    Ends {
        begins: &["td", "th"],
        ended: &["td", "th"],
        within: &["table", "tr"],
    },
    Ends {
        begins: &["tr", "tbody", "thead", "tfoot"],
        ended: &["tr", "td", "th"],
        within: &["table", "tbody", "thead", "tfoot"],
    },
    Ends {
        begins: &["option", "optgroup"],
        ended: &["option"],
        within: &["select", "datalist"],
    },
];

/// From the outermost to the innermost.
#[derive(Default)]
pub(super) struct Open(Vec<Element>);

struct Element {
    name: String,
    /// Nobody reads what stands in it, for its own sake or for that of one around it.
    unread: bool,
}

impl Open {
    /// Whether a reader sees what stands here.
    pub(super) fn is_read(&self) -> bool {
        self.0.last().is_none_or(|innermost| !innermost.unread)
    }

    pub(super) fn begin(&mut self, tag: &Tag) {
        let name: &str = &tag.name;
        self.end_unsaid(name);
        if tag.self_closing || VOID.contains(&name) {
            return;
        }
        let own = UNREAD.contains(&name) || is_hidden(tag);
        let unread = own || !self.is_read();
        if self.0.len() < DEEPEST || own {
            self.0.push(Element {
                name: name.to_owned(),
                unread,
            });
        }
    }

    /// What was left open within ends too. An end without a beginning ends nothing, and that of an
    /// element within a line no more than the line.
    pub(super) fn end(&mut self, name: &str) {
        let runs_on = INLINE.contains(&name);
        let mut inwards = self.0.iter().enumerate().rev();
        let stops = |element: &Element| {
            element.name == name || runs_on && !INLINE.contains(&element.name.as_str())
        };
        let found = inwards.find(|(_, element)| stops(element));
        if let Some((place, element)) = found
            && element.name == name
        {
            self.0.truncate(place);
        }
    }

    /// Ends what ends because an element of this name begins.
    fn end_unsaid(&mut self, name: &str) {
        let Some(ends) = ENDS.iter().find(|ends| ends.begins.contains(&name)) else {
            return;
        };
        let is_one_of = |names: &[&str], element: &Element| names.contains(&element.name.as_str());
        let within = self.0.iter().rposition(|one| is_one_of(ends.within, one));
        let from = within.map_or(0, |place| place + 1);
        let first = self.0[from..]
            .iter()
            .position(|one| is_one_of(ends.ended, one));
        if let Some(first) = first {
            self.0.truncate(from + first);
        }
    }
}

/// By its own attributes; rules of style sheets are not followed.
fn is_hidden(tag: &Tag) -> bool {
    if PAGE.contains(&&*tag.name) {
        return false;
    }
    let attribute = |name: &str| tag.attrs.iter().find(|one| &*one.name.local == name);
    let style = attribute("style").map_or("", |style| &*style.value);
    let invisible = property(style, "visibility")
        .is_some_and(|said| ["hidden", "collapse"].contains(&said.as_str()));
    let gone = match property(style, "display") {
        Some(said) => said == "none",
        None => attribute("hidden").is_some(),
    };
    gone || invisible
}

/// What a style says last of a property.
fn property(style: &str, name: &str) -> Option<String> {
    let said = style.split(';').rev().find_map(|rule| {
        let (property, value) = rule.split_once(':')?;
        property.trim().eq_ignore_ascii_case(name).then_some(value)
    })?;
    let value = said.split('!').next().unwrap_or_default();
    Some(value.trim().to_ascii_lowercase())
}
