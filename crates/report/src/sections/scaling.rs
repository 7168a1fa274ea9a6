//! How attacks grow with the number of shadows: a table with a small curve in each row.

use judge::summary::{AttackSummary, MeanOver};

use crate::blocks::Section;
use crate::document::{Report, ScalingPoint};
use crate::table::{rate, with_error};

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// What a curve follows.
#[derive(Clone, Copy)]
enum Follow {
    Auc,
    /// TPR at the rate of this place.
    Tpr(usize),
}

impl Follow {
    fn mean(self, attack: &AttackSummary) -> Option<&MeanOver> {
        match self {
            Follow::Auc => Some(&attack.auc),
            Follow::Tpr(place) => attack.tpr_at_fpr.get(place)?.over.as_ref(),
        }
    }

    fn describe(self, over: &MeanOver) -> String {
        match self {
            Follow::Auc => with_error(over, 1.0, 4, ""),
            Follow::Tpr(_) => with_error(over, 100.0, 2, "%"),
        }
    }
}

/// AUC, and TPR at every rate that some attack has.
pub fn sections(report: &Report) -> Vec<Section> {
    if report.scaling.is_empty() {
        return Vec::new();
    }
    let fprs = &report.provenance.measuring.fprs;
    let mut sections = vec![section(&report.scaling, Follow::Auc, "AUC")];
    for (place, fpr) in fprs.iter().enumerate() {
        let name = format!("TPR at {} FPR", rate(*fpr));
        sections.push(section(&report.scaling, Follow::Tpr(place), &name));
    }
    sections.retain(|section| !section.rows.is_empty());
    sections
}

fn section(points: &[ScalingPoint], follow: Follow, name: &str) -> Section {
    let lines = lines(points, follow);
    let known = || lines.iter().flat_map(|line| &line.means).flatten();
    let lowest = known().map(|over| over.mean).fold(f64::INFINITY, f64::min);
    let highest = known()
        .map(|over| over.mean)
        .fold(f64::NEG_INFINITY, f64::max);
    let targets = known().map(|over| over.n).max().unwrap_or(0);
    let mut heads = vec!["shadows".to_string(), String::new()];
    heads.extend(points.iter().map(|point| point.shadows.to_string()));
    let rows = lines.iter().map(|line| line.row(follow, lowest, highest));
    let title = match targets {
        0 | 1 => format!("{name} by number of shadows, one target"),
        more => format!("{name} by number of shadows, mean ± standard error over {more} targets"),
    };
    let abstained = lines.iter().any(|line| line.abstained.contains(&true));
    let remark =
        "* it abstained on records that have no shadow of one kind: those count as knowing nothing";
    Section {
        title,
        heads,
        rows: rows.collect(),
        remarks: abstained.then(|| remark.into()).into_iter().collect(),
        ..Section::default()
    }
}

/// One attack at every number of shadows.
struct Row<'a> {
    id: &'a str,
    means: Vec<Option<&'a MeanOver>>,
    abstained: Vec<bool>,
}

/// Every attack that has at least one value, the best at the most shadows first.
fn lines(points: &[ScalingPoint], follow: Follow) -> Vec<Row<'_>> {
    let mut ids: Vec<&str> = Vec::new();
    for attack in points.iter().flat_map(|point| &point.attacks) {
        if !ids.contains(&attack.id.as_str()) {
            ids.push(&attack.id);
        }
    }
    let at =
        |point: &'_ ScalingPoint, id: &str| point.attacks.iter().position(|attack| attack.id == id);
    let line = |id| {
        let found: Vec<Option<&AttackSummary>> = points
            .iter()
            .map(|point| at(point, id).map(|place| &point.attacks[place]))
            .collect();
        Row {
            id,
            means: found
                .iter()
                .map(|f| f.and_then(|attack| follow.mean(attack)))
                .collect(),
            abstained: found
                .iter()
                .map(|f| f.is_some_and(|a| a.abstained > 0))
                .collect(),
        }
    };
    let mut lines: Vec<Row> = ids.into_iter().map(line).collect();
    lines.retain(|line| line.means.iter().any(Option::is_some));
    lines.sort_by(|a, b| b.last().total_cmp(&a.last()));
    lines
}

impl Row<'_> {
    fn last(&self) -> f64 {
        let last = self.means.iter().rev().flatten().next();
        last.map_or(f64::NEG_INFINITY, |over| over.mean)
    }

    fn row(&self, follow: Follow, lowest: f64, highest: f64) -> Vec<String> {
        let bars = self.means.iter().map(|over| match over {
            Some(over) => bar(over.mean, lowest, highest),
            None => ' ',
        });
        let mut row = vec![self.id.to_string(), bars.collect()];
        let cells = self.means.iter().zip(&self.abstained);
        row.extend(cells.map(|(over, abstained)| {
            let mark = if *abstained { "*" } else { "" };
            over.map_or("–".into(), |over| {
                format!("{}{mark}", follow.describe(over))
            })
        }));
        row
    }
}

/// The height of a value between the lowest and the highest of all curves.
fn bar(value: f64, lowest: f64, highest: f64) -> char {
    let share = (value - lowest) / (highest - lowest);
    let step = if share.is_nan() { 0.5 } else { share } * BARS.len() as f64;
    BARS[(step as usize).min(BARS.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_rise_from_the_lowest_to_the_highest() {
        let curve: String = [0.6, 0.7, 0.8, 0.9]
            .map(|x| bar(x, 0.6, 0.9))
            .iter()
            .collect();
        assert_eq!(curve, "▁▃▆█");
        assert_eq!(bar(0.5, 0.5, 0.5), '▅');
    }
}
