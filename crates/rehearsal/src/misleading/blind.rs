//! Members and non-members that differ by themselves.

use judge::gate::Gate;
use judge::guardrails::{self, Evidence, Status};
use judge::lm::Corpus;
use stats::streams::Seed;

use super::judged::{auc, report, verdict};
use super::speeches::{self, Speech};
use super::{Case, Claim, Sides};
use guestlist::Error;

/// Speeches before this year are called members.
const CUT: u32 = 2002;
/// Of the passages, every third.
const EVERY: usize = 3;
const CONFIDENCE: f64 = 0.95;

pub static CASE: Case = Case {
    id: "blind",
    title: "a model that has seen no text \"remembers\" half of them",
    habit: "Take what was written before the model's date as members and what came later as non-members. \
            The sets differ in what they talk about, and every attack finds that, with or without a leak.",
    source: "WikiMIA, BookMIA, Gutenberg and other sets: Das, Zhang and Tramèr 2024 (Blind-MIA) reach AUC \
             0.99 on WikiMIA without any model, where the best attack has 0.839",
    data: "400 passages of speeches, those before 2002 called members, read by a language model that was \
           trained on speeches before 1982 only and has seen none of them",
    notices: "blind-baseline (violated: the verdict is inconclusive)",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let folder = speeches::folder()?;
    speeches::unpack(folder.path())?;
    let mut all = speeches::read(&folder.path().join("members.jsonl.gz"))?;
    all.extend(speeches::read(&folder.path().join("held-out.jsonl.gz"))?);
    let texts: Vec<Speech> = all.into_iter().step_by(EVERY).collect();
    let members: Vec<bool> = texts.iter().map(|speech| speech.year < CUT).collect();
    let tokenizer = folder.path().join("tokenizer.json");
    let model = speeches::open(&folder.path().join("base"), &tokenizer)?;
    let cut = texts
        .iter()
        .map(|speech| speeches::tokens(&model, &speech.text));
    let cut: Vec<Vec<u32>> = cut.collect::<Result<_, Error>>()?;
    let likelihoods = speeches::scored(&model, &cut)?;
    let scores: Vec<f64> = likelihoods.iter().map(|text| mean(&text.logprob)).collect();
    let audit = report("loss", &scores, &members, seed)?;
    let facts = corpus(&texts).facts(&members, None, CONFIDENCE, Seed(seed));
    let words = facts.blind.as_ref().map_or(0.5, |blind| blind.auc);
    let findings = guardrails::check(&Evidence {
        attacks: &audit.attacks,
        gated: Some("loss"),
        texts: Some(&facts),
        ..Evidence::new(
            members.iter().filter(|member| **member).count(),
            members.iter().filter(|member| !**member).count(),
            &Gate::default(),
            &[],
        )
    });
    let violated = findings
        .iter()
        .any(|finding| finding.id == "blind-baseline" && finding.status == Status::Violated);
    let naive = auc(&audit);
    Ok(Sides {
        mistaken: vec![Claim::new(
            "auc",
            naive,
            format!(
                "AUC {naive:.3} by the loss of a model that has seen no text: {}",
                verdict(naive)
            ),
        )],
        guestlist: vec![
            Claim::new(
                "blind",
                words,
                format!("AUC {words:.3} by the words alone, without any model"),
            ),
            Claim::new(
                "violated",
                f64::from(u8::from(violated)),
                match violated {
                    true => "blind-baseline is violated: the audit decides nothing".to_owned(),
                    false => "blind-baseline is in order".to_owned(),
                },
            ),
        ],
    })
}

/// The mistake: whatever makes a text likelier is taken for memory.
fn mean(logprobs: &[f32]) -> f64 {
    let sum: f64 = logprobs.iter().map(|value| f64::from(*value)).sum();
    sum / logprobs.len() as f64
}

fn corpus(texts: &[Speech]) -> Corpus {
    let mut corpus = Corpus::default();
    for (row, speech) in texts.iter().enumerate() {
        corpus.add(row, Some(&speech.text), None, None);
    }
    corpus
}
