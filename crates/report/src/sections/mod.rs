//! What a report shows beside the table of attacks, one file per section. Numbers become words
//! here; none is computed.

mod calibration;
mod checkpoints;
mod fewshot;
mod log_mia;
mod normality;
mod retrieval;
mod scaling;
mod slices;
mod source;
mod source_sweeps;
mod vulnerability;

use crate::document::Report;
use crate::section::Section;

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// A terminal: the first few of a long list.
    Short,
    /// A file.
    Long,
}

/// Every section that the report has something for.
pub fn sections(report: &Report, room: Room) -> Vec<Section> {
    let found = &report.diagnostics;
    let mut sections: Vec<Section> = log_mia::section(report).into_iter().collect();
    sections.extend(scaling::sections(report, room));
    sections.extend(retrieval::sections(report, room));
    sections.extend(source::sections(report, room));
    sections.extend(fewshot::sections(report, room));
    sections.extend(checkpoints::section(report));
    sections.extend(calibration::section(report, room));
    sections.extend(found.slices.as_ref().map(slices::section));
    let exposed = found.vulnerability.as_ref();
    sections.extend(exposed.map(|found| vulnerability::section(found, room)));
    sections.extend(found.normality.as_ref().map(normality::section));
    sections.extend(found.qq.as_ref().and_then(normality::quantiles));
    sections
}

fn heads(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// A share in per cent with one digit; with three where one would make it look like none or all.
pub(crate) fn percent(share: f64) -> String {
    let short = format!("{:.1}%", 100.0 * share);
    let hidden = short == "0.0%" && share > 0.0 || short == "100.0%" && share < 1.0;
    if hidden {
        format!("{:.3}%", 100.0 * share)
    } else {
        short
    }
}
