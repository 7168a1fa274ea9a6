//! An SVG as it is written: elements with classes and presentation attributes, everything escaped.
//! No styles, no scripts, nothing from outside: the figures work under the strictest policy.

use super::palette::Shape;
use super::path::{coordinate, escape, outline, pair};

/// One element with its attributes.
pub struct Tag(String);

impl Tag {
    pub fn new(name: &str) -> Self {
        Tag(format!("<{name}"))
    }

    pub fn class(self, class: &str) -> Self {
        self.say("class", class)
    }

    pub fn number(mut self, name: &str, value: f64) -> Self {
        self.0 += &format!(" {name}=\"{}\"", coordinate(value));
        self
    }

    /// An attribute of words; nothing where they are empty.
    pub fn say(mut self, name: &str, words: &str) -> Self {
        if !words.is_empty() {
            self.0 += &format!(" {name}=\"{}\"", escape(words));
        }
        self
    }
}

/// Where a text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn word(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
}

/// The sizes of text, in units of the drawing: ordinary, and at ticks.
pub const TEXT: f64 = 12.5;
const SMALL: f64 = 11.5;

#[derive(Default)]
pub struct Canvas {
    body: String,
}

impl Canvas {
    pub fn put(&mut self, tag: Tag) {
        self.body += &tag.0;
        self.body += "/>";
    }

    pub fn group(&mut self, tag: Tag, draw: impl FnOnce(&mut Canvas)) {
        self.body += &tag.0;
        self.body.push('>');
        draw(self);
        self.body += "</g>";
    }

    /// Something that leads elsewhere within the page's own site.
    pub fn link(&mut self, to: &str, tip: &str, draw: impl FnOnce(&mut Canvas)) {
        let tag = Tag::new("a").say("href", to).say("data-tip", tip);
        self.body += &tag.say("aria-label", tip).0;
        self.body.push('>');
        draw(self);
        self.body += "</a>";
    }

    /// Something of one name in the legend, and what is shown when somebody points at it.
    pub fn series(&mut self, name: &str, tip: &str, draw: impl FnOnce(&mut Canvas)) {
        let tag = Tag::new("g").class("series").say("data-series", name);
        self.group(tag.say("data-tip", tip), draw);
    }

    pub fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, words: &str) {
        self.push_text(text_tag(class, at, anchor), words);
    }

    /// Reads upwards, centred on the point.
    pub fn text_upwards(&mut self, class: &str, at: (f64, f64), words: &str) {
        let turn = format!("rotate(-90 {} {})", coordinate(at.0), coordinate(at.1));
        let tag = text_tag(class, at, Anchor::Middle).say("transform", &turn);
        self.push_text(tag, words);
    }

    fn push_text(&mut self, tag: Tag, words: &str) {
        self.body += &format!("{}>{}</text>", tag.0, escape(words));
    }

    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64), width: f64, dash: &str) {
        let path = format!("M{}L{}", pair(from), pair(to));
        self.path(class, &path, width, dash);
    }

    /// A path that is not filled.
    pub fn path(&mut self, class: &str, path: &str, width: f64, dash: &str) {
        self.put(stroked(class, path, width, dash));
    }

    pub fn area(&mut self, class: &str, path: &str) {
        let tag = Tag::new("path").class(&format!("area {class}"));
        self.put(tag.say("d", path));
    }

    /// A mark; hollow ones hide what lies under them and show the ground.
    pub fn mark(&mut self, class: &str, shape: Shape, at: (f64, f64), hollow: bool) {
        let outline = outline(shape, at);
        let open = matches!(shape, Shape::Cross | Shape::Plus);
        if open {
            self.path(class, &outline, 1.8, "");
        } else if hollow || shape == Shape::Ring {
            let ground = Tag::new("path").class("mark paper");
            self.put(ground.say("d", &outline));
            self.path(class, &outline, 1.4, "");
        } else {
            let tag = Tag::new("path").class(&format!("mark {class}"));
            self.put(tag.say("d", &outline));
        }
    }

    /// A rectangle between two corners, any two.
    pub fn rectangle(&mut self, class: &str, a: (f64, f64), b: (f64, f64)) {
        let tag = Tag::new("rect").class(class);
        let tag = tag.number("x", a.0.min(b.0)).number("y", a.1.min(b.1));
        let tag = tag.number("width", (a.0 - b.0).abs());
        self.put(tag.number("height", (a.1 - b.1).abs()));
    }

    /// The whole picture.
    pub fn finish(self, id: &str, title: &str, caption: &str, size: (f64, f64)) -> String {
        self.written("img", id, title, caption, size)
    }

    /// The whole picture, with links inside that can be reached.
    pub fn finish_links(self, id: &str, title: &str, caption: &str, size: (f64, f64)) -> String {
        self.written("group", id, title, caption, size)
    }

    fn written(self, role: &str, id: &str, title: &str, caption: &str, size: (f64, f64)) -> String {
        let (id, title, caption) = (escape(id), escape(title), escape(caption));
        let (width, height) = (coordinate(size.0), coordinate(size.1));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" viewBox=\"0 0 {width} {height}\" \
             role=\"{role}\" aria-labelledby=\"fig-{id}-title fig-{id}-desc\">\
             <title id=\"fig-{id}-title\">{title}</title><desc id=\"fig-{id}-desc\">{caption}</desc>\
             {}</svg>",
            self.body
        )
    }
}

fn text_tag(class: &str, at: (f64, f64), anchor: Anchor) -> Tag {
    let tag = Tag::new("text").class(&format!("text {class}"));
    let tag = tag.number("x", at.0).number("y", at.1);
    let size = if class == "tick" { SMALL } else { TEXT };
    tag.number("font-size", size)
        .say("text-anchor", anchor.word())
}

/// A path that is drawn and not filled.
pub fn stroked(class: &str, path: &str, width: f64, dash: &str) -> Tag {
    let tag = Tag::new("path").class(&format!("line {class}"));
    let tag = tag.say("d", path).say("fill", "none");
    let tag = tag.number("stroke-width", width);
    tag.say("stroke-dasharray", dash)
}
