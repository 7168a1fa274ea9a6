//! What lists and trends need of a report; the report itself is read again where it is shown.

use std::fs;
use std::path::Path;

use judge::verdict::Outcome;
use report::{Kind, Report};

use super::measure::{Measure, Reading, readings};
use super::scan::{Found, Version};
use crate::folder::{REPORT, Root};

/// Larger reports are damaged.
const LARGEST: u64 = 256 << 20;

/// A folder with a report.
pub struct Summary {
    /// With slashes, from the root; empty for the root itself.
    pub path: String,
    pub version: Version,
    /// What the report says, or why it cannot be read.
    pub audited: Result<Audited, String>,
}

pub struct Audited {
    pub outcome: Outcome,
    pub kind: Kind,
    /// The attack that decided, or else the strongest.
    pub gated: Option<String>,
    pub records: usize,
    /// By attack.
    pub attacks: Vec<(String, Vec<(Measure, Reading)>)>,
}

impl Summary {
    pub fn read(root: &Root, found: &Found) -> Self {
        let file = root.path().join(&found.path).join(REPORT);
        Self {
            path: found.path.clone(),
            version: found.version,
            audited: report(&file).map(|report| Audited::from_report(&report)),
        }
    }

    /// For people: the folder, or the root's own name.
    pub fn name<'a>(&'a self, root: &'a Root) -> &'a str {
        named(&self.path, root)
    }
}

/// A folder as people call it.
pub fn named<'a>(path: &'a str, root: &'a Root) -> &'a str {
    match path {
        "" => root
            .path()
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or("."),
        path => path,
    }
}

/// Reads a report; the problem in words where that fails.
pub fn report(file: &Path) -> Result<Report, String> {
    let size = fs::metadata(file).map_err(|error| format!("cannot be read: {error}"))?;
    if size.len() > LARGEST {
        return Err(format!("is too large for a report: {} bytes", size.len()));
    }
    let text = fs::read_to_string(file).map_err(|error| format!("cannot be read: {error}"))?;
    Report::from_json(&text)
}

impl Audited {
    fn from_report(report: &Report) -> Self {
        let gate = report.verdict.gate.as_ref();
        let strongest = || {
            report
                .strongest_first()
                .first()
                .map(|attack| attack.id.clone())
        };
        Self {
            outcome: report.verdict.outcome,
            kind: report.kind(),
            gated: gate.map(|gate| gate.attack.clone()).or_else(strongest),
            records: report.provenance.data.judged_records,
            attacks: report
                .attacks
                .iter()
                .map(|attack| (attack.id.clone(), readings(attack)))
                .collect(),
        }
    }

    /// One measure of an attack, or of the one that decided.
    pub fn reading(&self, attack: Option<&str>, measure: Measure) -> Option<(&str, Reading)> {
        let wanted = attack.or(self.gated.as_deref())?;
        let (id, readings) = self.attacks.iter().find(|(id, _)| id == wanted)?;
        let (_, reading) = readings.iter().find(|(known, _)| *known == measure)?;
        Some((id, *reading))
    }
}
