//! Slurm's own programs, called and understood.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::ending::{self, Endings};
use super::queue;
use super::script;
use crate::cluster::jobs::Jobs;
use crate::cluster::{Cluster, Known, Load, Refusal, Task, make_logs, name_of};
use crate::executor::ExecutorOptions;
use crate::{Error, ErrorKind, Result};

/// The programs that must be there.
const PROGRAMS: [&str; 2] = ["sbatch", "squeue"];

/// Talks to Slurm about one run.
pub struct Client<'a> {
    /// What the arrays of this run are named, before the offset.
    name: String,
    folder: PathBuf,
    jobs: Jobs,
    executor_options: &'a ExecutorOptions,
}

pub fn check() -> Result<()> {
    for program in PROGRAMS {
        let answer = Command::new(program)
            .arg("--version")
            .stdin(Stdio::null())
            .output();
        if let Err(error) = answer {
            return Err(Error::new(
                ErrorKind::Setting,
                format!("Slurm's {program} cannot be started: {error}"),
            )
            .hint("run on a machine from which you submit jobs, or use the local executor"));
        }
    }
    Ok(())
}

impl<'a> Client<'a> {
    pub fn new(folder: &Path, jobs: Jobs, executor_options: &'a ExecutorOptions) -> Result<Self> {
        make_logs(folder, "slurm")?;
        Ok(Self {
            name: name_of(folder) + &jobs.suffix(),
            folder: folder.to_owned(),
            jobs,
            executor_options,
        })
    }

    /// The arrays that models are in, each once.
    fn arrays(&self, jobs: &[(usize, String)]) -> Vec<String> {
        let offsets = jobs
            .iter()
            .map(|(model, _)| script::offset_of(self.jobs.of(*model)));
        let mut arrays: Vec<String> = offsets
            .map(|offset| script::array_name(&self.name, offset))
            .collect();
        arrays.dedup();
        arrays
    }

    /// By the accounts where they are kept; what they do not know yet, by the controller, which
    /// remembers for some minutes.
    fn endings_of(&self, array: &str) -> Endings {
        let mut accounts = Command::new("sacct");
        accounts
            .args(["--noheader", "--parsable2", "--allocations"])
            .arg(ending::ACCOUNTS_FORMAT)
            .arg(format!("--jobs={array}"));
        let mut controller = Command::new("scontrol");
        controller.args(["--oneliner", "show", "job", array]);
        let answer = |command| call(command, b"").unwrap_or_default();
        let mut endings = ending::controller(&answer(&mut controller), array);
        endings.update(ending::accounts(&answer(&mut accounts), array));
        endings
    }
}

impl Cluster for Client<'_> {
    fn system(&self) -> &'static str {
        "Slurm"
    }

    fn queue(&self) -> Result<Vec<Task>, Refusal> {
        let mut command = Command::new("squeue");
        command
            .args(["--noheader", "--array", "--me"])
            .arg(format!("--format={}", queue::FORMAT));
        // A taste of the user's, such as SQUEUE_STATES=RUNNING, would hide what waits.
        let tastes = std::env::vars_os().map(|(name, _)| name);
        for name in tastes.filter(|name| name.to_string_lossy().starts_with("SQUEUE_")) {
            command.env_remove(name);
        }
        let said = call(&mut command, b"").map_err(refusal)?;
        Ok(queue::parse(&said, &self.name, self.jobs))
    }

    /// Slurm itself keeps what does not run yet.
    fn portions(&self, due: &[usize], _load: Load) -> Vec<Vec<usize>> {
        let batches = script::batches(due, self.jobs).into_iter();
        batches.map(|batch| batch.models).collect()
    }

    fn submit(&self, models: &[usize]) -> Result<String, Refusal> {
        let ExecutorOptions { slurm, worker, .. } = self.executor_options;
        let mut id = String::new();
        for batch in script::batches(models, self.jobs) {
            let mut command = Command::new("sbatch");
            command
                .args(script::options(slurm, &batch, &self.name))
                .current_dir(&self.folder);
            let text = script::script(slurm, &batch, self.jobs, worker, &self.folder);
            let answer = call(&mut command, text.as_bytes()).map_err(refusal)?;
            // On a federation the answer is `id;cluster`.
            let first = answer.trim().split(';').next();
            id = first.unwrap_or_default().to_owned();
        }
        Ok(id)
    }

    fn submitted_as(&self, jobs: &[String]) -> String {
        let arrays = if jobs.len() == 1 { "array" } else { "arrays" };
        format!(" as job {arrays} {}", jobs.join(", "))
    }

    fn endings(&self, job: &str, models: &[usize]) -> Vec<Known> {
        let endings = self.endings_of(job);
        let task = |&model: &usize| {
            let job = self.jobs.of(model);
            job - script::offset_of(job)
        };
        let tasks = models.iter().map(task);
        tasks.map(|task| endings.known(task)).collect()
    }

    fn log(&self, model: usize) -> PathBuf {
        script::log(&self.folder, self.jobs.of(model))
    }

    fn withdraw(&self, jobs: &[(usize, String)]) {
        for array in self.arrays(jobs) {
            let mut command = Command::new("scancel");
            // What cannot be cancelled fails by itself.
            let _ = call(command.arg(format!("--name={array}")), b"");
        }
    }

    fn withdrawing(&self, jobs: &[(usize, String)]) -> Vec<String> {
        let arrays = self.arrays(jobs).into_iter();
        arrays
            .map(|name| format!("scancel --name={name}"))
            .collect()
    }
}

fn refusal(error: Error) -> Refusal {
    Refusal {
        passing: is_passing(&error),
        error: Box::new(error),
    }
}

/// What the program answered, or what it complained of.
fn call(command: &mut Command, input: &[u8]) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let broken = |what: String| Error::new(ErrorKind::Setting, format!("{name} {what}"));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| broken(format!("cannot be started: {error}")))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that refuses its options closes its input; its words say why.
        let _ = stdin.write_all(input);
    }
    let answer = child
        .wait_with_output()
        .map_err(|error| broken(format!("was lost: {error}")))?;
    if answer.status.success() {
        return Ok(String::from_utf8_lossy(&answer.stdout).into_owned());
    }
    let complaint = complaint(&String::from_utf8_lossy(&answer.stderr), &name);
    Err(broken(format!("failed: {complaint}")))
}

/// A program's complaint in one line, without its name before every part.
fn complaint(stderr: &str, name: &str) -> String {
    let prefix = format!("{name}: error: ");
    let lines = stderr.lines().map(str::trim).filter(|l| !l.is_empty());
    let parts = lines.map(|line| line.strip_prefix(&prefix).unwrap_or(line));
    parts.collect::<Vec<_>>().join("; ")
}

/// Whether Slurm merely cannot be reached now, as while its controller restarts.
fn is_passing(error: &Error) -> bool {
    let signs = [
        "Unable to contact slurm controller",
        "Socket timed out",
        "timed out on send",
        "Zero Bytes were transmitted or received",
        "Connection refused",
        "Connection reset",
        "backend in standby mode",
        "temporarily unable",
    ];
    signs.iter().any(|sign| error.message.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_told_in_one_line() {
        let said = "sbatch: error: invalid partition specified: nope\n\
                    sbatch: error: Batch job submission failed: Invalid partition name specified\n";
        assert_eq!(
            complaint(said, "sbatch"),
            "invalid partition specified: nope; \
             Batch job submission failed: Invalid partition name specified"
        );
    }
}
