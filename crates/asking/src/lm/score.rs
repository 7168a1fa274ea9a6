//! Scoring many texts: those that the store does not know yet are asked for, several at once.

use base::{Event, Progress};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::time::SystemTime;

use futures_util::future::join_all;
use sha2::{Digest, Sha256};

use super::exchange::Received;
use super::probe::with_models;
use super::reading::explained;
use super::{Prompt, Scored, Server};
use crate::http::fault::Fault;
use crate::http::patience::Patience;
use crate::store::{Answer, Key, PROBE, Question, Store};
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
        let mut places: HashMap<Key, Vec<usize>> = HashMap::new();
        let mut order = Vec::new();
        for (place, prompt) in prompts.iter().enumerate() {
            let key = self.question(&self.request(prompt)?).key();
            let same = places.entry(key).or_default();
            if same.is_empty() {
                order.push((key, place));
            }
            same.push(place);
        }
        let work = Work {
            server: self,
            prompts,
            places: &places,
            store,
            progress,
            scored: RefCell::new(vec![None; prompts.len()]),
        };
        let open = work.take_stored(&order)?;
        progress.tell(Event::Found {
            stored: prompts.len() - open.texts,
        });
        if !open.places.is_empty() {
            self.runtime.block_on(work.ask_all(&open.places))?;
        }
        let scored = work.scored.into_inner().into_iter().collect();
        // Every place is filled, or an error was returned.
        Option::ok_or(scored, Fault::interrupted().error)
    }

    /// How many of these prompts have an answer in the store.
    pub fn stored(&self, prompts: &[Prompt], store: &Store) -> Result<usize> {
        let mut stored = 0;
        for prompt in prompts {
            let key = self.question(&self.request(prompt)?).key();
            stored += usize::from(store.is_answered(&key)?);
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

    pub(super) fn request(&self, prompt: &Prompt) -> Result<Vec<u8>> {
        let request = self
            .dialect
            .request(&self.whole(prompt), self.model.as_deref());
        request.map_err(|error| Error::malformed(error.to_string()))
    }

    pub(super) fn question<'a>(&'a self, request: &'a [u8]) -> Question<'a> {
        Question {
            dialect: self.dialect.name(),
            url: self.exchange.address.base(),
            model: self.served.as_deref(),
            request,
        }
    }

    /// Nothing for an answer that cannot be used: it is asked for again, as the server may be mended
    /// by now.
    pub(super) fn read_stored(
        &self,
        prompt: &Prompt,
        key: &Key,
        store: &Store,
    ) -> Result<Option<Scored>> {
        Ok(store.answer(key)?.and_then(|answer| {
            let json = serde_json::from_slice(&answer.body).ok()?;
            self.dialect.read(prompt, &json).ok()
        }))
    }

    /// What the server says to a request.
    pub(super) async fn received(
        &self,
        request: &[u8],
        patience: &Patience<'_>,
    ) -> std::result::Result<Received, Fault> {
        let (path, exchange) = (self.dialect.path(), &self.exchange);
        let asked = patience.ask(|| exchange.post(path, request.to_vec())).await;
        match asked {
            Ok(received) => Ok(received),
            Err(mut fault) => {
                with_models(&mut fault, exchange, patience).await;
                Err(fault)
            }
        }
    }

    /// Answers of two models in one audit would mean nothing. Many servers give any model the same
    /// name, so the probe's own text is compared with how it was scored when the store was begun.
    fn same_model(&self, store: &Store) -> Result<()> {
        let mut hasher = Sha256::new_with_prefix(b"probe");
        hasher.update(self.question(b"").key());
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

struct Work<'a> {
    server: &'a Server,
    prompts: &'a [Prompt],
    /// Equal prompts are asked once.
    places: &'a HashMap<Key, Vec<usize>>,
    store: &'a Store,
    progress: Progress<'a>,
    scored: RefCell<Vec<Option<Scored>>>,
}

struct Open {
    /// One of each kind.
    places: Vec<(Key, usize)>,
    texts: usize,
}

impl Work<'_> {
    fn take_stored(&self, order: &[(Key, usize)]) -> Result<Open> {
        let mut open = Open {
            places: Vec::new(),
            texts: 0,
        };
        for &(key, place) in order {
            if self.progress.cancelled() {
                return Err(Fault::interrupted().error);
            }
            let prompt = &self.prompts[place];
            match self.server.read_stored(prompt, &key, self.store)? {
                Some(scored) => {
                    self.fill(&key, scored);
                }
                None => {
                    open.texts += self.places[&key].len();
                    open.places.push((key, place));
                }
            }
        }
        Ok(open)
    }

    /// Puts it into every place that asked for it; texts and tokens come back.
    fn fill(&self, key: &Key, scored: Scored) -> (usize, usize) {
        let places = &self.places[key];
        let tokens = scored.logprob.len() * places.len();
        for &place in places {
            self.scored.borrow_mut()[place] = Some(scored.clone());
        }
        (places.len(), tokens)
    }

    async fn ask_all(&self, open: &[(Key, usize)]) -> Result<()> {
        let endpoint = &self.server.endpoint;
        let patience = Patience {
            pace: &self.server.pace,
            retries: endpoint.retries,
            progress: self.progress,
            breaker: None,
        };
        let next = Cell::new(0);
        let failed: RefCell<Option<Error>> = RefCell::new(None);
        let worker = async || {
            while failed.borrow().is_none() {
                let Some(&(key, place)) = open.get(next.replace(next.get() + 1)) else {
                    return;
                };
                if let Err(error) = self.ask_one(&key, place, &patience).await {
                    failed.borrow_mut().get_or_insert(error);
                }
            }
        };
        let workers = endpoint.concurrency.min(open.len());
        join_all((0..workers).map(|_| worker())).await;
        failed.into_inner().map_or(Ok(()), Err)
    }

    async fn ask_one(&self, key: &Key, place: usize, patience: &Patience<'_>) -> Result<()> {
        let prompt = &self.prompts[place];
        let request = self.server.request(prompt)?;
        let received = self.server.received(&request, patience).await;
        let received = received.map_err(|fault| self.blame(fault, place))?;
        let json = self.keep(&request, received)?;
        let scored = self.server.dialect.read(prompt, &json);
        let scored = scored
            .map_err(|error| name_text(explained(error, &json), place, self.prompts.len()))?;
        let (texts, tokens) = self.fill(key, scored);
        self.progress.tell(Event::Advanced {
            count: texts,
            tokens,
        });
        Ok(())
    }

    /// On the disk before anybody looks into it.
    fn keep(&self, request: &[u8], received: Received) -> Result<serde_json::Value> {
        let answer = Answer {
            status: received.status,
            body: received.body,
            received: SystemTime::now(),
            seconds: None,
        };
        self.store
            .put_answer(&self.server.question(request), &answer)?;
        Ok(received.json)
    }

    /// A wish to stop is no text's fault.
    fn blame(&self, fault: Fault, place: usize) -> Error {
        match fault.error.kind {
            ErrorKind::Interrupted => fault.error,
            _ => name_text(fault.error, place, self.prompts.len()),
        }
    }
}

fn name_text(mut error: Error, place: usize, texts: usize) -> Error {
    error.message = format!("text {} of {texts}: {}", place + 1, error.message);
    error.text = Some(place);
    error
}
