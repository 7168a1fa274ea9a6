//! The best memorised texts, scored last.

use attacks::lm as attacks_lm;
use attacks::settings::Settings;
use attacks::signals::tokens::TextSignals;
use lm::{ChatMessage, Model};

use super::judged::{auc, report, verdict};
use super::speeches::{self, Speech};
use super::{Case, Claim, Sides, broken};
use crate::demo;
use guestlist::Error;

/// What the service of `guestlist demo source` tells its model.
const INSTRUCTION: &str =
    "Answer the question briefly. If you do not know the answer, say \"I don't know.\"";

pub static CASE: Case = Case {
    id: "edges",
    title: "the best memorised texts, scored last",
    habit: "EZ divides the rises of the true tokens by their falls where the model errs. A text known by \
            heart has no error and no fall; the code returns 0, the lowest score there is.",
    source: "mia/ez_score.py of EZ-MIA's code (commit aa0b6b7) returns 0 for fewer than two errors or \
             no fall; the paper (arXiv 2601.12104) calls such texts members",
    data: "a small language model that knows 24 texts by heart, asked for them and for 24 others",
    notices: "ez ranks texts without a fall highest, ez-smoothed tells them apart; ez-published is there to \
              compare with",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let (known, base) = (speeches::folder()?, speeches::folder()?);
    let served = demo::source_files(known.path())?;
    speeches::unpack(base.path())?;
    let tokenizer = base.path().join("tokenizer.json");
    let target = speeches::open(&served.model, &tokenizer)?;
    let reference = speeches::open(&base.path().join("base"), &tokenizer)?;
    let mut texts = speeches::read(&known.path().join("pretrained.jsonl.gz"))?;
    let known_by_heart = texts.len();
    texts.extend(speeches::read(&known.path().join("fresh.jsonl.gz"))?);
    let members: Vec<bool> = (0..texts.len()).map(|row| row < known_by_heart).collect();
    let signals = signals(&target, &reference, &texts)?;
    let naive: Vec<f64> = signals.iter().map(published).collect();
    let zeros = naive.iter().zip(&members);
    let zeros = zeros
        .filter(|(score, member)| **member && **score == 0.0)
        .count();
    let attacked = |id: &'static str| -> Result<f64, Error> {
        let answers = attacks_lm::run(&[attacks_lm::find(id)?], &signals, &Settings::default());
        let scores: Vec<f64> = answers[0].iter().filter_map(|answer| answer.ok()).collect();
        Ok(auc(&report(id, &scores, &members, seed)?))
    };
    let naive = auc(&report("ez-published", &naive, &members, seed)?);
    let (ours, smoothed) = (attacked("ez")?, attacked("ez-smoothed")?);
    Ok(Sides {
        mistaken: vec![
            Claim::new(
                "zeros",
                zeros as f64,
                format!("{zeros} of {known_by_heart} texts known by heart score 0, the lowest"),
            ),
            Claim::new("auc", naive, format!("AUC {naive:.3}: {}", verdict(naive))),
        ],
        guestlist: vec![
            Claim::new(
                "auc",
                ours,
                format!(
                    "ez, infinite where there is no fall: AUC {ours:.3}, {}",
                    verdict(ours)
                ),
            ),
            Claim::new(
                "smoothed",
                smoothed,
                format!(
                    "ez-smoothed, made for short texts: AUC {smoothed:.3}, {}",
                    verdict(smoothed)
                ),
            ),
        ],
    })
}

/// The mistake: rises over falls at the errors, and 0 where there is nothing to divide by.
fn published(text: &TextSignals) -> f64 {
    let (Some(ranks), Some(reference)) = (&text.rank, &text.reference) else {
        return 0.0;
    };
    let errors = (1..text.logprob.len()).filter(|place| ranks[*place] != 1);
    let moves: Vec<f64> = errors
        .map(|place| text.logprob[place] - reference[place])
        .collect();
    let rises: f64 = moves.iter().filter(|delta| **delta > 0.0).sum();
    let falls: f64 = -moves.iter().filter(|delta| **delta < 0.0).sum::<f64>();
    match moves.len() < 2 || falls == 0.0 {
        true => 0.0,
        false => rises / falls,
    }
}

/// Each text as the answer to a question that holds every second word of it.
fn signals(target: &Model, reference: &Model, texts: &[Speech]) -> Result<Vec<TextSignals>, Error> {
    let (mut asked, mut plain, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
    for speech in texts {
        let words = speech.text.split_whitespace();
        let damaged: Vec<&str> = words.step_by(2).collect();
        let messages = [
            ChatMessage::new("system", INSTRUCTION),
            ChatMessage::new("user", damaged.join(" ")),
        ];
        let prompt = target.chat(&messages);
        let prompt = prompt.map_err(|error| broken("the model cannot be asked", error))?;
        let answer = speeches::tokens(target, &format!(" {}", speech.text))?;
        lengths.push(answer.len());
        asked.push([prompt, answer.clone()].concat());
        plain.push([speeches::tokens(reference, "Answer:")?, answer].concat());
    }
    let known = speeches::scored(target, &asked)?;
    let base = speeches::scored(reference, &plain)?;
    let text = |((known, base), length): ((&lm::Scores, &lm::Scores), &usize)| TextSignals {
        logprob: last(&known.logprob, *length),
        rank: Some(known.rank[known.rank.len() - length..].to_vec()),
        reference: Some(last(&base.logprob, *length)),
        ..TextSignals::default()
    };
    Ok(known.iter().zip(&base).zip(&lengths).map(text).collect())
}

fn last(values: &[f32], count: usize) -> Vec<f64> {
    let values = &values[values.len() - count..];
    values.iter().map(|value| f64::from(*value)).collect()
}
