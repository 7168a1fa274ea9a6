//! Numbers, words and outlines as SVG writes them.

use super::palette::Shape;
use crate::text::printable;

/// One digit after the point: a tenth of a unit is finer than any screen.
pub fn coordinate(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0" } else { text }.to_owned()
}

pub fn pair((x, y): (f64, f64)) -> String {
    format!("{},{}", coordinate(x), coordinate(y))
}

/// Words from anywhere, as text or attribute of an XML document.
pub fn escape(words: &str) -> String {
    let mut safe = String::with_capacity(words.len());
    for character in printable(words).chars() {
        match character {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&#39;",
            other => safe.push(other),
        }
    }
    safe
}

/// Points joined by straight lines.
pub fn polyline(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (place, point) in points.iter().enumerate() {
        path.push(if place == 0 { 'M' } else { 'L' });
        path += &pair(*point);
    }
    path
}

/// Steps: to the right at the old height, then up or down to the new one. Moves below a tenth are
/// left out.
pub fn steps(points: &[(f64, f64)]) -> String {
    let Some(first) = points.first() else {
        return String::new();
    };
    let mut path = format!("M{}", pair(*first));
    path += &further_steps(points);
    path
}

/// The same without the first move.
pub fn further_steps(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    let written = |(x, y): (f64, f64)| (coordinate(x), coordinate(y));
    let Some(mut here) = points.first().copied().map(written) else {
        return path;
    };
    for next in points.iter().skip(1).copied().map(written) {
        if next.0 != here.0 {
            path += &format!("H{}", next.0);
        }
        if next.1 != here.1 {
            path += &format!("V{}", next.1);
        }
        here = next;
    }
    path
}

/// The outline of a mark around a point, about nine units wide.
pub fn outline(shape: Shape, (x, y): (f64, f64)) -> String {
    let at = |dx: f64, dy: f64| pair((x + dx, y + dy));
    let closed = |corners: &[(f64, f64)]| {
        let corners: Vec<(f64, f64)> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
        format!("{}Z", polyline(&corners))
    };
    match shape {
        Shape::Circle | Shape::Ring => {
            let (left, right) = (at(-4.0, 0.0), at(4.0, 0.0));
            format!("M{left}A4,4 0 1 1 {right}A4,4 0 1 1 {left}Z")
        }
        Shape::Dot => {
            let (left, right) = (at(-2.0, 0.0), at(2.0, 0.0));
            format!("M{left}A2,2 0 1 1 {right}A2,2 0 1 1 {left}Z")
        }
        Shape::Square => closed(&[(-3.5, -3.5), (3.5, -3.5), (3.5, 3.5), (-3.5, 3.5)]),
        Shape::Up => closed(&[(0.0, -4.6), (4.4, 3.2), (-4.4, 3.2)]),
        Shape::Down => closed(&[(0.0, 4.6), (4.4, -3.2), (-4.4, -3.2)]),
        Shape::Diamond => closed(&[(0.0, -4.9), (4.9, 0.0), (0.0, 4.9), (-4.9, 0.0)]),
        Shape::Cross => format!(
            "M{}L{}M{}L{}",
            at(-3.4, -3.4),
            at(3.4, 3.4),
            at(-3.4, 3.4),
            at(3.4, -3.4)
        ),
        Shape::Plus => format!(
            "M{}L{}M{}L{}",
            at(-4.4, 0.0),
            at(4.4, 0.0),
            at(0.0, -4.4),
            at(0.0, 4.4)
        ),
    }
}

/// About how wide words are at a size: no font is at hand to ask.
pub fn width(words: &str, size: f64) -> f64 {
    let one = |character: char| match character {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | '.' | ',' | ':' | '|' | ' ' | '(' | ')' => 0.33,
        'm' | 'w' | 'M' | 'W' | '%' => 0.88,
        upper if upper.is_uppercase() => 0.68,
        letter if letter.is_ascii() || letter < '\u{1100}' => 0.57,
        _ => 1.05,
    };
    words.chars().map(one).sum::<f64>() * size
}

/// Names from outside, cut so that they cannot push the numbers off the page.
pub fn short(name: &str, most: usize) -> String {
    let name = printable(name);
    match name.char_indices().nth(most) {
        None => name,
        Some(_) => name
            .chars()
            .take(most.saturating_sub(1))
            .chain(['…'])
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short() {
        let written = [1.0, 1.25, -0.04, 100.06].map(coordinate);
        assert_eq!(written, ["1", "1.2", "0", "100.1"]);
    }

    #[test]
    fn steps_go_right_first_and_leave_out_what_nobody_sees() {
        let points = [(0.0, 10.0), (2.0, 8.0), (2.01, 8.0), (2.0, 3.0)];
        assert_eq!(steps(&points), "M0,10H2V8V3");
    }

    #[test]
    fn words_do_not_end_an_attribute() {
        assert_eq!(
            escape("<a b=\"c\" d='e'>&]]>\u{1b}\u{ffff}"),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;]]&gt;\\u{1b}\\u{ffff}"
        );
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(short("abcdef", 4), "abc…");
        assert_eq!(short("abcd", 4), "abcd");
    }
}
