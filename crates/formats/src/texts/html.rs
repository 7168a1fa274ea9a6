//! HTML as a reader sees it: the words, without tags, scripts, styles and what is hidden.

mod open;

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer,
};

use self::open::Open;

/// Elements that run on in a line; all others begin a new one.
const INLINE: [&str; 28] = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "u",
    "var",
];

/// A page: its title, and its words in lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    pub title: Option<String>,
    pub text: String,
}

pub(super) fn page(html: &str) -> Page {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    let tokenizer = Tokenizer::new(Seen::default(), Default::default());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let words = tokenizer.sink.0.into_inner();
    let title = lines(&words.title).replace('\n', " ");
    Page {
        title: (!title.is_empty()).then_some(title),
        text: lines(&words.text),
    }
}

#[derive(Default)]
struct Seen(RefCell<Words>);

#[derive(Default)]
struct Words {
    text: String,
    title: String,
    open: Open,
    in_title: bool,
}

impl TokenSink for Seen {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut words = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => words.take(&text),
            Token::TagToken(tag) => return words.pass(&tag),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Words {
    fn take(&mut self, text: &str) {
        match (self.in_title, self.open.is_read()) {
            (true, _) => self.title.push_str(text),
            (false, true) => self.text.push_str(text),
            (false, false) => {}
        }
    }

    fn pass(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        let starts = tag.kind == TagKind::StartTag;
        match starts {
            true => self.open.begin(tag),
            false => self.open.end(name),
        }
        if name == "title" && self.open.is_read() {
            self.in_title = starts;
        }
        if !INLINE.contains(&name) {
            self.text.push('\n');
        }
        match (starts, name) {
            (true, "script") => TokenSinkResult::RawData(RawKind::ScriptData),
            (true, "style" | "iframe" | "noscript") => TokenSinkResult::RawData(RawKind::Rawtext),
            (true, "title" | "textarea") => TokenSinkResult::RawData(RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }
}

/// Words with one blank between, in lines that are not empty.
fn lines(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.join(" ")
    });
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_and_everything_else_goes() {
        let found = page(
            "<!doctype html><html><head><title>Leave &amp; rest</title><style>p { color: red }</style>\
             <script>if (a < b) { document.write('<p>no</p>') }</script></head><body><h1>Leave</h1>\
             <p>Leave is <b>paid</b> for\n   30&nbsp;days.</p><ul><li>one</li><li>two</li></ul>\
             <svg><title>icon</title><text>no</text></svg><!-- no --><p>Größe 5 &lt; 6</body></html>",
        );
        assert_eq!(found.title.as_deref(), Some("Leave & rest"));
        assert_eq!(
            found.text,
            "Leave\nLeave is paid for\n30 days.\none\ntwo\nGröße 5 < 6"
        );
    }

    #[test]
    fn what_is_hidden_is_no_text() {
        for (html, text) in [
            ("<p>a<div hidden>no<div>no</div>no<br>no</div>b", "a\nb"),
            (
                "a<span style='color: red; DISPLAY : none !important'>no</span>b",
                "ab",
            ),
            ("a<p style=\"visibility:hidden\">no<b>no</p>b", "a\nb"),
            ("<p style='display:none; display:block'>a", "a"),
            ("<p hidden style='display:block'>a", "a"),
            ("<input hidden>a<img hidden>b", "a\nb"),
        ] {
            assert_eq!(page(html).text, text, "{html}");
        }
    }

    /// Ends may be left out, and ends that began nothing may stand there.
    #[test]
    fn what_is_hidden_hides_nothing_else() {
        for (html, text) in [
            ("<p hidden>no<p>a", "a"),
            ("<ul><li hidden>no<ul><li>no</ul>no<li>a</ul>b", "a\nb"),
            ("<ul><li hidden>no</ul>a", "a"),
            ("<table><tr hidden><td>no<tr><td>a</table>b", "a\nb"),
            ("<div><p hidden>no</b>no</div>a", "a"),
            ("<div hidden>no</i></p>no</div>a", "a"),
            ("<body style='visibility: hidden'>a", "a"),
        ] {
            assert_eq!(page(html).text, text, "{html}");
        }
    }

    #[test]
    fn broken_pages_are_read_as_far_as_they_go() {
        assert_eq!(page("plain words").text, "plain words");
        assert_eq!(page("<p>one<script>never ends").text, "one");
        assert_eq!(page("</div></div>two<<b>three").text, "two<three");
        assert_eq!(page(""), Page::default());
    }
}
