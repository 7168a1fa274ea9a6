//! Telling a transcript from other JSON Lines.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use formats::lines::Lines;

/// By what the first exchange was asked, where it says.
pub fn first_strategy(path: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Row {
        strategy: Option<String>,
    }
    let rows = Lines::open(path).ok()?.map_while(Result::ok);
    let mut rows = rows.map_while(|(_, line)| serde_json::from_slice::<Row>(&line).ok());
    rows.find_map(|row| row.strategy)
}

/// Whether the first row is an exchange (a query or a strategy, and an answer or an error), or
/// describes a document of exchanges to come.
pub fn recognise(path: &Path) -> bool {
    let Ok(mut lines) = Lines::open(path) else {
        return false;
    };
    let first: Option<Value> = match lines.next() {
        Some(Ok((_, line))) => serde_json::from_slice(&line).ok(),
        _ => None,
    };
    let has = |row: &Value, names: &[&str]| names.iter().any(|name| row.get(name).is_some());
    first.is_some_and(|row| {
        let exchange = has(&row, &["query", "strategy"]) && has(&row, &["answer", "error"]);
        exchange || has(&row, &["document", "doc_id", "document_id"])
    })
}
