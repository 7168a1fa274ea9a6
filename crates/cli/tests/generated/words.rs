//! `docs/guardrails-and-measures.md`: every guardrail with what it blocks, and every other word of a
//! report.

use judge::glossary::{self, Entry};
use judge::guardrails;

use super::page;

#[test]
fn the_page_of_guardrails_and_measures_has_every_word() {
    let all = glossary::entries();
    let (rails, others): (Vec<&Entry>, Vec<&Entry>) =
        all.partition(|entry| guardrails::direction(entry.id).is_some());
    let made = format!(
        "## Guardrails\n\n{}\n## Measures and other words\n\n{}",
        section(&rails),
        section(&others)
    );
    page::check("guardrails-and-measures.md", made.trim_end_matches('\n'));
}

fn section(entries: &[&Entry]) -> String {
    let paragraph = |entry: &&Entry| {
        let direction = guardrails::direction(entry.id);
        let direction = direction.map_or(String::new(), |words| format!("*{words}.*\n\n"));
        format!("### `{}`\n\n{}\n\n{direction}", entry.id, entry.meaning)
    };
    entries.iter().map(paragraph).collect()
}
