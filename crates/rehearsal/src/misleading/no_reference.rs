//! A fine-tuned language model, audited without the model it started from.

use attacks::lm;
use attacks::settings::Settings;
use attacks::signals::tokens::TextSignals;
use judge::attacker::Wanted;
use judge::gate::Gate;
use judge::guardrails::{self, Evidence, Status};

use super::judged::{auc, report, verdict};
use super::speeches::{self, Speech};
use super::{Case, Claim, Sides};
use guestlist::Error;
use guestlist::kinds::lm::attack::without_reference;

/// Tokens of each passage that the attacker holds: its first words.
const TOKENS: usize = 13;
/// Passages of each kind.
const TEXTS: usize = 300;

pub static CASE: Case = Case {
    id: "no-reference",
    title: "a fine-tuned model, audited without the model it started from",
    habit: "Score the texts with the fine-tuned model alone, because the other is not at hand. What is \
            likely anyway then looks like what was learned, and most of the leak drowns.",
    source: "a habit: loss, zlib and Min-K% (Shi et al. 2023) need no reference, and many audits stop there",
    data: "the first words of 300 passages that a small model was fine-tuned on, and of 300 others",
    notices: "weak-access: a pass without a reference is inconclusive unless that attacker is named",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let folder = speeches::folder()?;
    speeches::unpack(folder.path())?;
    let (mut texts, others) = (
        speeches::read(&folder.path().join("members.jsonl.gz"))?,
        speeches::read(&folder.path().join("held-out.jsonl.gz"))?,
    );
    texts.truncate(TEXTS);
    texts.extend(others.into_iter().take(TEXTS));
    let members: Vec<bool> = (0..texts.len()).map(|row| row < TEXTS).collect();
    let signals = signals(folder.path(), &texts)?;
    let attacked = |id: &'static str| -> Result<f64, Error> {
        let answers = lm::run(&[lm::find(id)?], &signals, &Settings::default());
        let scores: Vec<f64> = answers[0].iter().filter_map(|answer| answer.ok()).collect();
        Ok(auc(&report(id, &scores, &members, seed)?))
    };
    let (alone, compared) = (attacked("min-k")?, attacked("wbc")?);
    let violated = weak();
    Ok(Sides {
        mistaken: vec![Claim::new(
            "auc",
            alone,
            format!(
                "AUC {alone:.3} by min-k, which asks the fine-tuned model alone: {}",
                verdict(alone)
            ),
        )],
        guestlist: vec![
            Claim::new(
                "violated",
                f64::from(u8::from(violated)),
                match violated {
                    true => "of the same: inconclusive, weak-access is violated".into(),
                    false => "of the same: weak-access is in order".into(),
                },
            ),
            Claim::new(
                "auc",
                compared,
                format!(
                    "AUC {compared:.3} by wbc, which compares with the model it started from: {}",
                    verdict(compared)
                ),
            ),
        ],
    })
}

/// Log-probabilities under both models.
fn signals(folder: &std::path::Path, texts: &[Speech]) -> Result<Vec<TextSignals>, Error> {
    let tokenizer = folder.join("tokenizer.json");
    let target = speeches::open(&folder.join("fine-tuned"), &tokenizer)?;
    let reference = speeches::open(&folder.join("base"), &tokenizer)?;
    let cut = |speech: &Speech| -> Result<Vec<u32>, Error> {
        let mut cut = speeches::tokens(&target, &speech.text)?;
        cut.truncate(TOKENS);
        Ok(cut)
    };
    let cut: Vec<Vec<u32>> = texts.iter().map(cut).collect::<Result<_, Error>>()?;
    let own = speeches::scored(&target, &cut)?;
    let base = speeches::scored(&reference, &cut)?;
    let doubles = |values: &[f32]| values.iter().map(|value| f64::from(*value)).collect();
    let both = own.iter().zip(&base);
    Ok(both
        .map(|(own, base)| TextSignals {
            logprob: doubles(&own.logprob),
            rank: Some(own.rank.clone()),
            reference: Some(doubles(&base.logprob)),
            ..TextSignals::default()
        })
        .collect())
}

/// What the guardrail says of an attacker who has no reference.
fn weak() -> bool {
    let attacker = without_reference(Wanted::Strongest);
    let findings = guardrails::check(&Evidence {
        attacker: Some(&attacker),
        ..Evidence::new(TEXTS, TEXTS, &Gate::default(), &[])
    });
    let mut found = findings.iter();
    found.any(|finding| finding.id == "weak-access" && finding.status == Status::Violated)
}
