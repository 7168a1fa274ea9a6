//! The user's own training program, run once per model, or serving one model after another.

pub(super) mod arguments;
mod record;
mod right;

use base::Progress;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use self::arguments::{PLACEHOLDERS, filled, find, is_script, unknown_placeholder};
use super::code::Code;
use super::ingredients::Ingredients;
use super::phi;
use super::privacy;
use super::process::{self, Ending};
use super::serving::{Handed, Workers};
use super::settings::{CommandSettings, OutputKind};
use super::store::header;
use super::trainer::{Job, Output, Trainer};
use super::training_data::TrainingData;
use crate::{Error, ErrorKind, Result};
use formats::environment::expand;
use formats::private;

/// The job file's name and major version.
const SCHEMA: &str = "guestlist.job/1";
/// The name of the file that the program writes.
const OUTPUT: &str = "output.npy";

/// Trains through a program.
pub struct Program<'a> {
    settings: &'a CommandSettings,
    subject: &'a TrainingData,
    /// Where the program runs.
    folder: PathBuf,
    /// The program itself, found.
    program: PathBuf,
    /// The user's data file and the arrays made from it, for the job file.
    data: DataFiles,
    code: Code<'a>,
    timeout: Option<Duration>,
    /// Where it serves.
    workers: Option<Workers>,
}

/// What a job file says about the data; everything is optional because a program may know best.
#[derive(Clone, Debug, Default)]
pub struct DataFiles {
    pub source: Option<PathBuf>,
    pub features: Option<PathBuf>,
    pub labels: Option<PathBuf>,
}

impl<'a> Program<'a> {
    pub fn new(
        settings: &'a CommandSettings,
        subject: &'a TrainingData,
        base: &Path,
        store: &Path,
        data: DataFiles,
    ) -> Result<Self> {
        let folder = match &settings.folder {
            Some(folder) => base.join(folder),
            None => base.to_owned(),
        };
        if !folder.is_dir() {
            return Err(setting("command.folder is not a folder").at(&folder));
        }
        let Some(name) = settings.run.first().filter(|name| !name.is_empty()) else {
            return Err(setting("command.run is empty")
                .hint(r#"write run = ["python3", "train.py", "{job}"]"#));
        };
        let program = find(name, &folder)?;
        check_settings(settings, subject, &folder)?;
        let timeout = settings.timeout.map(timeout).transpose()?;
        let workers = || Workers::new(settings.models_at_once, timeout);
        Ok(Self {
            code: Code::new(settings, &folder, store)?,
            workers: settings.serve.then(workers),
            timeout,
            settings,
            subject,
            folder,
            program,
            data,
        })
    }

    /// What the program is told of a model.
    fn document(&self, job: &Job, paths: &Paths) -> Value {
        json!({
            "schema": SCHEMA,
            "model": job.model,
            "seed": program_seed(job.seed),
            "records": self.subject.records,
            "classes": self.subject.classes(),
            "rows": paths.rows,
            "keep": paths.keep,
            "output": paths.output,
            "privacy": paths.privacy,
            "training": paths.training,
            "right": paths.right,
            "output_kind": self.settings.output,
            "data": self.data.source,
            "features": self.data.features,
            "labels": self.data.labels,
            "parameters": self.settings.parameters,
        })
    }

    /// The program for everything that a worker trains.
    fn command(&self, worker: Option<usize>, threads: usize) -> Result<Command> {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder);
        let gpus = &self.settings.gpus;
        if let (Some(worker), false) = (worker, gpus.is_empty()) {
            command.env("CUDA_VISIBLE_DEVICES", &gpus[worker % gpus.len()]);
        }
        // Numeric libraries would else start as many threads as there are cores, in every worker.
        if std::env::var_os("OMP_NUM_THREADS").is_none() {
            command.env("OMP_NUM_THREADS", threads.to_string());
        }
        command.envs(expand(&self.settings.environment)?);
        Ok(command)
    }

    /// The program for one model.
    fn command_of(&self, job: &Job, paths: &Paths) -> Result<Command> {
        let mut command = self.command(job.worker, job.threads)?;
        let values = BTreeMap::from([
            ("job", paths.job.clone().into_os_string()),
            ("rows", paths.rows.clone().into_os_string()),
            ("output", paths.output.clone().into_os_string()),
            ("seed", OsString::from(program_seed(job.seed).to_string())),
            ("model", OsString::from(job.model.to_string())),
        ]);
        for argument in &self.settings.run[1..] {
            command.arg(filled(argument, &values));
        }
        command
            .env("GUESTLIST_JOB", &paths.job)
            .env("GUESTLIST_OUTPUT", &paths.output);
        Ok(command)
    }

    /// The program that serves.
    fn command_that_serves(&self, job: &Job) -> Result<Command> {
        let mut command = self.command(job.worker, job.threads)?;
        let at_once = self.settings.models_at_once.to_string();
        command
            .args(&self.settings.run[1..])
            .env("GUESTLIST_SERVE", "1")
            .env("GUESTLIST_MODELS_AT_ONCE", at_once);
        // Python keeps what is printed to a pipe to itself until there is much of it.
        if std::env::var_os("PYTHONUNBUFFERED").is_none() {
            command.env("PYTHONUNBUFFERED", "1");
        }
        Ok(command)
    }

    /// Has the program that serves train a model.
    fn serve(
        &self,
        workers: &Workers,
        job: &Job,
        paths: &Paths,
        mut document: Value,
        progress: Progress<'_>,
    ) -> Result<()> {
        document["job"] = json!(paths.job);
        document["attempt"] = json!(job.attempt);
        let handed = Handed {
            model: job.model,
            line: format!("{document}\n").into_bytes(),
            heading: heading(job),
            log: job.log,
            // Of several models that die together, one may be the others' end.
            alone: job.attempt > 1 && job.attempt > self.settings.retries,
        };
        let command = || self.command_that_serves(job);
        workers.train(job.worker, &handed, &command, progress)
    }

    fn failed(&self, ending: &Ending) -> Option<Error> {
        let failure = |message: String| Some(Error::new(ErrorKind::Training, message));
        match ending {
            Ending::Exited(status) if status.success() => None,
            Ending::Exited(status) => failure(format!("the training program ended with {status}")),
            Ending::TimedOut => failure(format!(
                "the training program was ended after {} seconds",
                self.settings.timeout.unwrap_or_default()
            ))
            .map(|error| error.hint("raise command.timeout if it was merely slow")),
            Ending::Stopped => Some(Error::new(ErrorKind::Interrupted, "interrupted")),
        }
    }
}

impl Trainer for Program<'_> {
    fn about(&self) -> String {
        format!("your program: {}", self.settings.run.join(" "))
    }

    fn ingredients(&self) -> Result<Ingredients> {
        let settings = self.settings;
        let mut ingredients = Ingredients::default();
        ingredients.add("command.run", json!(settings.run).to_string());
        ingredients.add("command.output", json!(settings.output).to_string());
        for (name, value) in &settings.environment {
            ingredients.add(format!("command.environment.{name}"), value);
        }
        for (name, value) in &settings.parameters {
            ingredients.add_settings(&format!("command.parameters.{name}"), value);
        }
        for (path, digest) in self.code.digests() {
            ingredients.add(format!("code {path}"), digest);
        }
        Ok(ingredients)
    }

    fn check(&self, _rows: &[u32]) -> Result<()> {
        Ok(())
    }

    fn workers(&self) -> Option<usize> {
        self.settings.places()
    }

    fn retries(&self) -> u32 {
        self.settings.retries
    }

    fn change(&self) -> Option<String> {
        self.code.change()
    }

    fn files(&self) -> Vec<PathBuf> {
        self.code.files().map(|(path, _)| path).collect()
    }

    fn code(&self) -> Vec<(PathBuf, String)> {
        self.code.files().collect()
    }

    fn models_at_once(&self) -> usize {
        self.settings.models_at_once
    }

    fn enter(&self, worker: Option<usize>) {
        if let Some(workers) = &self.workers {
            workers.enter(worker);
        }
    }

    fn leave(&self, worker: Option<usize>, progress: Progress<'_>) {
        if let Some(workers) = &self.workers {
            workers.leave(worker, progress);
        }
    }

    fn train(&self, job: &Job, progress: Progress<'_>) -> Result<Output> {
        let paths = Paths::within(job.scratch);
        let document = self.document(job, &paths);
        paths.write(job, &document)?;
        match &self.workers {
            Some(workers) => self.serve(workers, job, &paths, document, progress)?,
            None => {
                let command = self.command_of(job, &paths)?;
                let ending = process::run(command, job.log, &heading(job), self.timeout, progress)?;
                self.failed(&ending).map_or(Ok(()), Err)?;
            }
        }
        let answers =
            phi::from_file(&paths.output, self.settings.output, self.subject).map_err(|error| {
                Error {
                    kind: ErrorKind::Training,
                    // The folder of the attempt is gone by the time that anyone could look.
                    path: Some(OUTPUT.into()),
                    ..error
                }
            })?;
        // Refused here, so that a model's folder never holds a claim that cannot be read.
        let stated = privacy::stated(&paths.privacy)?;
        let stated = stated.map(|(_, bytes)| (privacy::FILE, bytes));
        let record = record::written(&paths.training)?.map(|bytes| (record::FILE, bytes));
        let right = match answers.right {
            Some(right) => Some(right),
            None => right::written(&paths.right, answers.phi.len())?,
        };
        Ok(Output {
            phi: answers.phi,
            augmentations: answers.augmentations,
            right,
            files: stated.into_iter().chain(record).collect(),
        })
    }
}

/// The files of one attempt.
struct Paths {
    job: PathBuf,
    rows: PathBuf,
    keep: PathBuf,
    output: PathBuf,
    privacy: PathBuf,
    training: PathBuf,
    right: PathBuf,
}

impl Paths {
    fn within(folder: &Path) -> Self {
        Self {
            job: folder.join("job.json"),
            rows: folder.join("rows.npy"),
            keep: folder.join("keep.npy"),
            output: folder.join(OUTPUT),
            privacy: folder.join(privacy::FILE),
            training: folder.join(record::FILE),
            right: folder.join(right::FILE),
        }
    }

    /// Writes what the program reads.
    fn write(&self, job: &Job, document: &Value) -> Result<()> {
        let text = format!("{document:#}\n");
        write(&self.job, text.as_bytes())?;
        let mut rows = header("<i8", &[job.rows.len()])?;
        rows.extend(
            job.rows
                .iter()
                .flat_map(|row| i64::from(*row).to_le_bytes()),
        );
        write(&self.rows, &rows)?;
        let mut keep = header("|b1", &[job.keep.len()])?;
        keep.extend((0..job.keep.len()).map(|record| u8::from(job.keep.get(record))));
        write(&self.keep, &keep)
    }
}

/// What a model's log is headed with.
fn heading(job: &Job) -> String {
    format!("model {}, attempt {}", job.model, job.attempt)
}

/// What can be said about the settings before the code is read.
fn check_settings(settings: &CommandSettings, subject: &TrainingData, folder: &Path) -> Result<()> {
    for argument in &settings.run {
        if let Some(unknown) = unknown_placeholder(argument) {
            return Err(
                setting(&format!("command.run has {{{unknown}}}")).hint(format!(
                    "filled in are {}",
                    PLACEHOLDERS.map(|name| format!("{{{name}}}")).join(", ")
                )),
            );
        }
    }
    let missing = settings.run[1..]
        .iter()
        .find(|argument| is_script(argument) && !folder.join(argument).exists());
    if let Some(script) = missing {
        return Err(setting(&format!("command.run: there is no file {script}"))
            .at(folder)
            .hint("paths in command.run start from command.folder"));
    }
    if settings.output != OutputKind::Phi && subject.labels.is_none() {
        return Err(setting("the true classes are not known")
            .hint("set data.path and data.label, or data.labels to a .npy of class numbers, or write φ and say command.output = \"phi\""));
    }
    if settings.models_per_gpu == 0 {
        return Err(setting("command.models_per_gpu is 0")
            .hint("at least one model trains on a device at a time"));
    }
    check_serving(settings)?;
    expand(&settings.environment)?;
    Ok(())
}

/// What goes with `command.serve`, and what does not.
fn check_serving(settings: &CommandSettings) -> Result<()> {
    match (settings.serve, settings.models_at_once) {
        (_, 0) => {
            return Err(setting("command.models_at_once is 0")
                .hint("a program that serves takes at least one model at a time"));
        }
        (false, more @ 2..) => {
            return Err(setting(&format!("command.models_at_once is {more}")).hint(
                "only a program that serves takes several models: set command.serve = true",
            ));
        }
        _ => {}
    }
    let one_model = |argument: &&String| {
        let mut names = PLACEHOLDERS.iter();
        names.any(|name| argument.contains(&format!("{{{name}}}")))
    };
    match settings
        .run
        .iter()
        .find(one_model)
        .filter(|_| settings.serve)
    {
        None => Ok(()),
        Some(argument) => Err(setting(&format!("command.run has {argument}")).hint(
            "with command.serve the program is started once for many models, and reads their jobs \
             from its input: leave it out",
        )),
    }
}

/// The time that one model may take.
fn timeout(seconds: f64) -> Result<Duration> {
    process::seconds(seconds).ok_or_else(|| {
        setting(&format!("command.timeout is {seconds:?}"))
            .hint("give a number of seconds above 0, such as 3600, or leave it out")
    })
}

/// Small enough for every library's seed.
fn program_seed(seed: u64) -> u64 {
    seed & 0x7fff_ffff
}

fn setting(message: &str) -> Error {
    Error::new(ErrorKind::Setting, message)
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let written = private::create(path).and_then(|mut file| file.write_all(bytes));
    written.map_err(|e| Error::writing(path, &e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_no_clock_counts_to_is_refused() {
        assert_eq!(timeout(1.5).unwrap(), Duration::from_millis(1500));
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            let error = timeout(wrong).unwrap_err().to_string();
            assert!(error.contains("command.timeout is"), "{error}");
        }
    }
}
