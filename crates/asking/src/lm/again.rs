//! Answers of another day: a few of their texts are scored once more before the others are used,
//! because the model behind an address may have changed since.

use base::Progress;
use futures_util::future::try_join_all;
use stats::streams::{Seed, shuffle};

use super::{Prompt, Scored, Server};
use crate::campaign::Respondent;
use crate::store::{Dates, Key, Store};
use crate::{Error, Result};

/// Texts that are scored again.
const FEW: usize = 8;
/// What batching and low precision move log-probabilities by, in nats per token.
const ROUNDING: f64 = 0.05;
/// How many times as far apart as two answers of today an earlier one must lie.
const BEYOND: f64 = 3.0;

impl Server {
    /// Scores a few texts again, drawn by the seed from those with a stored answer, and refuses to
    /// go on where the answers of today lie further from the stored ones than from each other.
    pub fn check_stored(
        &self,
        prompts: &[Prompt],
        store: &Store,
        seed: Seed,
        progress: Progress<'_>,
    ) -> Result<()> {
        let few = self.few_stored(prompts, store, seed)?;
        if few.is_empty() {
            return Ok(());
        }
        let today = self.ask_few(&few, progress)?;
        let away = |(few, today): (&Few, &Scored)| distance(&few.stored, today);
        let away: Vec<f64> = few.iter().zip(&today).map(away).collect();
        if away.iter().all(|away| *away <= ROUNDING) {
            return Ok(());
        }
        let twice = self.ask_few(&few, progress)?;
        let own = today.iter().zip(&twice).map(|(a, b)| distance(a, b));
        let most = ROUNDING.max(BEYOND * own.fold(0.0, f64::max));
        match away.iter().filter(|away| **away > most).count() {
            0 => Ok(()),
            differ => Err(self.changed(differ, &few, store)?),
        }
    }

    /// When the stored answers to these came.
    pub fn dates(&self, prompts: &[Prompt], store: &Store) -> Result<Option<Dates>> {
        store.dates(&self.keys(prompts.iter())?)
    }

    fn keys<'p>(&self, prompts: impl Iterator<Item = &'p Prompt>) -> Result<Vec<Key>> {
        prompts
            .map(|prompt| Ok(self.prepare(prompt)?.key))
            .collect()
    }

    fn few_stored<'p>(
        &self,
        prompts: &'p [Prompt],
        store: &Store,
        seed: Seed,
    ) -> Result<Vec<Few<'p>>> {
        let mut order: Vec<usize> = (0..prompts.len()).collect();
        shuffle(&mut seed.stream("texts asked again"), &mut order);
        let mut few = Vec::new();
        for place in order {
            let prompt = &prompts[place];
            if let Some(stored) = self.read_stored(prompt, store)? {
                few.push(Few { prompt, stored });
            }
            if few.len() == FEW {
                break;
            }
        }
        Ok(few)
    }

    /// What came is compared and forgotten: the stored answers stay what the audit rests on.
    fn ask_few(&self, few: &[Few], progress: Progress<'_>) -> Result<Vec<Scored>> {
        let policy = self.policy(progress);
        let one = async |few: &Few| -> Result<Scored> {
            let request = self.prepare(few.prompt)?;
            let asked = policy.ask(async || {
                let answer = self.send(few.prompt, &request).await?;
                self.read(few.prompt, &answer).answer
            });
            asked.await.map_err(|fault| *fault.error)
        };
        let mut scored = Vec::new();
        for some in few.chunks(self.endpoint.concurrency) {
            let answers = try_join_all(some.iter().map(&one));
            scored.extend(self.runtime.block_on(answers)?);
        }
        Ok(scored)
    }

    fn changed(&self, differ: usize, few: &[Few], store: &Store) -> Result<Error> {
        let dates = store.dates(&self.keys(few.iter().map(|few| few.prompt))?)?;
        let of = dates.map_or(String::new(), |dates| format!(", of {}", dates.days()));
        Ok(Error::mismatch(format!(
            "{differ} of {} texts that were scored again have other log-probabilities than those in \
             the store{of}: another model answers now, or it was changed",
            few.len()
        ))
        .at(store.file())
        .hint(
            "ask everything anew with `guestlist run --ask-again`, or bring the earlier model back",
        ))
    }
}

/// A text with the answer that is in the store.
struct Few<'p> {
    prompt: &'p Prompt,
    stored: Scored,
}

/// The mean difference per predicted token; infinite where the tokens are others.
fn distance(a: &Scored, b: &Scored) -> f64 {
    if a.logprob.len() != b.logprob.len() {
        return f64::INFINITY;
    }
    let mut differences = Vec::new();
    for pair in a.logprob.iter().zip(&b.logprob) {
        match pair {
            (Some(a), Some(b)) => differences.push(f64::from((a - b).abs())),
            (None, None) => {}
            _ => return f64::INFINITY,
        }
    }
    differences.iter().sum::<f64>() / differences.len().max(1) as f64
}
