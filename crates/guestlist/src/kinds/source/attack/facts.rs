//! What the guardrails want to know about items and answers.

use std::collections::BTreeMap;

use asking::rag::Outcome;
use attacks::source::Label;
use formats::texts::Item;
use judge::AttackMeasures;
use judge::guardrails::{self, Evidence, Finding};
use judge::lm::{Corpus, TextFacts};
use judge::rag::{CutShort, Echoes, ProbeFacts, Reach, Topics, compare_topics};

use super::SourceRequest;
use crate::pipeline::answers::{cut_short, kinds};
use crate::pipeline::judged::Judged;

impl SourceRequest {
    pub(super) fn guardrails(
        &self,
        judged: &Judged,
        sources: &[Option<Label>],
        echoes: Echoes,
        reach: Reach,
        texts: &TextFacts,
    ) -> Vec<Finding> {
        let gated = judged.gated(&self.context.gate).map(str::to_owned);
        let measured = judged
            .attacks
            .iter()
            .find(|attack| Some(attack.id.as_str()) == gated.as_deref());
        let truth = &judged.truth;
        let counts = |attack: &AttackMeasures| {
            // Holdout or not, those that the gated attack was judged on.
            (attack.n_members as usize, attack.n_nonmembers as usize)
        };
        let (members, nonmembers) = measured.map_or((truth.members(), truth.nonmembers()), counts);
        let probes = ProbeFacts {
            asked: self.taken.requests.questions,
            failed: self.taken.failed.clone(),
            kinds: self.kinds(sources),
            topics: self.topics(sources),
            echoes: Some(echoes),
            reach: Some(reach),
            repeats: self.repeats.clone(),
            cut_short: Some(self.cut_short()),
            ..ProbeFacts::default()
        };
        let evidence = Evidence {
            members,
            nonmembers,
            texts: Some(texts),
            probes: Some(&probes),
            ..judged.evidence(&self.context)
        };
        // Both arms are part of every score here.
        let found = guardrails::check(&evidence).into_iter();
        found
            .filter(|finding| finding.id != "without-retrieval")
            .collect()
    }

    /// Items whose source is known, with their places and whether they have one.
    fn known<'s>(&'s self, sources: &'s [Option<Label>]) -> impl Iterator<Item = (&'s Item, bool)> {
        let items = self.basis.items.iter().zip(sources);
        items.filter_map(|(item, source)| Some((item, (*source)? != Label::NonMember)))
    }

    /// What the texts give away by themselves; pictures are not looked at.
    pub(super) fn text_facts(&self, sources: &[Option<Label>]) -> TextFacts {
        if self.basis.pictures() > 0 {
            return TextFacts::default();
        }
        let mut corpus = Corpus::default();
        let items = self.basis.items.iter().zip(sources).enumerate();
        for (row, (item, _)) in items.filter(|(_, (_, source))| source.is_some()) {
            corpus.add(row, item.text(), None, item.date.as_deref());
        }
        let members: Vec<bool> = self.known(sources).map(|(_, member)| member).collect();
        let confidence = self.context.measuring.confidence;
        corpus.facts(&members, None, confidence, self.seed())
    }

    fn topics(&self, sources: &[Option<Label>]) -> Option<Topics> {
        let topics: Vec<Option<String>> = self
            .known(sources)
            .map(|(item, _)| item.topic.clone())
            .collect();
        let members: Vec<bool> = self.known(sources).map(|(_, member)| member).collect();
        compare_topics(&topics, &members, self.seed())
    }

    /// Answers of both arms: both are part of every score.
    fn cut_short(&self) -> CutShort {
        let heard = self.heard.iter();
        let outcomes = heard.flat_map(|heard| heard.with.iter().chain(&heard.without));
        cut_short(outcomes.filter_map(|outcome| match outcome {
            Outcome::Answered(reply) => Some(&**reply),
            _ => None,
        }))
    }

    /// Kinds of the answers with retrieval.
    fn kinds(&self, sources: &[Option<Label>]) -> BTreeMap<String, [usize; 2]> {
        let texts = self.subjects.iter().zip(&self.heard);
        kinds(texts.flat_map(|(subject, heard)| {
            let source = sources[subject.item];
            let replies = heard.with.iter().filter_map(move |outcome| match outcome {
                Outcome::Answered(reply) => Some((&**reply, source? != Label::NonMember)),
                _ => None,
            });
            replies.collect::<Vec<_>>()
        }))
    }
}
