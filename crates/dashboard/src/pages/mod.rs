//! Pages, each in its own file. A page reads what it shows and writes HTML; nothing else.

pub mod audit;
pub mod compare;
pub mod evidence;
pub mod home;
pub mod layout;
pub mod list;
pub mod numbers;
pub mod record;
pub mod records;
pub mod report;
pub mod running;
pub mod trend;

use std::path::PathBuf;
use std::sync::Arc;

use ::report::Report;

use crate::Error;
use crate::folder::{REPORT, Root};
use crate::http::problem::Problem;
use crate::library::{self, Library};
use crate::progress::watch::Live;
use crate::runs::Runs;
use crate::scores::Cache;
use crate::settings::{Compare, Settings};
use crate::site::Site;

/// What pages are made from.
pub struct App {
    pub root: Root,
    pub site: Site,
    pub library: Arc<Library>,
    pub live: Arc<Live>,
    pub compare: Compare,
    pub scores: Cache,
    /// Only where visitors may start audits.
    pub runs: Option<Runs>,
    /// Proves that a form is from a page of this process.
    pub forgery: String,
}

impl App {
    pub fn open(settings: Settings, forgery: String) -> Result<Self, Error> {
        let root = Root::open(&settings.folder)?;
        let threads = |error: std::io::Error| {
            let hint = "close programs, and start again";
            Error::usage(format!("no thread can be started: {error}"), hint)
        };
        let library = Library::open(root.clone()).map_err(threads)?;
        Ok(Self {
            live: Live::open(library.clone()).map_err(threads)?,
            root,
            site: Site::new(settings.public_url),
            library,
            compare: settings.compare,
            scores: Cache::default(),
            runs: settings.program.map(Runs::new),
            forgery,
        })
    }

    /// Stops what goes on in the background.
    pub fn close(&self) {
        if let Some(runs) = &self.runs {
            runs.close();
        }
        self.live.close();
        self.library.close();
    }

    pub fn running(&self) -> Vec<String> {
        self.runs.as_ref().map_or_else(Vec::new, Runs::running)
    }

    /// The report of an audit.
    pub fn report(&self, place: &[String]) -> Result<Report, Problem> {
        let folder = self.root.audit(place)?;
        let file = self.report_file(&folder)?;
        library::report(&file).map_err(|problem| Problem::broken(format!("{REPORT} {problem}")))
    }

    fn report_file(&self, folder: &std::path::Path) -> Result<PathBuf, Problem> {
        let file = self.root.known_file(folder, REPORT);
        file.ok_or_else(|| Problem::not_found("this audit has no report yet"))
    }
}
