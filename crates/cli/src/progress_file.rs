//! `progress.json`: a running audit says in its folder how it stands, for dashboards. A folder that
//! cannot be written to, or a full disk, never harms the audit: then nothing is said.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use guestlist::{Error, ExitCode};
use report::progress::{FILE, HEARTBEAT_SECONDS, Progress, SCHEMA, State, host};

/// Between two writes at least.
const EVERY: Duration = Duration::from_millis(500);
/// Written under this name, then renamed.
const TEMPORARY: &str = "progress.json.tmp";

/// Where the followers of an audit tell how it stands.
#[derive(Clone, Default)]
pub struct ProgressFile(Arc<Shared>);

#[derive(Default)]
struct Shared {
    told: Mutex<Option<Written>>,
    /// Counted apart, because it is told often and from many threads.
    done: AtomicU64,
}

/// What was told so far.
struct Written {
    folder: PathBuf,
    resumable: bool,
    progress: Progress,
    /// Done before this phase began, and thus in no time.
    found: u64,
    began: Instant,
    written: Option<(Instant, Progress)>,
}

impl ProgressFile {
    /// From now on, in this folder. Work that can be taken up again leaves the file if it breaks off;
    /// work that is done as a whole or not at all leaves nothing.
    pub fn begin(&self, folder: &Path, resumable: bool) {
        let Ok(mut told) = self.0.told.lock() else {
            return;
        };
        if told.as_ref().is_some_and(|told| told.folder == folder) {
            return;
        }
        let fresh = told.is_none();
        if let Some(before) = told.take() {
            remove(&before.folder);
        }
        self.0.done.store(0, Ordering::Relaxed);
        *told = Some(Written {
            resumable,
            ..Written::new(folder)
        });
        drop(told);
        if fresh {
            self.keep_writing();
        }
    }

    /// A stretch of work begins: so many of something.
    pub fn phase(&self, name: &str, total: usize, unit: &str) {
        self.0.done.store(0, Ordering::Relaxed);
        self.tell(|told| {
            told.progress.phase = name.to_owned();
            told.progress.total = total as u64;
            told.progress.unit = unit.to_owned();
            told.found = 0;
            told.began = Instant::now();
        });
    }

    /// So many of them were there before.
    pub fn found(&self, count: usize) {
        self.0.done.store(count as u64, Ordering::Relaxed);
        self.tell(|told| told.found = count as u64);
    }

    pub fn done(&self, count: usize) {
        self.0.done.store(count as u64, Ordering::Relaxed);
    }

    /// The end: taken away where there is a verdict, and kept with the reason where work broke off.
    pub fn conclude(&self, outcome: &Result<ExitCode, Error>) {
        let Some(mut told) = self.0.told.lock().ok().and_then(|mut told| told.take()) else {
            return;
        };
        if holds_nothing_else(&told.folder) {
            remove(&told.folder);
            return;
        }
        // What was refused before any work began leaves the folder as it was.
        let kept = told.resumable && !told.progress.phase.is_empty();
        let Some(error) = outcome.as_ref().err().filter(|_| kept) else {
            remove(&told.folder);
            return;
        };
        told.progress.state = match error {
            error if error.is_interruption() => State::Interrupted,
            _ => State::Failed,
        };
        told.progress.message = Some(error.explained());
        told.write(self.0.done.load(Ordering::Relaxed));
    }

    /// Says no more where the folder holds nothing else.
    pub fn withdraw_from_empty(&self) {
        let Ok(mut told) = self.0.told.lock() else {
            return;
        };
        if let Some(folder) = told.as_ref().map(|told| &told.folder)
            && holds_nothing_else(folder)
        {
            remove(folder);
            *told = None;
        }
    }

    fn tell(&self, change: impl FnOnce(&mut Written)) {
        if let Ok(mut told) = self.0.told.lock()
            && let Some(told) = told.as_mut()
        {
            change(told);
        }
    }

    /// One thread writes for all, until there is nothing more to say.
    fn keep_writing(&self) {
        let shared = self.0.clone();
        // Without the thread, nothing is said.
        let _ = thread::Builder::new()
            .name("progress".into())
            .spawn(move || {
                while write_once(&shared) {
                    thread::sleep(EVERY);
                }
            });
    }
}

/// Says how it stands now; no more where there is nothing to say it of.
fn write_once(shared: &Shared) -> bool {
    let Ok(mut told) = shared.told.lock() else {
        return false;
    };
    match told.as_mut() {
        Some(told) => {
            told.write(shared.done.load(Ordering::Relaxed));
            true
        }
        None => false,
    }
}

fn holds_nothing_else(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    entries
        .flatten()
        .all(|entry| entry.file_name() == FILE || entry.file_name() == TEMPORARY)
}

fn remove(folder: &Path) {
    for name in [FILE, TEMPORARY] {
        let _ = fs::remove_file(folder.join(name));
    }
}

impl Written {
    fn new(folder: &Path) -> Self {
        let now = seconds();
        Self {
            folder: folder.to_owned(),
            resumable: true,
            progress: Progress {
                schema: SCHEMA.to_owned(),
                state: State::Running,
                phase: String::new(),
                done: 0,
                total: 0,
                unit: String::new(),
                rate: None,
                seconds_left: None,
                message: None,
                host: host(),
                pid: std::process::id(),
                started: now,
                updated: now,
            },
            found: 0,
            began: Instant::now(),
            written: None,
        }
    }

    /// Where something changed, or as a sign of life.
    fn write(&mut self, done: u64) {
        self.count(done);
        if let Some((when, before)) = &self.written {
            let silent = when.elapsed() < Duration::from_secs(HEARTBEAT_SECONDS);
            if silent && *before == self.progress {
                return;
            }
        }
        self.written = Some((Instant::now(), self.progress.clone()));
        let mut progress = self.progress.clone();
        progress.updated = seconds();
        if let Ok(text) = serde_json::to_string_pretty(&progress) {
            let temporary = self.folder.join(TEMPORARY);
            let _ = formats::private::create(&temporary)
                .and_then(|mut file| writeln!(file, "{text}"))
                .and_then(|()| fs::rename(&temporary, self.folder.join(FILE)));
        }
    }

    fn count(&mut self, done: u64) {
        if done == self.progress.done {
            return;
        }
        let progress = &mut self.progress;
        progress.done = done;
        let elapsed = self.began.elapsed().as_secs_f64();
        let rate = done.saturating_sub(self.found) as f64 / elapsed;
        progress.rate = (rate.is_finite() && rate > 0.0).then_some(rate);
        let left = progress.total.saturating_sub(done) as f64;
        progress.seconds_left = progress.rate.map(|rate| left / rate);
    }
}

fn seconds() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(folder: &Path) -> Option<Progress> {
        Progress::from_json(&fs::read_to_string(folder.join(FILE)).ok()?)
    }

    fn written(progress_file: &ProgressFile) -> bool {
        write_once(&progress_file.0)
    }

    #[test]
    fn a_verdict_takes_the_file_away_and_an_error_keeps_it() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("other"), "").unwrap();
        let file = ProgressFile::default();
        file.begin(folder.path(), true);
        file.phase("asking", 10, "answers");
        file.found(2);
        file.done(5);
        assert!(written(&file));
        let progress = told(folder.path()).unwrap();
        assert_eq!((progress.done, progress.total), (5, 10));
        assert_eq!(
            (progress.phase.as_str(), progress.unit.as_str()),
            ("asking", "answers")
        );
        assert_eq!(progress.state, State::Running);
        file.conclude(&Err(Error::usage("the disk is full", "make room")));
        let progress = told(folder.path()).unwrap();
        assert_eq!(progress.state, State::Failed);
        assert!(progress.message.unwrap().contains("the disk is full"));
        assert!(!written(&file));

        file.begin(folder.path(), true);
        assert!(written(&file));
        file.conclude(&Ok(ExitCode::Fail));
        assert_eq!(told(folder.path()), None);
    }

    #[test]
    fn a_folder_with_nothing_else_is_left_empty() {
        let folder = tempfile::tempdir().unwrap();
        let file = ProgressFile::default();
        file.begin(folder.path(), true);
        assert!(written(&file));
        file.withdraw_from_empty();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        file.conclude(&Err(Error::interrupted()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_cannot_be_written_harms_nothing() {
        let file = ProgressFile::default();
        file.begin(Path::new("/nowhere/at/all"), true);
        file.phase("asking", 10, "answers");
        written(&file);
        file.conclude(&Ok(ExitCode::Pass));
    }
}
