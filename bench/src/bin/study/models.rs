//! Models that leak, as they were measured: what is stored of them, and what the page says.

use serde_json::{Value, json};

use crate::page::{Part, p_value, table};
use guestlist_bench::Failed;

pub const LOGITS: &str = "location_mlp3_two_models_logits.npz";
pub const SHADOWS: &str = "location_mlp3_shadows.npz";

/// A model, few-shot attacks on it by layer, and attacks that see all.
pub struct Model {
    pub title: String,
    pub about: String,
    pub few: Vec<(String, Value)>,
    pub full: Value,
}

impl Model {
    /// As it is stored.
    pub fn to_json(&self) -> Value {
        let few = self.few.iter();
        let few: Vec<Value> = few
            .map(|(layer, report)| json!({"layer": layer, "report": report}))
            .collect();
        json!({"title": self.title, "about": self.about, "few": few, "full": self.full})
    }

    pub fn from_json(stored: &Value) -> Result<Self, Failed> {
        let few = array(&stored["few"])?.iter();
        Ok(Self {
            title: word(&stored["title"]),
            about: word(&stored["about"]),
            few: few
                .map(|one| (word(&one["layer"]), one["report"].clone()))
                .collect(),
            full: stored["full"].clone(),
        })
    }
}

/// What the page shows of a report, and what is stored of it.
pub fn kept(report: &Value) -> Result<Value, Failed> {
    let attacks = array(&report["attacks"])?.iter();
    let attacks: Vec<Value> = attacks
        .map(|one| {
            let log_mia = &one["log_mia"];
            json!({
                "id": one["id"],
                "n_members": one["n_members"],
                "n_nonmembers": one["n_nonmembers"],
                "auc": only(&one["auc"], &["value", "low", "high"]),
                "tpr_at_fpr": one["tpr_at_fpr"].as_array().into_iter().flatten()
                    .map(|rate| only(rate, &["fpr", "value"])).collect::<Vec<Value>>(),
                "log_mia": {"a": only(&log_mia["a"], &REGIME), "b": only(&log_mia["b"], &REGIME)},
            })
        })
        .collect();
    let episodes = report["detail"]["attacks"].as_array();
    let episodes: Vec<Value> = episodes
        .into_iter()
        .flatten()
        .map(|one| {
            json!({
                "attack": one["attack"],
                "shots": one["shots"],
                "a": episode(&one["a"]),
                "b": episode(&one["b"]),
                "auc": only(&one["auc"], &SPREAD),
                "auc_control": only(&one["auc_control"], &SPREAD),
            })
        })
        .collect();
    Ok(json!({"attacks": attacks, "detail": {"attacks": episodes}}))
}

const REGIME: [&str; 4] = ["value", "level", "expected_by_chance", "p_value"];
const SPREAD: [&str; 2] = ["mean", "half_width"];

fn episode(regime: &Value) -> Value {
    let mut kept = only(regime, &["level", "expected_by_chance", "p_value"]);
    for key in ["value", "control"] {
        kept[key] = only(&regime[key], &SPREAD);
    }
    kept
}

/// Some of an object's values; of nothing, nothing.
fn only(value: &Value, keys: &[&str]) -> Value {
    match value.is_object() {
        true => keys
            .iter()
            .map(|key| ((*key).to_owned(), value[*key].clone()))
            .collect::<serde_json::Map<String, Value>>()
            .into(),
        false => Value::Null,
    }
}

const INTRODUCTION: &str = "## What the attacks reach on models that leak

`loss` knows no record's membership and looks at the true label's probability alone; `understudy` has
shadow models. Both are judged on the same records as the few-shot attacks, whose scores are pooled:
each record's in the first run that asked about it.

Features are the logits as they are, and the same as probabilities with the largest first. Raw logits
say above all which class a record is of; sorted probabilities say how sure the model is.

In the tables of episodes, *shuffled* is the same procedure with everybody's membership shuffled.
Chance is a formula for scores that do not tie and are not chosen by; thresholds and hyper-parameters
that are chosen on the same validation set, and ties, move even a score that says nothing away from it
(LS in regime A above all). So a level is given only where a mean lies above both.
";

/// The part of the page on models: digits first, then those of Location30 or why they are not there.
pub fn part(models: &[Model]) -> Result<Part, Failed> {
    let mut text = INTRODUCTION.to_owned();
    for model in models {
        text += &format!("\n{}", model.section()?);
    }
    if !models
        .iter()
        .any(|model| model.title.starts_with("Location30"))
    {
        text += &left_out();
    }
    Ok(Part {
        brief: models.iter().map(Model::brief).collect(),
        text,
    })
}

fn left_out() -> String {
    format!(
        "\n### Location30\n\nLeft out: the files were not there. `{LOGITS}` has `logits` \
         [2, 5010, 30] and `keep` [2, 5010] of two perceptrons 446-512-256-30, each trained on \
         half of Location30 (Shokri et al. 2017, github.com/privacytrustlab/datasets); \
         `{SHADOWS}` has `phi` and `keep` [257, 5010] of these two and 255 others trained like \
         them. Put them into a folder and name it with --location.\n"
    )
}

impl Model {
    fn section(&self) -> Result<String, Failed> {
        let mut text = format!(
            "### {}\n\n{}\n\n{}\n",
            self.title,
            self.about,
            self.whole()?
        );
        for (layer, report) in &self.few {
            text += &episodes(layer, array(&report["detail"]["attacks"])?);
            text.push('\n');
        }
        Ok(text + &self.reading() + "\n")
    }

    /// All records at once, beside attacks that know more or less.
    fn whole(&self) -> Result<String, Failed> {
        let full = array(&self.full["attacks"])?;
        let others = full
            .iter()
            .filter(|attack| attack["id"] == "loss" || attack["id"] == "understudy");
        let mut rows: Vec<Vec<String>> = others.map(|attack| measured(attack, "–")).collect();
        for (layer, report) in &self.few {
            let pooled = array(&report["attacks"])?;
            rows.extend(pooled.iter().map(|attack| measured(attack, layer)));
        }
        Ok(table(
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
                "Log-MIA B",
                "chance",
                "p",
            ],
            &rows,
        ))
    }

    fn full_auc(&self, id: &str) -> f64 {
        let attacks = self.full["attacks"].as_array();
        let found = attacks.and_then(|all| all.iter().find(|attack| attack["id"] == id));
        found.map_or(f64::NAN, |attack| number(&attack["auc"]["value"]))
    }

    /// AUCs in one sentence.
    fn brief(&self) -> String {
        let few = self.few.iter().filter_map(|(layer, report)| {
            let best = best(report)?;
            let (id, auc) = (word(&best["id"]), number(&best["auc"]["value"]));
            Some(format!("from {layer} at best {auc:.3} ({id})"))
        });
        let few: Vec<String> = few.collect();
        format!(
            "{}: AUC of `loss` {:.3}, of `understudy` {:.3}; of few-shot attacks {}.",
            self.title,
            self.full_auc("loss"),
            self.full_auc("understudy"),
            few.join(", ")
        )
    }

    /// What the numbers say, in words.
    fn reading(&self) -> String {
        let mut text = self.brief();
        for (layer, report) in &self.few {
            text += &read_layer(layer, report);
        }
        text + "\n"
    }
}

/// The few-shot attack with the largest AUC.
fn best(report: &Value) -> Option<&Value> {
    let auc = |attack: &&Value| number(&attack["auc"]["value"]);
    let attacks = report["attacks"].as_array()?.iter();
    attacks.max_by(|a, b| auc(a).total_cmp(&auc(b)))
}

fn read_layer(layer: &str, report: &Value) -> String {
    let summaries = report["detail"]["attacks"].as_array();
    let above = |regime: &str| {
        let severe =
            |one: &&Value| one[regime]["level"] == "severe" || one[regime]["level"] == "moderate";
        let names: Vec<String> = summaries
            .into_iter()
            .flatten()
            .filter(severe)
            .map(name)
            .collect();
        match names.is_empty() {
            true => "none".to_owned(),
            false => names.join("; "),
        }
    };
    format!(
        " Episodes from {layer} with a level beyond chance and beyond shuffled membership: in regime \
         A {}, in regime B {}.",
        above("a"),
        above("b")
    )
}

/// Means over runs.
fn episodes(layer: &str, summaries: &[Value]) -> String {
    let row = |summary: &Value| {
        let (a, b) = (&summary["a"], &summary["b"]);
        vec![
            name(summary),
            spread(&a["value"]),
            spread(&a["control"]),
            p_value(number(&a["p_value"])),
            word(&a["level"]),
            spread(&b["value"]),
            spread(&b["control"]),
            p_value(number(&b["p_value"])),
            word(&b["level"]),
            spread(&summary["auc"]),
            spread(&summary["auc_control"]),
        ]
    };
    let rows: Vec<Vec<String>> = summaries.iter().map(row).collect();
    let chance = |regime: &str| {
        summaries.first().map_or(f64::NAN, |summary| {
            number(&summary[regime]["expected_by_chance"])
        })
    };
    let table = table(
        &[
            "attack",
            "A",
            "shuffled",
            "p",
            "level",
            "B",
            "shuffled",
            "p",
            "level",
            "AUC of a query set",
            "shuffled",
        ],
        &rows,
    );
    format!(
        "Episodes, features {layer}, thresholds from validation; chance gives **{:.4}** (A), **{:.4}** \
         (B) and 0.5:\n\n{table}",
        chance("a"),
        chance("b")
    )
}

fn measured(attack: &Value, layer: &str) -> Vec<String> {
    let (auc, a, b) = (
        &attack["auc"],
        &attack["log_mia"]["a"],
        &attack["log_mia"]["b"],
    );
    let records = number(&attack["n_members"]) + number(&attack["n_nonmembers"]);
    let rates = attack["tpr_at_fpr"].as_array();
    let rate = rates.and_then(|rates| rates.iter().find(|rate| rate["fpr"] == 0.01));
    let regime =
        |regime: &Value| format!("{:.3} {}", number(&regime["value"]), word(&regime["level"]));
    vec![
        word(&attack["id"]),
        layer.to_owned(),
        format!("{records:.0}"),
        format!("{:.4}", number(&auc["value"])),
        format!("{:.3}–{:.3}", number(&auc["low"]), number(&auc["high"])),
        rate.map_or("–".into(), |rate| {
            format!("{:.2}%", 100.0 * number(&rate["value"]))
        }),
        regime(a),
        format!("{:.3}", number(&a["expected_by_chance"])),
        p_value(number(&a["p_value"])),
        regime(b),
        format!("{:.3}", number(&b["expected_by_chance"])),
        p_value(number(&b["p_value"])),
    ]
}

fn name(summary: &Value) -> String {
    let plural = if summary["shots"] == 1 { "" } else { "s" };
    format!(
        "{}, {} shot{plural}",
        word(&summary["attack"]),
        summary["shots"]
    )
}

fn spread(value: &Value) -> String {
    match value.is_null() {
        true => "–".into(),
        false => format!(
            "{:.4} ± {:.4}",
            number(&value["mean"]),
            number(&value["half_width"])
        ),
    }
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or("–").to_owned()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

fn array(value: &Value) -> Result<&[Value], Failed> {
    let found = value.as_array();
    found
        .map(Vec::as_slice)
        .ok_or_else(|| Failed("report.json lacks what the study reads".into()))
}
