//! The one way to write HTML. Names of elements and attributes are known when this is compiled; all
//! else is escaped on its way in, so that nothing anybody audited can become markup.

use crate::figures::Figure;
use crate::text::{escape_markup, printable, printable_lines};

/// Attributes of an element: a known name, and a value that will be escaped.
pub type Attributes<'a> = &'a [(&'static str, &'a str)];

/// A page, or a part of one.
#[derive(Default)]
pub struct Html {
    markup: String,
}

impl Html {
    /// An element and what is inside it.
    pub fn tag(
        &mut self,
        name: &'static str,
        attributes: Attributes,
        inside: impl FnOnce(&mut Self),
    ) {
        self.open(name, attributes);
        inside(self);
        self.markup += &format!("</{name}>");
        if ends_a_line(name) {
            self.markup.push('\n');
        }
    }

    /// An element that holds text alone.
    pub fn line(&mut self, name: &'static str, attributes: Attributes, text: &str) {
        self.tag(name, attributes, |html| html.text(text));
    }

    /// An element that has no inside, such as `meta`.
    pub fn void(&mut self, name: &'static str, attributes: Attributes) {
        self.open(name, attributes);
    }

    /// Text in a line: markup means nothing in it, and control characters are seen.
    pub fn text(&mut self, text: &str) {
        self.markup += &escape_markup(&printable(text));
    }

    /// A text from outside, kept from ordering its neighbours.
    pub fn outside(&mut self, text: &str) {
        self.tag("bdi", &[], |html| html.text(text));
    }

    /// A longer text from outside, with its line breaks.
    pub fn quoted(&mut self, class: &'static str, text: &str) {
        self.tag("div", &[("class", class), ("dir", "auto")], |html| {
            html.markup += &escape_markup(&printable_lines(text));
        });
    }

    /// A number as it is shown, with all of it behind. What is not finite has no JSON.
    pub fn number(&mut self, value: f64, shown: &str) {
        match serde_json::to_string(&value) {
            Ok(full) if value.is_finite() => self.line("data", &[("value", &full)], shown),
            _ => self.text(shown),
        }
    }

    /// A number with so many digits behind the point.
    pub fn decimal(&mut self, value: f64, digits: usize) {
        // Adding zero turns −0.00 into 0.00.
        let scale = 10_f64.powi(digits as i32);
        let rounded = (value * scale).round() / scale + 0.0;
        let shown = if rounded.is_finite() { rounded } else { value };
        self.number(value, &format!("{shown:.digits$}"));
    }

    /// A share in per cent.
    pub fn percent(&mut self, share: f64, digits: usize) {
        self.number(share, &format!("{:.digits$}%", 100.0 * share));
    }

    /// A whole number, grouped by thousands.
    pub fn count(&mut self, count: u64) {
        self.line("data", &[("value", &count.to_string())], &grouped(count));
    }

    /// A whole number that names something, as it is.
    pub fn index(&mut self, index: u64) {
        let index = index.to_string();
        self.line("data", &[("value", &index)], &index);
    }

    /// A figure's picture, the one thing that comes as markup: figures escape what they write.
    pub fn drawing(&mut self, figure: &Figure) {
        self.markup += &figure.svg;
        self.markup.push('\n');
    }

    /// The page's own style sheet.
    pub fn style(&mut self, sheet: &str) {
        self.markup += &format!("<style>{sheet}</style>\n");
    }

    /// The page's own script.
    pub fn script(&mut self, script: &str) {
        self.markup += &format!("<script>{script}</script>\n");
    }

    /// What was written elsewhere.
    pub fn append(&mut self, other: Html) {
        self.markup += &other.markup;
    }

    /// How much was written.
    pub fn len(&self) -> usize {
        self.markup.len()
    }

    /// The page, from its first line on.
    pub fn page(self) -> String {
        format!("<!doctype html>\n{}", self.markup)
    }

    fn open(&mut self, name: &'static str, attributes: Attributes) {
        self.markup.push('<');
        self.markup += name;
        for (key, value) in attributes {
            let value = escape_markup(&printable(value));
            self.markup += &format!(" {key}=\"{value}\"");
        }
        self.markup.push('>');
    }
}

/// A file that people may look into has lines.
fn ends_a_line(name: &str) -> bool {
    !matches!(
        name,
        "a" | "b" | "bdi" | "button" | "code" | "data" | "span" | "strong" | "sup" | "td" | "th"
    )
}

/// 1234567 as 1,234,567.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Html)) -> String {
        let mut html = Html::default();
        write(&mut html);
        html.markup
    }

    #[test]
    fn no_text_becomes_markup() {
        let hostile = "</script><script>alert(1)</script>\"><img src=x onerror='a&b'>";
        let text = written(|html| html.line("p", &[("title", hostile)], hostile));
        assert_eq!(text.matches('<').count(), 2, "{text}");
        assert_eq!(text.matches('"').count(), 2, "{text}");
        assert!(!text.contains('\''), "{text}");
    }

    #[test]
    fn text_cannot_reorder_its_neighbours() {
        let text = written(|html| html.outside("tap\u{202e}gpj\n"));
        assert_eq!(text, "<bdi>tap\\u{202e}gpj\\u{a}</bdi>");
        let text = written(|html| html.quoted("said", "one\n\ttwo\u{2066}"));
        assert!(text.contains("one\n\ttwo\\u{2066}"), "{text}");
    }

    #[test]
    fn numbers_keep_all_digits_behind_those_that_show() {
        let text = written(|html| html.decimal(0.1 + 0.2, 2));
        assert_eq!(text, "<data value=\"0.30000000000000004\">0.30</data>");
        assert_eq!(
            written(|html| html.decimal(f64::NEG_INFINITY, 2)),
            "-inf",
            "JSON has no such number"
        );
        assert_eq!(
            written(|html| html.decimal(-0.001, 2)),
            "<data value=\"-0.001\">0.00</data>"
        );
        assert_eq!(
            written(|html| html.count(1_234_567)),
            "<data value=\"1234567\">1,234,567</data>"
        );
        assert_eq!(grouped(100), "100");
        assert_eq!(grouped(1_000), "1,000");
    }
}
