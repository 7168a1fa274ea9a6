//! A run: every model that is to be trained, and what is there already.

mod alike;
mod tried;
mod unchanged;

use base::Progress;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use rayon::prelude::*;
use stats::streams::Seed;

use attacks::signals::membership::MemberRow;

use super::arrays;
use super::command::{DataFiles, Program};
use super::external::{self, External};
use super::ingredients::Ingredients;
use super::native::Native;
use super::plan;
use super::settings::{CommandSettings, Design, Duplicates, Settings};
use super::splits::Splits;
use super::store::{State, Store};
use super::torch::{self, Torch};
use super::trainer::{Job, Trainer};
use super::training_data::TrainingData;
use super::watched::Watched;
use crate::{Error, ErrorKind, Result};
use formats::data::Units;
use formats::shadow::{self, ShadowTable};

/// So many finished models tell how long the others take.
const TIMED_MODELS: usize = 33;

/// Half of the records: the target and the shadows then train on equally many.
pub(super) const REFERENCE_SHARE: f64 = 0.5;

/// Settings and the data that they name, read.
pub struct TrainingInputs {
    settings: Settings,
    /// Paths in the settings start here.
    pub(super) base: PathBuf,
    subject: TrainingData,
    /// Python as a program that serves, where it trains.
    torch: Option<CommandSettings>,
}

impl TrainingInputs {
    pub fn open(mut settings: Settings, base: &Path) -> Result<Self> {
        let base = std::path::absolute(base).map_err(|e| Error::reading(base, &e))?;
        let subject = match torch::open(&settings, &base)? {
            Some((described, subject)) => {
                settings.described = Some(described);
                subject
            }
            None => TrainingData::read(&settings.data, &base)?,
        };
        Self::given(settings, &base, subject)
    }

    /// The same as the plan in a run's folder has them: Python is not asked again.
    pub(super) fn planned(settings: Settings, base: &Path, folder: &Path) -> Result<Self> {
        let described = settings.described.as_ref();
        let kept = described.map(|described| torch::kept(folder, described));
        match kept.transpose()?.flatten() {
            Some(subject) => Self::given(settings, base, subject),
            None if settings.described.is_some() => {
                let base = std::path::absolute(base).map_err(|e| Error::reading(base, &e))?;
                let subject = TrainingData::read(&settings.data, &base)?;
                Self::given(settings, &base, subject)
            }
            None => Self::open(settings, base),
        }
    }

    /// Settings with records that somebody holds in memory.
    pub fn given(settings: Settings, base: &Path, subject: TrainingData) -> Result<Self> {
        let base = std::path::absolute(base).map_err(|e| Error::reading(base, &e))?;
        let torch = settings.torch.as_ref().zip(settings.described.as_ref());
        let torch = torch.map(|(torch, described)| {
            torch::command(torch, described, settings.shadows.saturating_add(1))
        });
        Ok(Self {
            settings,
            base,
            subject,
            torch,
        })
    }

    pub fn subject(&self) -> &TrainingData {
        &self.subject
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn into_subject(self) -> TrainingData {
        self.subject
    }

    /// Copies that are drawn together; nothing where every record is one.
    fn together(&self) -> Option<&Units> {
        let units = self.subject.units.as_ref()?;
        let wanted = self.settings.data.duplicates == Duplicates::Together;
        (wanted && units.count() < units.records()).then_some(units)
    }

    /// The units that splits draw: people, copies, or nothing where every record is one.
    fn drawn(&self) -> Option<Cow<'_, Units>> {
        let copies = self.together();
        match &self.subject.people {
            Some(people) => Some(Cow::Owned(people.with_copies(copies))),
            None => copies.map(Cow::Borrowed),
        }
    }

    fn splits(&self) -> Result<Splits> {
        let (shadows, seed) = (self.settings.shadows, Seed(self.settings.seed));
        if let Some(share) = self.reference_share()? {
            let single = || Cow::Owned(Units::single(self.subject.records));
            return Splits::offline(&self.drawn().unwrap_or_else(single), share, shadows, seed);
        }
        match self.drawn() {
            Some(units) => Splits::of_units(&units, shadows, seed),
            None => Splits::new(self.subject.records, shadows, seed),
        }
    }

    /// The share of the records that is set aside; nothing in an online design.
    fn reference_share(&self) -> Result<Option<f64>> {
        let share = self.settings.data.reference;
        let refused = |message: String, hint: &str| {
            Err(Error::new(ErrorKind::Setting, message).hint(hint.to_owned()))
        };
        match (self.settings.design, share) {
            (Design::Online, None) => Ok(None),
            (Design::Online, Some(share)) => refused(
                format!("data.reference is {share}, but the design is online"),
                "reference records are for shadows that train on no audited record: set models.design = \
                 \"offline\", or leave data.reference out",
            ),
            (Design::Offline, share) => match share.unwrap_or(REFERENCE_SHARE) {
                share if share > 0.0 && share < 1.0 => Ok(Some(share)),
                share => refused(
                    format!("data.reference is {share}"),
                    "give the share of the records that is set aside for the shadows, between 0 and 1; \
                     0.5 is usual",
                ),
            },
        }
    }

    fn trainer(&self, store: &Store) -> Result<Box<dyn Trainer + '_>> {
        let settings = &self.settings;
        settings.check_trainers()?;
        if let Some(external) = &settings.external {
            return Ok(Box::new(External::new(external)));
        }
        if let Some(training) = &settings.training {
            return Ok(Box::new(Native::new(training, &self.subject)?));
        }
        let program = |command| {
            let files = self.data_files(store);
            Program::new(command, &self.subject, &self.base, store.path(), files)
        };
        if let Some(command) = &settings.command {
            return Ok(Box::new(program(command)?));
        }
        match (&settings.torch, &settings.described, &self.torch) {
            (Some(torch), Some(described), Some(command)) => Ok(Box::new(Torch {
                program: program(command)?,
                settings: torch,
                described,
            })),
            _ => Err(Error::new(ErrorKind::Setting, "nothing says how models are trained").hint(
                "add [training] for the native trainer, [command] for your own program, or [torch] for \
                 a model of PyTorch",
            )),
        }
    }

    fn data_files(&self, store: &Store) -> DataFiles {
        let read = self.subject.data.is_some();
        let array = |name: &str| read.then(|| store.path().join("data").join(name));
        DataFiles {
            source: self.settings.data.path.as_ref().map(|p| self.base.join(p)),
            features: array("features.npy"),
            labels: match &self.settings.data.labels {
                Some(labels) => Some(self.base.join(labels)),
                None => array("labels.npy"),
            },
        }
    }
}

/// What lies ahead.
pub struct TrainingEstimate {
    pub models: usize,
    pub records: usize,
    pub done: usize,
    /// Models that were set aside and come back, because what had changed was changed back.
    pub returning: usize,
    /// Models that were trained from something else, and why they no longer count.
    pub stale: Vec<(usize, String)>,
    /// The trainer, in words.
    pub trainer: String,
    /// Seconds that one model takes, where models are finished or it can be measured beforehand.
    pub seconds: Option<f64>,
}

impl TrainingEstimate {
    pub fn to_train(&self) -> usize {
        self.models - self.done - self.returning
    }
}

/// What readying a folder came to.
#[derive(Debug, Default)]
pub struct Prepared {
    /// Models that are left to train.
    pub open: Vec<usize>,
    /// How many came back that had been set aside.
    pub returned: usize,
}

/// All that is settled before the first model is trained.
pub struct Run<'a> {
    pub(super) training: &'a TrainingInputs,
    store: Store,
    splits: Arc<Splits>,
    trainer: Box<dyn Trainer + 'a>,
    /// What all models have in common.
    pub(super) shared: Ingredients,
    /// The data files that a program of the user's may read.
    sources: Vec<Watched>,
    /// The arrays that are written for it, once anybody asks.
    arrays: OnceLock<Vec<Watched>>,
    /// A finished model, and how many augmentations it has: all others must have as many.
    example: Mutex<Option<(usize, usize)>>,
}

impl<'a> Run<'a> {
    /// Checks everything that can be checked; writes nothing.
    pub fn new(training: &'a TrainingInputs, folder: &Path) -> Result<Self> {
        let folder = std::path::absolute(folder).map_err(|e| Error::reading(folder, &e))?;
        let store = Store::at(&folder);
        let settings = &training.settings;
        let subject = &training.subject;
        let splits = training.splits()?;
        if let Some(labels) = &subject.labels {
            splits.check_classes(labels)?;
        }
        let trainer = training.trainer(&store)?;
        trainer.check(&splits.rows(0))?;
        let mut shared = trainer.ingredients()?;
        shared.add("seed", settings.seed.to_string());
        shared.add("data", subject.digest.as_str());
        if training.together().is_some() {
            shared.add("data.duplicates", "together");
        }
        if let Some(share) = training.reference_share()? {
            shared.add("models.design", "offline");
            shared.add("data.reference", share.to_string());
        }
        if let Some(people) = &subject.people {
            shared.add("data.group", people.digest());
        }
        let mut sources = Vec::new();
        if settings.by_program() {
            // The program may read more of a file than we do.
            for source in &subject.sources {
                let name = source.file_name().unwrap_or_default().to_string_lossy();
                let source = Watched::new(name.as_ref(), source)?;
                shared.add(format!("file {name}"), source.digest.as_str());
                sources.push(source);
            }
        }
        Ok(Self {
            training,
            store,
            splits: Arc::new(splits),
            trainer,
            shared,
            sources,
            arrays: OnceLock::new(),
            example: Mutex::default(),
        })
    }

    pub fn models(&self) -> usize {
        self.splits.models()
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Which records every model trains on, for whoever outlives this.
    pub(super) fn splits_of_models(&self) -> Arc<Splits> {
        Arc::clone(&self.splits)
    }

    /// The records that are set aside for the shadows, in an offline design.
    pub fn reference(&self) -> Option<&MemberRow> {
        self.splits.reference()
    }

    pub fn subject(&self) -> &'a TrainingData {
        &self.training.subject
    }

    /// How often a model that failed is tried again.
    pub fn retries(&self) -> u32 {
        self.trainer.retries()
    }

    /// How many models to train at once where nobody says so.
    pub fn workers(&self) -> Option<usize> {
        self.trainer.workers()
    }

    /// How many models one worker takes at once.
    pub fn models_at_once(&self) -> usize {
        self.trainer.models_at_once()
    }

    /// Somebody will train for this worker until they leave it.
    pub fn enter(&self, worker: Option<usize>) {
        self.trainer.enter(worker);
    }

    /// Somebody has no more models for this worker: what was kept running ends with the last.
    pub fn leave(&self, worker: Option<usize>, progress: Progress<'_>) {
        self.trainer.leave(worker, progress);
    }

    /// In one line, for people.
    pub fn trainer(&self) -> String {
        self.trainer.about()
    }

    pub fn state(&self, model: usize) -> State {
        self.store.state(model, &self.ingredients(model))
    }

    fn states(&self) -> Vec<State> {
        let all = (0..self.models()).into_par_iter();
        let mut states: Vec<State> = all.map(|model| self.state(model)).collect();
        for (model, why) in self.odd(&states) {
            states[model] = State::Stale(why);
        }
        states
    }

    fn seed(&self, model: usize) -> u64 {
        external::seed(Seed(self.training.settings.seed), model)
    }

    fn ingredients(&self, model: usize) -> Ingredients {
        external::ingredients(&self.shared, &self.splits, model)
    }

    /// Models that were trained from something else, and what.
    pub fn stale(&self) -> Vec<(usize, String)> {
        stale(&self.states())
    }

    /// What a run would do. Takes a moment where the time has to be measured.
    pub fn estimate(&self) -> TrainingEstimate {
        let states = self.states();
        let stale = stale(&states);
        let done = states.iter().filter(|s| **s == State::Done).count();
        let returning = (0..self.models())
            .filter(|&model| states[model] != State::Done)
            .filter(|&model| self.store.would_return(model, &self.ingredients(model)))
            .count();
        TrainingEstimate {
            returning,
            models: self.models(),
            records: self.training.subject.records,
            done,
            stale,
            trainer: self.trainer.about(),
            seconds: match done + returning == self.models() {
                true => None,
                false => self.seconds(&states),
            },
        }
    }

    /// What a model takes: as those that are finished, or as a trial has it.
    fn seconds(&self, states: &[State]) -> Option<f64> {
        let done = (0..self.models()).filter(|&model| states[model] == State::Done);
        let mut seconds: Vec<f64> = done
            .filter_map(|model| self.store.seconds(model))
            .take(TIMED_MODELS)
            .collect();
        seconds.sort_by(f64::total_cmp);
        let middle = seconds.get(seconds.len() / 2).copied();
        middle.or_else(|| self.trainer.seconds(&self.splits.rows(0)))
    }

    /// Readies the folder: sweeps up after workers that were killed, sets stale models aside,
    /// brings back what fits, writes the plan.
    pub fn prepare(&self) -> Result<Prepared> {
        self.store.prepare()?;
        self.store.sweep();
        let mut readied = Prepared::default();
        for (model, state) in self.states().into_iter().enumerate() {
            if state == State::Done {
                continue;
            }
            if self.state(model) == State::Done {
                // Only unlike the others: set aside, it would come straight back.
                self.store.discard(model)?;
            }
            match self.store.refresh(model, &self.ingredients(model))? {
                true => readied.returned += 1,
                false => readied.open.push(model),
            }
        }
        self.store.retire_strangers(self.models(), &self.shared)?;
        self.write_arrays()?;
        plan::write(self)?;
        Ok(readied)
    }

    /// The data as numbers, for programs that would rather not parse a file; and the labels
    /// beside the models, where other tools look for them.
    fn write_arrays(&self) -> Result<()> {
        let subject = self.subject();
        if let Some(labels) = subject.signed_labels() {
            arrays::write_labels(&self.store.models().join("labels.npy"), &labels)?;
        }
        if !self.training.settings.by_program() {
            return Ok(());
        }
        let folder = torch::data(self.store.path());
        formats::private::make_folder(&folder).map_err(|e| Error::writing(&folder, &e))?;
        if let Some(described) = &self.training.settings.described {
            torch::keep(&folder, described, subject)?;
        }
        if let Some(data) = &subject.data {
            arrays::write_features(&folder.join("features.npy"), data)?;
            let labels = subject.signed_labels().unwrap_or_default();
            arrays::write_labels(&folder.join("labels.npy"), &labels)?;
        }
        Ok(())
    }

    /// Trains one model, unless it is there already. Safe to do twice, at once, anywhere.
    pub fn train(&self, model: usize, turn: Turn, progress: Progress<'_>) -> Result<()> {
        let ingredients = self.ingredients(model);
        if self.store.state(model, &ingredients) == State::Done {
            return Ok(());
        }
        let scratch = self.store.scratch(model)?;
        let rows = self.splits.rows(model);
        let job = Job {
            model,
            keep: self.splits.keep(model),
            rows: &rows,
            seed: self.seed(model),
            worker: turn.worker,
            threads: turn.threads,
            attempt: turn.attempt,
            scratch: scratch.path(),
            log: &self.store.log(model),
        };
        self.check_unchanged()?;
        let started = Instant::now();
        let output = self.trainer.train(&job, progress);
        let took = started.elapsed();
        let stopped = |error: &Error| error.kind == ErrorKind::Interrupted;
        if !output.as_ref().is_err_and(stopped) {
            // Also of an attempt that failed: the next one would train with something else.
            self.check_unchanged()?;
        }
        let output = output?;
        self.check_augmentations(model, &output)?;
        self.store
            .commit(&scratch, model, job.keep, &output, &ingredients, took)
    }

    /// The user's files that say how models are trained, by their digests as the run began.
    pub fn code(&self) -> Vec<(PathBuf, String)> {
        self.trainer.code()
    }

    /// Every file that models are made from and that lies outside the run's folder.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let mut files = self.training.subject.sources.clone();
        let labels = self.training.settings.data.labels.iter();
        files.extend(labels.map(|labels| self.training.base.join(labels)));
        files.extend(self.trainer.files());
        files.sort();
        files.dedup();
        files
    }

    /// Keeps a model that was trained elsewhere, if it is what we would have trained.
    pub(super) fn accept(&self, model: usize, contents: &BTreeMap<String, Vec<u8>>) -> Result<()> {
        self.store.accept(model, contents, &self.ingredients(model))
    }

    /// The signals of all models, once every one is trained.
    pub fn signals(&self) -> Result<ShadowTable> {
        let folders = (0..self.models()).map(|model| self.store.model(model));
        let mut table = shadow::read_models(&self.store.models(), folders.collect())?;
        // What the reader has to say of folders in general is no news about ours.
        table.notes.clear();
        table.set_labels(self.subject().signed_labels());
        table.units = self.subject().units.clone();
        table.ids = self
            .subject()
            .data
            .as_ref()
            .and_then(|data| data.ids.clone());
        Ok(table)
    }

    /// Where paths in the settings start.
    pub(super) fn base(&self) -> &'a Path {
        &self.training.base
    }

    pub(super) fn settings(&self) -> &'a Settings {
        &self.training.settings
    }

    /// What the audited model trains on, and its seed.
    pub(super) fn target_rows(&self) -> Vec<u32> {
        self.splits.rows(0)
    }

    pub(super) fn target_keep(&self) -> &MemberRow {
        self.splits.keep(0)
    }

    pub(super) fn target_seed(&self) -> u64 {
        self.seed(0)
    }

    /// How the audited model was trained, in the trainer's words; nothing where it left none.
    pub fn training_record(&self) -> Option<serde_json::Value> {
        let text = std::fs::read_to_string(self.store.model(0).join("training.json")).ok()?;
        serde_json::from_str(&text).ok()
    }
}

fn stale(states: &[State]) -> Vec<(usize, String)> {
    let stale = |(model, state): (usize, &State)| match state {
        State::Stale(why) => Some((model, why.clone())),
        _ => None,
    };
    states.iter().enumerate().filter_map(stale).collect()
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// From 0; absent where somebody else shares out the devices.
    pub worker: Option<usize>,
    /// Cores that this worker may use.
    pub threads: usize,
    /// From 1.
    pub attempt: u32,
}
