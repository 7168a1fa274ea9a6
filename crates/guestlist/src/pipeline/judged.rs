//! From scores to a verdict: the same for every kind of signals.

mod holdout;

use attacks::scores::Scores;
use base::{Progress, Unit};
use judge::attacker::Attacker;
use judge::canaries::{CanaryFinding, Shown};
use judge::claim::ClaimFinding;
use judge::diagnostics::slices::{Cut, slices};
use judge::diagnostics::{Diagnostics, SliceColumn, Slices};
use judge::gate::{Gate, Measure};
use judge::guardrails::{Evidence, Finding, View};
use judge::persons::{Groups, Levels, Persons, judge_persons, measure_by_person};
use judge::policy::{Criterion, PolicyFinding, Scope, combine, decide_persons, decide_slices};
use judge::verdict::{self, Choice, Decision, Verdict};
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
    /// The attacks chosen on records that do not count, one by each measure that decides.
    held: Vec<(Measure, String)>,
    /// Who attacked, where that is for the kind of audit to say.
    pub attacker: Option<Attacker>,
    /// The records cut by label and by columns, where there is anything to cut by.
    pub slices: Option<Slices>,
    /// The same as further criteria of a policy look at them, by their place in it.
    further_slices: Vec<(usize, Slices)>,
    /// The level of persons, where records belong to somebody.
    pub persons: Option<Persons>,
    /// What canaries show, where the records are some.
    pub canaries: Option<CanaryFinding>,
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
        if !truth.decides() {
            return Ok(Judged::nothing(truth));
        }
        let groups = self.groups()?;
        let mut judged = match rows {
            Some(rows) => self.judge_rows(scores, truth, rows, groups, progress),
            None if truth.unknown() > 0 => {
                let known: Vec<usize> = truth.known().map(|(row, _)| row).collect();
                self.judge_rows(scores, truth, &known, groups, progress)
            }
            None => self.judge_all(scores, truth, groups, progress),
        }?;
        self.judge_canaries(&mut judged, scores, truth);
        Ok(judged)
    }

    /// Bounds of canaries rest on their coins.
    fn judge_canaries(&self, judged: &mut Judged, scores: &[(String, Scores)], truth: &Truth) {
        let Some(canaries) = &self.canaries else {
            return;
        };
        let half = self.holdout.then(|| canaries.halved());
        let canaries = half.as_ref().unwrap_or(canaries);
        let (records, options) = (&judged.records, &self.measuring);
        canaries.bind(&mut judged.attacks, scores, truth, records, options);
        let gated = judged.gated(&self.gate).map(str::to_owned);
        // What is held against a claim is shown at its δ.
        let delta = self
            .claim
            .as_ref()
            .map_or(options.delta, |claim| claim.delta);
        let options = &Options {
            delta,
            ..options.clone()
        };
        judged.canaries = Some(canaries.finding(&Shown {
            scores,
            truth,
            records,
            gated: gated.as_deref(),
            confidence: self.gate.confidence_for(scores.len()),
            options,
        }));
    }

    fn judge_all(
        &self,
        scores: &[(String, Scores)],
        truth: &Truth,
        groups: Option<&Groups>,
        progress: Progress<'_>,
    ) -> Result<Judged, Error> {
        progress.phase("judging", truth.len() * scores.len(), Unit::Records);
        if self.holdout {
            let criteria = self.criteria();
            let mut measures: Vec<Measure> = criteria.iter().map(|one| one.gate.measure).collect();
            let claimed = self.claim.as_ref();
            measures.extend(claimed.map(|claim| Measure::Epsilon(claim.delta)));
            return holdout::judge(scores, truth, groups, self, &measures);
        }
        let options = &self.measuring;
        Ok(Judged {
            attacks: measure_all(scores, truth, groups, options, progress)?,
            truth: truth.clone(),
            records: (0..truth.len()).collect(),
            held: Vec::new(),
            attacker: None,
            slices: None,
            further_slices: Vec::new(),
            persons: self.by_person(scores, truth, groups),
            canaries: None,
        })
    }

    /// The level of persons.
    fn by_person(
        &self,
        scores: &[(String, Scores)],
        truth: &Truth,
        groups: Option<&Groups>,
    ) -> Option<Persons> {
        let join = self.persons.as_ref()?.join;
        Some(judge_persons(scores, truth, groups?, join, &self.measuring))
    }

    fn judge_rows(
        &self,
        scores: &[(String, Scores)],
        truth: &Truth,
        rows: &[usize],
        groups: Option<&Groups>,
        progress: Progress<'_>,
    ) -> Result<Judged, Error> {
        let some = |(id, scores): &(String, Scores)| {
            let scores: Scores = rows.iter().map(|&row| scores.answer(row)).collect();
            (id.clone(), scores)
        };
        let part: Vec<(String, Scores)> = scores.iter().map(some).collect();
        let members = rows.iter().filter_map(|&row| truth.is_member(row));
        let groups = groups.map(|groups| groups.of_rows(rows));
        let truth = Truth::new(members)?;
        let judged = self.judge_all(&part, &truth, groups.as_ref(), progress)?;
        Ok(Judged {
            records: judged.records.iter().map(|&place| rows[place]).collect(),
            ..judged
        })
    }
}

impl Judged {
    /// Without a known member there is nothing to measure.
    fn nothing(truth: &Truth) -> Self {
        Judged {
            attacks: Vec::new(),
            truth: truth.clone(),
            records: truth.known().map(|(row, _)| row).collect(),
            held: Vec::new(),
            attacker: None,
            slices: None,
            further_slices: Vec::new(),
            persons: None,
            canaries: None,
        }
    }

    /// The attack that the gate looks at.
    pub fn gated(&self, gate: &Gate) -> Option<&str> {
        match self.choice(gate.measure) {
            Choice::Held { attack } => Some(attack),
            Choice::Best => verdict::gated(&self.attacks, gate).map(|attack| attack.id.as_str()),
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
            slices: self.slices_of(0, context),
            policy: context.policy.as_ref(),
            further: self.further(context),
            settings_tried: context
                .claim
                .as_ref()
                .map(|_| context.settings_tried.unwrap_or(1)),
            persons: self.persons.as_ref(),
            canaries: context.canary_facts(),
            left_out: &context.left_out,
            earlier: context.earlier.as_ref(),
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
        if columns.is_empty() {
            return Ok(());
        }
        let options = Options {
            design_effect: self.design_effect(),
            ..context.measuring.clone()
        };
        for (place, gate) in sliced(context) {
            // A bound on ε from coins has no p-value of parts: tiers and designs stand beside it.
            let coins = context.canaries.is_some() && matches!(gate.measure, Measure::Epsilon(_));
            let Some(attack) = self.gated(&gate).filter(|_| !coins) else {
                continue;
            };
            let cut = Cut {
                attack,
                attacks: scores,
                truth,
                records: &self.records,
                columns,
                show_records: context.show_records,
            };
            let found = slices(&cut, &gate, &options)?;
            match self.slices {
                None => self.slices = Some(found),
                Some(_) => self.further_slices.push((place, found)),
            }
        }
        Ok(())
    }

    /// What a criterion looks at of the slices.
    fn slices_of(&self, place: usize, context: &AuditContext) -> Option<&Slices> {
        if sliced(context)
            .first()
            .is_some_and(|(first, _)| *first == place)
        {
            return self.slices.as_ref();
        }
        let found = self
            .further_slices
            .iter()
            .find(|(other, _)| *other == place);
        found.map(|(_, slices)| slices)
    }

    /// What criteria beyond the first look at.
    fn further<'a>(&'a self, context: &'a AuditContext) -> Vec<View<'a>> {
        let criteria = context.policy.iter().flat_map(|policy| &policy.criteria);
        (criteria.enumerate().skip(1))
            .map(|(place, criterion)| View {
                gate: &criterion.gate,
                gated: self.gated(&criterion.gate),
                slices: self.slices_of(place, context),
            })
            .collect()
    }

    /// What one criterion says by itself.
    fn decision(
        &self,
        place: usize,
        criterion: &Criterion,
        context: &AuditContext,
    ) -> Result<Decision, Error> {
        let (gate, attacks) = (&criterion.gate, &self.attacks);
        if !self.truth.decides() {
            return Err(no_member());
        }
        match criterion.scope {
            Scope::Whole => verdict::decide(attacks, gate, self.choice(gate.measure)),
            Scope::Person => decide_persons(self.persons.as_ref(), gate, self.choice(gate.measure)),
            Scope::Slice => {
                let smallest = context.policy.as_ref().map(|policy| policy.smallest);
                let slices = self.slices_of(place, context);
                decide_slices(slices, gate, &smallest.unwrap_or_default(), attacks.len())
            }
        }
    }

    /// A verdict for every criterion.
    fn verdicts(&self, context: &AuditContext, guardrails: &[Finding]) -> Vec<Verdict> {
        let criteria = context.criteria().into_iter().enumerate();
        criteria
            .map(|(place, criterion)| {
                let concerned = guardrails.iter().filter(|one| one.concerns(place));
                let concerned: Vec<Finding> = concerned.cloned().collect();
                let gate = &criterion.gate;
                let persons = self.both_levels(&criterion, context);
                let decision = self.decision(place, &criterion, context);
                let levels = Levels::new(decision, persons, gate, self.choice(gate.measure));
                let mut found = verdict::verdict(
                    levels.deciding,
                    self.slices_of(place, context),
                    &concerned,
                    context.force,
                );
                found.tell_level(levels.beside.as_ref());
                found
            })
            .collect()
    }

    /// People, where a criterion of all records looks at them too: unless a policy asks about them in a
    /// criterion of their own.
    fn both_levels(&self, criterion: &Criterion, context: &AuditContext) -> Option<&Persons> {
        let mut criteria = context.policy.iter().flat_map(|policy| &policy.criteria);
        let apart = criteria.any(|one| one.scope == Scope::Person);
        let persons = self.persons.as_ref();
        persons.filter(|_| criterion.scope == Scope::Whole && !apart)
    }

    /// The verdict and what it rests on, as a report that lacks only what a kind of audit adds.
    pub fn report(
        self,
        context: &AuditContext,
        guardrails: Vec<Finding>,
        detail: Detail,
        provenance: Provenance,
    ) -> Report {
        let verdicts = self.verdicts(context, &guardrails);
        let mut outcome = combine(&verdicts);
        let claim = self.claim(context);
        if let Some(claim) = &claim {
            outcome.hold(claim, &guardrails, context.force);
        }
        let mut report = Report {
            guardrails,
            attacks: self.attacks,
            persons: self.persons,
            policy: context.finding(&verdicts),
            claim,
            canaries: self.canaries,
            diagnostics: Diagnostics {
                slices: self.slices,
                ..Diagnostics::default()
            },
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

    /// How much more measures of records vary because the records of a person speak alike: the most of
    /// all attacks, and never less than one.
    fn design_effect(&self) -> f64 {
        let persons = self
            .attacks
            .iter()
            .filter_map(|attack| attack.design_effect());
        persons.fold(1.0, f64::max)
    }

    /// The claim that was made, held against the attacks; nothing where none has a bound.
    fn claim(&self, context: &AuditContext) -> Option<ClaimFinding> {
        let claimed = context.claim.as_ref()?;
        let choice = self.choice(Measure::Epsilon(claimed.delta));
        // With persons, the claim is one about people: they went in or out as a whole.
        let attacks = match &self.persons {
            Some(persons) => &persons.attacks,
            None => &self.attacks,
        };
        ClaimFinding::new(claimed, attacks, context.gate.confidence, choice).ok()
    }

    fn choice(&self, measure: Measure) -> Choice<'_> {
        match self.held.iter().find(|(held, _)| *held == measure) {
            Some((_, attack)) => Choice::Held { attack },
            None => Choice::Best,
        }
    }
}

impl AuditContext {
    /// The policy and what came of it, for the report.
    fn finding(&self, verdicts: &[Verdict]) -> Option<PolicyFinding> {
        let policy = self.policy.as_ref()?;
        Some(PolicyFinding::new(policy, verdicts))
    }
}

/// The criteria that look at slices, with their places: those that say so, or the first where none
/// does, for what leaks in a part must not drown in the whole.
fn sliced(context: &AuditContext) -> Vec<(usize, Gate)> {
    let criteria = context.criteria();
    let named = |(_, one): &(usize, &Criterion)| one.scope == Scope::Slice;
    let asked: Vec<(usize, Gate)> = (criteria.iter().enumerate().filter(named))
        .map(|(place, one)| (place, one.gate))
        .collect();
    match asked.is_empty() {
        true => vec![(0, context.gate)],
        false => asked,
    }
}

fn no_member() -> judge::Error {
    judge::Error::input(
        "no member is known, so that leakage was not measured; records of unknown membership were called \
         all the same",
        "add records that were surely trained on to have leakage measured",
    )
}

/// A report of why nothing was decided.
pub fn undecided(
    why: judge::Error,
    context: &AuditContext,
    guardrails: Vec<Finding>,
    detail: Detail,
    provenance: Provenance,
) -> Report {
    let criteria = context.criteria();
    let verdicts: Vec<Verdict> = (criteria.iter())
        .map(|_| verdict::verdict(Err(why.clone()), None, &guardrails, context.force))
        .collect();
    Report {
        guardrails,
        policy: context.finding(&verdicts),
        ..Report::new(combine(&verdicts), detail, provenance)
    }
}

/// A curve takes forty bytes a record while it is made: of very many records, those of so many attacks
/// are made at the same time.
fn at_once(records: usize) -> usize {
    const MOST_POINTS: usize = 4_000_000;
    (MOST_POINTS / records.max(1)).max(1)
}

/// Judges every attack, each on its own core.
fn measure_all(
    scores: &[(String, Scores)],
    truth: &Truth,
    groups: Option<&Groups>,
    options: &Options,
    progress: Progress<'_>,
) -> Result<Vec<AttackMeasures>, Error> {
    let one = |(id, scores): &(String, Scores)| {
        if progress.cancelled() {
            return Err(Error::interrupted());
        }
        let cancel = progress.cancel();
        let measures = measure(cancel, id, scores, truth, groups, options)?;
        progress.advance(truth.len());
        Ok(measures)
    };
    let mut measured: Vec<AttackMeasures> = Vec::new();
    for some in scores.chunks(at_once(truth.len())) {
        let some: Vec<_> = some.par_iter().map(one).collect::<Result<_, Error>>()?;
        measured.extend(some);
    }
    judge::correct_levels(&mut measured);
    Ok(measured)
}

/// With people as the units of chance, where records belong to somebody.
pub(super) fn measure(
    cancel: &base::Cancel,
    id: &str,
    scores: &Scores,
    truth: &Truth,
    groups: Option<&Groups>,
    options: &Options,
) -> Result<AttackMeasures, Error> {
    match groups {
        Some(groups) => measure_by_person(id, scores, truth, groups, options),
        None => judge::measure_until(cancel, id, scores, truth, options),
    }
}
