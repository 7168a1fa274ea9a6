//! Figures as files: SVG that stands alone, and PNG.

use report::Kind;
use report::figures::{palette, png, standalone};
use resvg::tiny_skia::Pixmap;
use roxmltree::Document;
use skrifa::{FontRef, MetadataProvider};

use super::stored::{drawn, everything, find, report_of};

#[test]
fn a_file_needs_no_page() {
    for figure in drawn(&everything()) {
        let file = standalone(&figure);
        let document = Document::parse(&file).unwrap();
        let root = document.root_element();
        assert_eq!(root.attribute("width"), Some("160mm"));
        assert!(
            root.attribute("font-family")
                .unwrap()
                .ends_with("sans-serif")
        );
        for node in document.descendants() {
            assert!(!node.has_attribute("class") && !node.has_attribute("data-tip"));
            if node.has_tag_name("path") {
                let painted = node.has_attribute("stroke") || node.has_attribute("fill");
                assert!(painted, "{}", figure.id);
            }
            if node.has_tag_name("text") {
                assert!(node.attribute("fill").unwrap().starts_with('#'));
            }
        }
    }
}

#[test]
fn pictures_show_something() {
    for figure in drawn(&everything()) {
        let bytes = png(&figure, 1.0).unwrap();
        let picture = Pixmap::decode_png(&bytes).unwrap();
        assert_eq!(picture.width(), 640, "{}", figure.id);
        let first = picture.pixel(0, 0).unwrap();
        assert_eq!(
            (first.red(), first.alpha()),
            (255, 255),
            "the ground is white"
        );
        let drawn = picture.pixels().iter().filter(|pixel| **pixel != first);
        assert!(drawn.count() > 2_000, "{}", figure.id);
    }
    let figure = find(&report_of(Kind::Classifier), "gate");
    let large = Pixmap::decode_png(&png(&figure, 2.0).unwrap()).unwrap();
    assert_eq!(large.width(), 1280);
    for scale in [0.0, -1.0, f32::NAN, 1e9] {
        assert!(png(&figure, scale).is_err(), "{scale}");
    }
}

#[test]
fn the_font_has_every_letter_that_figures_use() {
    let font = FontRef::new(epaint_default_fonts::UBUNTU_LIGHT).unwrap();
    let letters = font.charmap();
    for figure in drawn(&everything()) {
        let document = Document::parse(&figure.svg).unwrap();
        let texts = document
            .descendants()
            .filter(|node| node.has_tag_name("text"));
        for letter in texts.filter_map(|node| node.text()).flat_map(str::chars) {
            assert!(letters.map(letter).is_some(), "{}: {letter:?}", figure.id);
        }
    }
    for letter in "≥≤φεβσ–·×±²…¦".chars() {
        assert!(letters.map(letter).is_some(), "{letter:?}");
    }
}

/// The relative luminance of a colour (WCAG 2.2).
fn luminance(colour: &str) -> f64 {
    let channel = |from: usize| {
        let value = u8::from_str_radix(&colour[from..from + 2], 16).unwrap();
        let share = f64::from(value) / 255.0;
        match share <= 0.040_45 {
            true => share / 12.92,
            false => ((share + 0.055) / 1.055).powf(2.4),
        }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

fn contrast(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn colours_can_be_seen_on_their_ground() {
    let (_, white, black) = palette()
        .iter()
        .find(|(class, _, _)| *class == "paper")
        .unwrap();
    for (class, light, dark) in palette() {
        let least = match *class {
            "paper" | "grid" => continue,
            "tick" | "label" | "legend" => 4.5,
            "series-other" => 2.0,
            _ => 3.0,
        };
        assert!(
            contrast(light, white) >= least,
            "{class} {light}: {}",
            contrast(light, white)
        );
        assert!(
            contrast(dark, black) >= least,
            "{class} {dark}: {}",
            contrast(dark, black)
        );
    }
}
