//! What each item was called, word by word.

use asking::rag::Outcome;
use attacks::source::attacks::Seen;
use attacks::source::{Attribution, KeyWord, Perturbation, Recovered, recovered};
use report::source::{Attributed, Token, Totals, WordsBack};

use super::{Called, SourceRequest};

/// Every item, in its order.
pub fn all(request: &SourceRequest, by_item: &[Option<(usize, &Called)>]) -> Vec<Attributed> {
    let items = request.basis.items.iter().zip(by_item);
    items
        .enumerate()
        .map(|(row, (item, called))| {
            let known = Attributed {
                row,
                id: Some(item.id.clone()),
                source: item.source.map(|source| source.as_str().to_owned()),
                ..Attributed::default()
            };
            match called {
                Some((place, called)) => filled(request, known, *place, called),
                None => Attributed {
                    why: Some("no caption of the picture came".into()),
                    ..known
                },
            }
        })
        .collect()
}

fn filled(request: &SourceRequest, known: Attributed, place: usize, called: &Called) -> Attributed {
    let (subject, heard) = (&request.subjects[place], &request.heard[place]);
    let known = Attributed {
        rows_asked: heard.rows(),
        settled: heard.stopped.is_some(),
        ..known
    };
    let found = match called {
        Ok(found) => found,
        Err(why) => {
            return Attributed {
                why: Some(why.as_str().to_owned()),
                ..known
            };
        }
    };
    Attributed {
        label: Some(found.document.label.as_str().to_owned()),
        totals: Some(totals(found)),
        words_back: words_back(&request.seen(place, found)),
        rows: found.rows,
        tau: Some(found.tau),
        band: Some(found.band),
        tokens: tokens(subject.input.key_words(), found),
        ..known
    }
}

impl SourceRequest {
    /// What is known of one document that was called. Look-alikes hide nothing from whoever can read
    /// them: there is nothing to bring back.
    pub(super) fn seen<'f>(&self, place: usize, found: &'f Attribution) -> Seen<'f> {
        let (subject, heard) = (&self.subjects[place], &self.heard[place]);
        let hides = self.basis.settings.perturbation != Perturbation::Homoglyph;
        let back = |outcomes: &[Outcome]| -> Option<Recovered> {
            let answers = outcomes.iter().map(|outcome| match outcome {
                Outcome::Answered(reply) => Some(reply.answer.as_str()),
                _ => None,
            });
            let answers: Vec<Option<&str>> = answers.collect();
            let all = hides.then(|| recovered(&subject.input, &subject.masks, &answers));
            all.flatten()
        };
        Seen {
            call: &found.document,
            rows: found.rows,
            with: back(&heard.with),
            without: back(&heard.without),
        }
    }
}

fn words_back(seen: &Seen) -> Option<WordsBack> {
    let (on, off) = seen.with.zip(seen.without)?;
    Some(WordsBack {
        shown_on: on.shown,
        hidden_on: on.hidden,
        shown_off: off.shown,
        hidden_off: off.hidden,
    })
}

fn totals(found: &Attribution) -> Totals {
    let document = &found.document;
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    Totals {
        off: document.off,
        ads: document.ads,
        off_p: document.off_p,
        ads_p: document.ads_p,
        off_z: finite(document.off_z),
        ads_z: finite(document.ads_z),
    }
}

fn tokens(words: &[KeyWord], found: &Attribution) -> Vec<Token> {
    let token = |(place, word): (usize, &KeyWord)| {
        Some(Token {
            word: word.written.clone(),
            beta_on: *found.beta_on.get(place)?,
            beta_off: *found.beta_off.get(place)?,
            ads: *found.ads.get(place)?,
            label: found.labels.get(place)?.as_str().to_owned(),
        })
    };
    words.iter().enumerate().filter_map(token).collect()
}
