//! `rank-average` and `cross-fitted`: all signals of all strategies in one score.

use text::DocumentFrequencies;

use super::average::rank_average;
use super::signals::{Column, Signal};
use super::{ArmSignals, Features, ProbeAttack, Scoring};
use crate::card::{Access, Card};
use crate::scores::Abstention;
use crate::settings::{Kind, Setting, Settings};
use crate::signals::probes::{Document, Probe};

pub struct RankAverage;
pub struct CrossFitted;

/// Time is the one signal that a shared machine or network makes up by itself.
static LATENCY: Setting = Setting {
    key: "cross-fitted.latency",
    kind: Kind::Choice {
        default: "yes",
        choices: &["yes", "no"],
    },
    help: "whether how long answers take counts: no, where the way to the service is shared or slow",
};

static AVERAGE: Card = Card {
    id: "rank-average",
    summary: "all signals of all strategies, averaged by rank; nothing is trained",
    asks: "Over every signal of every answer, how high does the document rank among the others?",
    why_it_works: "Signals that are weak alone add up, and ranks need no common scale.",
    access: Access::Exchanges,
    when_it_misleads: "Signals without any information dilute the others. Latency is left out, \
                       because its direction is not known beforehand.",
    paper: "RAG membership threat specification (signals); rank average",
    settings: &[],
};

static FITTED: Card = Card {
    id: "cross-fitted",
    summary: "all signals of all strategies, weighed by a logistic model fitted out of fold",
    asks: "What would somebody conclude who learned from other documents which signals count?",
    why_it_works: "An attacker who knows some members and non-members learns which signals of this \
                   service tell them apart.",
    access: Access::Exchanges,
    when_it_misleads: "A document is never scored by a model that saw it, but all documents come \
                       from one audit: if the sets differ by themselves, it learns that. With few \
                       documents it learns little.",
    paper: "RAG membership threat specification (signals); cross-fitted ridge logistic regression",
    settings: &[&LATENCY],
};

impl ProbeAttack for RankAverage {
    fn card(&self) -> &'static Card {
        &AVERAGE
    }

    fn reads_only(&self) -> bool {
        true
    }

    fn ask(&self, _: &Document, _: &DocumentFrequencies, _: &Settings) -> Vec<Probe> {
        Vec::new()
    }

    fn score(&self, heard: &ArmSignals, _: &Settings) -> Scoring {
        let columns = heard.columns.iter();
        let directed = columns.filter(|column| column.signal.is_directed());
        let directed: Vec<Column> = directed.cloned().collect();
        Scoring::Scores(rank_average(&directed, heard.documents.len()))
    }
}

impl ProbeAttack for CrossFitted {
    fn card(&self) -> &'static Card {
        &FITTED
    }

    fn reads_only(&self) -> bool {
        true
    }

    fn ask(&self, _: &Document, _: &DocumentFrequencies, _: &Settings) -> Vec<Probe> {
        Vec::new()
    }

    fn score(&self, heard: &ArmSignals, settings: &Settings) -> Scoring {
        let timed = settings.choice(&LATENCY) == "yes";
        let counts = |column: &&Column| timed || column.signal != Signal::Latency;
        let columns: Vec<&Column> = heard.columns.iter().filter(counts).collect();
        let row = |document: usize| {
            let row: Vec<Option<f64>> = columns
                .iter()
                .map(|column| column.values[document])
                .collect();
            match row.iter().any(Option::is_some) {
                true => Ok(row),
                false => Err(Abstention::NoAnswer),
            }
        };
        Scoring::Features(Features {
            rows: (0..heard.documents.len()).map(row).collect(),
        })
    }
}
