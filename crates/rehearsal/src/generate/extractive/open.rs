//! Open questions: the sentences that speak of what was asked.

use super::reading::{Line, Reading};

/// How much of the question the chosen sentences must speak of.
const ENOUGH: f64 = 0.4;

/// How many sentences are quoted at most.
const MOST: usize = 3;

/// What is said around a question counts, but for less.
const AROUND: f64 = 0.25;

/// The best sentences in the order of the sources, if they speak of enough of the question.
pub fn answer(focus: &str, rest: &str, reading: &Reading) -> Option<String> {
    let (asked, around) = (reading.weigh(focus), reading.weigh(rest));
    let score = |line: &Line| asked.covered_by(&[line]) + AROUND * around.covered_by(&[line]);
    let mut scored: Vec<(usize, f64)> = reading.lines.iter().map(score).enumerate().collect();
    scored.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    let best = scored.first()?.1;
    let worthy = scored
        .iter()
        .filter(|(_, score)| *score > 0.0 && *score >= best * 0.6);
    let mut chosen: Vec<usize> = worthy.take(MOST).map(|(line, _)| *line).collect();
    chosen.sort_unstable();
    let lines: Vec<&Line> = chosen
        .into_iter()
        .map(|line| &reading.lines[line])
        .collect();
    // A question without a subject of its own is about what was said around it.
    let subject = if asked.total() > 0.0 { asked } else { around };
    (subject.covered_by(&lines) >= ENOUGH).then(|| quote(&lines, reading))
}

fn quote(lines: &[&Line], reading: &Reading) -> String {
    let quoted = lines
        .iter()
        .map(|line| format!("{}{}", line.text, reading.mark(line.source)));
    quoted.collect::<Vec<_>>().join(" ")
}
