//! HTML in which text stays text: whatever is put into a template is escaped, unless it is HTML that
//! was made the same way.

use std::borrow::Cow;

/// A piece of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// Text of ours that is HTML already. Never for anything that comes from a file or a visitor.
    pub fn trusted(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn push(&mut self, other: &Html) {
        self.0.push_str(&other.0);
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<I: IntoIterator<Item = Html>>(pieces: I) -> Self {
        let mut all = Html::default();
        for piece in pieces {
            all.push(&piece);
        }
        all
    }
}

/// What may stand in a template.
pub trait Show {
    fn show(&self) -> Cow<'_, str>;
}

impl Show for Html {
    fn show(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.0)
    }
}

impl Show for str {
    fn show(&self) -> Cow<'_, str> {
        Cow::Owned(escape(&report::printable(self)))
    }
}

impl Show for String {
    fn show(&self) -> Cow<'_, str> {
        self.as_str().show()
    }
}

impl<T: Show + ?Sized> Show for &T {
    fn show(&self) -> Cow<'_, str> {
        (**self).show()
    }
}

impl Show for Cow<'_, str> {
    fn show(&self) -> Cow<'_, str> {
        self.as_ref().show()
    }
}

macro_rules! show_numbers {
    ($($number:ty),*) => {$(
        impl Show for $number {
            fn show(&self) -> Cow<'_, str> {
                Cow::Owned(self.to_string())
            }
        }
    )*};
}

show_numbers!(u8, u16, u32, u64, usize);

/// A template with `{}` for every argument; arguments are escaped.
macro_rules! html {
    ($template:literal $(, $argument:expr)* $(,)?) => {
        $crate::markup::Html::trusted(format!($template $(, $crate::markup::Show::show(&$argument))*))
    };
}

pub(crate) use html;

/// Text of several lines, each made printable; for `<pre>`.
pub fn lines(text: &str) -> Html {
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| escape(&report::printable(line.trim_end_matches('\r'))))
        .collect();
    Html(lines.join("\n"))
}

fn escape(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&#39;"),
            other => shown.push(other),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_stays_text() {
        let hostile = "\"><script>alert('1')</script>\u{202e}\u{0}";
        let page = html!(
            "<a title=\"{}\">{}</a>",
            hostile,
            html!("<b>{}</b>", 7usize)
        )
        .into_string();
        assert_eq!(
            page,
            "<a title=\"&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;\\u{202e}\\u{0}\"><b>7</b></a>"
        );
        assert_eq!(lines("a<\r\nb\u{1b}").into_string(), "a&lt;\nb\\u{1b}");
    }
}
