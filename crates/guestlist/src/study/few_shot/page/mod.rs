//! The page: what is published beside chance, then what the attacks reach on the data at hand.

mod published;
mod published_few_shot;
mod published_log_mia;
mod sets;
mod words;

use super::FewShot;
use crate::study::{doubts, markdown};

/// What a section has to say, and in one sentence.
struct Part {
    brief: Vec<String>,
    text: String,
}

pub fn markdown(study: &FewShot) -> String {
    let parts = [
        published_log_mia::part(),
        published_few_shot::part(),
        sets::part(&study.sets),
    ];
    let mut page = head(study, &parts);
    let doubted = study.sets.iter();
    page += &doubts::section(doubted.map(|set| (set.name.as_str(), set.doubts.as_slice())));
    for part in &parts {
        page += &format!("\n{}", part.text);
    }
    let location = study
        .sets
        .iter()
        .any(|set| set.name == LOCATION.0 && set.records == LOCATION.1);
    page += "\n## Again\n\nThe digits come with guestlist. ";
    if location {
        page += LOCATION.2;
    }
    page + AGAIN
}

fn head(study: &FewShot, parts: &[Part]) -> String {
    let brief = parts.iter().flat_map(|part| &part.brief);
    let brief: String = brief.map(|line| format!("- {line}\n")).collect();
    format!(
        "# Few-shot attacks and Log-MIA: what is published, what chance gives, what leaks\n\n\
         This page is made by {}; every number below is computed by that command, {} runs per number of shots, \
         seed {}. The paper is D. Jiménez-López, N. Rodríguez-Barroso, M. V. Luzón and F. Herrera, \"Membership \
         Inference Attacks fueled by Few-Shot Learning to detect privacy leakage tackling data integrity\"; table \
         numbers are its own.\n\n\
         Log-MIA counts the members caught with no false positive (regime A) or with FP_B = ⌈ln n⌉ of them (regime \
         B), on a logarithmic scale: ln(TP + 1) / ln(n₊ + 1). A score that says nothing also catches members by \
         luck. How many has an exact distribution (negative hypergeometric), so every value can be put beside what \
         chance gives.\n\n\
         In short:\n\n{brief}",
        markdown::code(&study.command),
        study.runs,
        study.seed
    )
}

/// Data of our own page, and what they are.
const LOCATION: (&str, usize, &str) = (
    "Location30",
    5_010,
    "Location30 is the visits of 5,010 users to 446 places, in 30 classes (Shokri et al. 2017, \
     github.com/privacytrustlab/datasets). Under that name stands what `examples/location30` trains: 257 perceptrons \
     446-512-256-30, each on half of them. ",
);

/// Where data come from.
const AGAIN: &str = "Of a model of yours, the folder of a `guestlist run` has logits, weights and shadows; outputs \
                     that exist already are files.

```sh
guestlist study few-shot                                          # digits alone
guestlist study few-shot guestlist-run                            # a model that `guestlist run` trained
guestlist study few-shot logits.npz --shadows signals.npz         # outputs that exist already
```

`guestlist explain log-mia`, `guestlist explain fes-ss` say what the words mean, and the guide to few-shot audits (docs/guide-few-shot.md) more.
";
