//! What the attacks reach on models that leak: audits run by the program itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::models::{LOGITS, Model, SHADOWS, kept};
use guestlist_bench::{Failed, beside, root};

/// Known records of each kind.
const SHOTS: [usize; 4] = [1, 5, 10, 50];
const SORTED: &str = "sorted-probabilities";

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
        let report: Value = serde_json::from_str(&text)
            .map_err(|error| Failed(format!("{}: {error}", path.display())))?;
        kept(&report)
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

/// The classifier of the demonstration, trained here.
pub fn digits(bench: &Bench) -> Result<Model, Failed> {
    let folder = bench.folder.join("digits");
    bench.guestlist(&["demo", "--out", &folder.to_string_lossy()])?;
    Ok(Model {
        title: "Handwritten digits, trained here".into(),
        about: "The classifier of `guestlist demo`: a perceptron 61-128-64-10 (three of the 64 \
                pixels never vary), trained on half of 1,797 digits; `understudy` uses 32 shadows. TT changes its weights, whatever the \
                features."
            .into(),
        full: bench.report(&folder)?,
        few: vec![
            ("logits".into(), bench.few_shot(&folder, "digits-logits", &[])?),
            (
                SORTED.into(),
                bench.few_shot(
                    &folder,
                    "digits-sorted",
                    &["--layer", SORTED, "--attacks", "fes-ss,fes-ls"],
                )?,
            ),
        ],
    })
}

/// Two models whose outputs are files; without them that part is left out, and said so.
pub fn location(bench: &Bench, folder: Option<&Path>) -> Result<Vec<Model>, Failed> {
    let there = |folder: &&Path| folder.join(LOGITS).is_file() && folder.join(SHADOWS).is_file();
    let Some(folder) = folder.filter(there) else {
        eprintln!(
            "Location30 is left out: give {LOGITS} and {SHADOWS} in a folder with --location"
        );
        return Ok(Vec::new());
    };
    let mut models = Vec::new();
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
        models.push(Model {
            title: format!("Location30, model {target}"),
            about: "A perceptron 446-512-256-30 that was trained on half of 5,010 users' visits; \
                    `understudy` uses the 256 others as shadows. The weights are not at hand: TT \
                    tunes a head alone."
                .into(),
            few: vec![
                (
                    "logits".into(),
                    bench.few_shot(&folder.join(LOGITS), &name, &["--target", target])?,
                ),
                (
                    SORTED.into(),
                    bench.few_shot(
                        &folder.join(LOGITS),
                        &format!("{name}-sorted"),
                        &["--target", target, "--layer", SORTED],
                    )?,
                ),
            ],
            full: bench.report(&full)?,
        });
    }
    Ok(models)
}
