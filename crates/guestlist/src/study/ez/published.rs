//! What the paper says (arXiv:2601.12104) by a third party's summary of it, and the same of a data set here.

use super::measured::{Measured, SetMeasured};
use super::page::{percent, times};
use super::{ERRORS, EZ, SHARE, SUCCESSES};

/// A number of the paper's as the summary has it, and how to come by it here.
pub struct Published {
    pub name: &'static str,
    pub said: &'static str,
    pub here: fn(&SetMeasured) -> Option<String>,
}

/// What `ez` is held against there: attacks that need no shadow models either.
const OTHERS: [&str; 3] = ["lm-loss", "min-k-plus-plus", "ratio"];

pub const PUBLISHED: [Published; 6] = [
    Published {
        name: "`ez`, AUC",
        said: "about 0.98 (GPT-2, WikiText)",
        here: |set| Some(format!("{:.3}", auc(set.attack(EZ))?)),
    },
    Published {
        name: "`ez`, TPR at 1%",
        said: "66.3% (the same)",
        here: |set| set.attack(EZ)?.tpr[0].map(percent),
    },
    Published {
        name: "`ez`, TPR at 0.1%",
        said: "14.0% (the same)",
        here: |set| set.attack(EZ)?.tpr[1].map(percent),
    },
    Published {
        name: "`ez` over the best of `lm-loss`, `min-k-plus-plus` and `ratio`, TPR at 1%",
        said: "3.8 times (over the best attack before it)",
        here: |set| {
            let rates = OTHERS.iter().filter_map(|name| set.attack(name)?.tpr[0]);
            times(set.attack(EZ)?.tpr[0], rates.reduce(f64::max))
        },
    },
    Published {
        name: "errors less successes, AUC",
        said: "+0.1",
        here: |set| less(set, ERRORS, SUCCESSES),
    },
    Published {
        name: "ratio less share of rises, AUC",
        said: "about the same",
        here: |set| less(set, ERRORS, SHARE),
    },
];

/// Two of the paper's choices, which names of data sets are searched for.
pub struct Choice {
    pub title: &'static str,
    pub words: [&'static str; 2],
    pub said: &'static str,
}

pub const CHOICES: [Choice; 2] = [
    Choice {
        title: "Full fine-tuning beside LoRA",
        words: ["full", "lora"],
        said: "Published, TPR at 1%: full over LoRA 55 times (GPT-2, XSum).",
    },
    Choice {
        title: "A distilled reference beside the base model",
        words: ["distilled", "base"],
        said: "Published: a distilled reference gains little in AUC over the model that fine-tuning started from.",
    },
];

fn less(set: &SetMeasured, one: &str, other: &str) -> Option<String> {
    let difference = auc(set.ablation(one))? - auc(set.ablation(other))?;
    Some(format!("{difference:+.3}"))
}

pub fn auc(measured: Option<&Measured>) -> Option<f64> {
    Some(measured?.auc?.value)
}
