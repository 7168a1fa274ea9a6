//! Shares over a few values, drawn with characters: one column of marks per value, the values evenly
//! spaced, chance beside them.

const WIDTH: usize = 60;
const HEIGHT: usize = 12;
const CHANCE: char = '·';

/// One line of the drawing.
pub struct Curve<'a> {
    pub name: &'a str,
    pub mark: char,
    /// From 0 to 1, one for each value.
    pub shares: Vec<f64>,
}

/// The curves over the values; nothing for fewer than two of them. The first curves are drawn on
/// top of later ones.
pub fn draw(title: &str, values: &[f64], curves: &[Curve], chance: &[f64]) -> Vec<String> {
    if values.len() < 2 {
        return Vec::new();
    }
    let mut canvas = vec![vec![' '; WIDTH]; HEIGHT];
    way(&mut canvas, chance, CHANCE);
    for curve in curves.iter().rev() {
        way(&mut canvas, &curve.shares, '∙');
    }
    for curve in curves.iter().rev() {
        for (place, share) in curve.shares.iter().enumerate() {
            canvas[row(*share)][column(place, curve.shares.len())] = curve.mark;
        }
    }
    framed(title, &canvas, values, curves)
}

fn column(place: usize, values: usize) -> usize {
    place * (WIDTH - 1) / (values - 1).max(1)
}

fn row(share: f64) -> usize {
    let height = (1.0 - share.clamp(0.0, 1.0)) * (HEIGHT - 1) as f64;
    (height.round() as usize).min(HEIGHT - 1)
}

/// Marks on the way from one value to the next.
fn way(canvas: &mut [Vec<char>], shares: &[f64], mark: char) {
    for (place, pair) in shares.windows(2).enumerate() {
        let (from, to) = (column(place, shares.len()), column(place + 1, shares.len()));
        let steps = (to - from).max(1);
        for step in 0..=to - from {
            let part = step as f64 / steps as f64;
            let height = row(pair[0] + part * (pair[1] - pair[0]));
            canvas[height][from + step] = mark;
        }
    }
}

fn framed(title: &str, canvas: &[Vec<char>], values: &[f64], curves: &[Curve]) -> Vec<String> {
    let mut lines = vec![title.to_owned()];
    for (row, line) in canvas.iter().enumerate() {
        let share = 1.0 - row as f64 / (HEIGHT - 1) as f64;
        let label = match row % 4 == 0 || row == HEIGHT - 1 {
            true => format!("{share:.2}"),
            false => String::new(),
        };
        lines.push(format!("{label:>6} │{}", line.iter().collect::<String>()));
    }
    lines.push(format!("{:>6} └{}", "", "─".repeat(WIDTH)));
    lines.push(format!("{:>7} {}", "", axis(values)));
    let names: Vec<String> = curves
        .iter()
        .map(|curve| format!("{} {}", curve.mark, curve.name))
        .collect();
    lines.push(format!("{:>7} {}  {CHANCE} chance", "", names.join("  ")));
    lines
}

/// Each value under its column, the last ending with the axis.
fn axis(values: &[f64]) -> String {
    let mut line = vec![' '; WIDTH];
    for (place, value) in values.iter().enumerate() {
        let text: Vec<char> = value.to_string().chars().collect();
        let middle = column(place, values.len()).saturating_sub(text.len() / 2);
        let from = middle.min(WIDTH.saturating_sub(text.len()));
        for (letter, at) in text.into_iter().zip(from..) {
            line[at.min(WIDTH - 1)] = letter;
        }
    }
    line.iter().collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stand_where_the_values_are() {
        let curve = Curve {
            name: "accuracy",
            mark: '●',
            shares: vec![0.0, 0.5, 1.0],
        };
        let drawn = draw("accuracy", &[8.0, 16.0, 0.25], &[curve], &[0.33; 3]);
        let marks: Vec<(usize, usize)> = drawn
            .iter()
            .enumerate()
            .flat_map(|(row, line)| {
                let found = line.chars().enumerate().filter(|(_, c)| *c == '●');
                found
                    .map(move |(column, _)| (row, column))
                    .collect::<Vec<_>>()
            })
            .collect();
        // The title is above; the frame takes eight columns. The legend has the last mark.
        assert_eq!(marks[..3], [(1, 8 + 59), (7, 8 + 29), (12, 8)]);
        assert!(
            drawn
                .iter()
                .any(|line| line.contains("8") && line.ends_with("0.25"))
        );
        assert!(drawn.last().unwrap().ends_with("· chance"));
        assert!(draw("x", &[1.0], &[], &[]).is_empty());
    }
}
