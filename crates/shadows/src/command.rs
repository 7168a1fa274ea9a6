//! The user's own training program, run once per model.

use base::Progress;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use super::code::Code;
use super::ingredients::Ingredients;
use super::phi;
use super::process::{self, Ending};
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
const PLACEHOLDERS: [&str; 5] = ["job", "rows", "output", "seed", "model"];

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
        Ok(Self {
            code: Code::new(settings, &folder, store)?,
            timeout: settings.timeout.map(timeout).transpose()?,
            settings,
            subject,
            folder,
            program,
            data,
        })
    }

    fn job_file(&self, job: &Job, paths: &Paths) -> Result<()> {
        let document = json!({
            "schema": SCHEMA,
            "model": job.model,
            "seed": program_seed(job.seed),
            "records": self.subject.records,
            "classes": self.subject.classes(),
            "rows": paths.rows,
            "keep": paths.keep,
            "output": paths.output,
            "output_kind": self.settings.output,
            "data": self.data.source,
            "features": self.data.features,
            "labels": self.data.labels,
            "parameters": self.settings.parameters,
        });
        let text = format!("{document:#}\n");
        write(&paths.job, text.as_bytes())?;
        let mut rows = header("<i8", &[job.rows.len()])?;
        rows.extend(
            job.rows
                .iter()
                .flat_map(|row| i64::from(*row).to_le_bytes()),
        );
        write(&paths.rows, &rows)?;
        let mut keep = header("|b1", &[job.keep.len()])?;
        keep.extend((0..job.keep.len()).map(|record| u8::from(job.keep.get(record))));
        write(&paths.keep, &keep)
    }

    fn command(&self, job: &Job, paths: &Paths) -> Result<Command> {
        let mut command = Command::new(&self.program);
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
            .current_dir(&self.folder)
            .env("GUESTLIST_JOB", &paths.job)
            .env("GUESTLIST_OUTPUT", &paths.output);
        let gpus = &self.settings.gpus;
        if let (Some(worker), false) = (job.worker, gpus.is_empty()) {
            command.env("CUDA_VISIBLE_DEVICES", &gpus[worker % gpus.len()]);
        }
        // Numeric libraries would else start as many threads as there are cores, in every worker.
        if std::env::var_os("OMP_NUM_THREADS").is_none() {
            command.env("OMP_NUM_THREADS", job.threads.to_string());
        }
        command.envs(expand(&self.settings.environment)?);
        Ok(command)
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
    fn words(&self) -> String {
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

    fn train(&self, job: &Job, progress: Progress<'_>) -> Result<Output> {
        let paths = Paths::within(job.scratch);
        self.job_file(job, &paths)?;
        let heading = format!("model {}, attempt {}", job.model, job.attempt);
        let command = self.command(job, &paths)?;
        let ending = process::run(command, job.log, &heading, self.timeout, progress)?;
        if let Some(error) = self.failed(&ending) {
            return Err(error);
        }
        let (phi, augmentations) =
            phi::from_file(&paths.output, self.settings.output, self.subject).map_err(|error| {
                Error {
                    kind: ErrorKind::Training,
                    // The folder of the attempt is gone by the time that anyone could look.
                    path: Some(OUTPUT.into()),
                    ..error
                }
            })?;
        Ok(Output {
            phi,
            augmentations,
            files: Vec::new(),
        })
    }
}

/// The files of one attempt.
struct Paths {
    job: PathBuf,
    rows: PathBuf,
    keep: PathBuf,
    output: PathBuf,
}

impl Paths {
    fn within(folder: &Path) -> Self {
        Self {
            job: folder.join("job.json"),
            rows: folder.join("rows.npy"),
            keep: folder.join("keep.npy"),
            output: folder.join(OUTPUT),
        }
    }
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
    expand(&settings.environment)?;
    Ok(())
}

/// The time that one model may take.
fn timeout(seconds: f64) -> Result<Duration> {
    process::seconds(seconds).ok_or_else(|| {
        setting(&format!("command.timeout is {seconds:?}"))
            .hint("give a number of seconds above 0, such as 3600, or leave it out")
    })
}

/// Whether an argument names a script, by its ending.
fn is_script(argument: &str) -> bool {
    let endings = [".py", ".sh", ".R", ".jl", ".pl"];
    !argument.contains('{') && endings.iter().any(|ending| argument.ends_with(ending))
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

/// The program's file: by its path from the folder it runs in, or along PATH.
fn find(name: &str, folder: &Path) -> Result<PathBuf> {
    let missing = || {
        setting(&format!("command.run: the program {name} is not found")).hint(
            "give its path from command.folder with a slash in it, or a program that is on PATH",
        )
    };
    if name.contains('/') {
        let path = folder.join(name);
        return match is_program(&path) {
            true => Ok(path),
            false if path.is_file() => Err(not_executable(name)),
            false => Err(missing()),
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|place| place.join(name));
    let mut programs = found.filter(|path| is_program(path));
    programs.next().ok_or_else(missing)
}

fn not_executable(name: &str) -> Error {
    setting(&format!("command.run: {name} is not executable")).hint(format!(
        "say chmod +x {name}, or run it through its interpreter: run = [\"python3\", \"{name}\", \"{{job}}\"]"
    ))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file() || path.with_extension("exe").is_file()
}

/// A word in braces that nothing fills in. Braces around anything but a plain word are left
/// alone: they are the program's own.
fn unknown_placeholder(argument: &str) -> Option<&str> {
    argument.split('{').skip(1).find_map(|rest| {
        let (word, _) = rest.split_once('}')?;
        let plain = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
        (plain && !PLACEHOLDERS.contains(&word)).then_some(word)
    })
}

fn filled(argument: &str, values: &BTreeMap<&str, OsString>) -> OsString {
    let mut out = OsString::new();
    let mut rest = argument;
    while let Some(start) = rest.find('{') {
        let known = values
            .iter()
            .find(|(name, _)| rest[start + 1..].starts_with(&format!("{name}}}")));
        match known {
            Some((name, value)) => {
                out.push(&rest[..start]);
                out.push(value);
                rest = &rest[start + name.len() + 2..];
            }
            None => {
                out.push(&rest[..=start]);
                rest = &rest[start + 1..];
            }
        }
    }
    out.push(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_and_other_braces_kept() {
        let values = BTreeMap::from([
            ("job", OsString::from("/a b/job.json")),
            ("seed", "7".into()),
        ]);
        assert_eq!(filled("--job={job}", &values), "--job=/a b/job.json");
        assert_eq!(filled("{seed}-{seed}", &values), "7-7");
        assert_eq!(filled("{\"a\": {seed}}", &values), "{\"a\": 7}");
        assert_eq!(unknown_placeholder("--x={jop}"), Some("jop"));
        assert_eq!(unknown_placeholder("{\"a\": 1}"), None);
        assert_eq!(unknown_placeholder("{job}"), None);
    }

    #[test]
    fn programs_are_found_before_anything_runs() {
        let here = Path::new(".");
        assert!(find("sh", here).is_ok());
        let error = find("no-such-program", here).unwrap_err().to_string();
        assert!(error.contains("no-such-program is not found"), "{error}");
        let error = find("./Cargo.toml", here).unwrap_err().to_string();
        assert!(error.contains("./Cargo.toml is not executable"), "{error}");
        assert!(error.contains("chmod +x"), "{error}");
        assert!(find("./no-such-program", here).is_err());
    }

    #[test]
    fn a_time_that_no_clock_counts_to_is_refused() {
        assert_eq!(timeout(1.5).unwrap(), Duration::from_millis(1500));
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            let error = timeout(wrong).unwrap_err().to_string();
            assert!(error.contains("command.timeout is"), "{error}");
        }
    }
}
