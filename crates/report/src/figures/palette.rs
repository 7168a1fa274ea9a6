//! The colours of figures, by class, for light paper and dark screens. Every series also has a dash
//! pattern and a shape of its own, so that no meaning hangs on colour alone.

/// A class with its colour on light ground and on dark. An element's other class says what is
/// painted: `line` the stroke, `area` the fill at an opacity of 0.18, `mark` and `text` the fill.
///
/// The series keep apart for people who see few colours (after Okabe and Ito, "Color Universal
/// Design", 2008), darkened until each has a contrast of 3 or more to its ground.
const PALETTE: [(&str, &str, &str); 27] = [
    ("series-0", "#0067a5", "#5bb4ee"),
    ("series-1", "#c8540a", "#ff9a5c"),
    ("series-2", "#00805c", "#43cfa4"),
    ("series-3", "#a8458a", "#ec9ecb"),
    ("series-4", "#5f3fa0", "#b9a2f2"),
    ("series-5", "#846500", "#dfbf4b"),
    ("series-6", "#0b7a88", "#5fd0de"),
    ("series-7", "#444a52", "#c3c9d1"),
    ("series-other", "#a3aab3", "#626b76"),
    ("member", "#c2410c", "#ff9a5c"),
    ("nonmember", "#1d5fa8", "#6cb4f5"),
    ("chance", "#6b7280", "#9aa3ae"),
    ("band", "#6b7280", "#9aa3ae"),
    ("grid", "#e3e6ea", "#30363e"),
    ("axis", "#7b838e", "#7f8894"),
    ("tick", "#4b5563", "#aeb6c0"),
    ("label", "#111827", "#e6edf3"),
    ("legend", "#1f2937", "#d5dbe2"),
    ("threshold", "#b42318", "#ff8078"),
    ("pass", "#1a7f37", "#46c35f"),
    ("fail", "#b42318", "#ff8078"),
    ("inconclusive", "#8a6100", "#dfb13c"),
    ("source-pretrained", "#5f3fa0", "#b9a2f2"),
    ("source-retrieved", "#c2410c", "#ff9a5c"),
    ("source-neither", "#6b7280", "#9aa3ae"),
    ("source-both", "#0b7a88", "#5fd0de"),
    ("paper", "#ffffff", "#14181d"),
];

/// Curves that look different from each other; those after them are all alike.
pub const DISTINCT: usize = 8;

const SERIES: [&str; DISTINCT] = [
    "series-0", "series-1", "series-2", "series-3", "series-4", "series-5", "series-6", "series-7",
];
const DASHES: [&str; DISTINCT] = [
    "",
    "7 3",
    "2 2.5",
    "9 3 2 3",
    "5 2",
    "12 3",
    "1.5 3",
    "4 1.5 1.5 1.5",
];

/// The shape of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Circle,
    Square,
    Up,
    Diamond,
    Down,
    Cross,
    Plus,
    Ring,
    /// Small, for many points.
    Dot,
}

const SHAPES: [Shape; DISTINCT] = [
    Shape::Circle,
    Shape::Square,
    Shape::Up,
    Shape::Diamond,
    Shape::Down,
    Shape::Cross,
    Shape::Plus,
    Shape::Ring,
];

/// Every class with its light and its dark colour.
pub fn palette() -> &'static [(&'static str, &'static str, &'static str)] {
    &PALETTE
}

/// How figures are painted within a page.
const STYLE: &str =
    "svg.figure { display: block; width: 100%; height: auto; font-family: inherit; }
svg.figure .line { stroke: var(--ink); fill: none; }
svg.figure .area { fill: var(--ink); fill-opacity: .18; }
svg.figure .mark, svg.figure .text { fill: var(--ink); }
";

/// The style sheet of figures, light and dark. Colours are given to classes within a scope, such as
/// `svg.figure `, or to all of a page that has an empty one.
pub fn style(scope: &str) -> String {
    let mut sheet = STYLE.to_owned();
    for (class, light, dark) in palette() {
        sheet += &format!("{scope}.{class}{{--ink:light-dark({light},{dark})}}\n");
    }
    sheet
}

pub fn series(place: usize) -> &'static str {
    SERIES.get(place).copied().unwrap_or("series-other")
}

/// As `stroke-dasharray` has it; empty for a solid line.
pub fn dash(place: usize) -> &'static str {
    DASHES.get(place).copied().unwrap_or("")
}

pub fn shape(place: usize) -> Shape {
    SHAPES.get(place).copied().unwrap_or(Shape::Circle)
}

/// The light colour of a class.
pub fn light(class: &str) -> Option<&'static str> {
    let found = PALETTE.iter().find(|(name, _, _)| *name == class);
    found.map(|(_, light, _)| *light)
}
