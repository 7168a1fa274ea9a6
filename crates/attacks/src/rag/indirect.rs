//! `indirect`: does the service know the document's facts when somebody asks who never saw it?

use text::DocumentFrequencies;

use super::reading::{Kind, holds, kind, withheld};
use super::sequential::{Sequence, Sign, Step};
use super::signals::{Column, Signal};
use super::{ArmSignals, ProbeAttack, Scoring, answered, natural, probes};
use crate::card::{Access, Card};
use crate::scores::{Abstention, Answer};
use crate::settings::{Kind as SettingKind, Setting, Settings};
use crate::signals::probes::{Document, Exchange, Expected, Probe, Probed};

pub struct Indirect;

static FACTS: Setting = Setting {
    key: "indirect.facts",
    kind: SettingKind::Number {
        default: 4.0,
        least: 1.0,
        most: 20.0,
    },
    help: "how many facts of a document are asked for, each in up to two questions",
};

static CARD: Card = Card {
    id: "indirect",
    summary: "natural questions for the document's facts, none of which quotes it",
    asks: "Asked as any user would ask, in other words and in another order, does the service know the \
           numbers, names and rare words of the document?",
    why_it_works: "A few common words together lead a retriever to one document, and a model answers from it. \
                   The questions are held against all given documents beforehand, and phrases are preferred that \
                   are closest to their own document and no closer than a service that looks for such questions \
                   would let pass; where there are none, the least telling is asked. Some ask for a fact of another document in the same breath. Short answers are asked for, which quote \
                   nothing that a filter could find.",
    access: Access::Exchanges,
    when_it_misleads: "Facts that are widely known are known without the store: compare with retrieval off. \
                       Which word is asked for is guessed from what stands beside it, so that some questions \
                       are odd; a model may answer such a question with something else that is right. An answer \
                       that is withheld counts a little for membership, as only what was found can be held \
                       back.",
    paper: "none: after the natural questions of Naseh et al. 2025, arXiv:2502.00306, and the detector of Choi \
            et al. 2025, arXiv:2505.22061",
    settings: &[&FACTS],
};

/// What an answer is worth that says that it does not know.
const UNKNOWN: f64 = -0.5;
/// What was withheld may have been right.
const WITHHELD: f64 = 0.25;
/// What further words of the document are worth in all answers together, a fact being worth 1.
const FURTHER: f64 = 0.1;

impl ProbeAttack for Indirect {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn sequence(&self) -> Option<&dyn Sequence> {
        Some(self)
    }

    fn ask(
        &self,
        document: &Document,
        frequencies: &DocumentFrequencies,
        settings: &Settings,
    ) -> Vec<Probe> {
        let count = settings.number(&FACTS) as usize;
        let asked = natural::questions(&document.text, count, frequencies, document.language());
        let queries = asked.into_iter().flat_map(|asked| {
            let both = std::iter::once(asked.first).chain(asked.again);
            both.map(|natural| (natural.query, Expected::Fact(natural.answer)))
        });
        probes(CARD.id, queries)
    }

    fn score(&self, heard: &ArmSignals, _: &Settings) -> Scoring {
        let own = heard.asked_by(CARD.id);
        // Nothing is learnt from a service that withholds everything.
        let mut replies = own.iter().flat_map(|probed| &probed.exchanges);
        let mute =
            replies.all(|exchange| answered(exchange).is_none_or(|reply| withheld(kind(reply))));
        let further =
            |column: &&Column| column.strategy == CARD.id && column.signal == Signal::Specificity;
        let further = heard.columns.iter().find(further);
        let score = |(place, probed): (usize, &Probed)| -> Answer {
            let facts = facts(&probed.exchanges);
            if facts.is_empty() {
                return Err(Abstention::NoQuestion);
            }
            let worth: Vec<f64> = facts.iter().filter_map(|fact| worth(fact)).collect();
            if worth.is_empty() || mute {
                return Err(Abstention::NoAnswer);
            }
            let further = further
                .and_then(|column| column.values[place])
                .unwrap_or(0.0);
            Ok(worth.iter().sum::<f64>() / worth.len() as f64 + FURTHER * further)
        };
        Scoring::Scores(own.iter().enumerate().map(score).collect())
    }
}

impl Sequence for Indirect {
    /// A fact is asked for once more only where the first answer settles nothing.
    fn steps(&self, asked: &[&Probe]) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for (place, probe) in asked.iter().enumerate() {
            let before = steps.iter_mut();
            let mut same = before.filter(|step| asked[step.first[0]].expected == probe.expected);
            match same.next() {
                Some(step) => step.then.push(place),
                None => steps.push(Step::of(place)),
            }
        }
        steps
    }

    fn sign(&self, _: &Document, exchanges: &[&Exchange]) -> Option<Sign> {
        let worth = worth(exchanges)?;
        Some(match worth {
            worth if worth >= 1.0 => Sign::For,
            worth if worth < 0.0 => Sign::Against,
            _ => Sign::Neither,
        })
    }
}

/// The exchanges about each fact.
fn facts<'a>(exchanges: &[&'a Exchange]) -> Vec<Vec<&'a Exchange>> {
    let mut facts: Vec<Vec<&Exchange>> = Vec::new();
    for &exchange in exchanges {
        let same = |fact: &&mut Vec<&Exchange>| fact[0].probe.expected == exchange.probe.expected;
        match facts.iter_mut().find(same) {
            Some(fact) => fact.push(exchange),
            None => facts.push(vec![exchange]),
        }
    }
    facts
}

/// What the best answer about a fact is worth.
fn worth(exchanges: &[&Exchange]) -> Option<f64> {
    let worths = exchanges.iter().filter_map(|exchange| {
        let reply = answered(exchange)?;
        let Expected::Fact(spellings) = &exchange.probe.expected else {
            return None;
        };
        Some(match (holds(reply, spellings), kind(reply)) {
            (true, _) => 1.0,
            (false, Kind::Unknown) => UNKNOWN,
            (false, kind) if withheld(kind) => WITHHELD,
            (false, _) => 0.0,
        })
    });
    worths.reduce(f64::max)
}
