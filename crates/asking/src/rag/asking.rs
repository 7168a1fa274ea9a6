//! Asking many questions of a service: which arm each goes to, and what an answer is worth.

use std::sync::Arc;

use attacks::signals::probes::{Arm, Reply};
use base::Progress;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::service::Service;
use crate::Result;
use crate::campaign::{
    self, Attempt, Campaign, FailureKind, Failures, Limits, PreparedRequest, Reading, Respondent,
    Tokens, Trial,
};
use crate::store::{Answer, Store};

/// One question to one arm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    pub arm: Arm,
    pub query: String,
    /// From 1 where the same is asked again, to see whether the answers differ.
    pub repeat: u32,
}

/// Digits of an id: no two questions of an audit share them.
const DIGITS: usize = 16;

impl Ask {
    /// What the question is called where others ask it: a digest, so that nothing but the question
    /// itself shows in it.
    pub fn id(&self) -> String {
        let asked = json!([self.arm, self.repeat, self.query]).to_string();
        let mut digits = formats::files::hexadecimal(&Sha256::digest(asked));
        digits.truncate(DIGITS);
        digits
    }
}

pub type Outcome = campaign::Outcome<Arc<Reply>>;
pub type Asked = campaign::Asked<Arc<Reply>>;

impl Service {
    /// Asks every question that the store cannot answer. What comes is stored before it is used.
    ///
    /// The first question of each arm goes alone; if the service cannot be reached, refuses us, or
    /// does not answer as the target says, nothing more is sent and that is the error. Later
    /// failures are outcomes.
    pub fn ask_all(&self, asks: &[Ask], store: &Store, progress: Progress<'_>) -> Result<Asked> {
        let asked = self.ask_while_answered(asks, store, progress)?;
        match asked.given_up {
            Some(why) => Err(*why),
            None => Ok(asked),
        }
    }

    /// The same of who can do with what came before the service was given up.
    pub fn ask_while_answered(
        &self,
        asks: &[Ask],
        store: &Store,
        progress: Progress<'_>,
    ) -> Result<Asked> {
        let campaign = Campaign {
            respondent: self,
            limits: self.limits(),
            pace: &self.pace,
            runtime: &self.runtime,
            store,
            progress,
        };
        campaign.run(asks).map_err(|halt| *halt.fault.error)
    }

    fn limits(&self) -> Limits {
        Limits {
            concurrency: self.transport.concurrency,
            retries: self.transport.retries,
            timeout: self.transport.timeout(),
            max_requests: self.transport.max_requests,
            max_tokens: self.transport.max_tokens,
            table: "transport.",
            failures: Failures::AreOutcomes,
        }
    }
}

impl Respondent for Service {
    type Question = Ask;
    type Answer = Arc<Reply>;

    fn prepare(&self, ask: &Ask) -> Result<PreparedRequest> {
        let client = self.client(ask.arm)?;
        Ok(client.prepare(&ask.query, ask.repeat))
    }

    async fn send(&self, ask: &Ask, request: &PreparedRequest) -> Attempt<Answer> {
        let client = self.client(ask.arm).map_err(campaign::Fault::ours)?;
        client.send(&ask.query, request).await
    }

    fn read(&self, ask: &Ask, answer: &Answer) -> Reading<Arc<Reply>> {
        let client = self.client(ask.arm).map_err(campaign::Fault::ours);
        match client.and_then(|client| client.read(answer)) {
            Ok(mut read) => {
                self.share_texts(&mut read.reply);
                Reading {
                    tokens: read
                        .tokens
                        .unwrap_or_else(|| Tokens::estimate(&ask.query, &read.reply.answer)),
                    answer: Ok(Arc::new(read.reply)),
                    keep: true,
                }
            }
            Err(fault) => {
                // A part of an answer is no answer; others may be read once a path is mended.
                let whole = Some(FailureKind::Schema) == fault.failure()
                    || Some(FailureKind::NotJson) == fault.failure();
                Reading {
                    tokens: match whole {
                        true => Tokens::estimate(&ask.query, ""),
                        false => Tokens::default(),
                    },
                    answer: Err(fault),
                    keep: whole,
                }
            }
        }
    }

    fn keep_answered(&self, ask: &Ask, now: bool) {
        let mut known = self.known(ask.arm);
        if now || known.is_none() {
            *known = Some(ask.clone());
        }
    }

    fn answered(&self, ask: &Ask) -> Option<Ask> {
        self.known(ask.arm).clone()
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn trial(&self, ask: &Ask) -> Option<Trial<'_>> {
        let (turn, failed) = match ask.arm {
            Arm::Retrieval => (0, "the first question failed"),
            Arm::NoRetrieval => (1, "the first question without retrieval failed"),
        };
        Some(Trial {
            turn,
            answered: self.has_answered(ask.arm),
            failed,
        })
    }
}
