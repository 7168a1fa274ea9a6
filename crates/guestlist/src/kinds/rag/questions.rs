//! Which questions are asked, in which order, and what that will cost.

use std::collections::BTreeMap;

use asking::rag::Ask;
use attacks::rag::{DocumentFrequencies, ask};
use attacks::signals::probes::{Arm, CONTROL, Document, Probe};
use stats::streams::{Seed, shuffle};

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
    pub probe: Probe,
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

/// Every question. Documents come in an order drawn by the seed, so that a service that changes
/// with time, or a budget that ends early, treats members and non-members alike; what is asked
/// about one document stays together. The arm without retrieval comes afterwards: asked at the same
/// time, the load of one would show in the latency of the other.
pub fn questions(plan: &Plan, documents: &[Document]) -> Vec<Question> {
    let frequencies =
        DocumentFrequencies::new(documents.iter().map(|document| document.text.as_str()));
    let resolved = &plan.resolved;
    let seed = Seed(plan.config.seed);
    let mut order: Vec<usize> = (0..documents.len()).collect();
    shuffle(&mut seed.stream("order of documents"), &mut order);
    let arms: &[Arm] = match plan.asks_without() {
        true => &[Arm::Retrieval, Arm::NoRetrieval],
        false => &[Arm::Retrieval],
    };
    let about = |document: &usize| {
        ask(
            &resolved.attacks,
            &documents[*document],
            &frequencies,
            &resolved.settings,
        )
    };
    let probes: Vec<Vec<Probe>> = order.iter().map(about).collect();
    let mut questions = Vec::new();
    for &arm in arms {
        for (&document, probes) in order.iter().zip(&probes) {
            questions.extend(probes.iter().map(|probe| Question {
                document,
                arm,
                repeat: 0,
                probe: probe.clone(),
            }));
        }
    }
    let again = repeats(&questions, plan.config.probes.repeats);
    questions.extend(again);
    let first = controls::questions(&plan.controls, documents.len());
    first.into_iter().chain(questions).collect()
}

/// Questions from all over the list, asked a second time: by lot, and by nothing but their own words, so
/// that it does not show in which order documents were listed.
fn repeats(questions: &[Question], count: usize) -> Vec<Question> {
    let mut with: Vec<(String, &Question)> = questions
        .iter()
        .filter(|question| question.arm == Arm::Retrieval)
        .map(|question| (question.ask().id(), question))
        .collect();
    with.sort_by(|one, other| one.0.cmp(&other.0));
    let chosen = with.into_iter().take(count);
    chosen
        .map(|(_, question)| Question {
            repeat: 1,
            ..question.clone()
        })
        .collect()
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
    /// Roughly: of the questions alone, and of answers of a usual length.
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Where requests per minute are limited: seconds at least.
    pub seconds: Option<f64>,
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
        self.questions().saturating_sub(self.stored) + self.recheck
    }
}
