//! The words of HTML pages, of the report's and of the dashboard's. Elements are written with
//! `maud`; every text comes in through here, so that nothing anybody audited can become markup, steer
//! the reader's eye or hide.

use maud::{Markup, PreEscaped, html};

use crate::figures::Figure;
use crate::text::{escape_markup, printable, printable_lines};

/// Text in a line, or the value of an attribute: markup means nothing in it, and control characters
/// are seen.
pub fn text(text: &str) -> Markup {
    PreEscaped(escape_markup(&printable(text)))
}

/// A text of several lines, with its line breaks.
pub fn lines(text: &str) -> Markup {
    PreEscaped(escape_markup(&printable_lines(&text.replace("\r\n", "\n"))))
}

/// A text from outside, kept from ordering its neighbours.
pub fn outside(words: &str) -> Markup {
    html! { bdi { (text(words)) } }
}

/// A longer text from outside, with its line breaks.
pub fn quoted(class: &'static str, text: &str) -> Markup {
    html! { div class=(class) dir="auto" { (lines(text)) } }
}

/// A number as it is shown, with all of it behind. What is not finite has no JSON.
pub fn number(value: f64, shown: &str) -> Markup {
    match serde_json::to_string(&value) {
        Ok(full) if value.is_finite() => html! { data value=(full) { (text(shown)) } },
        _ => text(shown),
    }
}

/// A number with so many digits behind the point.
pub fn decimal(value: f64, digits: usize) -> Markup {
    // Adding zero turns −0.00 into 0.00.
    let scale = 10_f64.powi(digits as i32);
    let rounded = (value * scale).round() / scale + 0.0;
    let shown = if rounded.is_finite() { rounded } else { value };
    number(value, &format!("{shown:.digits$}"))
}

/// A share in per cent.
pub fn percent(share: f64, digits: usize) -> Markup {
    number(share, &format!("{:.digits$}%", 100.0 * share))
}

/// A whole number, grouped by thousands.
pub fn count(count: u64) -> Markup {
    html! { data value=(count) { (grouped(count)) } }
}

/// A whole number that names something, as it is.
pub fn index(index: u64) -> Markup {
    html! { data value=(index) { (index) } }
}

/// A figure's picture, the one thing that comes as markup: figures escape what they write.
pub fn drawing(figure: &Figure) -> Markup {
    PreEscaped(figure.svg.clone())
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

    #[test]
    fn no_text_becomes_markup() {
        let hostile = "</script><script>alert(1)</script>\"><img src=x onerror='a&b'>";
        let text = html! { p title=(text(hostile)) { (text(hostile)) } }.into_string();
        assert_eq!(text.matches('<').count(), 2, "{text}");
        assert_eq!(text.matches('"').count(), 2, "{text}");
        assert!(!text.contains('\''), "{text}");
    }

    #[test]
    fn text_cannot_reorder_its_neighbours() {
        let text = outside("tap\u{202e}gpj\n").into_string();
        assert_eq!(text, "<bdi>tap\\u{202e}gpj\\u{a}</bdi>");
        let text = quoted("said", "one\n\ttwo\u{2066}").into_string();
        assert!(text.contains("one\n\ttwo\\u{2066}"), "{text}");
    }

    #[test]
    fn what_is_put_in_stays_text() {
        let hostile = "\"><script>alert('1')</script>\u{202e}\u{0}";
        let page = html! { a title=(text(hostile)) { (text(hostile)) } }.into_string();
        let shown = "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;\\u{202e}\\u{0}";
        assert_eq!(page, format!("<a title=\"{shown}\">{shown}</a>"));
        assert_eq!(lines("a<\r\nb\u{1b}").into_string(), "a&lt;\nb\\u{1b}");
    }

    #[test]
    fn numbers_keep_all_digits_behind_those_that_show() {
        let text = decimal(0.1 + 0.2, 2).into_string();
        assert_eq!(text, "<data value=\"0.30000000000000004\">0.30</data>");
        assert_eq!(
            decimal(f64::NEG_INFINITY, 2).into_string(),
            "-inf",
            "JSON has no such number"
        );
        assert_eq!(
            decimal(-0.001, 2).into_string(),
            "<data value=\"-0.001\">0.00</data>"
        );
        assert_eq!(
            count(1_234_567).into_string(),
            "<data value=\"1234567\">1,234,567</data>"
        );
        assert_eq!(grouped(100), "100");
        assert_eq!(grouped(1_000), "1,000");
    }
}
