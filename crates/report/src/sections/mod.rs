//! What a report shows beside the table of attacks, one file per section. Numbers become words
//! here; none is computed.

mod calibration;
mod canaries;
mod checkpoints;
mod fewshot;
mod log_mia;
mod models;
pub(crate) mod normality;
mod persons;
pub(crate) mod policy;
mod rag;
mod replicates;
mod scaling;
pub(crate) mod slices;
mod source;
mod source_sweeps;
mod typical;
pub(crate) mod unknown;
mod vulnerability;

use crate::blocks::{Place, Section};
use crate::document::Report;

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// A file, or a terminal that was asked for everything.
    Long,
    /// A page, which draws figures and shows records, exchanges and documents in its own way.
    Page,
}

/// Every section that the report has something for.
pub fn sections(report: &Report, room: Room) -> Vec<Section> {
    let found = &report.diagnostics;
    let shown_elsewhere = room == Room::Page && report.records.is_some();
    // Over several targets there is more to say than a table of records does.
    let exposed = found.vulnerability.as_ref();
    let exposed = exposed.filter(|found| found.targets > 1 || !shown_elsewhere);
    let exposed = exposed.map(vulnerability::section);
    let all = [
        placed(Place::Attacks, policy::sections(report)),
        placed(
            Place::Attacks,
            report.canaries.iter().flat_map(canaries::sections),
        ),
        placed(Place::Attacks, persons::section(report)),
        placed(
            Place::Attacks,
            report.unknown.as_ref().map(unknown::section),
        ),
        placed(Place::Attacks, replicates::section(report)),
        placed(Place::Attacks, log_mia::section(report)),
        placed(Place::Models, scaling::sections(report)),
        placed(Place::Service, rag::sections(report, room)),
        placed(Place::Sources, source::sections(report, room)),
        placed(Place::FewShot, fewshot::sections(report, room)),
        placed(Place::Checkpoints, checkpoints::section(report, room)),
        placed(Place::Attacks, calibration::section(report)),
        placed(Place::Records, found.slices.as_ref().map(slices::section)),
        placed(Place::Records, exposed),
        placed(
            Place::Records,
            report.typical.as_ref().map(typical::section),
        ),
        placed(
            Place::Models,
            found.normality.as_ref().map(normality::section),
        ),
        placed(
            Place::Models,
            found.qq.as_ref().and_then(normality::quantiles),
        ),
        placed(Place::Models, models::sections(report)),
    ];
    all.into_iter().flatten().collect()
}

/// What somebody who assesses an audit asks for beside the whole and its slices: canaries, people, records of
/// unknown membership, other targets; then what only this kind of audit has.
pub fn for_assessors(report: &Report) -> Vec<Section> {
    let parts = report.canaries.iter().flat_map(canaries::sections);
    let parts = parts.chain(persons::section(report));
    let parts = parts.chain(report.unknown.as_ref().map(unknown::section));
    let parts = parts.chain(replicates::section(report));
    let kind = rag::sections(report, Room::Page);
    let kind = kind.into_iter().chain(source::sections(report, Room::Page));
    let kind = kind.chain(fewshot::sections(report, Room::Page));
    let kind = kind.chain(checkpoints::section(report, Room::Page));
    parts.chain(kind).collect()
}

/// What a number in place of a record's name means.
pub(crate) const NUMBERED: &str = "Records are numbered from 0 in the order of scores.parquet, which names \
                                   them; --show-records, or audit.show_records = true, names them in report.html.";

fn placed(place: Place, sections: impl IntoIterator<Item = Section>) -> Vec<Section> {
    let placed = |section| Section { place, ..section };
    sections.into_iter().map(placed).collect()
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
