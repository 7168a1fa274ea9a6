//! `cargo xtask study rag-nulls`: how often attacks on retrieval services find something where nothing is.
//! The non-members of a transcript are called members and others by lot, and judged, many times.

use std::path::PathBuf;

use guestlist::kinds::rag::{NullCounts, Nulls, count_nulls};
use guestlist::pipeline::AuditOptions;
use guestlist_bench::Failed;
use guestlist_bench::figures::Source;
use serde_json::{Value, json};
use stats::streams::Seed;

const USAGE: &str = "`cargo xtask study rag-nulls` wants --transcript FILE=TEXT, the transcript.jsonl of a run of every attack and \
    whose it is, once or more often; there are also --nulls N (1,000) and --sizes 15,30,75, the members of an audit";

struct Wanted {
    transcripts: Vec<(PathBuf, String)>,
    nulls: usize,
    sizes: Vec<usize>,
}

pub fn run(arguments: impl Iterator<Item = String>) -> Result<(), Failed> {
    let wanted = wanted(arguments)?;
    let mut counted = Vec::new();
    for (path, _) in &wanted.transcripts {
        let (options, sizes) = (AuditOptions::default(), &wanted.sizes);
        let nulls = count_nulls(path, &options, sizes, wanted.nulls, Seed(1));
        counted.extend(nulls.map_err(|error| Failed(error.to_string()))?);
    }
    let about: Vec<&str> = wanted
        .transcripts
        .iter()
        .map(|(_, text)| text.as_str())
        .collect();
    let sizes: Vec<String> = wanted.sizes.iter().map(usize::to_string).collect();
    Source {
        name: "rag-nulls",
        command: "cargo xtask study rag-nulls --transcript FILE=TEXT",
        values: json!({
            "nulls": wanted.nulls,
            "about": about.join("; "),
            "sizes": sizes.join(", "),
            "table": table(&counted),
        }),
    }
    .write()
}

fn wanted(mut arguments: impl Iterator<Item = String>) -> Result<Wanted, Failed> {
    let usage = || Failed(USAGE.into());
    let number = |text: &str| text.trim().parse().map_err(|_| usage());
    let mut wanted = Wanted {
        transcripts: Vec::new(),
        nulls: 1000,
        sizes: vec![15, 30, 75],
    };
    while let Some(flag) = arguments.next() {
        match (flag.as_str(), arguments.next()) {
            ("--transcript", Some(given)) => {
                let (path, about) = given.split_once('=').ok_or_else(usage)?;
                wanted.transcripts.push((path.into(), about.to_owned()));
            }
            ("--nulls", Some(count)) => wanted.nulls = number(&count)?,
            ("--sizes", Some(sizes)) => {
                wanted.sizes = sizes.split(',').map(number).collect::<Result<_, _>>()?;
            }
            _ => return Err(usage()),
        }
    }
    match wanted.transcripts.is_empty() {
        true => Err(usage()),
        false => Ok(wanted),
    }
}

/// A column for every transcript and size: how often above one half, and how often below.
fn table(counted: &[Nulls]) -> Value {
    let mut columns = vec!["attack".to_owned()];
    columns.extend(counted.iter().map(|nulls| format!("{0} + {0}", nulls.each)));
    let mut attacks: Vec<&str> = Vec::new();
    for one in counted.iter().flat_map(|nulls| &nulls.attacks) {
        if !attacks.contains(&one.attack.as_str()) {
            attacks.push(&one.attack);
        }
    }
    let percent = |count: usize, of: usize| format!("{:.1}", 100.0 * count as f64 / of as f64);
    let row = |attack: &&str| {
        let cell = |nulls: &Nulls| {
            let own = nulls.attacks.iter().find(|one| one.attack == *attack);
            own.map_or("–".to_owned(), |one: &NullCounts| {
                let [above, below] =
                    [one.above, one.below].map(|count| percent(count, nulls.nulls));
                format!("{above} + {below}")
            })
        };
        let cells = counted.iter().map(cell);
        let cells: Vec<String> = std::iter::once(format!("`{attack}`"))
            .chain(cells)
            .collect();
        json!(cells)
    };
    let whole = |name: &str, count: fn(&Nulls) -> usize| {
        let cells = counted
            .iter()
            .map(|nulls| percent(count(nulls), nulls.nulls));
        let cells: Vec<String> = std::iter::once(name.to_owned()).chain(cells).collect();
        json!(cells)
    };
    let mut rows: Vec<Value> = attacks.iter().map(row).collect();
    rows.push(whole("strongest of all, corrected", |nulls| {
        nulls.beyond_chance
    }));
    rows.push(whole("audits that would fail", |nulls| nulls.failed));
    json!({ "columns": columns, "rows": rows })
}
