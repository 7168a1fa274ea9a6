//! Whether guestlist can work here, and what is missing for what: looked at, never guessed. Variables of the
//! environment are named and their values are not shown.

mod asked;
mod clusters;
mod machine;
mod python;
mod surroundings;

use std::fmt;
use std::panic::resume_unwind;
use std::path::PathBuf;

use base::{Cancel, Progress, Result};
use serde::{Deserialize, Serialize};

/// What to look at.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DoctorRequest {
    /// The folder that audits would be written to; the current one by default.
    pub out: Option<PathBuf>,
    /// The Python to look at: by default the one that this runs in, or else the first on the path.
    pub python: Option<PathBuf>,
}

/// How something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// As it should be.
    Ok,
    /// Not there, and needed by some audits alone.
    Absent,
    /// Some audits will fail, or be slow.
    Warning,
    /// No audit can work.
    Trouble,
}

impl Status {
    fn mark(self) -> char {
        match self {
            Status::Ok => '✔',
            Status::Absent => '–',
            Status::Warning => '!',
            Status::Trouble => '✘',
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub id: &'static str,
    pub status: Status,
    pub detail: String,
    /// What to do about it, where there is something to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Finding {
    fn new(id: &'static str, status: Status, detail: impl Into<String>) -> Self {
        Self {
            id,
            status,
            // Names of devices and folders come from outside.
            detail: report::printable(&detail.into()),
            remedy: None,
        }
    }

    fn ok(id: &'static str, detail: impl Into<String>) -> Self {
        Self::new(id, Status::Ok, detail)
    }

    fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(report::printable(&remedy.into()));
        self
    }
}

/// Everything that was looked at.
#[derive(Clone, Debug, Serialize)]
pub struct Checkup {
    pub findings: Vec<Finding>,
}

impl Checkup {
    /// Whether audits can work here.
    pub fn works(&self) -> bool {
        let troubled = |finding: &Finding| finding.status == Status::Trouble;
        !self.findings.iter().any(troubled)
    }
}

/// One line per finding, its remedy below.
impl fmt::Display for Checkup {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.findings.iter().map(|finding| finding.id.len()).max();
        let width = width.unwrap_or(0);
        for finding in &self.findings {
            let mark = finding.status.mark();
            writeln!(to, "{mark} {:width$}  {}", finding.id, finding.detail)?;
            if let Some(remedy) = &finding.remedy {
                writeln!(to, "  {:width$}  → {remedy}", "")?;
            }
        }
        match self.works() {
            true => writeln!(to, "\nguestlist can work here."),
            false => writeln!(to, "\nguestlist cannot work here: see ✘ above."),
        }
    }
}

type Look = fn(&DoctorRequest, &Cancel) -> Vec<Finding>;

/// What is looked at, in the order in which it is told.
const LOOKS: [Look; 11] = [
    |_, _| vec![machine::version()],
    |_, _| vec![machine::features()],
    |_, _| vec![machine::processor()],
    |_, _| vec![machine::memory()],
    |_, cancel| vec![machine::gpu(cancel)],
    |_, cancel| vec![clusters::slurm(cancel)],
    |_, cancel| vec![clusters::ray(cancel)],
    |request, cancel| python::look(request.python.as_deref(), cancel),
    |request, _| vec![surroundings::folder(request.out.as_deref())],
    |_, _| vec![surroundings::temporary_files()],
    |_, _| vec![surroundings::certificates(), surroundings::environment()],
];

/// Looks at everything; nothing is changed, and nothing is asked but programs of this machine and the Ray that
/// its variables name. All looks go on side by side: programs that do not answer are waited for together.
pub fn examine(request: &DoctorRequest, progress: Progress<'_>) -> Result<Checkup> {
    let cancel = progress.cancel();
    let found = std::thread::scope(|scope| {
        let looks = LOOKS.map(|look| scope.spawn(move || look(request, cancel)));
        let found = looks.into_iter().map(|look| look.join());
        let found = found.map(|found| found.unwrap_or_else(|broke| resume_unwind(broke)));
        found.flatten().collect()
    });
    progress.check()?;
    Ok(Checkup { findings: found })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> (tempfile::TempDir, DoctorRequest) {
        let folder = tempfile::tempdir().unwrap();
        let request = DoctorRequest {
            out: Some(folder.path().join("audits/new")),
            python: Some("/nowhere/python3".into()),
        };
        (folder, request)
    }

    #[test]
    fn everything_is_looked_at_and_nothing_is_left() {
        let (folder, request) = request();
        let found = examine(&request, Progress::unwatched()).unwrap();
        for id in [
            "version", "memory", "gpu", "slurm", "ray", "python", "folder",
        ] {
            assert!(found.findings.iter().any(|one| one.id == id), "{id}");
        }
        assert!(found.works(), "{found}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let telling = |one: &Finding| one.status == Status::Ok || one.remedy.is_some();
        assert!(found.findings.iter().all(telling), "{found}");
    }

    #[test]
    fn who_asked_to_stop_is_told_nothing_more() {
        let (_folder, request) = request();
        let cancel = Cancel::new();
        cancel.request();
        let progress = Progress::unwatched().stopped_by(&cancel);
        assert!(examine(&request, progress).is_err());
    }

    #[test]
    fn names_from_outside_steer_no_terminal() {
        let finding = Finding::ok("python", "a\u{1b}[31m").remedy("b\u{1b}[31m");
        assert!(!finding.detail.contains('\u{1b}'));
        assert!(
            finding
                .remedy
                .is_some_and(|remedy| !remedy.contains('\u{1b}'))
        );
    }

    #[test]
    fn trouble_is_no_working_and_says_so() {
        let (folder, mut request) = request();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        request.out = Some(file.join("out"));
        let found = examine(&request, Progress::unwatched()).unwrap();
        assert!(!found.works());
        assert!(found.to_string().contains("✘ folder"), "{found}");
        assert!(found.to_string().contains("cannot work here"));
    }
}
