//! Scoring many texts: each is a question of a campaign, and one that fails ends it.

use std::borrow::Cow;

use base::Progress;
use sha2::{Digest, Sha256};

use super::probe::with_models;
use super::reading::explained;
use super::{Prompt, Scored, Server};
use crate::campaign::{
    Attempt, Campaign, FailureKind, Failures, Fault, Halt, Limits, Outcome, PreparedRequest,
    Reading, Respondent, Tokens, stored,
};
use crate::store::{Answer, Key, PROBE, Store};
use crate::{Error, ErrorKind, Result};

/// How far the same text's log-probabilities may lie apart from one day to the next: batching and
/// low precision move them a little.
const SAME_MODEL: f32 = 0.5;

impl Server {
    /// Scores every prompt, in order. Answers in the store are not asked for again; others are
    /// stored before they are used.
    ///
    /// When a text fails for good, no new ones are begun, those in flight are finished and stored,
    /// and the error's `text` says which it was.
    pub fn score(
        &self,
        prompts: &[Prompt],
        store: &Store,
        progress: Progress<'_>,
    ) -> Result<Vec<Scored>> {
        self.check_prompts(prompts)?;
        self.same_model(store)?;
        let campaign = Campaign {
            respondent: self,
            limits: self.limits(),
            pace: &self.pace,
            runtime: &self.runtime,
            store,
            progress,
        };
        let asked = campaign.run(prompts);
        let asked = asked.map_err(|halt| self.blame(halt, prompts.len(), progress))?;
        let scored = asked.outcomes.into_iter().map(|outcome| match outcome {
            Outcome::Answered(scored) => Some(scored),
            Outcome::Failed { .. } | Outcome::NotAsked => None,
        });
        // Every text has its answer, or an error was returned.
        scored
            .collect::<Option<_>>()
            .ok_or_else(|| *Fault::interrupted().error)
    }

    fn limits(&self) -> Limits {
        Limits {
            concurrency: self.endpoint.concurrency,
            retries: self.endpoint.retries,
            timeout: self.endpoint.timeout,
            max_requests: self.endpoint.max_requests,
            max_tokens: None,
            table: "",
            failures: Failures::EndAll,
        }
    }

    /// Names the text at fault, if one is: a wish to stop is no text's.
    fn blame(&self, halt: Halt, texts: usize, progress: Progress<'_>) -> Error {
        let Halt {
            mut fault,
            question,
        } = halt;
        let policy = self.policy(progress);
        self.runtime
            .block_on(with_models(&mut fault, &self.exchange, &policy));
        match question {
            Some(place) => name_text(*fault.error, place, texts),
            None => *fault.error,
        }
    }

    /// How many of these prompts have an answer in the store.
    pub fn stored(&self, prompts: &[Prompt], store: &Store) -> Result<usize> {
        let mut stored = 0;
        for prompt in prompts {
            stored += usize::from(store.is_answered(&self.prepare(prompt)?.key)?);
        }
        Ok(stored)
    }

    fn check_prompts(&self, prompts: &[Prompt]) -> Result<()> {
        for (place, prompt) in prompts.iter().enumerate() {
            let why = match prompt {
                Prompt::Text(text) if text.is_empty() => "it is empty",
                Prompt::Ids(ids) if ids.is_empty() => "it has no tokens",
                Prompt::Ids(_) if !self.dialect.takes_ids() => {
                    "this dialect takes texts, not token ids"
                }
                _ => continue,
            };
            let error = Error::new(ErrorKind::Setting, format!("cannot be scored: {why}"));
            return Err(name_text(error, place, prompts.len()));
        }
        Ok(())
    }

    /// A prefix belongs to texts only: ids are taken as they are.
    fn whole<'a>(&self, prompt: &'a Prompt) -> Cow<'a, Prompt> {
        match (prompt, &self.endpoint.prefix) {
            (Prompt::Text(text), Some(prefix)) => {
                Cow::Owned(Prompt::Text(format!("{prefix}{text}")))
            }
            _ => Cow::Borrowed(prompt),
        }
    }

    fn prepared(&self, request: Vec<u8>) -> PreparedRequest {
        let url = self.exchange.address.base().to_owned();
        PreparedRequest::new(self.dialect.name(), url, self.served.clone(), request)
    }

    /// Nothing for an answer that cannot be used: it is asked for again, as the server may be mended
    /// by now.
    pub(super) fn read_stored(&self, prompt: &Prompt, store: &Store) -> Result<Option<Scored>> {
        Ok(match stored(self, prompt, store)? {
            Some(Outcome::Answered(scored)) => Some(scored),
            _ => None,
        })
    }

    /// Answers of two models in one audit would mean nothing. Many servers give any model the same
    /// name, so the probe's own text is compared with how it was scored when the store was begun.
    fn same_model(&self, store: &Store) -> Result<()> {
        let mut hasher = Sha256::new_with_prefix(b"probe");
        hasher.update(self.prepared(Vec::new()).key);
        let key: Key = hasher.finalize().into();
        let Some(Some(earlier)) = store.records(&[key])?.into_iter().next() else {
            return store.put_records(PROBE, &[(key, self.sample.to_bytes()?)]);
        };
        let earlier = Scored::from_bytes(&earlier)?;
        match differs(&earlier, &self.sample) {
            false => Ok(()),
            true => Err(Error::mismatch(
                "the server scores the probe's text otherwise than when this audit was begun: \
                 another model answers now",
            )
            .at(store.file())
            .hint(
                "ask everything anew with `guestlist run --ask-again`, or bring the earlier model \
                 back",
            )),
        }
    }
}

fn differs(earlier: &Scored, now: &Scored) -> bool {
    let apart = |(earlier, now): (&Option<f32>, &Option<f32>)| match (earlier, now) {
        (Some(earlier), Some(now)) => (earlier - now).abs() > SAME_MODEL.max(0.1 * earlier.abs()),
        (earlier, now) => earlier.is_some() != now.is_some(),
    };
    earlier.logprob.len() != now.logprob.len()
        || earlier.logprob.iter().zip(&now.logprob).any(apart)
}

impl Respondent for Server {
    type Question = Prompt;
    type Answer = Scored;

    fn prepare(&self, prompt: &Prompt) -> Result<PreparedRequest> {
        let model = self.model.as_deref();
        let request = self.dialect.request(&self.whole(prompt), model);
        let request = request.map_err(|error| Error::malformed(error.to_string()))?;
        Ok(self.prepared(request))
    }

    async fn send(&self, _prompt: &Prompt, prepared: &PreparedRequest) -> Attempt<Answer> {
        let path = self.dialect.path();
        let received = self.exchange.post(path, prepared.request.clone()).await?;
        Ok(received.answer)
    }

    fn read(&self, prompt: &Prompt, answer: &Answer) -> Reading<Scored> {
        let json = self.exchange.json(self.dialect.path(), &answer.body);
        let scored = json.map(|json| {
            let scored = self.dialect.read(prompt, &json);
            // It would be the same another time.
            let lasting = |error| Fault::new(FailureKind::Schema, explained(error, &json), false);
            scored.map_err(lasting)
        });
        Reading {
            // What is no JSON is cut off.
            keep: scored.is_ok(),
            answer: scored.and_then(|scored| scored),
            tokens: Tokens::default(),
        }
    }

    fn tokens(&self, scored: &Scored) -> usize {
        scored.logprob.len()
    }
}

fn name_text(mut error: Error, place: usize, texts: usize) -> Error {
    error.message = format!("text {} of {texts}: {}", place + 1, error.message);
    error.text = Some(place);
    error
}
