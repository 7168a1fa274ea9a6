//! From scores to a verdict: the same for every kind of signals.

mod holdout;

use attacks::scores::Scores;
use base::{Progress, Unit};
use judge::attacker::Attacker;
use judge::diagnostics::slices::{Cut, slices};
use judge::diagnostics::{SliceColumn, Slices};
use judge::gate::Gate;
use judge::guardrails::{Evidence, Finding};
use judge::verdict::{self, Choice};
use judge::{AttackMeasures, Options, Truth};
use rayon::prelude::*;
use report::{Detail, Provenance, Report};

use super::AuditContext;
use crate::Error;

/// Measures of every attack on the records that count.
pub struct Judged {
    pub attacks: Vec<AttackMeasures>,
    pub truth: Truth,
    /// The rows of those records.
    pub records: Vec<usize>,
    /// The attack chosen on records that do not count.
    held: Option<String>,
    /// Who attacked, where that is for the kind of audit to say.
    pub attacker: Option<Attacker>,
    /// The records cut by label and by columns, where there is anything to cut by.
    pub slices: Option<Slices>,
}

impl AuditContext {
    /// Measures every attack; with `holdout`, on the half of the records that the gated one was
    /// not chosen on.
    pub fn judge(
        &self,
        scores: &[(String, Scores)],
        truth: &Truth,
        progress: Progress<'_>,
    ) -> Result<Judged, Error> {
        self.judge_some(scores, truth, None, progress)
    }

    /// The same on some of the records alone.
    pub fn judge_some(
        &self,
        scores: &[(String, Scores)],
        truth: &Truth,
        rows: Option<&[usize]>,
        progress: Progress<'_>,
    ) -> Result<Judged, Error> {
        if let Some(rows) = rows {
            return self.judge_rows(scores, truth, rows, progress);
        }
        progress.phase("judging", truth.len() * scores.len(), Unit::Records);
        if self.holdout {
            return holdout::judge(scores, truth, &self.measuring, &self.gate);
        }
        Ok(Judged {
            attacks: measure_all(scores, truth, &self.measuring, progress)?,
            truth: truth.clone(),
            records: (0..truth.len()).collect(),
            held: None,
            attacker: None,
            slices: None,
        })
    }

    fn judge_rows(
        &self,
        scores: &[(String, Scores)],
        truth: &Truth,
        rows: &[usize],
        progress: Progress<'_>,
    ) -> Result<Judged, Error> {
        let some = |(id, scores): &(String, Scores)| {
            let scores: Scores = rows.iter().map(|&row| scores.answer(row)).collect();
            (id.clone(), scores)
        };
        let part: Vec<(String, Scores)> = scores.iter().map(some).collect();
        let members = rows.iter().filter_map(|&row| truth.is_member(row));
        let judged = self.judge(&part, &Truth::new(members)?, progress)?;
        Ok(Judged {
            records: judged.records.iter().map(|&place| rows[place]).collect(),
            ..judged
        })
    }
}

impl Judged {
    /// The attack that the gate looks at.
    pub fn gated(&self, gate: &Gate) -> Option<&str> {
        match &self.held {
            Some(attack) => Some(attack),
            None => verdict::best(&self.attacks, gate.measure).map(|attack| attack.id.as_str()),
        }
    }

    /// What guardrails look at in every audit; what they may know of the signals is for the caller
    /// to add.
    pub fn evidence<'a>(&'a self, context: &'a AuditContext) -> Evidence<'a> {
        Evidence {
            attacks: &self.attacks,
            gated: self.gated(&context.gate),
            holdout: context.holdout,
            attacker: self.attacker.as_ref(),
            slices: self.slices.as_ref(),
            ..Evidence::new(
                self.truth.members(),
                self.truth.nonmembers(),
                &context.gate,
                &context.measuring.fprs,
            )
        }
    }

    /// Cuts the records that count by these columns: a slice that violates the gate fails the audit.
    pub fn cut(
        &mut self,
        columns: &[SliceColumn],
        scores: &[(String, Scores)],
        truth: &Truth,
        context: &AuditContext,
    ) -> Result<(), Error> {
        let Some(attack) = self.gated(&context.gate).filter(|_| !columns.is_empty()) else {
            return Ok(());
        };
        let cut = Cut {
            attack,
            attacks: scores,
            truth,
            records: &self.records,
            columns,
            show_records: context.show_records,
        };
        self.slices = Some(slices(&cut, &context.gate, &context.measuring)?);
        Ok(())
    }

    /// The verdict and what it rests on, as a report that lacks only what a kind of audit adds.
    pub fn report(
        self,
        context: &AuditContext,
        guardrails: Vec<Finding>,
        detail: Detail,
        provenance: Provenance,
    ) -> Report {
        let decision = verdict::decide(&self.attacks, &context.gate, self.choice());
        let outcome = verdict::verdict(
            decision,
            self.slices.as_ref(),
            &context.gate,
            &guardrails,
            context.force,
        );
        let mut report = Report {
            guardrails,
            attacks: self.attacks,
            ..Report::new(outcome, detail, provenance)
        };
        if let Some(mut attacker) = self.attacker {
            if context.named {
                let ran = report.attacks.iter().map(|attack| attack.id.as_str());
                let ran: Vec<&str> = ran.collect();
                attacker.who += &format!(
                    ", by the attacks alone that were named ({})",
                    ran.join(", ")
                );
            }
            report.verdict.holds_for(attacker);
        }
        report
    }

    fn choice(&self) -> Choice<'_> {
        match &self.held {
            Some(attack) => Choice::Held { attack },
            None => Choice::Best,
        }
    }
}

/// A report of why nothing was decided.
pub fn undecided(
    why: judge::Error,
    context: &AuditContext,
    guardrails: Vec<Finding>,
    detail: Detail,
    provenance: Provenance,
) -> Report {
    let outcome = verdict::verdict(Err(why), None, &context.gate, &guardrails, context.force);
    Report {
        guardrails,
        ..Report::new(outcome, detail, provenance)
    }
}

/// Judges every attack, each on its own core.
fn measure_all(
    scores: &[(String, Scores)],
    truth: &Truth,
    options: &Options,
    progress: Progress<'_>,
) -> Result<Vec<AttackMeasures>, Error> {
    let mut measured: Vec<AttackMeasures> = scores
        .par_iter()
        .map(|(id, scores)| {
            if progress.cancelled() {
                return Err(Error::interrupted());
            }
            let measures = judge::measure(id, scores, truth, options)?;
            progress.advance(truth.len());
            Ok(measures)
        })
        .collect::<Result<_, Error>>()?;
    judge::correct_levels(&mut measured);
    Ok(measured)
}
