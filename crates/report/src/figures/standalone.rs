//! A figure as a file of its own: light ground, colours written into every element, a physical size,
//! and nothing that only a page would use.

use super::Figure;
use super::palette::light;

/// As it is printed: a quarter of a millimetre for each unit makes figures 160 mm wide.
const MILLIMETRES: f64 = 0.25;
const FONTS: &str = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif";

/// A complete SVG document.
pub fn standalone(figure: &Figure) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut rest = figure.svg.as_str();
    // No attribute and no text of ours holds a bare angle: they were escaped as they were written.
    while let Some((before, after)) = rest.split_once('<') {
        let Some((tag, after)) = after.split_once('>') else {
            break;
        };
        text += before;
        text += &rewritten(tag);
        rest = after;
    }
    text += rest;
    text.push('\n');
    text
}

/// One tag with its classes turned into colours.
fn rewritten(tag: &str) -> String {
    let name = tag.split([' ', '/']).next().unwrap_or("");
    if name.is_empty() {
        return format!("<{tag}>");
    }
    let mut text = format!("<{name}");
    let mut ground = String::new();
    for (attribute, value) in attributes(tag) {
        match attribute {
            "class" => text += &painted(value),
            "viewBox" => {
                let (size, rectangle) = sized(value);
                text += &format!(" {attribute}=\"{value}\"{size}");
                ground = rectangle;
            }
            "pointer-events" => {}
            data if data.starts_with("data-") => {}
            other => text += &format!(" {other}=\"{value}\""),
        }
    }
    text += if tag.ends_with('/') { "/>" } else { ">" };
    text + &ground
}

/// Names and values, as they are written.
fn attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = tag;
    std::iter::from_fn(move || {
        let (name, after) = rest.split_once("=\"")?;
        let (value, after) = after.split_once('"')?;
        rest = after;
        Some((name.rsplit(' ').next().unwrap_or(name), value))
    })
}

/// What the classes of an element mean on white paper.
fn painted(classes: &str) -> String {
    let has = |class: &str| classes.split(' ').any(|other| other == class);
    let Some(colour) = classes.split(' ').find_map(light) else {
        return String::new();
    };
    if has("line") {
        format!(" stroke=\"{colour}\"")
    } else if has("area") {
        format!(" fill=\"{colour}\" fill-opacity=\"0.18\"")
    } else if has("mark") || has("text") {
        format!(" fill=\"{colour}\"")
    } else {
        String::new()
    }
}

/// The attributes of size and font for a view box, and the ground.
fn sized(view_box: &str) -> (String, String) {
    let numbers: Vec<f64> = view_box
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    let [_, _, width, height] = numbers[..] else {
        return (String::new(), String::new());
    };
    let size = format!(
        " width=\"{}mm\" height=\"{}mm\" font-family=\"{FONTS}\"",
        width * MILLIMETRES,
        height * MILLIMETRES
    );
    let ground = format!("<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>");
    (size, ground)
}
