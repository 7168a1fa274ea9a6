//! The most exposed records: how high they score and, where records are shown, who they are and in
//! audits of services the exchange that gave them away.

use maud::{Markup, html};

use super::exchanges::exchange;
use super::tables::{Choice, Column, sortable, tools};
use crate::detail::Detail;
use crate::document::Report;
use crate::markup::{count, decimal, grouped, index, outside, percent, text};
use crate::rag::Exposed;
use crate::records::{Record, Records};
use crate::sections::NUMBERED;
use crate::table::rate;

const CHOICES: [Choice; 6] = [
    ("above", "above the cut"),
    ("member", "members"),
    ("nonmember", "non-members"),
    ("unknown", "of unknown membership"),
    ("caught", "caught members"),
    ("flagged", "falsely flagged non-members"),
];

pub fn part(report: &Report) -> Markup {
    let Some(records) = &report.records else {
        return html! {};
    };
    let page = Page { report, records };
    let rows = html! { @for record in &records.listed { (page.row(record)) } };
    html! {
        h3 { (text(&format!("Most exposed first, by {}", records.attack))) }
        p { (page.extent()) }
        (tools("record-table", "records", &page.choices()))
        (sortable("Records and their exposure", &page.columns(), "record-table", &rows))
        p class="why" { (page.legend()) }
    }
}

struct Page<'a> {
    report: &'a Report,
    records: &'a Records,
}

impl Page<'_> {
    /// How many of how many, and where the others are.
    fn extent(&self) -> String {
        let (listed, total) = (self.records.listed.len(), self.records.total);
        match listed == total {
            true => format!(
                "All {} records; scores.parquet has every attack's scores.",
                grouped(total as u64)
            ),
            false => format!(
                "{} of {} records. scores.parquet has all of them; guestlist serve shows them.",
                grouped(listed as u64),
                grouped(total as u64)
            ),
        }
    }

    /// Only what there is can be asked for.
    fn choices(&self) -> Vec<Choice> {
        let listed = &self.records.listed;
        let there = |choice: &&Choice| listed.iter().any(|one| marks(one).contains(&choice.0));
        CHOICES.iter().filter(there).copied().collect()
    }

    /// Whether the page may say who the records are.
    fn named(&self) -> bool {
        self.records.listed.iter().any(|one| one.id.is_some())
    }

    /// Whether records were judged on several targets.
    fn repeated(&self) -> bool {
        self.records
            .listed
            .iter()
            .any(|record| record.catch_rate_low.is_some())
    }

    fn columns(&self) -> Vec<Column> {
        let caught = format!("at FPR ≤ {}", rate(self.records.fpr));
        let mut columns = match self.named() {
            true => vec![
                Column::text("record"),
                Column::number("row"),
                Column::text("in truth"),
            ],
            false => vec![Column::text("record")],
        };
        columns.extend([
            Column::number("score"),
            Column::number("non-members below"),
            Column::text(&caught),
            Column::number("attacks that catch it"),
        ]);
        if self.repeated() {
            columns.push(Column::number("catch rate ≥"));
        }
        if self.repeated() && self.named() {
            columns.extend(["caught when a member", "flagged when not"].map(Column::number));
        }
        columns
    }

    fn row(&self, record: &Record) -> Markup {
        html! {
            tr data-item="" data-marks=(marks(record).join(" ")) {
                (self.who(record))
                td class="n" {
                    @match record.score {
                        Some(score) => (decimal(score, 4)),
                        None => (infinity(record.percentile)),
                    }
                }
                td class="n" { (percent(record.percentile, 2)) }
                td { (found(record)) }
                td class="n" { (count(record.caught_by as u64)) }
                @if self.repeated() { (self.repeats(record)) }
            }
            "\n"
        }
    }

    /// The record's number, and what else the page may say of it.
    fn who(&self, record: &Record) -> Markup {
        html! {
            th scope="row" {
                @match &record.id {
                    Some(id) => (self.name(id)),
                    // Not marked as a number: searching looks at words alone, and this is the name.
                    None => (index(record.row as u64)),
                }
            }
            @if self.named() {
                td class="n" { (index(record.row as u64)) }
                td { (membership(record)) }
            }
        }
    }

    /// The record's id, which opens to the exchange that gave it away where there is one.
    fn name(&self, id: &str) -> Markup {
        match self.exposed(id) {
            None => outside(id),
            Some(exposed) => html! { details { summary { (outside(id)) } (exchange(exposed)) } },
        }
    }

    /// How often the record was caught, over several targets.
    fn repeats(&self, record: &Record) -> Markup {
        html! {
            td class="n" {
                @match record.catch_rate_low { Some(low) => (percent(low, 1)), None => "–" }
            }
            @if self.named() { (counted(record)) }
        }
    }

    fn exposed(&self, id: &str) -> Option<&Exposed> {
        let Detail::Rag(rag) = &self.report.detail else {
            return None;
        };
        rag.exposed.iter().find(|exposed| exposed.document == id)
    }

    fn legend(&self) -> String {
        let attacks = self.report.attacks.len();
        let mut words = format!(
            "Non-members below: the share of non-members with a lower score; those with the same one, a \
             non-member itself among them, count half. Caught: at or above the cut \
             that accuses at most {} of the non-members. Attacks that catch it: of {attacks}, each by its \
             own cut.",
            rate(self.records.fpr)
        );
        words += match self.repeated() {
            true => {
                " Catch rate ≥: a lower bound on how often the record is caught when it is a member, over \
                 the targets that were audited beside this one."
            }
            false => {
                " One target cannot tell a vulnerable record from luck; --replicates counts over several."
            }
        };
        if !self.named() {
            words += &format!(" {NUMBERED}");
        }
        words
    }
}

fn counted(record: &Record) -> Markup {
    let times = record.exposure.as_ref().map(|exposure| &exposure.times);
    let of = |found: Option<(u32, u32)>| {
        html! {
            td class="n" {
                @match found {
                    Some((found, all)) => { (count(found.into())) " of " (count(all.into())) }
                    None => "–",
                }
            }
        }
    };
    html! {
        (of(times.map(|times| (times.caught, times.times_member))))
        (of(times.map(|times| (times.flagged, times.times_nonmember))))
    }
}

/// Which infinity a score is, from where it stands among the non-members.
fn infinity(percentile: f64) -> &'static str {
    match percentile {
        high if high > 0.5 => "∞",
        low if low < 0.5 => "−∞",
        _ => "±∞",
    }
}

/// What a record can be narrowed down by.
fn marks(record: &Record) -> Vec<&'static str> {
    if record.id.is_none() {
        return if record.caught {
            vec!["above"]
        } else {
            Vec::new()
        };
    }
    match (record.member, record.caught) {
        (Some(true), true) => vec!["member", "caught"],
        (Some(true), false) => vec!["member"],
        (Some(false), true) => vec!["nonmember", "flagged"],
        (Some(false), false) => vec!["nonmember"],
        (None, _) => vec!["unknown"],
    }
}

fn membership(record: &Record) -> &'static str {
    match record.member {
        Some(true) => "member",
        Some(false) => "not a member",
        None => "unknown",
    }
}

fn found(record: &Record) -> &'static str {
    match (record.caught, record.member) {
        (false, _) => "no",
        (true, Some(true)) => "caught",
        (true, Some(false)) => "falsely flagged",
        (true, None) => "above the cut",
    }
}
