//! The audit of shadow signals: what models whose memberships are known tell about one more.

mod accuracy;
mod alike;
mod apart;
mod attacker;
mod copies;
mod diagnostics;
pub(crate) mod draw;
mod facts;
mod misplaced;
mod near_copies;
mod order;
mod references;
mod repeat;
pub mod slicing;
mod units;

use attacks::classifier::ShadowAttack;
use attacks::classifier::engine::{self, Outcome};
use attacks::scores::Scores;
use attacks::signals::membership::MemberRow;
use attacks::signals::shadow::ShadowSignals;
use base::{Progress, Unit};
use formats::ids::Ids;
use formats::shadow::ShadowTable;
use judge::Truth;
use judge::canaries::Canaries;
use judge::diagnostics::{Diagnostics, Exposures, SliceColumn};
use judge::guardrails::{self, Evidence};
use report::classifier::{Classifier, Training};
use report::{Data, Detail, Inputs, Note, Provenance, Report, Skipped};
use stats::streams::Seed;

pub use diagnostics::DiagnosticsWanted;
use diagnostics::Gated;
pub(crate) use diagnostics::normality_of;

use crate::Error;
use crate::pipeline::canaries::ids_of;
use crate::pipeline::skipped::{Attacked, all_abstained, check_named, first_reason, one_sided};
use crate::pipeline::slicing::shown;
use crate::pipeline::{Audit, AuditContext, Calling, SealedCanaries};

/// Who calls where no member is known: what does best where members are.
const PREFERRED: [&str; 6] = [
    "understudy",
    "bavaria-t",
    "rmia",
    "understudy-offline",
    "base1-offline",
    "loss",
];

/// Everything an audit needs, checked as far as it can be before anything slow starts.
pub struct ShadowRequest {
    pub table: ShadowTable,
    /// Further records under the same models, for attacks that compare with a population; reference
    /// records, where the shadows trained on some of them and on no audited record.
    pub population: Option<ShadowTable>,
    /// Who was a member, where the user says so; else the target's own row.
    pub members: Option<Vec<Option<bool>>>,
    /// What to call that list in a message.
    pub members_name: String,
    /// Records of which nobody knows, beside those that the truth itself leaves open.
    pub unknown: Option<Vec<bool>>,
    /// Canaries, whose truth is opened once every record has its scores.
    pub canaries: Option<SealedCanaries>,
    pub target: usize,
    /// How many of the other models to use; all when absent.
    pub shadows: Option<usize>,
    pub attacks: Vec<&'static dyn ShadowAttack>,
    /// How many models take the target's place in turn; none for zero.
    pub replicates: usize,
    pub scaling: Vec<usize>,
    /// What else to look at.
    pub diagnostics: DiagnosticsWanted,
    pub context: AuditContext,
    /// How the models were trained, where that was done here.
    pub training: Option<Training>,
    /// Digests of files that are still being read for them, beside those that the context has.
    pub digests: Option<Digests>,
}

/// Names and digests of files, worked out while attacks run.
pub type Digests = std::thread::JoinHandle<Result<Vec<Inputs>, Error>>;

impl ShadowRequest {
    fn shadow_count(&self) -> usize {
        self.shadows.unwrap_or(self.table.models() - 1)
    }

    /// Attacks, judges and reports.
    pub fn run(mut self, progress: Progress<'_>) -> Result<Audit, Error> {
        let asked = self.shadow_count();
        let (signals, own_truth) = self.table.signals(self.target, asked)?;
        let shadows = signals.shadows.len();
        let told = match self.canaries {
            Some(_) => None,
            None => Some(self.truth_of(self.target, &own_truth)?),
        };
        self.check(told.as_ref().map_or(0, Truth::unknown))?;
        self.check_splits(&signals, &own_truth)?;
        self.check_references(&signals)?;
        let references = self.references(&signals);
        // What attacks do not need is looked at while they go on.
        let (wanted, seed) = (&self.diagnostics, self.context.measuring.seed);
        let beside = || {
            rayon::join(
                || units::units(&signals, &self.table),
                || diagnostics::shapes(wanted, &self.table, &signals, seed, progress),
            )
        };
        let attack = || self.attack_and_learn(self.target, &signals, progress);
        let (attacked, (units, shapes)) = rayon::join(attack, beside);
        let (attacked, learnt) = attacked?;
        let truth = match (&self.canaries, told) {
            (Some(sealed), _) => {
                let said = self.own_truth(self.target, &own_truth).unwrap_or_default();
                let (truth, canaries) = opened(sealed, &self.table, &said)?;
                self.context.set_canaries(canaries);
                truth
            }
            (None, Some(truth)) => truth,
            (None, None) => self.truth_of(self.target, &own_truth)?,
        };
        let (scores, skipped) = self.of_both_kinds(attacked, &truth)?;
        check_named(&self.context, &skipped, "leave it out of --attacks")?;
        let opposites = opposites(&self.table, self.target);
        let copies = units.map(|units| units::copies(&units, &self.table, &truth));
        // Every canary had its own coin, whatever it is like.
        let copies = copies.map(|copies| match self.context.canaries {
            Some(_) => copies.all_judged(),
            None => copies,
        });
        let rows = copies.as_ref().and_then(|copies| copies.judged.as_deref());
        let (judged, facts) = rayon::join(
            || self.context.judge_some(&scores, &truth, rows, progress),
            || facts::shadow_facts(&signals, &self.table, &truth, references.as_ref()),
        );
        let mut judged = judged?;
        let (columns, unnamed) = self.slice_columns(&truth);
        if !columns.is_empty() {
            progress.phase("slicing", judged.records.len(), Unit::Records);
            judged.cut(&columns, &scores, &truth, &self.context)?;
        }
        judged.attacker = Some(attacker::attacker(&self, &signals, &scores));
        let gated = judged.gated(&self.context.gate).map(str::to_owned);
        let repeated = repeat::run(&self, gated.as_deref(), progress)?;
        let guardrails = guardrails::check(&Evidence {
            shadows: Some(&facts),
            duplicates: copies.as_ref().map(|copies| &copies.facts),
            ..judged.evidence(&self.context)
        });
        let exposures = repeated.exposures;
        let diagnostics = diagnostics::gated(
            shapes?,
            &self.table,
            gated
                .as_deref()
                .and_then(|attack| Self::to_diagnose(attack, &scores, &truth, exposures.as_ref())),
            self.context.measuring.confidence,
        )?;
        let diagnostics = Diagnostics {
            slices: judged.slices.clone(),
            ..diagnostics
        };
        if let Some(digests) = self.digests.take() {
            let found = digests.join().unwrap_or_else(|_| Err(Error::interrupted()));
            // The signals first, before a policy: a report is called after them.
            self.context.inputs.splice(0..0, found?);
        }
        let provenance = self.provenance(&judged.truth);
        let trained = self.training.as_ref();
        let classes = trained.map(|training| training.classes.len());
        let right = trained.and_then(|training| training.right);
        let detail = Detail::Classifier(Classifier {
            accuracy: accuracy::accuracy(&signals, classes, &truth).or(right),
            models: self.table.models(),
            augmentations: self.table.augmentations(),
            target: self.table.number(self.target),
            shadows,
            reference_records: (signals.is_offline())
                .then(|| references.as_ref().map_or(0, ShadowSignals::records)),
            training: self.training.map(|training| nameless(training, &columns)),
        });
        let report = Report {
            skipped,
            replicates: repeated.replicates,
            scaling: repeated.scaling,
            diagnostics,
            notes: [
                self.table.notes,
                self.context.notes.clone(),
                opposites,
                unnamed,
                learnt,
            ]
            .concat(),
            ..judged.report(&self.context, guardrails, detail, provenance)
        };
        let audit = Audit::new(
            self.context.show_records,
            report,
            scores,
            truth.iter().collect(),
            self.table.ids.map(Into::into),
            exposures,
        );
        Ok(audit.calling(&Calling {
            context: &self.context,
            learnt: &[],
            preferred: &PREFERRED,
            known: copies.as_ref().and_then(|copies| copies.judged.as_deref()),
        }))
    }

    /// By the true label wherever it is known, and by the columns that were named; and what to say of
    /// values whose names are not shown, because they may be people.
    fn slice_columns(&self, truth: &Truth) -> (Vec<SliceColumn>, Vec<Note>) {
        let mut columns = self.diagnostics.slices.clone();
        let named = columns.iter().any(|column| column.name == slicing::LABEL);
        let labels = slicing::of_labels(&self.table).filter(|_| !named);
        columns.splice(0..0, labels);
        shown(
            columns,
            truth,
            self.context.people(),
            self.context.show_records,
        )
    }

    /// The truth of a target: as the user says, or in the model's own row; named in what may be wrong
    /// with it.
    fn truth_of(&self, target: usize, row: &MemberRow) -> Result<Truth, Error> {
        let (members, name) = match &self.members {
            Some(members) => (members.clone(), self.members_name.clone()),
            None => (self.own_truth(target, row)?, self.truth_name(target)),
        };
        let asked = |record: usize| self.unknown.as_ref().is_some_and(|unknown| unknown[record]);
        let members = members.into_iter().enumerate();
        let members = members.map(|(record, member)| member.filter(|_| !asked(record)));
        Truth::partly(members).map_err(|error| error.within(&name))
    }

    fn truth_name(&self, target: usize) -> String {
        format!(
            "{}keep of model {}",
            source_name(&self.table),
            self.table.number(target)
        )
    }

    fn own_truth(&self, target: usize, row: &MemberRow) -> Result<Vec<Option<bool>>, Error> {
        if !self.table.members_known {
            return Err(Error::usage(
                format!(
                    "{}it does not say who was a member",
                    source_name(&self.table)
                ),
                "store keep [records], 1 where the model trained on the record and 0 elsewhere, or \
                 name the members in a file with --members",
            ));
        }
        let open = self.table.unknown_of(target);
        let known = |record: usize| !open.is_some_and(|open| open.get(record));
        let members = (0..row.len()).map(|record| known(record).then(|| row.get(record)));
        Ok(members.collect())
    }

    /// What can be refused before anything slow starts.
    fn check(&self, unknown: usize) -> Result<(), Error> {
        if unknown > 0 && self.replicates > 0 {
            return Err(Error::usage(
                format!(
                    "{unknown} records are of unknown membership, but --replicates makes the audited model \
                     a shadow of others, and of a shadow it must be known what it trained on"
                ),
                "leave out --replicates, or the records",
            ));
        }
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
        let offline = |(signals, _): (ShadowSignals, MemberRow)| signals.is_offline();
        if self.replicates > 0
            && self
                .table
                .signals(self.target, self.shadow_count())
                .is_ok_and(offline)
        {
            return Err(Error::usage(
                format!(
                    "{}--replicates makes shadows the target in turn, but no shadow trained on any audited \
                     record",
                    source_name(&self.table)
                ),
                "leave out --replicates: an offline audit has one target",
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
        self.check_population()
    }

    /// Shadows tell something only where they trained on other records than the target and each other.
    fn check_splits(&self, signals: &ShadowSignals, own: &MemberRow) -> Result<(), Error> {
        let same = signals.members.iter().all(|row| row == own);
        if !same || signals.shadows.is_empty() {
            return Ok(());
        }
        Err(Error::usage(
            format!(
                "{}all {} models trained on the same {} records (their rows of keep are equal), so \
                 that no record has a shadow that trained on it and one that did not",
                source_name(&self.table),
                signals.shadows.len() + 1,
                own.count()
            ),
            "train every shadow on its own random half of the records, or audit the target alone with \
             --shadows 0",
        ))
    }

    /// Runs the attacks on one target. What could not run is named with its reason.
    fn attack(
        &self,
        target: usize,
        signals: &ShadowSignals,
        truth: &Truth,
        progress: Progress<'_>,
    ) -> Result<Attacked, Error> {
        let (attacked, _) = self.attack_and_learn(target, signals, progress)?;
        self.of_both_kinds(attacked, truth)
    }

    /// The same, and what was learnt from reference records.
    fn attack_and_learn(
        &self,
        target: usize,
        signals: &ShadowSignals,
        progress: Progress<'_>,
    ) -> Result<(Attacked, Vec<Note>), Error> {
        let population = self.population.as_ref();
        let population = population.map(|table| table.seen_from(target, &signals.shadows));
        let passes = engine::passes(
            &self.attacks,
            signals.augmentations(),
            &self.context.settings,
        );
        let extra = population.as_ref().map_or(0, ShadowSignals::records);
        progress.phase(
            "attacking",
            signals.records() * passes + extra,
            Unit::Records,
        );
        let request = engine::Request {
            signals,
            population: population.as_ref(),
            settings: &self.context.settings,
            seed: Seed(self.context.measuring.seed),
            progress,
        };
        let mut scores = Vec::new();
        let mut skipped = Vec::new();
        let mut notes = Vec::new();
        for Outcome {
            attack,
            scores: outcome,
            learnt,
        } in engine::run(&self.attacks, &request)?
        {
            let id = attack.card().id.to_string();
            let words = learnt.filter(|_| outcome.is_ok());
            notes.extend(words.map(|words| format!("from reference records, for {id}: {words}")));
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
        Ok(((scores, skipped), notes))
    }

    /// Without the attacks that judged members alone, or others alone.
    fn of_both_kinds(&self, attacked: Attacked, truth: &Truth) -> Result<Attacked, Error> {
        let (scores, skipped) = one_sided(attacked, truth);
        match scores.is_empty() {
            true => Err(self.judged_nothing(first_reason(&skipped))),
            false => Ok((scores, skipped)),
        }
    }

    /// The reason of an attack may end with its own hint.
    fn judged_nothing(&self, reason: &str) -> Error {
        let usual = "give shadows that trained on the records and shadows that did not";
        let (why, hint) = reason.split_once("; hint: ").unwrap_or((reason, usual));
        let source = source_name(&self.table);
        Error::usage(
            format!("{source}no attack could judge any record: {why}"),
            hint,
        )
    }

    /// The gated attack's scores, with the truth of all records.
    fn to_diagnose<'a>(
        attack: &'a str,
        scores: &'a [(String, Scores)],
        truth: &'a Truth,
        exposures: Option<&'a Exposures>,
    ) -> Option<Gated<'a>> {
        let (_, scores) = scores.iter().find(|(id, _)| id == attack)?;
        Some(Gated {
            attack,
            scores,
            truth,
            exposures,
        })
    }

    fn provenance(&self, judged: &Truth) -> Provenance {
        let data = Data {
            format: self.table.format.into(),
            records: self.table.records(),
            judged_records: judged.members() + judged.nonmembers(),
            judged_members: judged.members(),
        };
        self.context.provenance::<super::Classifier>(data)
    }
}

/// The coins of canaries, once every record has its scores.
fn opened(
    sealed: &SealedCanaries,
    table: &ShadowTable,
    said: &[Option<bool>],
) -> Result<(Truth, Canaries), Error> {
    let ids: Option<Ids> = table.ids.as_ref().map(|ids| ids.iter().collect());
    let opened = ids_of(ids.as_ref()).and_then(|ids| sealed.open(ids, said));
    let (members, canaries) = opened.map_err(|error| match table.sources.first() {
        Some(path) => error.within_file(path),
        None => error,
    })?;
    Ok((Truth::partly(members)?, canaries))
}

/// The classes as the slices name them.
fn nameless(training: Training, columns: &[SliceColumn]) -> Training {
    let label = columns.iter().find(|column| column.name == slicing::LABEL);
    let names = label.filter(|column| column.names.len() == training.classes.len());
    Training {
        classes: names.map_or_else(|| training.classes.clone(), |column| column.names.clone()),
        ..training
    }
}

/// Says which models were left out because they trained on exactly what the target did not.
fn opposites(table: &ShadowTable, target: usize) -> Vec<Note> {
    let opposite = |model: &usize| *model != target && table.are_opposites(*model, target);
    (0..table.models())
        .filter(opposite)
        .map(|model| {
            format!(
                "model {} trained on exactly the records that the target did not: left out, \
                 as no attacker could have it",
                table.number(model)
            )
        })
        .collect()
}

/// The file a table came from, as a message begins; nothing for signals made in memory.
fn source_name(table: &ShadowTable) -> String {
    let first = table.sources.first();
    first.map_or(String::new(), |path| format!("{}: ", path.display()))
}
