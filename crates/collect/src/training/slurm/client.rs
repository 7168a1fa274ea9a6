//! Slurm's own programs, called and understood.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::queue::{self, Task};
use super::script::{self, Batch};
use crate::files;
use crate::training::executor::Manner;
use crate::training::run::Run;
use crate::{Error, ErrorKind, Result};

/// The programs that must be there.
const PROGRAMS: [&str; 2] = ["sbatch", "squeue"];

/// Talks to Slurm about one run.
pub struct Client {
    /// What the arrays of this run are named, before the offset.
    name: String,
    folder: PathBuf,
    /// The arrays that were submitted from here, for questions about what became of them.
    arrays: Vec<(usize, String)>,
}

impl Client {
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

    /// The name of a run's arrays comes from its folder, so that whoever comes back to the folder
    /// finds them again.
    pub fn new(folder: &Path) -> Result<Self> {
        let logs = folder.join("slurm");
        std::fs::create_dir_all(&logs).map_err(|e| Error::writing(&logs, &e))?;
        let digest = files::sha256_of(folder.display().to_string().as_bytes());
        Ok(Self {
            name: format!("guestlist-{}", &digest[..12]),
            folder: folder.to_owned(),
            arrays: Vec::new(),
        })
    }

    /// This run's tasks that wait or run.
    pub fn queue(&self) -> Result<Vec<Task>> {
        let text = call(
            Command::new("squeue")
                .args(["--noheader", "--array", "--me"])
                .arg(format!("--format={}", queue::FORMAT)),
        )?;
        Ok(queue::parse(&text, &self.name))
    }

    /// Submits one array; its number comes back.
    pub fn submit(&mut self, run: &Run, batch: &Batch, manner: &Manner) -> Result<String> {
        let text = script::script(&manner.slurm, batch, &manner.worker, run.store().path());
        let mut command = Command::new("sbatch");
        command
            .args(script::options(&manner.slurm, batch, &self.name))
            .current_dir(&self.folder);
        let answer = call_with(&mut command, text.as_bytes())?;
        // On a federation the answer is `id;cluster`.
        let id = answer.trim().split(';').next().unwrap_or_default();
        self.arrays.push((batch.offset, id.to_owned()));
        Ok(id.to_owned())
    }

    /// What became of a model's latest task: by the accounts where they are kept, else only that
    /// it left the queue without a result.
    pub fn account(&self, model: usize) -> Error {
        let offset = model / script::LARGEST_ARRAY * script::LARGEST_ARRAY;
        let array = self.arrays.iter().rev().find(|(o, _)| *o == offset);
        let state = array.and_then(|(offset, id)| {
            let task = format!("{id}_{}", model - offset);
            accounts(&task).or_else(|| controller(&task))
        });
        let message = match state {
            Some(state) => format!("its task on the cluster ended as {state}"),
            None => "its task left the cluster without a result".to_owned(),
        };
        Error::new(ErrorKind::Training, message)
    }
}

/// State and exit code from sacct; nothing where accounts are not kept.
fn accounts(task: &str) -> Option<String> {
    let text = call(
        Command::new("sacct")
            .args([
                "--noheader",
                "--parsable2",
                "--allocations",
                "--format=State,ExitCode",
            ])
            .arg(format!("--jobs={task}")),
    )
    .ok()?;
    let (state, code) = text.lines().last()?.split_once('|')?;
    (!state.is_empty()).then(|| format!("{state}, exit code {code}"))
}

/// The same from the controller, which remembers for some minutes.
fn controller(task: &str) -> Option<String> {
    let text = call(Command::new("scontrol").args(["--oneliner", "show", "job", task])).ok()?;
    let field = |name: &str| {
        let found = text
            .split_whitespace()
            .find_map(|word| word.strip_prefix(name));
        found.map(str::to_owned)
    };
    let (state, code) = (field("JobState=")?, field("ExitCode=")?);
    Some(format!("{state}, exit code {code}"))
}

fn call(command: &mut Command) -> Result<String> {
    call_with(command, b"")
}

/// What the program answered, or what it complained of.
fn call_with(command: &mut Command, input: &[u8]) -> Result<String> {
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
    let words = String::from_utf8_lossy(&answer.stderr)
        .trim()
        .replace('\n', "; ");
    Err(broken(format!("failed: {words}")))
}

/// Whether Slurm merely cannot be reached now, as while its controller restarts.
pub fn is_passing(error: &Error) -> bool {
    let signs = [
        "Unable to contact slurm controller",
        "Socket timed out",
        "timed out on send",
    ];
    signs.iter().any(|sign| error.message.contains(sign))
}
