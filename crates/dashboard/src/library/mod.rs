//! The audits in the folder, kept up to date in the background: only reports that changed are read
//! again, and pages show what is known so far.

mod measure;
mod scan;
mod summary;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use rayon::prelude::*;

pub use self::measure::{Measure, Reading, readings};
pub use self::scan::{Found, Version};
pub use self::summary::{Audited, Summary, named, report};
use crate::folder::{PROGRESS, Root};

/// Between two looks at the folder: never less than this, and so much longer than a look takes that
/// looking stays cheap.
const PAUSE: Duration = Duration::from_secs(2);
const REST: u32 = 20;

/// Everything that a look at the folder found.
#[derive(Default)]
struct Index {
    /// By folder.
    audits: BTreeMap<String, Arc<Summary>>,
    /// Folders with a progress file, and where it is.
    progress: BTreeMap<String, PathBuf>,
    /// Folders with a configuration.
    configured: Vec<String>,
    /// Whether the whole folder has been looked at.
    complete: bool,
    /// Whether there were more folders than are looked at.
    cut: bool,
}

pub struct Library {
    root: Root,
    index: RwLock<Index>,
    closed: AtomicBool,
    asked: Mutex<bool>,
    bell: Condvar,
}

impl Library {
    /// Starts to look; returns at once.
    pub fn open(root: Root) -> std::io::Result<Arc<Self>> {
        let library = Arc::new(Self {
            root,
            index: RwLock::default(),
            closed: AtomicBool::new(false),
            asked: Mutex::new(false),
            bell: Condvar::new(),
        });
        let watched = library.clone();
        thread::Builder::new()
            .name("library".into())
            .spawn(move || watched.watch())?;
        Ok(library)
    }

    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.look_again();
    }

    /// Something changed: do not wait for the next look.
    pub fn look_again(&self) {
        if let Ok(mut asked) = self.asked.lock() {
            *asked = true;
        }
        self.bell.notify_all();
    }

    /// Every audit so far, by folder.
    pub fn audits(&self) -> Vec<Arc<Summary>> {
        let index = self.index.read();
        index.map_or_else(
            |_| Vec::new(),
            |index| index.audits.values().cloned().collect(),
        )
    }

    pub fn audit(&self, path: &str) -> Option<Arc<Summary>> {
        self.index.read().ok()?.audits.get(path).cloned()
    }

    /// Where progress files are, or would appear when a known audit is run again.
    pub fn progress_files(&self) -> Vec<(String, PathBuf)> {
        let Ok(index) = self.index.read() else {
            return Vec::new();
        };
        let known = index.audits.keys().chain(&index.configured);
        let known = known.map(|path| (path.clone(), self.root.path().join(path).join(PROGRESS)));
        let mut files: BTreeMap<String, PathBuf> = known.collect();
        files.extend(index.progress.clone());
        files.into_iter().collect()
    }

    pub fn configured(&self) -> Vec<String> {
        let index = self.index.read();
        index.map_or_else(|_| Vec::new(), |index| index.configured.clone())
    }

    /// Whether everything was looked at once, and whether there were too many folders.
    pub fn state(&self) -> (bool, bool) {
        let index = self.index.read();
        index.map_or((true, false), |index| (index.complete, index.cut))
    }

    fn watch(&self) {
        while !self.closed.load(Ordering::Relaxed) {
            let started = Instant::now();
            self.look();
            self.rest(PAUSE.max(started.elapsed() * REST));
        }
    }

    fn rest(&self, pause: Duration) {
        let Ok(asked) = self.asked.lock() else {
            return;
        };
        let waited = self.bell.wait_timeout_while(asked, pause, |asked| !*asked);
        if let Ok((mut asked, _)) = waited {
            *asked = false;
        }
    }

    /// Walks the folder, forgets what is gone, and reads what is new or changed.
    fn look(&self) {
        let found = scan::walk(self.root.path(), &self.closed);
        let changed: Vec<&scan::Found> = match self.index.read() {
            Ok(index) => found
                .reports
                .iter()
                .filter(|report| {
                    let known = index.audits.get(&report.path);
                    known.is_none_or(|known| known.version != report.version)
                })
                .collect(),
            Err(_) => return,
        };
        if let Ok(mut index) = self.index.write() {
            let there: std::collections::BTreeSet<&str> = found
                .reports
                .iter()
                .map(|report| report.path.as_str())
                .collect();
            index.audits.retain(|path, _| there.contains(path.as_str()));
            index.progress = found.progress.into_iter().collect();
            index.configured = found.configured;
            index.cut = found.cut;
        }
        // Newest first, so that the first page is right before all is read.
        let mut changed = changed;
        changed.sort_by_key(|report| std::cmp::Reverse(report.version.modified));
        changed.into_par_iter().for_each(|report| {
            if self.closed.load(Ordering::Relaxed) {
                return;
            }
            let summary = Arc::new(Summary::read(&self.root, report));
            if let Ok(mut index) = self.index.write() {
                index.audits.insert(report.path.clone(), summary);
            }
        });
        if let Ok(mut index) = self.index.write() {
            index.complete = true;
        }
    }
}
