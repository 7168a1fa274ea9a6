//! `cargo xtask study rag-nulls`: how often attacks on retrieval services find something where nothing is.
//! The non-members of a transcript are called members and others by lot, and judged, many times.

use std::path::PathBuf;

use guestlist::kinds::rag::{NullCounts, count_nulls};
use guestlist::pipeline::AuditOptions;
use guestlist_bench::Failed;
use guestlist_bench::figures::Source;
use serde_json::json;
use stats::streams::Seed;

const USAGE: &str = "`cargo xtask study rag-nulls` wants --transcript FILE, the transcript.jsonl of a run of every attack; \
    and --about TEXT, which says whose it is; there is also --nulls N (200)";

pub fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), Failed> {
    let (mut transcript, mut about, mut nulls) = (None, None, 200);
    while let Some(flag) = arguments.next() {
        match (flag.as_str(), arguments.next()) {
            ("--transcript", Some(path)) => transcript = Some(PathBuf::from(path)),
            ("--about", Some(text)) => about = Some(text),
            ("--nulls", Some(count)) => {
                nulls = count
                    .parse()
                    .map_err(|_| Failed(format!("--nulls {count} is not a number")))?;
            }
            _ => return Err(Failed(USAGE.into())),
        }
    }
    let transcript = transcript.ok_or_else(|| Failed(USAGE.into()))?;
    let about = about.ok_or_else(|| Failed(USAGE.into()))?;
    let counted = count_nulls(&transcript, &AuditOptions::default(), nulls, Seed(1));
    let counted = counted.map_err(|error| Failed(error.to_string()))?;
    for one in &counted {
        println!(
            "{:<14} above {:>3}  below {:>3}  of {}",
            one.attack, one.above, one.below, one.nulls
        );
    }
    let row = |one: &NullCounts| {
        let both = one.above + one.below;
        json!([
            format!("`{}`", one.attack),
            [one.above, "count"],
            [one.below, "count"],
            [both as f64 / one.nulls as f64, "percent"]
        ])
    };
    Source {
        name: "rag-nulls",
        command: "cargo xtask study rag-nulls --transcript FILE --about TEXT",
        values: json!({
            "nulls": nulls,
            "about": about,
            "table": {
                "columns": ["attack", "above one half", "below", "of all"],
                "rows": counted.iter().map(row).collect::<Vec<_>>(),
            },
        }),
    }
    .write()
}
