//! What the attacks reach on the data at hand.

use judge::fewshot::Summary;
use judge::measure::{Level, Regime};
use report::escape_markdown;

use super::super::measured::{LayerMeasured, Pooled, SetMeasured};
use super::Part;
use super::words::{corrected, level, p_value, spread};
use crate::study::markdown::table;

const INTRODUCTION: &str = "## What the attacks reach\n\n\
    `loss` knows no record's membership and looks at the true label's probability alone; `understudy` has shadow \
    models. Where the data allow them, both are judged on the same records as the few-shot attacks, whose scores are \
    pooled: each record's in the first run that asked about it.\n\n\
    Levels go by the corrected p, at 5%: Holm's correction for both regimes of all attacks of one audit. `loss` and \
    `understudy` are an audit of their own, the few-shot attacks from one kind of features another with many more, \
    so that one and the same p may be severe there and chance here. Of episodes, what is corrected is the larger of \
    the p beside and that against shuffled membership.\n\n\
    Raw logits say above all which class a record is of; `sorted-probabilities`, the same as probabilities with the \
    largest first, say how sure the model is.\n\n\
    In the tables of episodes, *shuffled* is the same procedure with everybody's membership shuffled. Chance is a \
    formula for scores that do not tie and are not chosen by; thresholds and hyper-parameters that are chosen on the \
    same validation set, and ties, move even a score that says nothing away from it (LS in regime A above all). So a \
    level is given only where a mean lies above both.\n";

/// The rate of the table.
const FPR: f64 = 0.01;

pub fn part(sets: &[SetMeasured]) -> Part {
    let mut text = INTRODUCTION.to_owned();
    for set in sets {
        text += &format!("\n{}", section(set, &title(set, sets)));
    }
    Part {
        brief: sets
            .iter()
            .map(|set| brief(set, &title(set, sets)))
            .collect(),
        text,
    }
}

/// The name, and the model's number where that is not plain.
fn title(set: &SetMeasured, sets: &[SetMeasured]) -> String {
    let name = escape_markdown(&set.name);
    let several = sets.iter().filter(|other| other.name == set.name).count() > 1;
    match several || set.target > 0 {
        true => format!("{name}, model {}", set.target),
        false => name,
    }
}

fn section(set: &SetMeasured, title: &str) -> String {
    let mut text = format!("### {title}\n\n{}\n\n{}\n", about(set), whole(set));
    for layer in &set.layers {
        text += &episodes(layer);
        text.push('\n');
    }
    text + &reading(set, title) + "\n"
}

fn about(set: &SetMeasured) -> String {
    let mut text = format!("{} records, {} of them members", set.records, set.members);
    if set.models > 1 {
        text += &format!("; model {} of {}", set.target, set.models);
    }
    let layers = set.layers.iter();
    let layers = layers.map(|one| {
        let name = escape_markdown(&one.layer);
        format!("{name} ({} numbers per record)", one.width)
    });
    let layers: Vec<String> = layers.collect();
    text += &format!(". Features: {}.", layers.join(", "));
    text += &match &set.at_hand {
        Some(model) => format!(
            " The model itself is at hand ({}): TT changes its weights, whatever the features, and stands under the \
             first of them alone.",
            escape_markdown(model)
        ),
        None => " The weights are not at hand: TT tunes a head alone.".to_owned(),
    };
    if set.whole.iter().any(|attack| attack.id == "understudy") {
        text += &format!(" `understudy` uses {} shadows.", set.shadows);
    }
    for skipped in &set.skipped {
        // What to do instead is for audits, which have other attacks.
        let (reason, _) = skipped
            .reason
            .split_once("; hint:")
            .unwrap_or((&skipped.reason, ""));
        let reason = escape_markdown(reason);
        text += &format!(" `{}` was left out: {reason}.", skipped.id);
    }
    text
}

/// All records at once, beside attacks that know more or less.
fn whole(set: &SetMeasured) -> String {
    let seen = set.whole.iter().map(|attack| pooled(attack, "–"));
    let mut rows: Vec<Vec<String>> = seen.collect();
    for layer in &set.layers {
        let name = escape_markdown(&layer.layer);
        rows.extend(layer.attacks.iter().map(|attack| pooled(attack, &name)));
    }
    table(
        &[
            "attack",
            "features",
            "records",
            "AUC",
            "95% interval",
            "TPR at 1% FPR",
            "Log-MIA A",
            "chance",
            "p",
            "corrected",
            "Log-MIA B",
            "chance",
            "p",
            "corrected",
        ],
        &rows,
    )
}

fn pooled(attack: &Pooled, layer: &str) -> Vec<String> {
    let (auc, a, b) = (&attack.auc, &attack.log_mia.a, &attack.log_mia.b);
    let rate = attack.tpr_at_fpr.iter().find(|rate| rate.fpr == FPR);
    let rate = rate.and_then(|rate| rate.value);
    let regime = |regime: &Regime| format!("{:.3} {}", regime.value, level(regime.level));
    vec![
        attack.id.clone(),
        layer.to_owned(),
        (attack.n_members + attack.n_nonmembers).to_string(),
        format!("{:.4}", auc.value),
        format!("{:.3}–{:.3}", auc.low, auc.high),
        rate.map_or("–".into(), |rate| format!("{:.2}%", 100.0 * rate)),
        regime(a),
        format!("{:.3}", a.expected_by_chance),
        p_value(a.p_value),
        corrected(a.corrected_p_value),
        regime(b),
        format!("{:.3}", b.expected_by_chance),
        p_value(b.p_value),
        corrected(b.corrected_p_value),
    ]
}

/// Means over runs.
fn episodes(layer: &LayerMeasured) -> String {
    let Some(first) = layer.episodes.first() else {
        return String::new();
    };
    let rows: Vec<Vec<String>> = layer.episodes.iter().map(means).collect();
    let table = table(
        &[
            "attack",
            "A",
            "shuffled",
            "p",
            "corrected",
            "level",
            "B",
            "shuffled",
            "p",
            "corrected",
            "level",
            "AUC of a query set",
            "shuffled",
        ],
        &rows,
    );
    format!(
        "Episodes, features {}, thresholds from validation; chance gives **{:.4}** (A), **{:.4}** (B) and \
         0.5:\n\n{table}",
        escape_markdown(&layer.layer),
        first.a.expected_by_chance,
        first.b.expected_by_chance
    )
}

fn means(summary: &Summary) -> Vec<String> {
    let mut cells = vec![name(summary)];
    for regime in [&summary.a, &summary.b] {
        cells.extend([
            spread(Some(&regime.value)),
            spread(regime.control.as_ref()),
            p_value(regime.p_value),
            corrected(regime.corrected_p_value),
            level(regime.level).to_owned(),
        ]);
    }
    cells.push(spread(Some(&summary.auc)));
    cells.push(spread(summary.auc_control.as_ref()));
    cells
}

/// AUCs in one sentence.
fn brief(set: &SetMeasured, title: &str) -> String {
    let seen = set.whole.iter();
    let seen: Vec<String> = seen
        .map(|attack| format!("of `{}` {:.3}", attack.id, attack.auc.value))
        .collect();
    let few: Vec<String> = set.layers.iter().filter_map(at_best).collect();
    let few = format!("of few-shot attacks {}", few.join(", "));
    match seen.is_empty() {
        true => format!("{title}: AUC {few}."),
        false => format!("{title}: AUC {}; {few}.", seen.join(", ")),
    }
}

fn at_best(layer: &LayerMeasured) -> Option<String> {
    let auc = |attack: &&Pooled| attack.auc.value;
    let attacks = layer.attacks.iter();
    let best = attacks.max_by(|a, b| auc(a).total_cmp(&auc(b)))?;
    let (name, auc) = (escape_markdown(&layer.layer), best.auc.value);
    Some(format!("from {name} at best {auc:.3} ({})", best.id))
}

/// What the numbers say, in words.
fn reading(set: &SetMeasured, title: &str) -> String {
    let mut text = brief(set, title);
    for layer in &set.layers {
        text += &format!(
            " Episodes from {} with a level beyond chance and beyond shuffled membership: in regime A {}, in regime \
             B {}.",
            escape_markdown(&layer.layer),
            above(layer, |summary| summary.a.level),
            above(layer, |summary| summary.b.level)
        );
    }
    text
}

fn above(layer: &LayerMeasured, of: fn(&Summary) -> Level) -> String {
    let leaks = |summary: &&Summary| matches!(of(summary), Level::Severe | Level::Moderate);
    let names: Vec<String> = layer.episodes.iter().filter(leaks).map(name).collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join("; "),
    }
}

fn name(summary: &Summary) -> String {
    let plural = if summary.shots == 1 { "" } else { "s" };
    format!("{}, {} shot{plural}", summary.attack, summary.shots)
}
