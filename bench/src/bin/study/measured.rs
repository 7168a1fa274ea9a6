//! What the attacks reach on models that leak: audits run by the program itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::page::{Part, p_value, table};
use guestlist_bench::{Failed, beside, root};

/// Known records of each kind.
const SHOTS: [usize; 4] = [1, 5, 10, 50];
const LOGITS: &str = "location_mlp3_two_models_logits.npz";
const SORTED: &str = "sorted-probabilities";
const SHADOWS: &str = "location_mlp3_shadows.npz";

/// The program, and a folder for what it leaves.
pub struct Bench {
    program: PathBuf,
    folder: PathBuf,
    runs: usize,
}

impl Bench {
    pub fn new(runs: usize) -> Result<Self, Failed> {
        let folder = root().join("target/study-few-shot");
        std::fs::create_dir_all(&folder)
            .map_err(|error| Failed(format!("{}: {error}", folder.display())))?;
        Ok(Self {
            program: beside("guestlist")?,
            folder,
            runs,
        })
    }

    /// Runs the program; every verdict is welcome, an error is not.
    fn guestlist(&self, arguments: &[&str]) -> Result<(), Failed> {
        eprintln!("guestlist {}", arguments.join(" "));
        let status = Command::new(&self.program)
            .args(arguments)
            .arg("--quiet")
            .status()
            .map_err(|error| Failed(format!("guestlist did not start: {error}")))?;
        match status.code() {
            Some(0 | 1 | 3) => Ok(()),
            _ => Err(Failed(format!("guestlist ended with {status}"))),
        }
    }

    fn report(&self, folder: &Path) -> Result<Value, Failed> {
        let path = folder.join("report.json");
        let text = std::fs::read_to_string(&path);
        let text = text.map_err(|error| Failed(format!("{}: {error}", path.display())))?;
        serde_json::from_str(&text).map_err(|error| Failed(format!("{}: {error}", path.display())))
    }

    /// A few-shot audit of features or of a run's folder.
    fn few_shot(&self, input: &Path, name: &str, more: &[&str]) -> Result<Value, Failed> {
        let out = self.folder.join(name);
        let (runs, shots) = (self.runs.to_string(), SHOTS.map(|shots| shots.to_string()));
        let shots = shots.join(",");
        let (input, output) = (input.to_string_lossy(), out.to_string_lossy());
        let mut arguments = vec!["audit", &*input, "--kind", "fewshot", "--out", &*output];
        arguments.extend(["--shots", &shots, "--runs", &runs]);
        arguments.extend(more);
        self.guestlist(&arguments)?;
        self.report(&out)
    }
}

/// A model, few-shot attacks on it by layer, and attacks that see all.
struct Model {
    title: String,
    about: String,
    few: Vec<(&'static str, Value)>,
    full: Value,
}

/// The classifier of the demonstration, trained here.
pub fn digits(bench: &Bench) -> Result<Part, Failed> {
    let folder = bench.folder.join("digits");
    bench.guestlist(&["demo", "--out", &folder.to_string_lossy()])?;
    let model = Model {
        title: "Handwritten digits, trained here".into(),
        about: "The classifier of `guestlist demo`: a perceptron 61-128-64-10 (three of the 64 \
                pixels never vary), trained on half of 1,797 digits; `understudy` uses 32 shadows. TT changes its weights, whatever the \
                features."
            .into(),
        full: bench.report(&folder)?,
        few: vec![
            ("logits", bench.few_shot(&folder, "digits-logits", &[])?),
            (
                SORTED,
                bench.few_shot(
                    &folder,
                    "digits-sorted",
                    &["--layer", SORTED, "--attacks", "fes-ss,fes-ls"],
                )?,
            ),
        ],
    };
    Ok(Part {
        brief: vec![model.brief()],
        text: format!("{INTRODUCTION}\n{}", model.section()?),
    })
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

/// Two models whose outputs are files; without them that part is left out, and said so.
pub fn location(bench: &Bench, folder: Option<&Path>) -> Result<Part, Failed> {
    let there = |folder: &&Path| folder.join(LOGITS).is_file() && folder.join(SHADOWS).is_file();
    let Some(folder) = folder.filter(there) else {
        let text = format!(
            "### Location30\n\nLeft out: the files were not there. `{LOGITS}` has `logits` \
             [2, 5010, 30] and `keep` [2, 5010] of two perceptrons 446-512-256-30, each trained on \
             half of Location30 (Shokri et al. 2017, github.com/privacytrustlab/datasets); \
             `{SHADOWS}` has `phi` and `keep` [257, 5010] of these two and 255 others trained like \
             them. Put them into a folder and name it with --location.\n"
        );
        eprintln!(
            "Location30 is left out: give {LOGITS} and {SHADOWS} in a folder with --location"
        );
        return Ok(Part {
            brief: Vec::new(),
            text,
        });
    };
    let (mut text, mut brief) = (String::new(), Vec::new());
    for target in ["0", "1"] {
        let full = bench.folder.join(format!("location-{target}-shadows"));
        bench.guestlist(&[
            "audit",
            &folder.join(SHADOWS).to_string_lossy(),
            "--target",
            target,
            "--attacks",
            "loss,understudy",
            "--out",
            &full.to_string_lossy(),
        ])?;
        let name = format!("location-{target}");
        let model = Model {
            title: format!("Location30, model {target}"),
            about: "A perceptron 446-512-256-30 that was trained on half of 5,010 users' visits; \
                    `understudy` uses the 256 others as shadows. The weights are not at hand: TT \
                    tunes a head alone."
                .into(),
            few: vec![
                (
                    "logits",
                    bench.few_shot(&folder.join(LOGITS), &name, &["--target", target])?,
                ),
                (
                    SORTED,
                    bench.few_shot(
                        &folder.join(LOGITS),
                        &format!("{name}-sorted"),
                        &["--target", target, "--layer", SORTED],
                    )?,
                ),
            ],
            full: bench.report(&full)?,
        };
        brief.push(model.brief());
        text += &model.section()?;
        text.push('\n');
    }
    Ok(Part { brief, text })
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
