//! Audits that visitors started: one per folder, two at once, stopped with the server.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use axum::http::StatusCode;

use crate::folder::CONFIGURATION;
use crate::http::problem::Problem;

/// Audits at once.
const MOST: usize = 2;
/// What a run says is kept here, in its folder.
pub const LOG: &str = "run.log";
/// A run that was asked to stop puts things in order first, but not for ever.
const GRACE: Duration = Duration::from_secs(10);

pub struct Runs {
    program: PathBuf,
    children: Mutex<BTreeMap<String, Child>>,
}

impl Runs {
    pub fn new(program: PathBuf) -> Self {
        Self {
            program,
            children: Mutex::default(),
        }
    }

    pub fn start(&self, folder: &Path, place: &[String]) -> Result<(), Problem> {
        let mut children = self.locked()?;
        let path = place.join("/");
        if children.contains_key(&path) {
            return Err(refused("an audit runs in this folder already"));
        }
        if children.len() >= MOST {
            return Err(refused("two audits run already; stop one, or wait"));
        }
        let failed = |error: std::io::Error| {
            Problem::server(format!("the audit cannot be started: {error}"))
        };
        let log = private(&folder.join(LOG)).map_err(failed)?;
        let child = Command::new(&self.program)
            .args(["run", CONFIGURATION])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(log.try_clone().map_err(failed)?)
            .stderr(log)
            .spawn()
            .map_err(failed)?;
        children.insert(path, child);
        Ok(())
    }

    /// Asks a run to stop; what it has done is kept, and starting it again goes on.
    pub fn stop(&self, place: &[String]) -> Result<(), Problem> {
        let mut children = self.locked()?;
        match children.get_mut(&place.join("/")) {
            Some(child) => {
                ask_to_stop(child);
                Ok(())
            }
            None => Err(refused(
                "no audit that was started here runs in this folder",
            )),
        }
    }

    /// Folders where one runs now.
    pub fn running(&self) -> Vec<String> {
        let children = self.locked();
        children.map_or_else(
            |_| Vec::new(),
            |children| children.keys().cloned().collect(),
        )
    }

    /// Stops all of them, and waits until they are gone.
    pub fn close(&self) {
        let Ok(mut children) = self.locked() else {
            return;
        };
        children.values_mut().for_each(ask_to_stop);
        let end = Instant::now() + GRACE;
        while children.values_mut().any(lives) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
        }
        for child in children.values_mut() {
            let _ = child.kill();
            let _ = child.wait();
        }
        children.clear();
    }

    /// The children that live.
    fn locked(&self) -> Result<std::sync::MutexGuard<'_, BTreeMap<String, Child>>, Problem> {
        let children = self.children.lock();
        let mut children = children.map_err(|_| Problem::server("the list of runs is lost"))?;
        children.retain(|_, child| lives(child));
        Ok(children)
    }
}

/// A file for the user alone: a run's words may name what it audits.
fn private(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.create(true).write(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn lives(child: &mut Child) -> bool {
    matches!(child.try_wait(), Ok(None))
}

#[cfg(unix)]
fn ask_to_stop(child: &mut Child) {
    use nix::sys::signal::{Signal, kill};
    if let Ok(pid) = i32::try_from(child.id()) {
        let _ = kill(nix::unistd::Pid::from_raw(pid), Signal::SIGTERM);
    }
}

#[cfg(not(unix))]
fn ask_to_stop(child: &mut Child) {
    let _ = child.kill();
}

fn refused(message: &str) -> Problem {
    Problem::new(StatusCode::CONFLICT, message)
}
