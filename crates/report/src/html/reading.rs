//! How to read the page, in words for the kind of target at hand.

use judge::glossary;
use judge::verdict::Outcome;
use maud::{Markup, html};

use crate::detail::Kind;
use crate::document::Report;

pub fn part(report: &Report) -> Markup {
    let kind = report.kind();
    html! {
        p { (kind.question()) }
        p { (next_step(report.verdict.outcome)) }
        ul { @for line in kind.hints() { li { (line) } } }
        (words(kind.words()))
    }
}

/// Words of the page, explained.
fn words(ids: &[&str]) -> Markup {
    html! {
        details class="words" {
            summary { "What the words mean" }
            dl {
                @for entry in ids.iter().filter_map(|id| glossary::find(id)) {
                    dt { (entry.id) }
                    dd { (entry.meaning) }
                }
            }
        }
        "\n"
    }
}

fn next_step(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => {
            "Pass means that no attack tried here did better than the threshold allows. It is no proof \
             that nothing leaks: other attacks, more records or more shadows may find more. Read the \
             guardrails, and TPR at low false-positive rates, before you rely on it."
        }
        Outcome::Fail => {
            "Fail means that an attacker could tell members from others better than the threshold \
             allows. Look at who is exposed, and at the guardrails: a leak that a blind baseline finds \
             too comes from how the records were chosen, not from the model."
        }
        Outcome::Inconclusive => {
            "Inconclusive means that these numbers, high or low, should not be acted on. The violated \
             guardrail below says what is wrong and what to change before auditing again."
        }
    }
}

impl Kind {
    fn question(self) -> &'static str {
        match self {
            Kind::Classifier => {
                "The question: from what the model says about a record, can somebody tell whether the \
                 record was in its training set? A member is a record that was."
            }
            Kind::Lm => {
                "The question: from how likely the model finds a text, can somebody tell whether it was \
                 trained on that text? A member is a text that it was trained on."
            }
            Kind::Rag => {
                "The question: from what the service answers, can somebody tell whether a document is in \
                 its store? A member is a document that is."
            }
            Kind::Source => {
                "The question: does an answer come from the store that the service looks things up in, \
                 from what its model learnt, or from neither? Members are texts from either source."
            }
            Kind::Fewshot => {
                "The question: can somebody who knows the membership of a handful of records tell that \
                 of others? A member is a record of the model's training set."
            }
            Kind::Scores => {
                "The question: do these scores, made by somebody else's attack, tell members from \
                 others? A member is a record that was in the training set."
            }
        }
    }

    fn hints(self) -> &'static [&'static str] {
        const MEASURES: &str = "AUC is the chance that a member scores above a non-member: 0.5 is \
            guessing, 1 is certainty. TPR at 1% FPR is the share of members caught when one non-member \
            in a hundred is accused; guessing catches 1%.";
        const INTERVALS: &str = "The range beside a number is its interval: what other records of the \
            same kind could well have given. Look at it before comparing two numbers.";
        match self {
            Kind::Scores => &[
                MEASURES,
                INTERVALS,
                "Nothing is known of how the scores were made: whether the attack saw what it should not \
                 have cannot be seen from them.",
            ],
            Kind::Classifier => &[
                MEASURES,
                INTERVALS,
                "A curve near the top left of the log-log ROC matters most: it means that some records \
                 can be accused with hardly a mistake, even where the AUC is close to 0.5.",
            ],
            Kind::Lm => &[
                MEASURES,
                INTERVALS,
                "Texts can give themselves away without any model, by date, length or style: \
                 blind-baseline among the guardrails says how far. Only what goes beyond it is a leak.",
            ],
            Kind::Rag => &[
                MEASURES,
                INTERVALS,
                "What the service says about a document with its retrieval off is no leak of the store: \
                 the difference between both is.",
                "Each exposed document below opens to the question and the answer that gave it away. \
                 Both are shown as text; nothing in them is a link.",
            ],
            Kind::Source => &[
                "Every key word of a text is called retrieved, pretrained or neither, by how much the \
                 answers change when the word is hidden, with retrieval and without.",
                "Accuracy stands beside what chance gives, and beside the same labels on shuffled texts.",
                MEASURES,
                INTERVALS,
            ],
            Kind::Fewshot => &[
                "Every mean stands beside what a score that says nothing gives, and beside the same \
                 procedure with everybody's membership shuffled. Above both there is a leak.",
                MEASURES,
                INTERVALS,
            ],
        }
    }

    fn words(self) -> &'static [&'static str] {
        match self {
            Kind::Classifier | Kind::Scores => &[
                "auc",
                "tpr-at-fpr",
                "balanced-accuracy",
                "advantage",
                "log-mia",
                "epsilon",
                "verdict",
                "anderson-darling",
                "qq",
                "slices",
                "vulnerability",
            ],
            Kind::Lm => &[
                "auc",
                "tpr-at-fpr",
                "balanced-accuracy",
                "advantage",
                "log-mia",
                "epsilon",
                "verdict",
                "dataset-inference",
                "calibrated",
                "checkpoints",
            ],
            Kind::Rag => &[
                "auc",
                "tpr-at-fpr",
                "balanced-accuracy",
                "advantage",
                "log-mia",
                "epsilon",
                "verdict",
                "hit-rate",
            ],
            Kind::Source => &[
                "ads",
                "source-accuracy",
                "macro-f1",
                "paper-acc",
                "coverage",
                "auc",
                "tpr-at-fpr",
                "verdict",
            ],
            Kind::Fewshot => &[
                "few-shot",
                "log-mia",
                "auc",
                "tpr-at-fpr",
                "balanced-accuracy",
                "advantage",
                "epsilon",
                "verdict",
            ],
        }
    }
}
