use std::collections::BTreeMap;
use std::path::Path;

use formats::files;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::{ErrorKind, SealedTruth};

fn sealed(folder: &Path, role: Role, name: &str, bytes: &[u8], rows: usize) -> Value {
    std::fs::write(folder.join(name), bytes).unwrap();
    json!({"role": role, "path": name, "sha256": files::sha256_of(bytes), "rows": rows})
}

/// A draw of two canaries, written by hand.
fn drawn() -> (TempDir, Value) {
    let folder = tempfile::tempdir().unwrap();
    let coins = BTreeMap::from([("a".to_owned(), true), ("b".to_owned(), false)]);
    let truth = SealedTruth::new(7, coins).to_json().unwrap();
    let canaries = "{\"id\":\"b\",\"text\":\"two\",\"tier\":1,\"design\":\"random-tokens\"}\n\
                    {\"id\":\"a\",\"text\":\"one\",\"tier\":4,\"design\":\"random-tokens\",\"prompt\":\"o\"}\n";
    let manifest = json!({
        "schema": SCHEMA, "kind": "lm", "guestlist": "0.1.0", "canaries": 2,
        "designs": [{"design": "random-tokens", "canaries": 2}],
        "tiers": [{"repetitions": 1, "canaries": 1}, {"repetitions": 4, "canaries": 1}],
        "coin": 0.5,
        "files": [
            sealed(folder.path(), Role::Canaries, "canaries.jsonl", canaries.as_bytes(), 2),
            sealed(folder.path(), Role::Truth, "truth.json", &truth, 2),
        ],
    });
    write(folder.path(), &manifest);
    (folder, manifest)
}

fn write(folder: &Path, manifest: &Value) {
    std::fs::write(folder.join(FILE_NAME), manifest.to_string()).unwrap();
}

fn refused(change: impl Fn(&Path, &mut Value)) -> Error {
    let (folder, mut manifest) = drawn();
    change(folder.path(), &mut manifest);
    write(folder.path(), &manifest);
    Manifest::read(folder.path())
        .and_then(|manifest| SealedTruth::open(&manifest))
        .unwrap_err()
}

#[test]
fn a_draw_reads_back_and_its_truth_opens() {
    let (folder, _) = drawn();
    let manifest = Manifest::read(&folder.path().join(FILE_NAME)).unwrap();
    let canaries = manifest.canaries().unwrap();
    assert_eq!((canaries[0].id.as_str(), canaries[1].tier), ("b", 4));
    assert_eq!(canaries[1].row["prompt"], "o");
    let truth = SealedTruth::open(&manifest).unwrap();
    assert_eq!(truth.included("a"), Some(true));
    assert_eq!(truth.included("b"), Some(false));
    assert_eq!(truth.included("c"), None);
    let again = Manifest::parse(&manifest.to_json().unwrap()).unwrap();
    assert_eq!(again.files, manifest.files);
}

#[test]
fn what_was_changed_since_is_refused_by_name() {
    let flipped = refused(|folder, _| {
        let path = folder.join("truth.json");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, text.replace("true", "false")).unwrap();
    });
    assert!(
        flipped.to_string().contains("truth.json: was changed"),
        "{flipped}"
    );
    let edited = refused(|folder, _| {
        let path = folder.join("canaries.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, text.replace("two", "six")).unwrap();
    });
    assert!(
        edited.to_string().contains("canaries.jsonl: was changed"),
        "{edited}"
    );
    let gone = refused(|folder, _| std::fs::remove_file(folder.join("truth.json")).unwrap());
    assert_eq!(gone.kind, ErrorKind::NotFound);
    assert!(gone.hint.is_some(), "{gone}");
}

#[test]
fn a_truth_of_other_canaries_is_refused_even_if_its_digest_fits() {
    for ids in [vec!["a"], vec!["a", "c"], vec!["a", "b", "c"]] {
        let error = refused(|folder, manifest| {
            let coins = ids.iter().map(|id| ((*id).to_owned(), true)).collect();
            let truth = SealedTruth::new(7, coins).to_json().unwrap();
            manifest["files"][1] = sealed(folder, Role::Truth, "truth.json", &truth, 2);
        });
        assert!(error.to_string().contains("coin"), "{error}");
    }
}

#[test]
fn a_manifest_that_is_none_or_contradicts_itself_is_refused() {
    for (key, value, words) in [
        (
            "schema",
            json!("guestlist.canaries/9"),
            "guestlist.canaries/9",
        ),
        ("schema", Value::Null, "names no schema"),
        ("canaries", json!(3), "tiers count 2 canaries"),
        ("coin", json!(0.9), "fair coins"),
        ("files", json!([]), "no file with the role canaries"),
        ("kind", json!("rag"), "rag"),
    ] {
        let error = refused(|_, manifest| manifest[key] = value.clone());
        assert!(error.to_string().contains(words), "{error}");
        assert!(error.to_string().contains("hint"), "{error}");
    }
    let twice_four = json!([{"repetitions": 4, "canaries": 2}]);
    let other_design = json!([{"design": "swapped", "canaries": 2}]);
    for (key, value) in [
        ("tiers", twice_four),
        ("designs", other_design),
        ("kind", json!("classifier")),
    ] {
        let error = refused(|_, manifest| manifest[key] = value.clone()).to_string();
        let words = format!("manifest.json: {key} is {value}, but by canaries.jsonl");
        assert!(error.contains(&words), "{error}");
        assert!(error.contains("hint"), "{error}");
    }
    let coins = refused(|_, manifest| manifest["files"][1]["rows"] = json!(3));
    assert!(coins.to_string().contains("files count 3"), "{coins}");
    for path in ["/etc/passwd", "../truth.json", ""] {
        let error = refused(|_, manifest| manifest["files"][1]["path"] = json!(path));
        assert!(error.to_string().contains("manifest's folder"), "{error}");
    }
}

/// What a trainer saw stands where a check notes what it found, and nothing else changes.
#[test]
fn what_was_seen_in_training_is_noted() {
    use crate::check::{Outcome, Seen, SeenInTraining, Status, note};
    let (folder, drawn) = drawn();
    let seen = |status: Option<Status>| SeenInTraining {
        by: "a trainer".into(),
        findings: (status.into_iter())
            .map(|status| Seen {
                trap: "frozen-embeddings".into(),
                status,
                detail: "they do not train".into(),
                remedy: "train them".into(),
            })
            .collect(),
    };
    for (status, outcome, word) in [
        (None, Outcome::Visible, "visible"),
        (Some(Status::Warn), Outcome::Visible, "visible"),
        (Some(Status::Violated), Outcome::Invisible, "invisible"),
    ] {
        assert_eq!(note(folder.path(), &seen(status)).unwrap(), outcome);
        let noted = Manifest::read(folder.path()).unwrap();
        assert_eq!(noted.check["outcome"], word);
        assert_eq!(noted.check["by"], "a trainer");
        assert!(noted.check.get("invisible").is_none());
        noted.canaries().unwrap();
        SealedTruth::open(&noted).unwrap();
        let files = serde_json::to_value(&noted.files).unwrap();
        assert_eq!(files, drawn["files"]);
    }
}
