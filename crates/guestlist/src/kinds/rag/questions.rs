//! Which questions are asked, in which order, and what that will cost.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use asking::rag::{Ask, PriceSettings};
use attacks::rag::{ProbeAttack, ask};
use attacks::signals::probes::{Arm, CONTROL, Document, Probe};
use rayon::prelude::*;
use stats::streams::Seed;

use super::order::asking_order;
use super::rounds::always_asked;
use super::{Plan, controls};

/// A rough size of an answer, for estimates.
const ANSWER_TOKENS: u64 = 120;

/// One question about one document.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its place among the documents; controls come after them.
    pub document: usize,
    pub arm: Arm,
    pub repeat: u32,
    /// One for both arms.
    pub probe: Arc<Probe>,
}

impl Question {
    /// About a document that is no part of what is measured.
    pub fn is_control(&self) -> bool {
        self.probe.strategy == CONTROL
    }

    pub fn ask(&self) -> Ask {
        Ask {
            arm: self.arm,
            query: self.probe.query.clone(),
            repeat: self.repeat,
        }
    }
}

/// Documents whose questions are asked in one arm before the other has its turn.
const BLOCK: usize = 32;

/// Every question. Documents come in an [order](asking_order) drawn by the seed, so that a service that
/// changes with time, or a budget that ends early, treats members and non-members alike; what is asked
/// about one document stays together. The arm without retrieval follows block by block: asked at the same
/// time, the load of one would show in the latency of the other, and asked after everything else, a budget
/// would end before it.
pub fn questions(plan: &Plan, documents: &[Document]) -> Vec<Question> {
    let resolved = &plan.resolved;
    let order = asking_order(&plan.documents, Seed(plan.config.seed));
    let arms: &[Arm] = match plan.asks_without() {
        true => &[Arm::Retrieval, Arm::NoRetrieval],
        false => &[Arm::Retrieval],
    };
    let about = |&document: &usize| -> (usize, Vec<Arc<Probe>>) {
        let probes = ask(
            &resolved.attacks,
            &documents[document],
            &plan.frequencies,
            &resolved.settings,
        );
        (document, probes.into_iter().map(Arc::new).collect())
    };
    let mut again = Again::new(plan, &order);
    let mut questions = controls::questions(&plan.controls, documents.len());
    for (turn, block) in order.chunks(BLOCK).enumerate() {
        let probes: Vec<(usize, Vec<Arc<Probe>>)> = block.par_iter().map(about).collect();
        for &arm in arms {
            questions.extend(of_block(&probes, arm));
        }
        questions.extend(controls::again(&plan.controls, documents.len(), turn));
        // Those of the block before: at once, a cache would answer.
        questions.append(&mut again.waiting);
        again.choose(&probes);
    }
    questions.append(&mut again.waiting);
    questions
}

fn of_block(probes: &[(usize, Vec<Arc<Probe>>)], arm: Arm) -> impl Iterator<Item = Question> {
    probes.iter().flat_map(move |(document, probes)| {
        probes.iter().map(move |probe| Question {
            document: *document,
            arm,
            repeat: 0,
            probe: probe.clone(),
        })
    })
}

/// Questions that are asked a second time: of the documents with the smallest lots, by nothing but their own
/// words, so that it does not show in which order documents were listed, and a larger limit repeats the same.
struct Again {
    /// The documents that are chosen from, and how many questions of each.
    documents: HashSet<usize>,
    each: usize,
    left: usize,
    waiting: Vec<Question>,
    /// Whose questions may be spared: what is asked a second time must have been asked.
    attacks: Vec<&'static dyn ProbeAttack>,
}

impl Again {
    fn new(plan: &Plan, order: &[usize]) -> Self {
        let (count, seed) = (plan.config.probes.repeats, Seed(plan.config.seed));
        let mut by_lot = order.to_vec();
        by_lot.sort_by_cached_key(|place| plan.documents[*place].lot(seed));
        Self {
            documents: by_lot.into_iter().take(count).collect(),
            each: count.div_ceil(order.len().max(1)),
            left: count,
            waiting: Vec::new(),
            attacks: plan.resolved.attacks.clone(),
        }
    }

    fn choose(&mut self, probes: &[(usize, Vec<Arc<Probe>>)]) {
        for (document, probes) in probes {
            if !self.documents.contains(document) {
                continue;
            }
            let always = always_asked(&self.attacks, probes);
            let mut again: Vec<Question> = (probes.iter().zip(always))
                .filter(|(_, always)| *always)
                .map(|(probe, _)| Question {
                    document: *document,
                    arm: Arm::Retrieval,
                    repeat: 1,
                    probe: probe.clone(),
                })
                .collect();
            again.sort_by_cached_key(|question| question.ask().id());
            again.truncate(self.each.min(self.left));
            self.left -= again.len();
            self.waiting.append(&mut again);
        }
    }
}

/// What a run would ask.
#[derive(Clone, Debug, Default)]
pub struct AskingEstimate {
    pub documents: usize,
    pub members: usize,
    /// By strategy: questions with retrieval.
    pub strategies: BTreeMap<String, StrategyEstimate>,
    pub with: usize,
    pub without: usize,
    pub repeats: usize,
    /// About documents with invented facts.
    pub controls: usize,
    /// Stored answers that are asked again.
    pub recheck: usize,
    /// Requests to the helper that writes questions.
    pub helper: usize,
    /// Answered by an earlier run.
    pub stored: usize,
    /// Not needed, as answers of an earlier run have settled their documents.
    pub spared: usize,
    /// Requests that are expected, where documents are left alone once they are settled.
    pub expected: Option<usize>,
    /// Roughly: of the questions alone, and of answers of a usual length.
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Where requests per minute are limited: seconds at least.
    pub seconds: Option<f64>,
    /// By how long stored answers took, of which there are so many: seconds for the rest.
    pub by_latency: Option<(f64, u64)>,
    pub max_requests: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct StrategyEstimate {
    pub questions: usize,
    pub documents: usize,
}

impl AskingEstimate {
    /// `stored` and `recheck`: answers that are there, and those of them that are asked again.
    pub fn new(
        plan: &Plan,
        questions: &[Question],
        (stored, recheck): (usize, usize),
        helper: usize,
    ) -> Self {
        let mut estimate = AskingEstimate {
            documents: plan.documents.len(),
            members: plan
                .documents
                .iter()
                .filter(|listed| listed.member == Some(true))
                .count(),
            stored,
            recheck,
            helper,
            max_requests: plan.config.transport.max_requests,
            ..AskingEstimate::default()
        };
        let mut last: BTreeMap<&str, usize> = BTreeMap::new();
        for question in questions {
            estimate.tokens_in += question.probe.query.len() as u64 / 4 + 1;
            estimate.tokens_out += ANSWER_TOKENS;
            if question.is_control() {
                estimate.controls += 1;
                continue;
            }
            match (question.repeat, question.arm) {
                (0, Arm::Retrieval) => estimate.with += 1,
                (0, Arm::NoRetrieval) => estimate.without += 1,
                _ => estimate.repeats += 1,
            }
            if question.repeat == 0 && question.arm == Arm::Retrieval {
                let name = question.probe.strategy.as_str();
                let strategy = estimate.strategies.entry(name.to_owned()).or_default();
                strategy.questions += 1;
                if last.insert(name, question.document) != Some(question.document) {
                    strategy.documents += 1;
                }
            }
        }
        let open = estimate.to_ask();
        let per_minute = plan.config.transport.requests_per_minute;
        estimate.seconds = per_minute.map(|rate| 60.0 * open as f64 / f64::from(rate));
        estimate
    }

    pub fn questions(&self) -> usize {
        self.with + self.without + self.repeats + self.controls + self.helper
    }

    pub fn to_ask(&self) -> usize {
        let answered = self.stored + self.spared;
        self.questions().saturating_sub(answered) + self.recheck
    }

    /// The same, as far as the budget goes.
    pub fn will_ask(&self) -> u64 {
        let open = self.to_ask() as u64;
        self.max_requests.map_or(open, |most| most.min(open))
    }

    /// What the requests cost, where somebody said what one does: with what the service itself adds, which
    /// is counted for every question.
    pub fn cost(&self, price: &PriceSettings) -> f64 {
        let share = self.will_ask() as f64 / self.questions().max(1) as f64;
        let context = price.context.unwrap_or(PriceSettings::CONTEXT) as f64;
        let tokens_in = self.tokens_in as f64 + context * self.questions() as f64;
        price.cost(
            self.will_ask(),
            share * tokens_in,
            share * self.tokens_out as f64,
        )
    }
}
