//! What lists and trends need of a report; the report itself is read again where it is shown.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use judge::verdict::Outcome;
use report::{Kind, Report};

use super::measure::{Measure, Reading, readings};
use super::scan::{Found, Version};
use crate::folder::{REPORT, Root};
use crate::time::{day, is_day, seconds};

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
    /// The day of the audit, where the report says it.
    pub date: Option<String>,
    /// What measures of all records were held against.
    pub thresholds: Vec<(Measure, f64)>,
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

    /// The day of the audit: the report's own. A copy of the file is no newer audit; only where the report does not say,
    /// the file does.
    pub fn day(&self) -> String {
        let told = self.audited.as_ref().ok();
        let told = told.and_then(|audited| audited.date.clone());
        told.unwrap_or_else(|| day(seconds(self.version.modified)))
    }

    /// The day for people, and whose word it is.
    pub fn date(&self) -> String {
        let told = self.audited.as_ref();
        match told.is_ok_and(|audited| audited.date.is_some()) {
            true => self.day(),
            false => format!("{} (of the file)", self.day()),
        }
    }

    /// From the oldest to the newest; audits of one day as their files were written.
    pub fn order(&self) -> (String, SystemTime, &str) {
        (self.day(), self.version.modified, &self.path)
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

/// Of the gate, and of a policy's criteria: those about all records, since trends are of these.
fn thresholds(report: &Report) -> Vec<(Measure, f64)> {
    let gate = report.verdict.gate.iter();
    let gate = gate.map(|gate| (gate.measure, gate.threshold, gate.scope));
    let criteria = report.policy.iter().flat_map(|policy| &policy.criteria);
    let criteria = criteria.map(|one| (one.measure, one.threshold, one.scope));
    gate.chain(criteria)
        .filter(|(_, _, scope)| scope.is_whole())
        .filter_map(|(measure, threshold, _)| Some((Measure::parse(&measure.name())?, threshold)))
        .collect()
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
            date: report.provenance.date.clone().filter(|date| is_day(date)),
            thresholds: thresholds(report),
            gated: gate.map(|gate| gate.attack.clone()).or_else(strongest),
            records: report.provenance.data.judged_records,
            attacks: report
                .attacks
                .iter()
                .map(|attack| (attack.id.clone(), readings(attack)))
                .collect(),
        }
    }

    /// What a measure was held against.
    pub fn threshold(&self, measure: Measure) -> Option<f64> {
        let held = self.thresholds.iter();
        let held = held.filter(|(known, _)| *known == measure);
        held.map(|(_, threshold)| *threshold).min_by(f64::total_cmp)
    }

    /// One measure of an attack, or of the one that decided.
    pub fn reading(&self, attack: Option<&str>, measure: Measure) -> Option<(&str, Reading)> {
        let wanted = attack.or(self.gated.as_deref())?;
        let (id, readings) = self.attacks.iter().find(|(id, _)| id == wanted)?;
        let (_, reading) = readings.iter().find(|(known, _)| *known == measure)?;
        Some((id, *reading))
    }
}
