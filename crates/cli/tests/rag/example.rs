//! The library's own example, as a program of ten lines has it, on the service that is rehearsed on.

use std::path::Path;

use rehearsal::ServeRequest;

#[path = "../../../guestlist/examples/rag.rs"]
#[allow(dead_code)]
mod rag;

const TOWNS: [&str; 6] = ["Ulm", "Riga", "Cork", "Bergen", "Turku", "Siena"];
const THINGS: [&str; 5] = ["mill", "bell", "bridge", "archive", "orchard"];

/// Notes that share their words and differ in what they say.
fn write_notes(path: &Path, from: usize, count: usize) {
    let note = |n: usize| {
        let (town, thing) = (TOWNS[n % 6], THINGS[n % 5]);
        let (year, price, pages) = (1700 + n, 310 + 17 * n, 40 + 3 * n);
        let text = format!(
            "Note {n}: the {thing} of {town} was sold in {year} to the family Marek{n} for {price} \
             crowns. Its keeper, Ada Venn{n}, kept a ledger of {pages} pages there."
        );
        serde_json::json!({"id": format!("note-{n}"), "text": text}).to_string() + "\n"
    };
    let all: String = (from..from + count).map(note).collect();
    std::fs::write(path, all).unwrap();
}

#[test]
fn the_example_of_the_library_finds_what_is_in_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.jsonl");
    write_notes(&store, 0, 24);
    write_notes(&folder.path().join("others.jsonl"), 24, 24);
    let serving = ServeRequest::new(&store).start().unwrap();
    let url = format!("http://{}", serving.running.address());
    let report = rag::audit(url, folder.path()).unwrap();
    assert_eq!(report.kind(), report::Kind::Rag);
    let best = report.strongest_first()[0];
    assert!(best.auc.value > 0.9, "{}: {}", best.id, best.auc.value);
    assert!(folder.path().join("guestlist-run/report.json").exists());
}
