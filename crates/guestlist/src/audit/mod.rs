//! The audit of signals that exist already: attack, judge, report. Here for shadow signals, in
//! [`tokens`] for token signals.

mod answers;
mod diagnostics;
pub mod episodes;
mod facts;
mod figures;
pub mod given;
mod holdout;
mod members;
mod output;
pub mod probes;
mod repeat;
pub mod slicing;
pub mod sources;
mod terms;
pub mod tokens;
mod wishes;

use attacks::scores::Scores;
use attacks::shadow::ShadowAttack;
use attacks::shadow::engine::{self, Outcome};
use attacks::signals::membership::MemberRow;
use attacks::signals::shadow::ShadowSignals;
use attacks::watch::Watch;
use collect::shadow::ShadowTable;
use judge::diagnostics::Exposures;
use judge::gate::Gate;
use judge::guardrails::{self, Evidence};
use judge::records::Records;
use judge::verdict::{self, Choice};
use judge::{AttackMeasures, Options, Truth};
use rayon::prelude::*;
use report::training::Training;
use report::{Note, Provenance, Report, Skipped, Slice};
use stats::streams::Seed;

pub use diagnostics::DiagnosticsWanted;
use diagnostics::Gated;
pub use figures::write_figures;
pub use members::read_members;
pub use output::{Extra, OutFolder};
pub use terms::{Terms, digests};
pub use wishes::{Granted, Source, Wishes};

use crate::Error;

/// Scores by attack, and the attacks that have none.
type Attacked = (Vec<(String, Scores)>, Vec<Skipped>);

/// Everything an audit needs, checked as far as it can be before anything slow starts.
pub struct Request {
    pub table: ShadowTable,
    /// Further records under the same models, for attacks that compare with a population.
    pub population: Option<ShadowTable>,
    /// Who was a member, where the user says so; else the target's own row.
    pub members: Option<Vec<bool>>,
    /// What to call that list in a message.
    pub members_name: String,
    pub target: usize,
    /// How many of the other models to use; all when absent.
    pub shadows: Option<usize>,
    pub attacks: Vec<&'static dyn ShadowAttack>,
    /// How many models take the target's place in turn; none for zero.
    pub replicates: usize,
    pub scaling: Vec<usize>,
    /// What else to look at.
    pub diagnostics: DiagnosticsWanted,
    pub terms: Terms,
    /// How the models were trained, where that was done here.
    pub training: Option<Training>,
}

/// What an audit leaves.
pub struct Audit {
    pub report: Report,
    pub scores: Vec<(String, Scores)>,
    /// Who is a member, record by record, where that is known.
    pub members: Vec<Option<bool>>,
    pub ids: Option<Vec<String>>,
    /// How often each record was caught, where there were replicates.
    pub exposures: Option<Exposures>,
}

impl Audit {
    /// Puts what is known of the records beside a report that has everything else.
    fn new(
        report: Report,
        scores: Vec<(String, Scores)>,
        members: Vec<Option<bool>>,
        ids: Option<Vec<String>>,
        exposures: Option<Exposures>,
    ) -> Self {
        let mut audit = Audit {
            report,
            scores,
            members,
            ids,
            exposures,
        };
        audit.report.records = audit.records();
        audit
    }

    /// The records that the gated attack exposes most.
    fn records(&self) -> Option<Records> {
        let gate = self.report.verdict.gate.as_ref()?;
        let level = self.report.provenance.measuring.confidence;
        let judged = judge::records::Judged {
            scores: &self.scores,
            members: &self.members,
            exposures: self.exposures.as_ref().map(|found| (found, level)),
        };
        judged.records(&gate.attack, |row| match &self.ids {
            Some(ids) => ids[row].clone(),
            None => row.to_string(),
        })
    }
}

/// What a long audit tells while it runs.
pub trait Progress: Watch {
    /// A new stretch of work, measured in records.
    fn phase(&self, name: &str, records: usize);
}

impl Request {
    fn shadow_count(&self) -> usize {
        self.shadows.unwrap_or(self.table.models() - 1)
    }

    /// Attacks, judges and reports.
    pub fn run(self, progress: &dyn Progress) -> Result<Audit, Error> {
        let asked = self.shadow_count();
        let (signals, own_truth) = self.table.signals(self.target, asked)?;
        let shadows = signals.shadows.len();
        let truth = match &self.members {
            Some(members) => Truth::new(members.iter().copied())
                .map_err(|error| error.within(&self.members_name))?,
            None => self.truth_of(self.target, &own_truth)?,
        };
        self.check()?;
        let (scores, skipped) = self.attack(self.target, &signals, progress)?;
        if let (true, Some(refused)) = (self.terms.named, skipped.first()) {
            return Err(Error::usage(
                format!("{} cannot run here: {}", refused.id, refused.reason),
                "leave it out of --attacks",
            ));
        }
        let opposites = opposites(&self.table, self.target);
        let judged = judge_all(
            &scores,
            &truth,
            &self.terms.measuring,
            &self.terms.gate,
            self.terms.holdout,
            progress,
        )?;
        let gated = judged.gated(&self.terms.gate).map(str::to_owned);
        let repeated = repeat::run(&self, gated.as_deref(), progress)?;
        let facts = facts::of(&signals, &self.table, &truth);
        let evidence = Evidence {
            members: judged.truth.members(),
            nonmembers: judged.truth.nonmembers(),
            attacks: &judged.attacks,
            gated: judged.gated(&self.terms.gate),
            gate: &self.terms.gate,
            fprs: &self.terms.measuring.fprs,
            holdout: self.terms.holdout,
            shadows: Some(&facts),
            texts: None,
            probes: None,
        };
        let guardrails = guardrails::check(&evidence);
        let exposures = repeated.exposures;
        let diagnostics = diagnostics::run(
            &self.diagnostics,
            &self.table,
            &signals,
            judged.to_diagnose(gated.as_deref(), &scores, &truth, exposures.as_ref()),
            &self.terms.measuring,
            progress,
        )?;
        let decision = verdict::decide(&judged.attacks, &self.terms.gate, judged.choice());
        let outcome = verdict::verdict(decision, &self.terms.gate, &guardrails, self.terms.force);
        let provenance = self.provenance(shadows, &judged.truth);
        let report = Report {
            guardrails,
            attacks: judged.attacks,
            skipped,
            replicates: repeated.replicates,
            scaling: repeated.scaling,
            training: self.training,
            diagnostics,
            notes: [self.table.notes, self.terms.notes, opposites].concat(),
            ..Report::new(outcome, provenance)
        };
        Ok(Audit::new(
            report,
            scores,
            truth.iter().map(Some).collect(),
            self.table.ids,
            exposures,
        ))
    }

    /// The truth in a model's own row, named in what may be wrong with it.
    fn truth_of(&self, target: usize, row: &MemberRow) -> Result<Truth, Error> {
        let name = format!("{}keep of model {target}", source_name(&self.table));
        let members = (0..row.len()).map(|record| row.get(record));
        Ok(Truth::new(members).map_err(|error| error.within(&name))?)
    }

    /// What can be refused before anything slow starts.
    fn check(&self) -> Result<(), Error> {
        self.diagnostics.check(self.table.records())?;
        if self.replicates > self.table.models() {
            return Err(Error::usage(
                format!(
                    "{}--replicates asks for {} targets but there are {} models",
                    source_name(&self.table),
                    self.replicates,
                    self.table.models()
                ),
                "each replicate takes another model as its target",
            ));
        }
        if self.members.is_some() && self.replicates > 0 {
            return Err(Error::usage(
                "--members says who was a member of one model, but --replicates has several targets",
                "leave out one of them",
            ));
        }
        for &shadows in &self.scaling {
            self.table.signals(self.target, shadows)?;
        }
        if let Some(population) = &self.population
            && population.models() != self.table.models()
        {
            return Err(Error::usage(
                format!(
                    "{}the population has {} models but the signals have {}",
                    source_name(population),
                    population.models(),
                    self.table.models()
                ),
                "query the same models, in the same order, on the population records",
            ));
        }
        Ok(())
    }

    /// Runs the attacks on one target. What could not run is named with its reason.
    fn attack(
        &self,
        target: usize,
        signals: &ShadowSignals,
        progress: &dyn Progress,
    ) -> Result<Attacked, Error> {
        let population = self.population.as_ref();
        let population = population.map(|table| table.seen_from(target, &signals.shadows));
        let passes = engine::passes(&self.attacks, signals.augmentations());
        let extra = population.as_ref().map_or(0, ShadowSignals::records);
        progress.phase("attacking", signals.records() * passes + extra);
        let request = engine::Request {
            signals,
            population: population.as_ref(),
            settings: &self.terms.settings,
            seed: Seed(self.terms.measuring.seed),
            watch: progress,
        };
        let mut scores = Vec::new();
        let mut skipped = Vec::new();
        for Outcome {
            attack,
            scores: outcome,
        } in engine::run(&self.attacks, &request)?
        {
            let id = attack.card().id.to_string();
            match outcome {
                Ok(found) if found.abstained() < found.len() => scores.push((id, found)),
                Ok(found) => skipped.push(Skipped {
                    id,
                    reason: all_abstained(&found),
                }),
                Err(error) => skipped.push(Skipped {
                    id,
                    reason: error.to_string(),
                }),
            }
        }
        if scores.is_empty() {
            return Err(Error::usage(
                format!(
                    "no attack could judge any record: {}",
                    first_reason(&skipped)
                ),
                "give shadows that trained on the records and shadows that did not",
            ));
        }
        Ok((scores, skipped))
    }

    fn provenance(&self, shadows: usize, judged: &Truth) -> Provenance {
        let data = Slice {
            format: self.table.format.into(),
            models: self.table.models(),
            records: self.table.records(),
            augmentations: self.table.augmentations(),
            target: self.target,
            shadows,
            judged_records: judged.len(),
            judged_members: judged.members(),
            tokens: None,
        };
        self.terms.provenance(data, attacks::shadow::settings())
    }
}

/// Measures of every attack on the records that count.
struct Judged {
    attacks: Vec<AttackMeasures>,
    truth: Truth,
    /// The rows of those records.
    records: Vec<usize>,
    /// The attack chosen on records that do not count.
    held: Option<String>,
}

impl Judged {
    fn choice(&self) -> Choice<'_> {
        match &self.held {
            Some(attack) => Choice::Held { attack },
            None => Choice::Best,
        }
    }

    /// The gated attack's scores, with the truth of all records and the rows that count.
    fn to_diagnose<'a>(
        &'a self,
        gated: Option<&'a str>,
        scores: &'a [(String, Scores)],
        truth: &'a Truth,
        exposures: Option<&'a Exposures>,
    ) -> Option<Gated<'a>> {
        let attack = gated?;
        let (_, scores) = scores.iter().find(|(id, _)| id == attack)?;
        Some(Gated {
            attack,
            scores,
            truth,
            records: &self.records,
            exposures,
        })
    }

    fn gated(&self, gate: &Gate) -> Option<&str> {
        match &self.held {
            Some(attack) => Some(attack),
            None => verdict::best(&self.attacks, gate.measure).map(|attack| attack.id.as_str()),
        }
    }
}

/// Measures every attack; with `holdout`, on the half of the records that the gated one was not
/// chosen on.
fn judge_all(
    scores: &[(String, Scores)],
    truth: &Truth,
    measuring: &Options,
    gate: &Gate,
    holdout: bool,
    progress: &dyn Progress,
) -> Result<Judged, Error> {
    progress.phase("judging", truth.len() * scores.len());
    if holdout {
        return holdout::judge(scores, truth, measuring, gate);
    }
    let attacks = measure_all(scores, truth, measuring, progress)?;
    Ok(Judged {
        attacks,
        truth: truth.clone(),
        records: (0..truth.len()).collect(),
        held: None,
    })
}

/// Says which models were left out because they trained on exactly what the target did not.
fn opposites(table: &ShadowTable, target: usize) -> Vec<Note> {
    let opposite = |model: &usize| *model != target && table.are_opposites(*model, target);
    (0..table.models())
        .filter(opposite)
        .map(|model| {
            format!(
                "model {model} trained on exactly the records that the target did not: left out, \
                 as no attacker could have it"
            )
        })
        .collect()
}

/// The file a table came from, as a message begins; nothing for signals made in memory.
fn source_name(table: &ShadowTable) -> String {
    let first = table.sources.first();
    first.map_or(String::new(), |path| format!("{}: ", path.display()))
}

/// Judges every attack, each on its own core.
fn measure_all(
    scores: &[(String, Scores)],
    truth: &Truth,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<AttackMeasures>, Error> {
    scores
        .par_iter()
        .map(|(id, scores)| {
            if progress.cancelled() {
                return Err(Error::Interrupted);
            }
            let measures = judge::measure(id, scores, truth, options)?;
            progress.advance(truth.len());
            Ok(measures)
        })
        .collect()
}

/// Sets attacks aside that could judge members only, or non-members only.
fn one_sided(attacked: Attacked, truth: &Truth) -> Attacked {
    let (scores, mut skipped) = attacked;
    let judged = |scores: &Scores, kind: bool| {
        let judged = scores.iter().zip(truth.iter());
        judged
            .filter(|(score, member)| score.is_some() && *member == kind)
            .count()
    };
    let (whole, partial): (Vec<_>, Vec<_>) = scores
        .into_iter()
        .partition(|(_, scores)| judged(scores, true) > 0 && judged(scores, false) > 0);
    skipped.extend(partial.into_iter().map(|(id, scores)| Skipped {
        id,
        reason: format!(
            "it could judge {} members and {} non-members: what it needs was collected for one side \
             only",
            judged(&scores, true),
            judged(&scores, false)
        ),
    }));
    (whole, skipped)
}

fn all_abstained(scores: &Scores) -> String {
    let reasons: Vec<&str> = scores
        .abstentions()
        .keys()
        .map(|reason| reason.words())
        .collect();
    format!("abstained on every record: {}", reasons.join(", "))
}

fn first_reason(skipped: &[Skipped]) -> &str {
    skipped
        .first()
        .map_or("no attack was asked for", |skipped| &skipped.reason)
}
