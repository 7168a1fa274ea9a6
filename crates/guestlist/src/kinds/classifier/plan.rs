//! From a configuration to the signals of trained models, and from there to an audit.

use std::path::PathBuf;

use attacks::classifier::ShadowAttack;
use formats::data::{self, ColumnKind, ColumnNote, Records};
use judge::diagnostics::SliceColumn;
use judge::guardrails::{self, Evidence, Finding, Status};
use report::Inputs;
use report::classifier::{Accuracy, Column, Privacy, Training, WhatIfPrivate};
use shadows::executor::{ExecutorOptions, find};
use shadows::settings::Duplicates;
use shadows::{Executor, Run, TrainingData, TrainingInputs};

use super::aside::Aside;
use super::attack::{DiagnosticsWanted, ShadowRequest, slicing};
use super::{Classifier, Config, claim};
use crate::Error;
use crate::pipeline::{
    PersonsWanted, Place, ResolvedOptions, RunOptions, digests, input, seen_from,
};

/// A configuration that was checked as far as it can be without training.
pub struct Plan {
    pub config: Config,
    pub place: Place,
    pub resolved: ResolvedOptions<&'static dyn ShadowAttack>,
    pub executor: &'static dyn Executor,
    pub executor_options: ExecutorOptions,
    pub training: TrainingInputs,
    /// Whether a manifest is wanted.
    pub kubernetes: bool,
    /// In an offline design, which records are audited and which are reference records.
    pub aside: Option<Aside>,
    slices: Vec<SliceColumn>,
    /// The files of the data, as they were read.
    data: Vec<Inputs>,
}

impl Plan {
    /// Reads the data and refuses what could not work, before anything is trained.
    pub fn new(mut config: Config, place: Place, options: &RunOptions) -> Result<Self, Error> {
        overrule(&mut config, options);
        // What is refused anyway is refused before the data are read.
        config.audit.resolve_from::<Classifier>(&place.base)?;
        check_counts(&config)?;
        let settings = config.settings();
        let (executor, executor_options) = executing(&config, options)?;
        executor.check(&executor_options, &settings)?;
        let training = TrainingInputs::open(settings, &place.base)?;
        Self::with(config, place, options, training)
    }

    /// The same with data that were read already.
    pub fn with(
        mut config: Config,
        place: Place,
        options: &RunOptions,
        training: TrainingInputs,
    ) -> Result<Self, Error> {
        config.audit.claim = config.claim.or(config.audit.claim);
        let resolved = config.audit.resolve_from::<Classifier>(&place.base)?;
        // Canaries are audited in signals that exist already.
        config.audit.refuse_mechanism()?;
        check_counts(&config)?;
        let (executor, executor_options) = executing(&config, options)?;
        let slices = slices(&config, &training, &place)?;
        let data = digests(training.subject().sources.clone(), Some(&place.base))?;
        let mut plan = Self {
            kubernetes: options.kubernetes,
            aside: None,
            slices,
            data,
            resolved,
            executor,
            executor_options,
            training,
            config,
            place,
        };
        // Recipe and program are refused now, before there is a folder.
        let aside = plan.run()?.reference().map(Aside::new);
        plan.aside = aside;
        Ok(plan)
    }

    /// The run's folder.
    pub fn folder(&self) -> PathBuf {
        seen_from(&self.place.base, &self.config.run.folder)
    }

    /// Every model of the audit.
    pub fn run(&self) -> Result<Run<'_>, Error> {
        Run::new(&self.training, &self.folder())
    }

    /// The audit of models that are all there.
    pub fn request(
        &self,
        run: &Run,
        command: String,
        what_if: Vec<WhatIfPrivate>,
    ) -> Result<ShadowRequest, Error> {
        let config = &self.config;
        let options = &config.audit;
        let (table, population) = self.tables(run)?;
        let training = Training {
            held_out: self.held_out(),
            what_if,
            ..training(run)
        };
        let mut context = options.context(
            &self.resolved,
            table.records(),
            config.seed,
            command,
            self.inputs(run),
        );
        context.notes = [
            self.notes(),
            hardly_learned(run, &training),
            claim::settle(&mut context, run, &training),
        ]
        .concat();
        context.set_persons(self.persons(), table.records())?;
        let slices = self.slices.iter();
        let slices = slices.map(|column| self.audited_column(column)).collect();
        Ok(ShadowRequest {
            table,
            population,
            members: None,
            members_name: String::new(),
            unknown: None,
            canaries: None,
            target: 0,
            shadows: Some(config.models.shadows),
            attacks: self.resolved.attacks.clone(),
            context,
            replicates: options.replicates,
            scaling: options.scaling.clone(),
            diagnostics: DiagnosticsWanted {
                slices,
                ..DiagnosticsWanted::default()
            },
            training: Some(training),
            digests: None,
        })
    }

    /// What so few records could not show, before anything is trained: only what is not in order.
    pub fn first_findings(&self) -> Vec<Finding> {
        let subject = self.training.subject();
        let people = subject.people.as_ref().map(|people| people.units.count());
        let different = subject.units.as_ref().map(|units| units.count());
        let units = people.or(different).unwrap_or(subject.records);
        // Of an offline design a part is audited.
        let units = match &self.aside {
            Some(aside) => units * aside.audited.len() / subject.records.max(1),
            None => units,
        };
        let evidence = Evidence {
            holdout: self.config.audit.holdout,
            policy: self.resolved.policy.as_ref(),
            further: self.resolved.further(),
            ..Evidence::new(
                units / 2,
                units - units / 2,
                &self.resolved.gate,
                &self.config.audit.fpr,
            )
        };
        let found = guardrails::check(&evidence).into_iter();
        found
            .filter(|finding| finding.status != Status::Ok)
            .collect()
    }

    /// What a user should know about the data, and about members that teach a model nothing.
    pub fn notes(&self) -> Vec<String> {
        let data = self.training.subject().data.as_ref();
        let mut notes = data.map_or_else(Vec::new, |data| data.notes.clone());
        notes.extend(self.copies());
        notes.extend(self.people());
        notes.extend(self.held_out().map(report::classifier::held_out));
        notes.extend(self.aside.as_ref().map(Aside::note));
        notes
    }

    /// How many people there are, and what becomes of them.
    fn people(&self) -> Option<String> {
        let people = self.training.subject().people.as_ref()?;
        let unnamed = match people.unnamed {
            0 => String::new(),
            unnamed => format!(", {unnamed} of them records that name nobody"),
        };
        Some(format!(
            "{} records are of {} people{unnamed}: each is in a half as a whole",
            people.units.records(),
            people.units.count()
        ))
    }

    /// How many records repeat others, and what becomes of them.
    fn copies(&self) -> Option<String> {
        let units = self.training.subject().units.as_ref()?;
        let (records, different) = (units.records(), units.count());
        let repeated = units.repeated();
        let treatment = match self.training.settings().data.duplicates {
            Duplicates::Together => "copies go into the same half, as one",
            Duplicates::Apart => {
                "copies are split apart, as data.duplicates says, and the audit cannot pass where many \
                 are members and non-members at once"
            }
        };
        (repeated > 0).then(|| {
            format!(
                "{repeated} of {records} records are exact copies of others, and {different} are \
                 different: {treatment}"
            )
        })
    }

    /// Whose the records are, where a column says so.
    fn persons(&self) -> Option<PersonsWanted> {
        let group = self.config.group()?;
        let people = &self.training.subject().people.as_ref()?.units;
        let records = match &self.aside {
            Some(aside) => aside.audited.clone(),
            None => (0..people.records()).collect(),
        };
        let of_records = records.into_iter().map(|record| Some(people.unit(record)));
        Some(PersonsWanted::new(
            group,
            self.config.audit.join,
            of_records,
        ))
    }

    /// The share of each model's records that early stopping holds out.
    fn held_out(&self) -> Option<f64> {
        let training = self.config.training.as_ref()?;
        training.early_stop.map(|stop| stop.held_out)
    }

    /// Data, then code, as they were when the run began, then the configuration.
    fn inputs(&self, run: &Run) -> Vec<Inputs> {
        let Place {
            base,
            configuration,
            ..
        } = &self.place;
        let code = run.code().into_iter();
        let code = code.map(|(path, sha256)| input(&path, sha256, base));
        let data = self.data.iter().cloned();
        data.chain(code).chain(configuration.clone()).collect()
    }
}

/// What goes before the configuration.
fn overrule(config: &mut Config, options: &RunOptions) {
    options.overrule(&mut config.audit);
    if let Some(shadows) = options.shadows {
        config.models.shadows = shadows;
    }
    if let Some(executor) = &options.executor {
        config.run.executor.clone_from(executor);
    }
    if let Some(workers) = options.workers {
        config.run.workers = Some(workers);
    }
}

/// Where models are trained, and how many at once.
fn executing(
    config: &Config,
    options: &RunOptions,
) -> Result<(&'static dyn Executor, ExecutorOptions), Error> {
    let executor_options = ExecutorOptions {
        workers: config.run.workers,
        slurm: config.slurm.clone(),
        ray: config.ray.clone(),
        // Nodes start this program, unless another is named.
        worker: match &options.worker {
            Some(worker) => worker.clone(),
            None => crate::Launch::current().program.clone(),
        },
    };
    Ok((find(&config.run.executor)?, executor_options))
}

/// What the audit will ask for must be there once the models are.
fn check_counts(config: &Config) -> Result<(), Error> {
    if let Some(group) = &config.audit.group {
        return Err(Error::usage(
            format!("audit.group is {group}, but people are drawn into halves before any audit"),
            format!("set data.group = {group:?} instead"),
        ));
    }
    if config.audit.join.is_some() && config.group().is_none() {
        return Err(Error::usage(
            "audit.join is set, but nothing says whose a record is",
            "set data.group to the column that names the person",
        ));
    }
    let shadows = config.models.shadows;
    if config.audit.replicates > 0 && !config.models.design.is_online() {
        return Err(Error::usage(
            "audit.replicates makes each model the target in turn, but of an offline design only the first \
             trains on audited records",
            "leave audit.replicates out, or set models.design = \"online\"",
        ));
    }
    if config.audit.replicates > shadows + 1 {
        return Err(Error::usage(
            format!(
                "audit.replicates is {} but there are {} models",
                config.audit.replicates,
                shadows + 1
            ),
            "each replicate takes another model as its target",
        ));
    }
    let wrong = |k: &&usize| **k == 0 || **k > shadows;
    match config.audit.scaling.iter().find(wrong) {
        None => Ok(()),
        Some(k) => Err(Error::usage(
            format!("audit.scaling has {k} but models.shadows is {shadows}"),
            format!("give numbers from 1 to {shadows}"),
        )),
    }
}

/// The columns to slice by, each once: the true class wherever it is known, and columns of the data
/// file that were named.
fn slices(
    config: &Config,
    training: &TrainingInputs,
    place: &Place,
) -> Result<Vec<SliceColumn>, Error> {
    let mut found: Vec<SliceColumn> = Vec::new();
    let labelled = training.subject().labels.is_some();
    let label = labelled.then(|| slicing::LABEL.to_owned());
    for name in label.iter().chain(&config.audit.slices) {
        if found.iter().any(|column| column.name == *name) {
            continue;
        }
        let subject = training.subject();
        let file = config.data.path.as_ref();
        match (&subject.labels, file) {
            (Some(labels), _) if name == slicing::LABEL => found.push(SliceColumn {
                name: name.clone(),
                values: labels.clone(),
                names: class_names(subject),
                numbers: Vec::new(),
            }),
            (_, Some(file)) => {
                let groups = data::groups(&place.base.join(file), std::slice::from_ref(name))?;
                found.extend(groups.into_iter().map(slicing::of_group));
            }
            _ => {
                return Err(Error::usage(
                    format!("audit.slices has {name}, but no data file is read"),
                    "set data.path, or slice by label where labels are known",
                ));
            }
        }
    }
    Ok(found)
}

/// A model that learned nothing has nothing to give away: its pass says nothing.
fn hardly_learned(run: &Run, training: &Training) -> Vec<String> {
    let (Some(accuracy), Some(labels)) = (training.accuracy, &run.subject().labels) else {
        return Vec::new();
    };
    let mut counts = vec![0usize; run.subject().classes().unwrap_or(0)];
    for &label in labels {
        counts[label as usize] += 1;
    }
    let largest = counts.into_iter().max().unwrap_or(0) as f64 / labels.len() as f64;
    if accuracy > largest + 0.05 * (1.0 - largest) {
        return Vec::new();
    }
    vec![format!(
        "the audited model hardly learned anything: it classified {:.1}% of its training records \
         right, and always naming the largest class gives {:.1}%; a pass says little, mend the \
         training first",
        100.0 * accuracy,
        100.0 * largest
    )]
}

fn class_names(subject: &TrainingData) -> Vec<String> {
    match &subject.data {
        Some(data) => data.classes.clone(),
        None => (0..subject.classes().unwrap_or(0))
            .map(|class| class.to_string())
            .collect(),
    }
}

fn training(run: &Run) -> Training {
    let subject = run.subject();
    let record = run.training_record();
    let number = |path: &str| record.as_ref()?.pointer(path)?.as_f64();
    let epochs = record
        .as_ref()
        .and_then(|record| record.pointer("/epochs")?.as_array())
        .map_or(0, Vec::len);
    let last = format!("/epochs/{}/training/accuracy", epochs.saturating_sub(1));
    let data = subject.data.as_ref();
    Training {
        trainer: run.trainer(),
        records: subject.records,
        features: data.map(|data| data.width),
        classes: data.map_or_else(Vec::new, |data| data.classes.clone()),
        columns: data.map_or_else(Vec::new, columns),
        accuracy: number(&last),
        right: number("/right/training")
            .zip(number("/right/test"))
            .map(|(training, test)| Accuracy { training, test }),
        held_out: None,
        what_if: Vec::new(),
        privacy: number("/privacy/delta").map(|delta| Privacy {
            epsilon: number("/privacy/epsilon"),
            delta,
            noise_multiplier: number("/privacy/noise_multiplier").unwrap_or(0.0),
        }),
    }
}

fn columns(data: &Records) -> Vec<Column> {
    data.columns
        .iter()
        .map(|note| Column {
            name: note.name.clone(),
            treatment: treatment(note),
            missing: note.missing,
        })
        .collect()
}

/// What became of a column, in words.
fn treatment(note: &ColumnNote) -> String {
    let features = note.features.len();
    match &note.kind {
        ColumnKind::Number { mean, deviation } if features == 2 => format!(
            "a number, less {mean:.4}, divided by {deviation:.4}; a second feature says where it \
             is missing"
        ),
        ColumnKind::Number { mean, deviation } if features == 1 => {
            format!("a number, less {mean:.4}, divided by {deviation:.4}")
        }
        ColumnKind::Number { .. } => format!("{features} numbers"),
        ColumnKind::Category { values } => format!("{values} categories, one feature each"),
        ColumnKind::Constant => "the same everywhere: left out".into(),
        ColumnKind::Ignored => "left out".into(),
        ColumnKind::Label => "the label".into(),
        ColumnKind::Id => "names the records".into(),
    }
}
