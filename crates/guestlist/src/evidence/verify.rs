//! Whether the files of an audit are those that it wrote, and what it read is still the same.

use std::path::{Path, PathBuf};

use formats::files::{is_temporary, sha256};
use report::Report;

use super::contradiction::contradiction;
use super::inputs;
use super::signature::{self, Signature, Signers};
use super::sums::{self, Recorded, SIGNATURE, SUMS, slashed};
use crate::stored::{self, Format};
use crate::{Error, Result};

/// What every audit writes: a list of digests without one of these is none of an audit's.
const ALWAYS: [&str; 3] = ["report.html", "report.json", "scores.parquet"];
/// The one folder below an audit's that it writes to.
const FIGURES: &str = "figures";

/// What is to be checked, and by what.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Where the inputs lie; then every one of them must be there.
    pub inputs: Option<PathBuf>,
    /// Whose signature is believed; then there must be one.
    pub signers: Option<Signers>,
}

/// What became of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// As it was recorded.
    pub path: String,
    pub state: State,
    /// Where an input was found.
    pub found: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Agrees,
    Changed,
    Missing,
    /// Nothing says what it was: it came later, or is known by no digest.
    NotRecorded,
}

impl State {
    /// In one word, or two.
    pub fn word(self) -> &'static str {
        match self {
            State::Agrees => "ok",
            State::Changed => "changed",
            State::Missing => "missing",
            State::NotRecorded => "not recorded",
        }
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Verification {
    /// What the report says, so that a sound report of something else is not taken for this one's; nothing where
    /// it cannot be read.
    pub says: Option<String>,
    /// What of the report cannot be as an audit wrote it, whatever its digest.
    pub contradiction: Option<String>,
    /// Files that the audit wrote, then others that lie beside them.
    pub files: Vec<Checked>,
    pub inputs: Vec<Checked>,
    /// A missing input counts: somebody said where all of them are.
    pub inputs_wanted: bool,
    pub signature: Signature,
    /// A signature was asked for.
    pub signature_wanted: bool,
}

impl Verification {
    /// Whether everything that could be checked agrees, and everything that was asked for was checked.
    pub fn holds(&self) -> bool {
        let broken = |one: &Checked| matches!(one.state, State::Changed | State::Missing);
        let lost = |one: &Checked| match one.state {
            State::Changed => true,
            State::Missing | State::NotRecorded => self.inputs_wanted,
            State::Agrees => false,
        };
        let signed = match &self.signature {
            Signature::By { .. } => true,
            Signature::Broken { .. } => false,
            Signature::None | Signature::Unvouched { .. } | Signature::Unchecked { .. } => {
                !self.signature_wanted
            }
        };
        let whole = !self.files.iter().any(broken)
            && !self.inputs.iter().any(lost)
            && !self.names_nothing_that_was_wanted();
        whole && signed && self.contradiction.is_none()
    }

    /// Somebody said where the inputs are, and the report names none: nothing there was held against anything.
    pub fn names_nothing_that_was_wanted(&self) -> bool {
        self.inputs_wanted && self.inputs.is_empty()
    }

    /// The first thing that is not as the audit had it.
    pub fn broken(&self) -> Option<String> {
        let lost = |one: &&Checked| matches!(one.state, State::Changed | State::Missing);
        let file = self.files.iter().find(lost);
        let changed = |one: &&Checked| one.state == State::Changed;
        let input = self.inputs.iter().find(changed);
        let file = file.map(|one| format!("{} is {}", one.path, one.state.word()));
        let input = input.map(|one| format!("the input {} is {}", one.path, one.state.word()));
        let itself = self.contradiction.as_ref();
        let itself = itself.map(|why| format!("report.json contradicts itself: {why}"));
        file.or(input).or(itself)
    }

    /// How many files, or inputs, are in a state.
    pub fn count(checked: &[Checked], state: State) -> usize {
        checked.iter().filter(|one| one.state == state).count()
    }
}

/// Holds the files of a folder, and what the audit read, against what was recorded.
pub fn verify(folder: &Path, request: &Request) -> Result<Verification> {
    let found = unsigned(folder, request)?;
    Ok(Verification {
        signature: signature::check(folder, request.signers.as_ref())?,
        ..found
    })
}

/// The same before anybody stands for it: whatever signature lies there is not looked at.
pub(super) fn unsigned(folder: &Path, request: &Request) -> Result<Verification> {
    let recorded = sums::read(folder)?;
    let mut files = written(folder, &recorded)?;
    let report = folder.join("report.json");
    let Told {
        says,
        contradiction,
        inputs,
    } = match read_report(&report, folder, request) {
        Ok(told) => told,
        // Missing, or changed so that nobody can read it: that is told of the file already.
        Err(_) if lost(&files, "report.json") => Told::default(),
        Err(error) => return Err(error),
    };
    let read = |one: &Checked| {
        // As seen from here and from the folder, the same file has two names.
        let place = folder.join(&one.path).canonicalize().ok();
        let mut found = inputs.iter().filter_map(|input| input.found.as_ref());
        place.is_some() && found.any(|found| found.canonicalize().ok() == place)
    };
    files.extend(
        beside(folder, &recorded)
            .into_iter()
            .filter(|one| !read(one)),
    );
    Ok(Verification {
        says,
        contradiction,
        files,
        inputs,
        inputs_wanted: request.inputs.is_some(),
        signature: Signature::None,
        signature_wanted: request.signers.is_some(),
    })
}

/// Whether a file of the folder has another digest than was written down with it; not where none was.
pub fn has_changed(folder: &Path, name: &str) -> bool {
    let Ok(mut recorded) = sums::read(folder) else {
        return false;
    };
    recorded.retain(|one| one.path == name);
    written(folder, &recorded).is_ok_and(|files| changed(&files, name))
}

fn changed(files: &[Checked], name: &str) -> bool {
    let mut named = files.iter().filter(|one| one.path == name);
    named.any(|one| one.state == State::Changed)
}

/// Whether a file that every audit writes is not what it wrote, or stands in no list of digests.
fn lost(files: &[Checked], name: &str) -> bool {
    let unrecorded = unrecorded(name);
    let mut broken = files.iter().filter(|one| one.state != State::Agrees);
    broken.any(|one| one.path == name || one.path == unrecorded)
}

fn unrecorded(name: &str) -> String {
    format!("{name} (in {SUMS})")
}

/// The files that the audit wrote. Of those that every audit writes, one without a digest counts as missing:
/// whoever takes its line out of the list would otherwise hide that it was changed.
pub fn written(folder: &Path, recorded: &[Recorded]) -> Result<Vec<Checked>> {
    let mut files = Vec::new();
    for one in recorded {
        let place = folder.join(&one.path);
        let state = match is_own(folder, &place) {
            false => State::Missing,
            true if sha256(&place)? == one.sha256 => State::Agrees,
            true => State::Changed,
        };
        files.push(checked(&one.path, state));
    }
    let absent = ALWAYS.iter().filter(|name| {
        let mut all = recorded.iter();
        !all.any(|one| one.path == **name)
    });
    files.extend(absent.map(|name| checked(&unrecorded(name), State::Missing)));
    Ok(files)
}

/// Whether a file lies in the folder, and not somewhere that a link leads to.
fn is_own(folder: &Path, place: &Path) -> bool {
    let resolved = |path: &Path| path.canonicalize().ok();
    let inside = resolved(place).zip(resolved(folder));
    place.is_file() && inside.is_some_and(|(place, folder)| place.starts_with(folder))
}

fn checked(path: &str, state: State) -> Checked {
    Checked {
        path: path.to_owned(),
        state,
        found: None,
    }
}

/// What a report says, what in it cannot be, and what became of the inputs that it names.
#[derive(Default)]
struct Told {
    says: Option<String>,
    contradiction: Option<String>,
    inputs: Vec<Checked>,
}

fn read_report(place: &Path, folder: &Path, request: &Request) -> Result<Told> {
    let refuse = |problem: String| {
        Error::usage(
            format!("{}: {problem}", place.display()),
            "the file is not as an audit wrote it",
        )
    };
    let text = std::fs::read_to_string(place).map_err(|error| refuse(error.to_string()))?;
    let report = Report::from_json(&text).map_err(|problem| refuse(problem.to_string()))?;
    let inputs = inputs::recorded(&text, place)?;
    let inputs = inputs.iter();
    let checked = inputs.map(|input| inputs::check(input, folder, request.inputs.as_deref()));
    Ok(Told {
        says: Some(said(&report)),
        contradiction: contradiction(&report).or_else(|| another_page(&report, folder)),
        inputs: checked.collect::<Result<_>>()?,
    })
}

/// People look at the page: what it shows has to be what the report says. Another version may draw it differently.
fn another_page(report: &Report, folder: &Path) -> Option<String> {
    if report.provenance.version != env!("CARGO_PKG_VERSION") {
        return None;
    }
    let drawn = stored::render(report, Format::Html).ok()?;
    let found = std::fs::read(folder.join("report.html")).ok()?;
    (found != drawn.as_bytes()).then(|| "report.html is not the page of this report".into())
}

/// Of what, of which day, and the verdict's line.
fn said(report: &Report) -> String {
    let provenance = &report.provenance;
    let known = [&provenance.subject, &provenance.date];
    let known: Vec<&str> = known.into_iter().flatten().map(String::as_str).collect();
    let of = match known.is_empty() {
        true => String::new(),
        false => format!(" ({})", known.join(", ")),
    };
    format!("{}{of}: {}", report.kind(), report::verdict_line(report))
}

/// Files that lie where an audit writes and that it did not write.
fn beside(folder: &Path, recorded: &[Recorded]) -> Vec<Checked> {
    let own = [SUMS, SIGNATURE];
    let mut found = Vec::new();
    for place in [folder.to_owned(), folder.join(FIGURES)] {
        let entries = std::fs::read_dir(&place).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.path().is_file()) {
            let path = entry.path();
            let name = slashed(path.strip_prefix(folder).unwrap_or(&path));
            let known = recorded.iter().any(|one| one.path == name) || own.contains(&name.as_str());
            if !known && !is_temporary(&entry.file_name()) {
                found.push(checked(&name, State::NotRecorded));
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}
