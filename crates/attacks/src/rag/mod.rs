//! Attacks on services that answer from a store of documents: what to ask about a document, and
//! what the answers say. One file per attack or family, one line each in [`ATTACKS`].

mod average;
mod citation;
mod combined;
mod content;
mod dcmi;
mod facts;
mod ia;
mod indirect;
mod mba;
mod mba_single;
mod natural;
mod paired;
pub mod phrases;
mod quoting;
pub mod reading;
mod refusals;
mod s2;
pub mod sequential;
mod shared_runs;
pub mod signals;
mod sma;
mod swapped;
mod writing;
mod yes_no;

use crate::Attack;
use crate::card::Card;
use crate::scores::{Abstention, Answer};
use crate::settings::{Kind, Setting, Settings};
use crate::signals::probes::{Document, Exchange, Expected, Probe, Probed, Reply};
use base::Result;
use rayon::prelude::*;

pub use quoting::quoted;
use sequential::Sequence;
use signals::Column;
pub use text::DocumentFrequencies;

/// Asks about documents and scores them by the answers. An attack never sees which documents are
/// members.
pub trait ProbeAttack: Sync {
    fn card(&self) -> &'static Card;

    /// Asks so much that it runs only where somebody names it.
    fn by_name_only(&self) -> bool {
        false
    }

    /// Looks at the answers to others' questions, and has none of its own.
    fn reads_only(&self) -> bool {
        false
    }

    /// Compares answers with retrieval to answers without.
    fn needs_both_arms(&self) -> bool {
        false
    }

    /// How its questions are asked one after the other; nothing where all of them are needed.
    fn sequence(&self) -> Option<&dyn Sequence> {
        None
    }

    /// The questions about one document; none for an attack that looks at others' answers.
    fn ask(
        &self,
        document: &Document,
        frequencies: &DocumentFrequencies,
        settings: &Settings,
    ) -> Vec<Probe>;

    /// One score, or one row of features, per document, from the exchanges of one arm.
    fn score(&self, heard: &ArmSignals, settings: &Settings) -> Scoring;
}

/// The documents with the exchanges of one arm, and the signals of all answers, computed once for
/// every attack.
pub struct ArmSignals<'a> {
    pub documents: Vec<Probed<'a>>,
    pub columns: Vec<Column>,
    /// The same exchange by exchange.
    values: Vec<Vec<signals::Values>>,
}

impl<'a> ArmSignals<'a> {
    pub fn new(documents: Vec<Probed<'a>>, frequencies: &DocumentFrequencies) -> Self {
        let values = documents
            .par_iter()
            .map(|probed| signals::of_document(probed, frequencies, None));
        Self::of(values.collect(), documents)
    }

    /// The same of other answers to the same questions about the same documents: what most of them say is known
    /// already.
    pub fn changed<'b>(
        &self,
        documents: Vec<Probed<'b>>,
        frequencies: &DocumentFrequencies,
    ) -> ArmSignals<'b> {
        let before = self.documents.par_iter().zip(&self.values);
        let values = (documents.par_iter().zip(before)).map(|(probed, (earlier, values))| {
            let before = signals::Before {
                exchanges: &earlier.exchanges,
                values,
            };
            signals::of_document(probed, frequencies, Some(before))
        });
        ArmSignals::of(values.collect(), documents)
    }

    fn of(values: Vec<Vec<signals::Values>>, documents: Vec<Probed<'a>>) -> Self {
        Self {
            columns: signals::columns(&documents, &values),
            documents,
            values,
        }
    }

    /// How many words that the question had not stand in the longest run that any response has of the document; nothing
    /// where no text is known or nobody answered.
    pub fn longest_run(&self, place: usize) -> Option<f64> {
        let values = self.values[place].iter();
        let runs =
            values.filter_map(|values| signals::of_signal(values, signals::Signal::Verbatim));
        // As the signal has it.
        runs.reduce(f64::max).map(|longest| longest.exp() - 1.0)
    }

    /// The documents with the exchanges of one strategy alone.
    fn asked_by(&self, strategy: &str) -> Vec<Probed<'a>> {
        let chosen = |exchanges: &[&'a Exchange]| {
            let exchanges = exchanges.iter().copied();
            exchanges
                .filter(|exchange| exchange.probe.strategy == strategy)
                .collect()
        };
        let only = |probed: &Probed<'a>| Probed {
            document: probed.document,
            exchanges: chosen(&probed.exchanges),
            without: chosen(&probed.without),
        };
        self.documents.iter().map(only).collect()
    }
}

/// What an attack makes of answers.
pub enum Scoring {
    Scores(Vec<Answer>),
    /// To be weighed by a model that is fitted on other documents.
    Features(Features),
}

/// A row of features per document; a missing one is nothing.
pub struct Features {
    pub rows: Vec<std::result::Result<Vec<Option<f64>>, Abstention>>,
}

/// Every attack on retrieval services, in the order reports list them.
pub static ATTACKS: &[&dyn ProbeAttack] = &[
    &content::Content,
    &citation::Citation,
    &facts::Facts,
    &indirect::Indirect,
    &yes_no::YesNo,
    &paired::YesNoPaired,
    &s2::S2,
    &s2::S2Fitted,
    &mba::Mba,
    &mba_single::MbaSingle,
    &ia::Ia,
    &paired::IaPaired,
    &dcmi::Dcmi,
    &sma::Sma,
    &refusals::Refusals,
    &combined::RankAverage,
    &combined::CrossFitted,
];

impl Attack for &'static dyn ProbeAttack {
    const ON: &'static str = " on retrieval services";

    fn every() -> &'static [Self] {
        ATTACKS
    }

    fn card(attack: Self) -> &'static Card {
        attack.card()
    }
}

/// The attack of that name.
pub fn find(id: &str) -> Result<&'static dyn ProbeAttack> {
    Attack::find(id)
}

/// Every question of these attacks about a document; two attacks that ask the same ask once.
pub fn ask(
    attacks: &[&'static dyn ProbeAttack],
    document: &Document,
    frequencies: &DocumentFrequencies,
    settings: &Settings,
) -> Vec<Probe> {
    let mut all: Vec<Probe> = Vec::new();
    // Every attack wants to know it, and it takes reading the whole text.
    let document = &Document {
        language: Some(document.language()),
        ..document.clone()
    };
    for probe in attacks
        .iter()
        .flat_map(|attack| attack.ask(document, frequencies, settings))
    {
        if !all.contains(&probe) {
            all.push(probe);
        }
    }
    all
}

static VARIATIONS: Setting = Setting {
    key: "variations",
    kind: Kind::Number {
        default: 3.0,
        least: 1.0,
        most: 5.0,
    },
    help: "how many wordings of content, citation, facts and yes-no are asked about a document",
};

fn probes(strategy: &str, queries: impl Iterator<Item = (String, Expected)>) -> Vec<Probe> {
    let probe = |(variation, (query, expected))| Probe {
        strategy: strategy.to_owned(),
        variation,
        query,
        expected,
    };
    queries.enumerate().map(probe).collect()
}

/// The answer of an exchange that has one.
fn answered(exchange: &Exchange) -> Option<&Reply> {
    exchange.reply.as_deref()
}

/// The mean over a document's answers of what each is worth.
fn mean_over(
    documents: &[Probed],
    worth: impl Fn(&Document, &Exchange) -> Option<f64> + Sync,
) -> Scoring {
    let mean = |probed: &Probed| {
        if probed.exchanges.is_empty() {
            return Err(Abstention::NoQuestion);
        }
        let values: Vec<f64> = probed
            .exchanges
            .iter()
            .filter_map(|exchange| worth(probed.document, exchange))
            .collect();
        match values.is_empty() {
            true => Err(Abstention::NoAnswer),
            false => Ok(values.iter().sum::<f64>() / values.len() as f64),
        }
    };
    Scoring::Scores(documents.par_iter().map(mean).collect())
}

#[cfg(test)]
mod tests;
