//! The list of audits: which of them, in which order, which page of it.

use std::cmp::Ordering;
use std::sync::Arc;

use ::report::Kind;

use crate::http::query::Query;
use crate::library::{Measure, Summary};

/// Audits on one page.
pub const PER_PAGE: usize = 100;

/// What a list can be ordered by.
pub const ORDERS: [(&str, &str); 6] = [
    ("name", "Audit"),
    ("verdict", "Verdict"),
    ("kind", "Target"),
    ("auc", "AUC"),
    ("records", "Records"),
    ("date", "Date"),
];

pub struct Page {
    pub audits: Vec<Arc<Summary>>,
    /// That fit, and in all.
    pub fitting: usize,
    pub all: usize,
    /// From 1.
    pub page: usize,
    pub pages: usize,
}

/// Which column orders the list, and whether downwards.
pub fn order(query: &Query) -> (&str, bool) {
    let column = query.get("sort").unwrap_or("date");
    let column = ORDERS.iter().find(|(name, _)| *name == column);
    let column = column.map_or("date", |(name, _)| name);
    let customary = matches!(column, "date" | "auc" | "records");
    let downwards = match query.get("order") {
        Some("asc") => false,
        Some("desc") => true,
        _ => customary,
    };
    (column, downwards)
}

pub fn page(audits: Vec<Arc<Summary>>, query: &Query) -> Page {
    let all = audits.len();
    let mut fitting: Vec<Arc<Summary>> = audits
        .into_iter()
        .filter(|audit| fits(audit, query))
        .collect();
    let (column, downwards) = order(query);
    fitting.sort_by(|a, b| {
        let ordering = compare(a, b, column);
        let ordering = if downwards {
            ordering.reverse()
        } else {
            ordering
        };
        ordering.then_with(|| a.path.cmp(&b.path))
    });
    let pages = fitting.len().div_ceil(PER_PAGE).max(1);
    let page = query.number("page").unwrap_or(1).clamp(1, pages);
    Page {
        fitting: fitting.len(),
        audits: fitting
            .into_iter()
            .skip((page - 1) * PER_PAGE)
            .take(PER_PAGE)
            .collect(),
        all,
        page,
        pages,
    }
}

fn fits(audit: &Summary, query: &Query) -> bool {
    let searched = query.get("search").is_none_or(|words| {
        let path = audit.path.to_lowercase();
        words
            .to_lowercase()
            .split_whitespace()
            .all(|word| path.contains(word))
    });
    let verdict = query
        .get("verdict")
        .is_none_or(|wanted| match &audit.audited {
            Ok(audited) => audited.outcome.word() == wanted,
            Err(_) => wanted == "damaged",
        });
    let kind = query
        .get("kind")
        .is_none_or(|wanted| is_kind(audit, wanted));
    searched && verdict && kind
}

/// The kinds of audits, by their names in addresses, and in words.
pub fn kinds() -> impl Iterator<Item = (String, String)> {
    Kind::ALL
        .iter()
        .map(|kind| (kind.name().into(), kind.to_string()))
}

/// Whether an audit is of a kind, by the kind's short name.
pub fn is_kind(audit: &Summary, wanted: &str) -> bool {
    let audited = audit.audited.as_ref();
    audited.is_ok_and(|audited| audited.kind.name() == wanted)
}

fn compare(a: &Summary, b: &Summary, column: &str) -> Ordering {
    let read = |audit: &Summary| -> (Option<u8>, Option<String>, f64, usize) {
        match &audit.audited {
            Ok(audited) => (
                Some(audited.outcome as u8),
                Some(audited.kind.to_string()),
                audited
                    .reading(None, Measure::Auc)
                    .map_or(f64::NEG_INFINITY, |(_, reading)| reading.value),
                audited.records,
            ),
            Err(_) => (None, None, f64::NEG_INFINITY, 0),
        }
    };
    let (left, right) = (read(a), read(b));
    match column {
        "verdict" => left.0.cmp(&right.0),
        "name" => a.path.cmp(&b.path),
        "kind" => left.1.cmp(&right.1),
        "auc" => left.2.total_cmp(&right.2),
        "records" => left.3.cmp(&right.3),
        _ => a.order().cmp(&b.order()),
    }
}
