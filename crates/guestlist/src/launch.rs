//! How this program was started, for what starts it again: nodes of a cluster, and the dashboard's runs.

use std::path::PathBuf;
use std::sync::OnceLock;

/// The name by which a shell finds it.
const NAME: &str = "guestlist";

/// How this program was started.
#[derive(Clone, Debug)]
pub struct Launch {
    /// What starts it again.
    pub program: PathBuf,
    /// The Python that it runs in, where it does: then the system knows that as the program.
    pub python: Option<PathBuf>,
}

static LAUNCH: OnceLock<Launch> = OnceLock::new();

impl Launch {
    /// The one of this process: the file that the system runs, unless something else was said.
    pub fn current() -> &'static Self {
        LAUNCH.get_or_init(|| Self {
            program: std::env::current_exe().unwrap_or_else(|_| NAME.into()),
            python: None,
        })
    }

    /// Says what the system cannot know; counts once, before anybody has asked.
    pub fn declare(self) {
        let _ = LAUNCH.set(self);
    }
}
