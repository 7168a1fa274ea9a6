//! The leak over several checkpoints: a table, and a curve of the strongest attacks.

use super::{Room, heads};
use crate::blocks::Section;
use crate::detail::Detail;
use crate::document::Report;
use crate::lm::Checkpoint;
use crate::table::rate;

const WIDTH: usize = 60;
const HEIGHT: usize = 12;
const MARKS: [char; 3] = ['●', '▲', '■'];

/// Nothing without checkpoints.
pub fn section(report: &Report, room: Room) -> Option<Section> {
    let Detail::Lm(lm) = &report.detail else {
        return None;
    };
    let points = &lm.checkpoints;
    points.first()?;
    let drawn = strongest(points);
    let best = *drawn.first()?;
    let mut titles = heads(&["checkpoint", "loss of members", "of non-members"]);
    titles.extend(drawn.iter().map(|id| format!("AUC {id}")));
    let fprs = &report.provenance.measuring.fprs;
    titles.extend(fprs.iter().map(|fpr| format!("TPR@{} {best}", rate(*fpr))));
    Some(Section {
        title: "Leakage by checkpoint".into(),
        heads: titles,
        rows: points.iter().map(|point| row(point, &drawn)).collect(),
        drawing: match room {
            Room::Page => Vec::new(),
            Room::Long => curve(points, &drawn),
        },
        remarks: vec![format!(
            "* the audited model. Chance is an AUC of 0.5. Attacks drawn: the strongest on the \
             last checkpoint."
        )],
        ..Section::default()
    })
}

/// Up to three attacks, the strongest on the last checkpoint first.
fn strongest(points: &[Checkpoint]) -> Vec<&str> {
    let Some(last) = points.last() else {
        return Vec::new();
    };
    let mut attacks: Vec<_> = last.attacks.iter().collect();
    attacks.sort_by(|a, b| b.auc.value.total_cmp(&a.auc.value));
    let ids = attacks.iter().map(|attack| attack.id.as_str());
    ids.take(MARKS.len()).collect()
}

fn row(point: &Checkpoint, drawn: &[&str]) -> Vec<String> {
    let mark = if point.target { " *" } else { "" };
    let mut cells = vec![
        format!("{}{mark}", point.label),
        format!("{:.4}", point.loss_members),
        format!("{:.4}", point.loss_nonmembers),
    ];
    let of = |id: &str| point.attacks.iter().find(|attack| attack.id == id);
    cells.extend(drawn.iter().map(|id| match of(id) {
        Some(attack) => format!(
            "{:.4} ({:.3}–{:.3})",
            attack.auc.value, attack.auc.low, attack.auc.high
        ),
        None => "–".to_owned(),
    }));
    let best = drawn.first().and_then(|id| of(id));
    cells.extend(best.iter().flat_map(|attack| {
        attack.tpr_at_fpr.iter().map(|tpr| match tpr.value {
            Some(value) => format!("{:.2}%", 100.0 * value),
            None => "too few".to_owned(),
        })
    }));
    cells
}

/// AUC over checkpoints, drawn with characters; the dotted line is chance.
fn curve(points: &[Checkpoint], drawn: &[&str]) -> Vec<String> {
    if points.len() < 2 {
        return Vec::new();
    }
    let places = places(points);
    let values = |id: &str| -> Vec<Option<f64>> {
        let of = |point: &Checkpoint| {
            let attack = point.attacks.iter().find(|attack| attack.id == id);
            attack.map(|attack| attack.auc.value)
        };
        points.iter().map(of).collect()
    };
    let lines: Vec<Vec<Option<f64>>> = drawn.iter().map(|id| values(id)).collect();
    let lowest = lines
        .iter()
        .flatten()
        .flatten()
        .copied()
        .fold(0.5, f64::min);
    let row_of = |value: f64| {
        let share = (1.0 - value) / (1.0 - lowest);
        (share * (HEIGHT - 1) as f64).round() as usize
    };
    let mut canvas = vec![vec![' '; WIDTH]; HEIGHT];
    canvas[row_of(0.5)] = vec!['·'; WIDTH];
    for (line, mark) in lines.iter().zip(MARKS).rev() {
        join(&mut canvas, &places, line, &row_of);
        for (&place, value) in places.iter().zip(line) {
            if let Some(value) = value {
                canvas[row_of(*value)][place] = mark;
            }
        }
    }
    framed(&canvas, lowest, points, drawn)
}

/// Small marks on the way from one value to the next.
fn join(
    canvas: &mut [Vec<char>],
    places: &[usize],
    values: &[Option<f64>],
    row_of: &impl Fn(f64) -> usize,
) {
    let known: Vec<(usize, f64)> = (places.iter().zip(values))
        .filter_map(|(place, value)| Some((*place, (*value)?)))
        .collect();
    for pair in known.windows(2) {
        let ((from, low), (to, high)) = (pair[0], pair[1]);
        let step = |place: usize| (place - from) as f64 / (to - from) as f64;
        let way = (from..to).map(|place| (row_of(low + step(place) * (high - low)), place));
        for (row, place) in way {
            canvas[row][place] = '∙';
        }
    }
}

/// Where the checkpoints stand on the axis: by step where all have one, else evenly.
fn places(points: &[Checkpoint]) -> Vec<usize> {
    let steps: Option<Vec<f64>> = points.iter().map(|point| point.step).collect();
    let axis = steps.unwrap_or_else(|| (0..points.len()).map(|place| place as f64).collect());
    let (first, last) = (axis[0], axis[axis.len() - 1]);
    let width = (last - first).max(f64::MIN_POSITIVE);
    let place = |step: f64| ((step - first) / width * (WIDTH - 1) as f64).round() as usize;
    axis.iter()
        .map(|step| place(*step).min(WIDTH - 1))
        .collect()
}

fn framed(canvas: &[Vec<char>], lowest: f64, points: &[Checkpoint], drawn: &[&str]) -> Vec<String> {
    let mut lines = vec!["AUC".to_owned()];
    for (row, line) in canvas.iter().enumerate() {
        let value = 1.0 - row as f64 / (HEIGHT - 1) as f64 * (1.0 - lowest);
        let label = match row % 4 == 0 || row == HEIGHT - 1 {
            true => format!("{value:.2}"),
            false => String::new(),
        };
        lines.push(format!("{label:>6} │{}", line.iter().collect::<String>()));
    }
    lines.push(format!("{:>6} └{}", "", "─".repeat(WIDTH)));
    let name =
        |point: &Checkpoint| -> String { point.label.replace('`', "'").chars().take(20).collect() };
    let (left, right) = (name(&points[0]), name(&points[points.len() - 1]));
    let gap = WIDTH.saturating_sub(left.chars().count());
    lines.push(format!("{:>7} {left}{right:>gap$}", ""));
    let names: Vec<String> = (drawn.iter().zip(MARKS))
        .map(|(id, mark)| format!("{mark} {id}"))
        .collect();
    lines.push(format!("{:>7} {}  · chance", "", names.join("  ")));
    lines
}
