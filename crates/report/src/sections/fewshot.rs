//! Episodes of a few-shot audit: each regime beside what chance and shuffled membership give.

use judge::fewshot::{RegimeSummary, Selection, Spread, Summary, Thresholds};

use super::{Room, heads};
use crate::blocks::Section;
use crate::detail::Detail;
use crate::document::Report;
use crate::fewshot::{Design, Fewshot, measured_as};
use crate::table::{level, p_value};

/// Columns of a bar from 0 to 1.
const WIDTH: usize = 50;

pub fn sections(report: &Report, room: Room) -> Vec<Section> {
    let Detail::Fewshot(few) = &report.detail else {
        return Vec::new();
    };
    vec![
        regime(few, room, "A", |summary| &summary.a),
        regime(few, room, "B", |summary| &summary.b),
        query_sets(few),
        chosen(few),
    ]
}

fn regime(
    few: &Fewshot,
    room: Room,
    letter: &str,
    pick: impl Fn(&Summary) -> &RegimeSummary,
) -> Section {
    let row = |summary: &Summary| {
        let found = pick(summary);
        vec![
            measured_as(summary),
            spread(&found.value),
            format!("{:.4}", found.expected_by_chance),
            control(found.control.as_ref()),
            format!("{:.2}", found.false_positives.mean),
            p_value(found.p_value),
            found.p_value_against_control.map_or("–".into(), p_value),
            level(found.level).into(),
        ]
    };
    let mut remarks = Vec::new();
    if let Some(first) = few.attacks.first().map(&pick) {
        let beta = first
            .beta
            .map_or(String::new(), |beta| format!(", β = {beta:.4}"));
        remarks.push(format!(
            "α = {:.4}{beta}. Chance: what a score that says nothing gives on average, by the exact \
             formula (one run: ± {:.4}). A level stands only where the mean lies above chance and \
             above shuffled membership, each at 5% after correction for the number of attacks, shots and regimes.",
            first.alpha, first.deviation_by_chance
        ));
    }
    Section {
        title: format!(
            "Few-shot, Log-MIA regime {letter}: {}",
            setting(&few.design, few.attacks.first().map(&pick))
        ),
        heads: heads(&[
            "attack",
            "mean",
            "chance",
            "shuffled",
            "FP",
            "p",
            "p shuffled",
            "level",
        ]),
        rows: few.attacks.iter().map(row).collect(),
        drawing: match room {
            Room::Page => Vec::new(),
            Room::Long => drawing(few, pick),
        },
        remarks,
        ..Section::default()
    }
}

fn setting(design: &Design, regime: Option<&RegimeSummary>) -> String {
    let allowed = regime.map_or(0, |regime| regime.fp_allowed);
    let thresholds = match (design.thresholds, design.selection) {
        (Thresholds::Validation, _) => format!("{allowed} false positives in validation"),
        (Thresholds::Query, Selection::Published) => {
            format!("{allowed} false positives, thresholds of the query set, as published")
        }
        (Thresholds::Query, _) => {
            format!("{allowed} false positives, thresholds of the query set, in hindsight")
        }
    };
    format!(
        "{thresholds}; {} + {} asked about in each of {} runs",
        design.query, design.query, design.runs
    )
}

/// Bars from 0 to 1; the band is where 95% of means lie by chance.
fn drawing(few: &Fewshot, pick: impl Fn(&Summary) -> &RegimeSummary) -> Vec<String> {
    let names = few.attacks.iter().map(|summary| measured_as(summary).len());
    let width = names.max().unwrap_or(0);
    let mut lines: Vec<String> = few
        .attacks
        .iter()
        .map(|summary| format!("{:<width$} │{}│", measured_as(summary), bar(pick(summary))))
        .collect();
    if !lines.is_empty() {
        lines.push(format!("{:<width$}  0{:>end$}", "", "1", end = WIDTH - 1));
        lines.push(format!(
            "{:<width$}  █ mean  ░ where 95% of means lie by chance",
            ""
        ));
    }
    lines
}

fn bar(regime: &RegimeSummary) -> String {
    let half = 1.96 * regime.deviation_by_chance / (regime.value.runs.max(1) as f64).sqrt();
    let column = |value: f64| (value.clamp(0.0, 1.0) * (WIDTH - 1) as f64).round() as usize;
    let expected = regime.expected_by_chance;
    let band = column(expected - half)..=column(expected + half);
    let filled = (regime.value.mean.clamp(0.0, 1.0) * WIDTH as f64).round() as usize;
    let mark = |place: usize| match (place < filled, band.contains(&place)) {
        (true, true) => '▓',
        (true, false) => '█',
        (false, true) => '░',
        (false, false) => ' ',
    };
    (0..WIDTH).map(mark).collect()
}

fn query_sets(few: &Fewshot) -> Section {
    let row = |summary: &Summary| {
        vec![
            measured_as(summary),
            spread(&summary.auc),
            control(summary.auc_control.as_ref()),
            spread(&summary.accuracy),
            control(summary.accuracy_control.as_ref()),
            summary.runs.to_string(),
            summary.control_runs.to_string(),
        ]
    };
    let attacked = match few.white_box {
        true => "fes-tt changes the model's own weights.",
        false => "Features alone were given: fes-tt trains a head on them.",
    };
    Section {
        title: "Few-shot, each query set by itself: mean and 95% interval over runs".into(),
        heads: heads(&[
            "attack", "AUC", "shuffled", "accuracy", "shuffled", "runs", "shuffled",
        ]),
        rows: few.attacks.iter().map(row).collect(),
        remarks: vec![format!("Features: {}. {attacked}", few.features)],
        ..Section::default()
    }
}

/// Which hyper-parameters validation chose, the most frequent first.
fn chosen(few: &Fewshot) -> Section {
    const SHOWN: usize = 3;
    let row = |summary: &Summary| {
        let mut chosen: Vec<_> = summary.chosen.iter().filter(|one| one.runs > 0).collect();
        chosen.sort_by_key(|one| std::cmp::Reverse(one.runs));
        let words: Vec<String> = chosen
            .iter()
            .take(SHOWN)
            .map(|one| format!("{} ({} runs)", one.candidate, one.runs))
            .collect();
        vec![measured_as(summary), words.join("; ")]
    };
    Section {
        title: "Few-shot, hyper-parameters that validation chose most often".into(),
        heads: heads(&["attack", "chosen"]),
        rows: few.attacks.iter().map(row).collect(),
        ..Section::default()
    }
}

fn spread(spread: &Spread) -> String {
    format!("{:.4} ± {:.4}", spread.mean, spread.half_width)
}

fn control(control: Option<&Spread>) -> String {
    control.map_or("–".into(), spread)
}

#[cfg(test)]
mod tests {
    use judge::measure::Level;

    use super::*;

    fn found(mean: f64) -> RegimeSummary {
        let spread = |mean| Spread {
            mean,
            deviation: 0.2,
            half_width: 0.0175,
            runs: 500,
        };
        RegimeSummary {
            value: spread(mean),
            alpha: 0.25,
            beta: None,
            fp_allowed: 0,
            false_positives: spread(0.5),
            expected_by_chance: 0.178,
            deviation_by_chance: 0.1995,
            z: 0.0,
            p_value: 1.0,
            control: None,
            p_value_against_control: None,
            corrected_p_value: None,
            nominal_level: Level::None,
            level: Level::None,
        }
    }

    #[test]
    fn a_bar_shows_the_mean_and_the_band_of_chance() {
        let low = bar(&found(0.0));
        assert_eq!(low.chars().count(), WIDTH);
        assert_eq!(low.trim(), "░░░");
        let chance = bar(&found(0.178));
        assert_eq!(chance.trim(), "████████▓░░");
        let high = bar(&found(1.0));
        assert!(high.starts_with("████████▓▓▓█") && high.ends_with('█'));
    }
}
