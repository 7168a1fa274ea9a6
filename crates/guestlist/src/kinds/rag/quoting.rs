//! What leaves the house: how much of documents that the service does not hold its questions quote.

use std::collections::BTreeMap;

use attacks::rag::quoted;
use attacks::signals::probes::{Arm, Document};
use rayon::prelude::*;

use super::Plan;
use super::questions::Question;

/// Characters of a stretch that is long: eight words or so.
const LONG: usize = 40;

/// Stretches of non-members that are sent word for word.
#[derive(Clone, Debug, Default)]
pub struct Quoting {
    pub host: String,
    /// Non-members of which a long stretch is sent.
    pub nonmembers: usize,
    /// Characters of the longest stretches, one of each document.
    pub characters: usize,
    /// Characters of the longest stretch by strategy, of those that send long ones.
    pub strategies: BTreeMap<String, usize>,
}

impl Quoting {
    pub fn new(plan: &Plan, documents: &[Document], questions: &[Question]) -> Self {
        let sent = |question: &&Question| {
            let listed = plan.documents.get(question.document);
            let first = question.repeat == 0 && question.arm == Arm::Retrieval;
            first && listed.is_some_and(|listed| listed.member != Some(true))
        };
        let measured = questions.par_iter().filter(sent).map(|question| {
            let text = &documents[question.document].text;
            (question, quoted(text, &question.probe.query))
        });
        let measured: Vec<(&Question, usize)> = measured.collect();
        let mut quoting = Self {
            host: plan.service.host(),
            ..Self::default()
        };
        let mut longest: BTreeMap<usize, usize> = BTreeMap::new();
        let long = measured.into_iter().filter(|(_, length)| *length >= LONG);
        for (question, length) in long {
            let strategy = quoting.strategies.entry(question.probe.strategy.clone());
            for most in [
                strategy.or_default(),
                longest.entry(question.document).or_default(),
            ] {
                *most = length.max(*most);
            }
        }
        quoting.nonmembers = longest.len();
        quoting.characters = longest.values().sum();
        quoting
    }

    /// A warning, where long stretches are sent.
    pub fn warning(&self) -> Option<String> {
        let most = self.strategies.values().max()?;
        let mut by: Vec<(&String, &usize)> = self.strategies.iter().collect();
        by.sort_by_key(|(_, length)| std::cmp::Reverse(**length));
        let by: Vec<String> = by
            .into_iter()
            .map(|(strategy, length)| format!("{strategy} {length}"))
            .collect();
        Some(format!(
            "questions quote documents: of {} non-members, which the service may never have seen, stretches \
             of up to {most} characters go to {} ({} characters in all; longest by attack: {}). Whoever runs or \
             logs it can keep them. If they must not leave this house, choose other non-members, or name attacks \
             that quote less in audit.attacks",
            self.nonmembers,
            self.host,
            self.characters,
            by.join(", ")
        ))
    }
}
