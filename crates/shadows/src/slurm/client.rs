//! Slurm's own programs, called and understood.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::campaign::Cluster;
use super::ending::{self, Endings};
use super::queue::{self, Task};
use super::script::{self, Batch};
use crate::executor::ExecutorOptions;
use crate::{Error, ErrorKind, Result};
use formats::files;

/// The programs that must be there.
const PROGRAMS: [&str; 2] = ["sbatch", "squeue"];

/// Talks to Slurm about one run.
pub struct Client<'a> {
    /// What the arrays of this run are named, before the offset.
    name: String,
    folder: PathBuf,
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
    /// The name of a run's arrays comes from its folder, so that whoever comes back to the folder
    /// finds them again, by whatever path.
    pub fn new(folder: &Path, executor_options: &'a ExecutorOptions) -> Result<Self> {
        let logs = folder.join("slurm");
        formats::private::make_folder(&logs).map_err(|e| Error::writing(&logs, &e))?;
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let digest = files::sha256_of(real.display().to_string().as_bytes());
        Ok(Self {
            name: format!("guestlist-{}", &digest[..12]),
            folder: folder.to_owned(),
            executor_options,
        })
    }
}

impl Cluster for Client<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn queue(&self) -> Result<Vec<Task>> {
        let mut command = Command::new("squeue");
        command
            .args(["--noheader", "--array", "--me"])
            .arg(format!("--format={}", queue::FORMAT));
        // A taste of the user's, such as SQUEUE_STATES=RUNNING, would hide what waits.
        let tastes = std::env::vars_os().map(|(name, _)| name);
        for name in tastes.filter(|name| name.to_string_lossy().starts_with("SQUEUE_")) {
            command.env_remove(name);
        }
        Ok(queue::parse(&call(&mut command, b"")?, &self.name))
    }

    fn submit(&self, batch: &Batch) -> Result<String> {
        let ExecutorOptions { slurm, worker, .. } = self.executor_options;
        let mut command = Command::new("sbatch");
        command
            .args(script::options(slurm, batch, &self.name))
            .current_dir(&self.folder);
        let text = script::script(slurm, batch, worker, &self.folder);
        let answer = call(&mut command, text.as_bytes())?;
        // On a federation the answer is `id;cluster`.
        let id = answer.trim().split(';').next().unwrap_or_default();
        Ok(id.to_owned())
    }

    /// By the accounts where they are kept; what they do not know yet, by the controller, which
    /// remembers for some minutes.
    fn endings(&self, array: &str) -> Endings {
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
pub fn is_passing(error: &Error) -> bool {
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

    #[test]
    fn a_folder_has_the_same_name_by_every_path() {
        let folder = tempfile::tempdir().unwrap();
        let executor_options = ExecutorOptions::default();
        let name = |path: &Path| Client::new(path, &executor_options).unwrap().name;
        let straight = name(folder.path());
        assert_eq!(straight, name(&folder.path().join("slurm/..")));
        assert_ne!(straight, name(&folder.path().join("slurm")));
    }
}
