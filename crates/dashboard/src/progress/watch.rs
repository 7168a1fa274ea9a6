//! Follows the progress files of all audits and tells every listener; one thread for all of them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};
use std::thread;
use std::time::{Duration, SystemTime};

use report::progress::{Progress, State, host};
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};

use super::{read, state_now};
use crate::library::{Library, Version};
use crate::time::seconds;

const EVERY: Duration = Duration::from_millis(500);
/// Pages that listen at once.
const LISTENERS: usize = 64;
/// News that a slow listener may be behind.
const BEHIND: usize = 256;

#[derive(Clone, Debug)]
pub enum News {
    /// How an audit stands, as JSON.
    Progress { path: String, text: Arc<str> },
    /// The server stops.
    End,
}

/// An audit that runs or ended without a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Following {
    pub progress: Progress,
    /// What is true now.
    pub state: State,
}

pub struct Live {
    following: RwLock<BTreeMap<String, (Version, Following)>>,
    news: broadcast::Sender<News>,
    seats: Arc<Semaphore>,
    closed: AtomicBool,
}

impl Live {
    pub fn open(library: Arc<Library>) -> std::io::Result<Arc<Self>> {
        let live = Arc::new(Self {
            following: RwLock::default(),
            news: broadcast::channel(BEHIND).0,
            seats: Arc::new(Semaphore::new(LISTENERS)),
            closed: AtomicBool::new(false),
        });
        let watching = live.clone();
        thread::Builder::new()
            .name("progress".into())
            .spawn(move || watching.watch(&library))?;
        Ok(live)
    }

    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        let _ = self.news.send(News::End);
    }

    pub fn seat(&self) -> Option<OwnedSemaphorePermit> {
        self.seats.clone().try_acquire_owned().ok()
    }

    pub fn listen(&self) -> broadcast::Receiver<News> {
        self.news.subscribe()
    }

    /// Every audit that runs or ended early, by folder.
    pub fn all(&self) -> Vec<(String, Following)> {
        let following = self.following.read();
        following.map_or_else(
            |_| Vec::new(),
            |all| {
                all.iter()
                    .map(|(path, (_, one))| (path.clone(), one.clone()))
                    .collect()
            },
        )
    }

    pub fn one(&self, path: &str) -> Option<Following> {
        let following = self.following.read().ok()?;
        following.get(path).map(|(_, one)| one.clone())
    }

    pub fn now(&self) -> Vec<News> {
        self.all()
            .iter()
            .map(|(path, one)| news(path, one))
            .collect()
    }

    fn watch(&self, library: &Library) {
        let here = host();
        while !self.closed.load(Ordering::Relaxed) {
            self.look(library, here.as_deref());
            thread::sleep(EVERY);
        }
    }

    /// Only files that changed are read; whether a process lives is asked every time.
    fn look(&self, library: &Library, here: Option<&str>) {
        let before = match self.following.read() {
            Ok(following) => following.clone(),
            Err(_) => return,
        };
        let now = seconds(SystemTime::now());
        let mut after = BTreeMap::new();
        for (path, file) in library.progress_files() {
            let Ok(about) = std::fs::symlink_metadata(&file) else {
                continue;
            };
            let version = Version::from_metadata(&about);
            let known = before.get(&path).filter(|(known, _)| *known == version);
            let progress = match known {
                Some((_, one)) => Some(one.progress.clone()),
                None => read(&file),
            };
            if let Some(progress) = progress {
                let state = state_now(&progress, now, here);
                after.insert(path, (version, Following { progress, state }));
            }
        }
        self.tell(&before, &after, library);
        if let Ok(mut following) = self.following.write() {
            *following = after;
        }
    }

    fn tell(
        &self,
        before: &BTreeMap<String, (Version, Following)>,
        after: &BTreeMap<String, (Version, Following)>,
        library: &Library,
    ) {
        for (path, (_, one)) in after {
            if before.get(path).is_none_or(|(_, known)| known != one) {
                let _ = self.news.send(news(path, one));
            }
        }
        // A file that is gone was taken away by an audit that finished.
        for (path, (_, one)) in before {
            if !after.contains_key(path) {
                library.look_again();
                let mut over = one.clone();
                over.state = State::Finished;
                let _ = self.news.send(news(path, &over));
            }
        }
    }
}

fn news(path: &str, one: &Following) -> News {
    let progress = &one.progress;
    let text = json!({
        "path": path, "state": one.state, "phase": report::printable(&progress.phase),
        "done": progress.done, "total": progress.total, "words": status(one),
    });
    News::Progress {
        path: path.to_owned(),
        text: text.to_string().into(),
    }
}

/// How it stands, in a line.
pub fn status(one: &Following) -> String {
    let progress = &one.progress;
    let mut parts = Vec::new();
    if one.state != State::Running {
        parts.push(one.state.word().to_owned());
    }
    if !progress.phase.is_empty() {
        parts.push(progress.phase.clone());
    }
    if progress.total > 0 {
        let (done, total) = (progress.done, progress.total);
        parts.push(format!("{done} of {total} {}", progress.unit));
    }
    if one.state == State::Running {
        parts.extend(progress.rate.map(|rate| format!("{rate:.1}/s")));
        let left = progress.seconds_left;
        parts.extend(left.map(|left| format!("{} left", crate::time::span(left))));
    }
    parts.extend(progress.message.clone());
    report::printable(&parts.join(", "))
}
