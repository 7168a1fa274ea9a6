//! What is drawn: every figure there is, as XML that does nothing by itself.

use report::figures::{Figure, is_name, palette, standalone};
use report::{Detail, Kind, Report};
use roxmltree::{Document, Node};

use super::stored::{drawn, everything, find, report_of};

fn names(reports: &[Report]) -> Vec<String> {
    drawn(reports).into_iter().map(|figure| figure.id).collect()
}

#[test]
fn reports_that_have_everything_have_every_figure() {
    let names = names(&everything());
    assert_eq!(
        names,
        [
            "gate",
            "roc",
            "roc-linear",
            "forest",
            "tpr",
            "histogram-lira",
            "histogram-rmia",
            "log-mia",
            "calibration",
            "slices",
            "scaling-auc",
            "scaling-tpr",
            "qq-inside",
            "qq-outside",
            "normality",
            "checkpoints",
            "source-confusion",
            "source-labels",
            "source-rows",
            "source-fixed",
            "source-calibrated",
            "source-noise",
            "fewshot-log-mia",
            "fewshot-auc",
            "retrieval-arms",
            "retrieval-signals",
            "retrieval-answers",
        ]
    );
    assert!(names.iter().all(|name| is_name(name)));
    assert!(!is_name("holiday"));
}

#[test]
fn a_report_without_attacks_has_no_figures() {
    let mut report = Report::from_json(include_str!("../data/leaky.json")).unwrap();
    report.attacks.clear();
    report.scaling.clear();
    report.verdict.gate = None;
    assert_eq!(names(&[report]), [""; 0]);
}

const ELEMENTS: [&str; 7] = ["svg", "title", "desc", "g", "path", "rect", "text"];
const ATTRIBUTES: [&str; 22] = [
    "class",
    "viewBox",
    "role",
    "aria-labelledby",
    "id",
    "d",
    "fill",
    "stroke-width",
    "stroke-dasharray",
    "x",
    "y",
    "width",
    "height",
    "font-size",
    "text-anchor",
    "transform",
    "pointer-events",
    "data-series",
    "data-tip",
    "data-tips",
    "data-points",
    "xmlns",
];

/// Nothing but these elements and attributes: no style, no script, no handler, no address.
fn harmless(figure: &Figure) {
    let document = Document::parse(&figure.svg).unwrap();
    for node in document.descendants().filter(Node::is_element) {
        let name = node.tag_name().name();
        assert!(ELEMENTS.contains(&name), "{}: <{name}>", figure.id);
        for attribute in node.attributes() {
            let known = ATTRIBUTES.contains(&attribute.name());
            assert!(known, "{}: {name} {}", figure.id, attribute.name());
        }
        coloured(figure, &node);
        assert!(node.attribute("fill").is_none_or(|fill| fill == "none"));
    }
    assert!(!figure.svg.contains("NaN") && !figure.svg.contains("inf\""));
}

/// Whatever is painted has a colour in the palette.
fn coloured(figure: &Figure, node: &Node) {
    let classes: Vec<&str> = node.attribute("class").unwrap_or("").split(' ').collect();
    let painted = ["line", "area", "mark", "text"]
        .iter()
        .any(|kind| classes.contains(kind));
    let colours = palette()
        .iter()
        .filter(|(class, _, _)| classes.contains(class));
    if painted {
        assert_eq!(colours.count(), 1, "{}: {classes:?}", figure.id);
    }
}

#[test]
fn figures_are_plain_and_complete() {
    for figure in drawn(&everything()) {
        harmless(&figure);
        let document = Document::parse(&figure.svg).unwrap();
        let root = document.root_element();
        assert_eq!(root.attribute("role"), Some("img"));
        for id in root.attribute("aria-labelledby").unwrap().split(' ') {
            assert!(
                document
                    .descendants()
                    .any(|node| node.attribute("id") == Some(id))
            );
        }
        assert!(figure.caption.len() > 40 && !figure.title.is_empty());
        assert!(!figure.table.rows.is_empty(), "{}", figure.id);
        for row in &figure.table.rows {
            assert_eq!(row.len(), figure.table.headers.len(), "{}", figure.id);
        }
    }
}

#[test]
fn names_from_outside_do_nothing() {
    let hostile = "\"'><script>alert(1)</script>]]>&amp;\u{1b}\u{202e}|;";
    let reports: Vec<Report> = everything()
        .into_iter()
        .map(|report| named(report, hostile))
        .collect();
    for figure in drawn(&reports) {
        harmless(&figure);
        let file = standalone(&figure);
        Document::parse(&file).unwrap();
        assert!(!file.contains("<script") && !figure.svg.contains("<script"));
    }
    // The bar that parts tips is not theirs to write.
    let figure = find(&named(report_of(Kind::Lm), hostile), "checkpoints");
    let document = Document::parse(&figure.svg).unwrap();
    for node in document.descendants() {
        if let (Some(tips), Some(points)) =
            (node.attribute("data-tips"), node.attribute("data-points"))
        {
            assert_eq!(tips.split('|').count(), points.split(';').count());
        }
    }
}

/// The report with all that comes from outside called so.
fn named(mut report: Report, hostile: &str) -> Report {
    for slice in &mut report.diagnostics.slices.as_mut().unwrap().slices {
        slice.value = hostile.into();
    }
    for label in &mut report.diagnostics.normality.as_mut().unwrap().by_label {
        label.label = hostile.into();
    }
    match &mut report.detail {
        Detail::Lm(lm) => {
            for point in &mut lm.checkpoints {
                point.label = hostile.into();
                point.step = None;
            }
        }
        Detail::Rag(rag) => {
            for signal in &mut rag.signals {
                signal.signal = hostile.into();
            }
            for arm in &mut rag.answers {
                arm.kinds.insert(hostile.into(), [1, 2]);
            }
        }
        Detail::Source(source) => {
            for count in &mut source.labels {
                count.label = hostile.into();
            }
        }
        _ => {}
    }
    report
}

/// The numbers of a path with the axis they lie on; those of arcs and of relative moves have none.
fn places(path: &str) -> Vec<(char, f64)> {
    let mut places = Vec::new();
    let mut command = ' ';
    let mut across = true;
    let mut number = String::new();
    let mut flush = |number: &mut String, command: char, across: &mut bool| {
        if let Ok(value) = number.parse::<f64>() {
            let axis = match command {
                'H' => 'x',
                'V' => 'y',
                'M' | 'L' => {
                    let axis = if *across { 'x' } else { 'y' };
                    *across = !*across;
                    axis
                }
                _ => ' ',
            };
            places.push((axis, value));
        }
        number.clear();
    };
    for character in path.chars() {
        match character {
            '0'..='9' | '.' | '-' => number.push(character),
            letter if letter.is_ascii_alphabetic() => {
                flush(&mut number, command, &mut across);
                command = letter;
                across = true;
            }
            _ => flush(&mut number, command, &mut across),
        }
    }
    flush(&mut number, command, &mut across);
    places
}

#[test]
fn everything_lies_inside_the_frame() {
    for figure in drawn(&everything()) {
        let document = Document::parse(&figure.svg).unwrap();
        let view = document.root_element().attribute("viewBox").unwrap();
        let view: Vec<f64> = view.split(' ').map(|word| word.parse().unwrap()).collect();
        let inside = |axis: char, value: f64| {
            let end = if axis == 'x' { view[2] } else { view[3] };
            assert!(
                (0.0..=end).contains(&value),
                "{}: {axis} {value}",
                figure.id
            );
        };
        for node in document.descendants().filter(Node::is_element) {
            let places = places(node.attribute("d").unwrap_or(""));
            for (axis, value) in places.into_iter().filter(|(axis, _)| *axis != ' ') {
                inside(axis, value);
            }
            let number = |name: &str| node.attribute(name).and_then(|text| text.parse().ok());
            let (x, y) = (number("x"), number("y"));
            if let (Some(x), Some(y)) = (x, y) {
                inside('x', x);
                inside('y', y);
                inside('x', x + number("width").unwrap_or(0.0));
                inside('y', y + number("height").unwrap_or(0.0));
            }
        }
    }
}

#[test]
fn roc_curves_are_steps_that_never_fall() {
    for id in ["roc", "roc-linear"] {
        let figure = find(&report_of(Kind::Classifier), id);
        let document = Document::parse(&figure.svg).unwrap();
        let curves: Vec<&str> = (document.descendants())
            .filter(|node| node.has_attribute("data-tips"))
            .filter_map(|node| node.attribute("d"))
            .collect();
        assert_eq!(curves.len(), 2);
        for curve in curves {
            assert!(!curve.contains('L') && curve.contains('H') && curve.contains('V'));
            let places = places(curve);
            let along = |wanted| places.iter().filter(move |(axis, _)| *axis == wanted);
            let x: Vec<f64> = along('x').map(|(_, value)| *value).collect();
            let y: Vec<f64> = along('y').map(|(_, value)| *value).collect();
            assert!(x.windows(2).all(|pair| pair[0] <= pair[1]), "{x:?}");
            assert!(y.windows(2).all(|pair| pair[0] >= pair[1]), "{y:?}");
        }
    }
}

#[test]
fn what_the_verdict_hangs_on() {
    insta::assert_snapshot!(
        find(&report_of(Kind::Classifier), "gate")
            .svg
            .replace("><", ">\n<")
    );
}
