//! The audit of exchanges with a retrieval service: what its answers say about documents.

mod again;
mod changed;
mod exposed;
mod facts;
mod marks;
mod measured;
mod metadata;
mod reach;
mod recurring;
mod specification;

pub(super) use measured::tells;

use base::{Progress, Unit};
use std::collections::BTreeMap;

use attacks::rag::{DocumentFrequencies, ProbeAttack, Scoring};
use attacks::scores::{Abstention, Scores};
use attacks::signals::probes::{Arm, Document, Exchange, Probed};
use judge::Truth;
use judge::attacker::Attacker;
use judge::cross_fitted;
use judge::diagnostics::SliceColumn;
use judge::guardrails::{self, Evidence};
use judge::lm::{Corpus, TextFacts};
use judge::measure::Auc;
use judge::rag::{Controls, Repeats, SourcesNamed, StoredAnswers};
use judge::verdict::Outcome;
use rayon::prelude::*;
use report::rag::{Rag, Requests};
use report::{Data, Detail, Note, Provenance, Report, Skipped, Typical};
use stats::streams::Seed;

use crate::Error;
use crate::pipeline::judged::undecided;
use crate::pipeline::skipped::{Attacked, all_abstained, check_named, first_reason, one_sided};
use crate::pipeline::slicing::{LENGTH, TOPIC, column, lengths};
use crate::pipeline::{Audit, AuditContext, Calling};

/// A document that was asked about: what is known of it, and what was heard.
pub struct AskedDocument {
    pub document: Document,
    /// Nothing where nobody knows.
    pub member: Option<bool>,
    pub topic: Option<String>,
    pub date: Option<String>,
    /// Questions with retrieval that were asked and have no answer.
    pub failed: usize,
    /// With retrieval, and without.
    pub on: Vec<Exchange>,
    pub off: Vec<Exchange>,
    /// With retrieval, a second time.
    pub again: Vec<Exchange>,
}

impl AskedDocument {
    pub fn add(&mut self, arm: Arm, exchange: Exchange, failed: bool) {
        match arm {
            Arm::Retrieval => {
                self.failed += usize::from(failed);
                self.on.push(exchange);
            }
            Arm::NoRetrieval => self.off.push(exchange),
        }
    }
}

/// Everything an audit of exchanges needs.
pub struct ProbeRequest {
    /// What the exchanges came from, for the report.
    pub format: &'static str,
    pub documents: Vec<AskedDocument>,
    /// Documents with invented facts, where there were any: they are no part of the documents.
    pub controls: Option<Controls>,
    /// What is known of answers that an earlier run left.
    pub stored: Option<StoredAnswers>,
    pub repeats: Option<Repeats>,
    pub sources_named: SourcesNamed,
    /// Questions with retrieval that have no answer, by why.
    pub failed: BTreeMap<String, usize>,
    /// How well it tells members apart which documents were left out, though it was their turn.
    pub left_out_tells: Option<Auc>,
    pub attacks: Vec<&'static dyn ProbeAttack>,
    pub context: AuditContext,
    pub service: Option<String>,
    pub helpers: Vec<String>,
    pub requests: Requests,
}

/// The documents of one arm, as attacks see them.
struct ArmView<'a> {
    heard: attacks::rag::ArmSignals<'a>,
    frequencies: &'a DocumentFrequencies,
}

/// What attacks made of one arm.
struct ArmScores {
    /// Scores by attack, and the attacks that have none.
    attacked: Attacked,
    /// Attacks that learnt from documents of known membership: of others they say something else.
    learnt: Vec<String>,
    /// Attacks that lost one kind to failures: the service gave no answer about any of its documents.
    unanswered: Vec<String>,
}

impl ProbeRequest {
    /// Attacks, judges and reports.
    pub fn run(self, progress: Progress<'_>) -> Result<Audit, Error> {
        let truth = Truth::partly(self.documents.iter().map(|heard| heard.member))?;
        let frequencies = DocumentFrequencies::new(
            self.documents
                .iter()
                .map(|heard| heard.document.text.as_str()),
        );
        let on = self.arm(&frequencies, |heard| (&heard.on, &heard.off));
        let off = self.arm(&frequencies, |heard| (&heard.off, &[]));
        let off = off.is_heard().then_some(off);
        progress.phase("attacking", self.documents.len(), Unit::Records);
        let ArmScores {
            attacked: (scores, skipped),
            learnt,
            ..
        } = self.attack(&on, &truth)?;
        let without = match &off {
            Some(off) => self.attack_arm(off, &truth).attacked.0,
            None => Vec::new(),
        };
        let mut judged = self.context.judge(&scores, &truth, progress)?;
        judged.attacker = Some(self.attacker());
        let unnamed = judged.slice(&self.context, &scores, &truth, |name| {
            self.slice_column(name)
        })?;
        let gated = judged.gated(&self.context.gate).map(str::to_owned);
        progress.phase("texts", truth.len(), Unit::Records);
        let texts = self.text_facts(&truth);
        if progress.cancelled() {
            return Err(Error::interrupted());
        }
        let confidence = self.context.measuring.confidence;
        let arms = measured::attacks(&self, &scores, &without, &truth);
        let sightings = facts::Sightings::new(&on);
        let signals = measured::signals(&on, off.as_ref(), &truth, confidence);
        let facts = judge::rag::ProbeFacts {
            signals: measured::signals_tell(&signals, (&on, off.as_ref()), &truth, &self),
            reach: Some(reach::reach(&on, off.as_ref(), &sightings, &truth)),
            ..facts::probe_facts(&self, &on, &sightings, &truth, gated.as_deref(), &arms)
        };
        let guardrails = guardrails::check(&Evidence {
            texts: Some(&texts),
            probes: Some(&facts),
            ..judged.evidence(&self.context)
        });
        let mut attacks = judged.attacks.iter();
        let deciding = attacks.find(|attack| Some(&attack.id) == gated.as_ref());
        let specification = specification::specification(deciding, &on, &truth, &self.context);
        let detail = Detail::Rag(Rag {
            specification: specification.map(Box::new),
            answers: facts::answer_kinds(&self, &on, off.as_ref()),
            hit_rates: facts::hit_rates(&self, &on, &sightings),
            signals,
            exposed: exposed::find(
                &on,
                &truth,
                &scores,
                &judged.attacks,
                gated.as_deref(),
                self.context.gate.confidence_for(judged.attacks.len()),
            ),
            attacks: arms,
            changes: Vec::new(),
            service: self.service.clone(),
            helpers: self.helpers.clone(),
            requests: self.requests.clone(),
        });
        let provenance = self.provenance(&judged.truth);
        let concluded = match scores.is_empty() {
            false => judged.report(&self.context, guardrails, detail, provenance),
            true => undecided(unanswered(), &self.context, guardrails, detail, provenance),
        };
        let mut report = Report {
            skipped,
            typical: texts.blind.as_ref().and_then(Typical::from_blind),
            notes: [self.context.notes.clone(), unnamed, self.text_notes()].concat(),
            ..concluded
        };
        drop(off);
        // What would have helped is asked where something leaks.
        if let Detail::Rag(rag) = &mut report.detail
            && report.verdict.outcome == Outcome::Fail
        {
            progress.phase("replaying", self.documents.len(), Unit::Records);
            rag.changes = changed::replay(&self, &on, &truth);
        }
        let ids = self.documents.into_iter().map(|heard| heard.document.id);
        let audit = Audit::new(
            self.context.show_records,
            report,
            scores,
            truth.iter().collect(),
            Some(ids.collect()),
            None,
        );
        Ok(audit.calling(&Calling {
            context: &self.context,
            learnt: &learnt,
            preferred: &["rank-average", "ia", "mba"],
            known: None,
        }))
    }

    /// What is known of the documents themselves that they can be cut by.
    fn slice_column(&self, name: &str) -> Option<Result<SliceColumn, Error>> {
        let documents = self.documents.iter();
        match name {
            LENGTH => Some(lengths(
                documents.map(|heard| text::count_words(&heard.document.text)),
            )),
            TOPIC => {
                let topics: Vec<Option<String>> =
                    documents.map(|heard| heard.topic.clone()).collect();
                Some(column(TOPIC, &topics))
            }
            _ => None,
        }
    }

    /// One arm, with the other beside it where attacks compare the two.
    fn arm<'a>(
        &'a self,
        frequencies: &'a DocumentFrequencies,
        pick: impl Fn(&'a AskedDocument) -> (&'a [Exchange], &'a [Exchange]),
    ) -> ArmView<'a> {
        let probed = |heard: &'a AskedDocument| {
            let (exchanges, without) = pick(heard);
            Probed {
                document: &heard.document,
                exchanges: exchanges.iter().collect(),
                without: without.iter().collect(),
            }
        };
        let documents = self.documents.iter().map(probed).collect();
        ArmView {
            heard: attacks::rag::ArmSignals::new(documents, frequencies),
            frequencies,
        }
    }

    /// At least one attack has scores, but where the service failed at all questions about one kind: that is
    /// something to report.
    fn attack(&self, arm: &ArmView, truth: &Truth) -> Result<ArmScores, Error> {
        let found = self.attack_arm(arm, truth);
        let (scores, skipped) = &found.attacked;
        let mut idle = skipped.clone();
        idle.retain(|one| !found.unanswered.contains(&one.id));
        check_named(
            &self.context,
            &idle,
            "leave it out of the attacks, or ask what it needs",
        )?;
        if scores.is_empty() && found.unanswered.is_empty() {
            return Err(Error::usage(
                format!(
                    "no attack could judge any document: {}",
                    first_reason(skipped)
                ),
                "look at the failures above, mend the cause and run again",
            ));
        }
        Ok(found)
    }

    fn attack_arm(&self, arm: &ArmView, truth: &Truth) -> ArmScores {
        let score = |attack: &&'static dyn ProbeAttack| -> (Scores, bool) {
            match attack.score(&arm.heard, &self.context.settings) {
                Scoring::Scores(answers) => (answers.into_iter().collect(), false),
                Scoring::Features(features) => {
                    let seed = Seed(self.context.measuring.seed);
                    (cross_fitted(&features, truth, seed), true)
                }
            }
        };
        let found: Vec<(Scores, bool)> = self.attacks.par_iter().map(score).collect();
        let (mut scores, mut skipped) = (Vec::new(), Vec::new());
        let (mut learnt, mut unanswered) = (Vec::new(), Vec::new());
        for (attack, (found, learns)) in self.attacks.iter().zip(found) {
            let id = attack.card().id.to_owned();
            learnt.extend(learns.then(|| id.clone()));
            unanswered.extend(self.lost_to_failures(&found, truth).then(|| id.clone()));
            match found.abstained() < found.len() {
                true => scores.push((id, found)),
                false => skipped.push(Skipped {
                    id,
                    reason: all_abstained(&found),
                }),
            }
        }
        ArmScores {
            attacked: one_sided((scores, skipped), truth),
            learnt,
            unanswered,
        }
    }

    /// Whether an attack has no score for any document of one kind because questions about each of them failed.
    fn lost_to_failures(&self, scores: &Scores, truth: &Truth) -> bool {
        let failed = |row: usize| {
            let reason = scores.answer(row).err();
            let silent = [Abstention::NoAnswer, Abstention::TooFewAnswers].map(Some);
            silent.contains(&reason) && self.documents[row].failed > 0
        };
        let of_kind = |kind: bool| truth.known().filter(move |(_, member)| *member == kind);
        let lost = |kind: bool| of_kind(kind).all(|(row, _)| failed(row));
        // Of both kinds it is no kind's doing.
        truth.decides() && lost(true) != lost(false)
    }

    /// Nobody can do more than ask as often as he likes and read what comes back.
    fn attacker(&self) -> Attacker {
        let asked: usize = self.documents.iter().map(|heard| heard.on.len()).sum();
        let each = asked as f64 / self.documents.len().max(1) as f64;
        let exchanges = self.documents.iter().flat_map(|heard| &heard.on);
        let mut replies = exchanges.filter_map(|exchange| exchange.reply.as_deref());
        let sees = match replies.any(|reply| !reply.citations.is_empty()) {
            true => "the answers, the sources that they show and what else stands beside them",
            false => "the answers, which show no sources, and what else stands beside them",
        };
        Attacker::strongest(format!(
            "has a document's text, may ask the service about it {each:.0} times, and sees {sees}"
        ))
    }

    fn text_facts(&self, truth: &Truth) -> TextFacts {
        let mut corpus = Corpus::default();
        for (row, _) in truth.known() {
            let heard = &self.documents[row];
            let text = Some(heard.document.text.as_str()).filter(|text| !text.is_empty());
            corpus.add(row, text, None, heard.date.as_deref());
        }
        let members: Vec<bool> = truth.known().map(|(_, member)| member).collect();
        let seed = Seed(self.context.measuring.seed);
        let facts = corpus.facts(&members, None, self.context.measuring.confidence, seed);
        match self.without_text() {
            0 => facts,
            // Texts of some say nothing about the sets.
            _ => TextFacts::default(),
        }
    }

    fn without_text(&self) -> usize {
        let documents = self.documents.iter();
        documents
            .filter(|heard| heard.document.text.is_empty())
            .count()
    }

    /// What could not be looked at.
    fn text_notes(&self) -> Vec<Note> {
        match self.without_text() {
            0 => Vec::new(),
            count => vec![format!(
                "{count} of {} documents come without their text: what the texts give away by \
                 themselves was not looked at; give the texts with --documents",
                self.documents.len()
            )],
        }
    }

    fn provenance(&self, judged: &Truth) -> Provenance {
        let data = Data {
            format: self.format.into(),
            records: self.documents.len(),
            judged_records: judged.members() + judged.nonmembers(),
            judged_members: judged.members(),
        };
        self.context.provenance::<super::Rag>(data)
    }
}

/// Why nothing was measured where the service failed at one kind.
fn unanswered() -> judge::Error {
    judge::Error::input(
        "no attack could compare members with non-members: the service answered no question about one kind",
        "mend what fails, or name the statuses that mean a refusal in target.refused_status, and run again",
    )
}

impl ArmView<'_> {
    fn is_heard(&self) -> bool {
        let mut exchanges = self
            .heard
            .documents
            .iter()
            .flat_map(|probed| &probed.exchanges);
        exchanges.any(|exchange| exchange.reply.is_some())
    }
}
