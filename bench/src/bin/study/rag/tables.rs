//! What the audits found, beside each other.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use guestlist_bench::Failed;
use serde_json::{Value, json};
use stats::streams::{Seed, shuffle};

use super::drawn::{self, Drawn};
use super::service::{Acted, Running};

/// Answers of one condition that are drawn to be read.
const READ: usize = 24;
/// Characters of a question and of an answer that are shown.
const SHOWN: usize = 400;

/// One service, audited.
pub struct Measured {
    name: &'static str,
    report: Value,
    acted: Acted,
    seconds: f64,
    /// What was asked about members and others, and what came back.
    exchanges: Vec<Exchange>,
}

struct Exchange {
    strategy: String,
    member: bool,
    query: String,
    answer: String,
}

impl Measured {
    pub fn read(
        name: &'static str,
        folder: &Path,
        acted: Acted,
        took: Duration,
    ) -> Result<Self, Failed> {
        let path = folder.join("guestlist-run/report.json");
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Failed(format!("{}: {error}", path.display())))?;
        let report = serde_json::from_str(&text).map_err(|error| Failed(error.to_string()))?;
        Ok(Self {
            name,
            report,
            acted,
            seconds: took.as_secs_f64(),
            exchanges: exchanges(&folder.join("guestlist-run/transcript.jsonl"))?,
        })
    }

    fn attacks(&self) -> impl Iterator<Item = &Value> {
        self.report["attacks"].as_array().into_iter().flatten()
    }

    fn attack(&self, id: &str) -> &Value {
        self.attacks()
            .find(|attack| attack["id"] == id)
            .unwrap_or(&Value::Null)
    }

    fn detail(&self, id: &str) -> &Value {
        let mut all = self.report["detail"]["attacks"]
            .as_array()
            .into_iter()
            .flatten();
        all.find(|attack| attack["id"] == id)
            .unwrap_or(&Value::Null)
    }

    /// Everything as it was measured.
    pub fn values(&self) -> Value {
        let attack = |attack: &Value| {
            let id = attack["id"].as_str().unwrap_or_default();
            json!({
                "id": id, "auc": attack["auc"], "abstained": attack["abstained"],
                "requests_per_document": self.detail(id)["requests_per_document"],
                "without_retrieval": self.detail(id)["without_retrieval"],
            })
        };
        json!({
            "condition": self.name, "verdict": self.report["verdict"]["outcome"], "seconds": self.seconds,
            "answers": self.report["detail"]["answers"], "requests": self.report["detail"]["requests"],
            "attacks": self.attacks().map(attack).collect::<Vec<_>>(),
        })
    }

    /// Questions and answers drawn at random, to be read.
    pub fn sample(&self) -> String {
        let mut all: Vec<&Exchange> = self.exchanges.iter().collect();
        shuffle(&mut Seed(0).stream("study-rag/sample"), &mut all);
        let shown = |text: &str| {
            text.chars()
                .take(SHOWN)
                .collect::<String>()
                .replace('\n', " ")
        };
        let line = |exchange: &&Exchange| {
            format!(
                "- {} ({}) **{}** → {}\n",
                exchange.strategy,
                if exchange.member { "member" } else { "other" },
                shown(&exchange.query),
                shown(&exchange.answer)
            )
        };
        let lines: String = all.iter().take(READ).map(line).collect();
        format!("## {}\n\n{lines}\n", self.name)
    }
}

fn exchanges(path: &Path) -> Result<Vec<Exchange>, Failed> {
    let mut members: HashMap<String, bool> = HashMap::new();
    let mut found = Vec::new();
    for row in drawn::lines(path)? {
        let document = row["document"].as_str().unwrap_or_default();
        if let Some(member) = row["member"].as_bool() {
            members.insert(document.to_owned(), member);
        }
        let text = |name: &str| row[name].as_str().map(str::to_owned);
        // What was asked without retrieval says nothing of the store.
        let on = row["retrieval"].as_bool() != Some(false);
        if let (Some(query), Some(answer), true) = (text("query"), text("answer"), on) {
            found.push(Exchange {
                strategy: text("strategy").unwrap_or_default(),
                member: members.get(document).copied().unwrap_or_default(),
                query,
                answer,
            });
        }
    }
    Ok(found)
}

/// 0.912 (0.85–0.96), or nothing where an attack could not run.
fn interval(auc: &Value) -> String {
    let number = |name: &str| auc[name].as_f64();
    match (number("value"), number("low"), number("high")) {
        (Some(value), Some(low), Some(high)) => format!("{value:.3} ({low:.2}–{high:.2})"),
        _ => "–".into(),
    }
}

fn ids(measured: &[&Measured]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for attack in measured.iter().flat_map(|one| one.attacks()) {
        let id = attack["id"].as_str().unwrap_or_default().to_owned();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

/// Attacks by conditions, and the first condition with retrieval off.
pub fn auc(measured: &[&Measured]) -> Value {
    let mut columns = vec!["attack".to_owned()];
    columns.extend(measured.iter().map(|one| one.name.to_owned()));
    columns.push("retrieval off".into());
    let row = |id: String| {
        let mut cells = vec![id.clone()];
        cells.extend(measured.iter().map(|one| interval(&one.attack(&id)["auc"])));
        let off = measured
            .first()
            .map(|one| &one.detail(&id)["without_retrieval"]);
        cells.push(off.map_or_else(|| "–".into(), interval));
        cells
    };
    json!({"columns": columns, "rows": ids(measured).into_iter().map(row).collect::<Vec<_>>()})
}

/// Questions about a document, by attack and condition.
pub fn requests(measured: &[&Measured]) -> Value {
    let mut columns = vec!["attack".to_owned()];
    columns.extend(measured.iter().map(|one| one.name.to_owned()));
    let row = |id: String| {
        let mut cells = vec![Value::from(id.clone())];
        for one in measured {
            cells.push(match one.detail(&id)["requests_per_document"].as_f64() {
                Some(number) => json!([number, ".1"]),
                None => "–".into(),
            });
        }
        cells
    };
    json!({"columns": columns, "rows": ids(measured).into_iter().map(row).collect::<Vec<_>>()})
}

/// How often defences acted, and what kinds of answers came back.
pub fn acted(measured: &[&Measured]) -> Value {
    let row = |one: &&Measured| {
        let share = |count: u64| json!([count as f64 / one.acted.asked.max(1) as f64, "percent"]);
        json!([
            one.name,
            [one.acted.asked, "count"],
            share(one.acted.suspected),
            share(one.acted.refused),
            share(one.acted.filtered),
            [one.seconds, "seconds"]
        ])
    };
    let columns = [
        "service",
        "questions",
        "suspected",
        "withheld",
        "filtered",
        "took",
    ];
    json!({"columns": columns, "rows": measured.iter().map(row).collect::<Vec<_>>()})
}

/// How often `detect-probing` suspects the questions of each attack about members, and natural ones.
pub fn detection(drawn: &Drawn, first: &Measured) -> Result<Value, Failed> {
    let mut sets: Vec<(String, Vec<String>)> = Vec::new();
    for exchange in first.exchanges.iter().filter(|exchange| exchange.member) {
        let found = sets.iter_mut().find(|(name, _)| *name == exchange.strategy);
        match found {
            Some((_, questions)) if !questions.contains(&exchange.query) => {
                questions.push(exchange.query.clone());
            }
            Some(_) => {}
            None => sets.push((exchange.strategy.clone(), vec![exchange.query.clone()])),
        }
    }
    if !drawn.natural.is_empty() {
        sets.push(("natural questions".into(), drawn.natural.clone()));
    }
    let services: &[bool] = if drawn.usual.is_some() {
        &[false, true]
    } else {
        &[false]
    };
    let mut rows = Vec::new();
    for (name, questions) in sets {
        let mut row = vec![json!(name), json!([questions.len(), "count"])];
        for usual in services {
            let running = Running::reader(drawn, *usual)?;
            for question in &questions {
                running.ask(question)?;
            }
            let acted = running.stop()?;
            let share = acted.suspected as f64 / acted.asked.max(1) as f64;
            row.push(json!([share, "percent"]));
        }
        rows.push(row);
    }
    let mut columns = vec!["questions of", "asked", "suspected"];
    if services.len() == 2 {
        columns.push("suspected, usual questions known");
    }
    Ok(json!({"columns": columns, "rows": rows}))
}
