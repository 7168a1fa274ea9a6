//! The experiments of the EZ-MIA paper (`attacks` has its citation in the card of `ez`): how the attack does beside
//! others on token signals of fine-tunes, which of its parts matter, and what is published beside it.

mod measured;
mod page;
mod published;

use serde::{Deserialize, Serialize};

use base::Progress;

pub use measured::{Measured, SetMeasured};

use super::Studied;
use crate::Result;

/// The false-positive rates of its tables.
pub const FPRS: [f64; 2] = [0.01, 0.001];

/// The paper's attack, as it is published and made steady, and what it is held against.
const ATTACKS: [&str; 7] = [
    "lm-loss",
    "min-k-plus-plus",
    "ratio",
    "wbc",
    EZ,
    "ez-published",
    "ez-smoothed",
];
const EZ: &str = "ez";

/// A part of `ez` that is done otherwise: what the page calls it, and the setting.
struct Ablation {
    name: &'static str,
    setting: Option<(&'static str, &'static str)>,
}

const ABLATIONS: [Ablation; 8] = [
    ablation(ERRORS, None),
    ablation("all positions", Some(("ez.positions", "all"))),
    ablation(SUCCESSES, Some(("ez.positions", "successes"))),
    ablation("error = not among the first 5", Some(("ez.top", "5"))),
    ablation("error = not among the first 10", Some(("ez.top", "10"))),
    ablation(SHARE, Some(("ez.aggregate", "positive-fraction"))),
    ablation("rises less falls", Some(("ez.aggregate", "difference"))),
    ablation("first position counted", Some(("ez.skip", "0"))),
];
const ERRORS: &str = "errors only (the paper's choice)";
const SUCCESSES: &str = "successes only";
const SHARE: &str = "share of rises";

const fn ablation(name: &'static str, setting: Option<(&'static str, &'static str)>) -> Ablation {
    Ablation { name, setting }
}

/// What is to be studied.
#[derive(Clone, Debug)]
pub struct EzRequest {
    /// Token signals. Names that differ in one word (`full-3` and `lora-3`, `full-3-base` and `full-3-distilled`)
    /// are held against one another.
    pub sets: Vec<Studied>,
    /// Where the signals are from, in the user's words.
    pub about: Option<String>,
    /// What makes the page again.
    pub command: String,
}

/// All that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ez {
    pub schema: String,
    pub version: String,
    pub command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    pub sets: Vec<SetMeasured>,
}

const SCHEMA: &str = "guestlist.study.ez/1";

impl Ez {
    /// The page, in Markdown.
    pub fn to_markdown(&self) -> String {
        page::markdown(self)
    }
}

pub fn run(request: &EzRequest, progress: Progress<'_>) -> Result<Ez> {
    super::check_names(&request.sets)?;
    // A mistake in any of them is told before any is read through.
    let opened = request.sets.iter().map(|set| measured::open(set, progress));
    let opened: Vec<_> = opened.collect::<Result<_>>()?;
    let sets = request.sets.iter().zip(opened);
    Ok(Ez {
        schema: SCHEMA.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        command: request.command.clone(),
        about: request.about.clone(),
        sets: sets
            .map(|(set, opened)| measured::measure(&set.name, opened, progress))
            .collect::<Result<_>>()?,
    })
}
