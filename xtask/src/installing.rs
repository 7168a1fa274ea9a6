//! What would be installed for tests: said before it is done.

use crate::shell::Failed;

/// One thing that is missing.
pub struct Installation {
    pub what: String,
    /// Where it goes.
    pub place: String,
    /// About how much is fetched.
    pub size: &'static str,
    pub install: Box<dyn FnOnce() -> Result<(), Failed>>,
}

impl Installation {
    /// In one line.
    pub fn line(&self) -> String {
        format!("{} → {} ({})", self.what, self.place, self.size)
    }
}

/// Why tests cannot run.
pub enum Lack {
    /// Something could be installed, and is not.
    Uninstalled(String),
    /// Something that only a person can give, or that this machine cannot do.
    Impossible(String),
}

impl From<Failed> for Lack {
    fn from(Failed(what): Failed) -> Self {
        Self::Uninstalled(what)
    }
}
