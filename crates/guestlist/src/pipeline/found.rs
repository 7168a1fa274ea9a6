//! What lies in the folder of a run or of an audit, where somebody asks to have the folder judged.

use std::path::{Path, PathBuf};

use base::Progress;
use serde_json::json;

use super::AuditRequest;
use crate::{Error, Result};
use report::Kind;

/// What a folder may hold, what of it is signals before what is scores; models are a folder of their
/// own beside the plan of the run.
const HOLDINGS: [(&str, &[Kind]); 5] = [
    ("models", &[Kind::Classifier]),
    ("tokens.parquet", &[Kind::Lm]),
    ("tokens.jsonl", &[Kind::Lm]),
    ("transcript.jsonl", &[Kind::Rag, Kind::Source]),
    ("scores.parquet", &[Kind::Scores]),
];

/// Files that only a run or an audit of ours leaves.
const SIGNS: [&str; 5] = [
    "plan.json",
    "report.json",
    "audit.sqlite",
    "tokens.parquet",
    "transcript.jsonl",
];

/// The signals inside the folder of a run, or the scores of an audit; anything else as it is. What
/// was chosen is told.
pub fn within(input: &Path, request: &AuditRequest, progress: Progress<'_>) -> Result<PathBuf> {
    // Few-shot audits train on: they read the folder itself. A layout that was named is looked for here.
    let own = request.format.is_some() || request.kind == Some(Kind::Fewshot);
    let ours = SIGNS.iter().any(|name| input.join(name).is_file());
    if own || !input.is_dir() || !ours {
        return Ok(input.to_owned());
    }
    let there = holdings(input);
    let wanted = |kinds: &&[Kind]| request.kind.is_none_or(|kind| kinds.contains(&kind));
    let Some((name, _)) = there.iter().find(|(_, kinds)| wanted(kinds)) else {
        return Err(nothing(input, request, &there));
    };
    let others: Vec<&str> = there.iter().map(|(other, _)| *other).collect();
    let others: Vec<&str> = others.into_iter().filter(|other| other != name).collect();
    progress.facts(
        "found",
        &json!({"folder": input, "input": name, "others": others}),
    );
    progress.note(&format!(
        "{} is the folder of a run or audit: judging {name} in it{}",
        input.display(),
        match others.as_slice() {
            [] => String::new(),
            others => format!(" (also there: {})", others.join(", ")),
        }
    ));
    Ok(input.join(name))
}

fn holdings(input: &Path) -> Vec<(&'static str, &'static [Kind])> {
    let is_there = |name: &str| match name {
        "models" => input.join("plan.json").is_file() && holds_a_model(&input.join(name)),
        name => input.join(name).is_file(),
    };
    let there = HOLDINGS.into_iter().filter(|(name, _)| is_there(name));
    there.collect()
}

fn holds_a_model(models: &Path) -> bool {
    let entries = std::fs::read_dir(models).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .any(|entry| entry.join("keep.npy").is_file())
}

fn nothing(input: &Path, request: &AuditRequest, there: &[(&str, &[Kind])]) -> Error {
    let names: Vec<&str> = there.iter().map(|(name, _)| *name).collect();
    match (request.kind, names.as_slice()) {
        (Some(kind), [_, ..]) => Error::usage(
            format!(
                "{}: holds {}, nothing of kind {}",
                input.display(),
                names.join(", "),
                kind.name()
            ),
            "leave out the kind, or name the file",
        ),
        _ => Error::usage(
            format!(
                "{}: a run left nothing there that can be judged yet",
                input.display()
            ),
            "`guestlist run` takes it up where it stopped; then there are signals and a report",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn chosen(names: &[&str], kind: Option<Kind>) -> std::result::Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let request = AuditRequest {
            kind,
            ..AuditRequest::default()
        };
        match within(folder.path(), &request, Progress::unwatched()) {
            Ok(path) => Ok(path
                .strip_prefix(folder.path())
                .unwrap()
                .display()
                .to_string()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn signals_come_before_scores() {
        let run = [
            "plan.json",
            "models/00000/keep.npy",
            "scores.parquet",
            "report.json",
        ];
        assert_eq!(chosen(&run, None).unwrap(), "models");
        assert_eq!(chosen(&run, Some(Kind::Scores)).unwrap(), "scores.parquet");
        let lm = ["audit.sqlite", "tokens.parquet", "scores.parquet"];
        assert_eq!(chosen(&lm, None).unwrap(), "tokens.parquet");
        let rag = ["audit.sqlite", "transcript.jsonl", "report.json"];
        assert_eq!(chosen(&rag, None).unwrap(), "transcript.jsonl");
        assert_eq!(
            chosen(&rag, Some(Kind::Source)).unwrap(),
            "transcript.jsonl"
        );
        let audit = ["report.json", "scores.parquet"];
        assert_eq!(chosen(&audit, None).unwrap(), "scores.parquet");
    }

    #[test]
    fn folders_of_others_are_left_as_they_are() {
        assert_eq!(chosen(&["phi.npy", "keep.npy"], None).unwrap(), "");
        assert_eq!(chosen(&["models/00000/keep.npy"], None).unwrap(), "");
        assert_eq!(chosen(&["plan.json"], Some(Kind::Fewshot)).unwrap(), "");
    }

    #[test]
    fn a_run_that_left_nothing_says_so() {
        let said = chosen(&["plan.json", "models/x"], None).unwrap_err();
        assert!(
            said.contains("nothing there that can be judged yet"),
            "{said}"
        );
        let said = chosen(&["tokens.parquet"], Some(Kind::Rag)).unwrap_err();
        assert!(
            said.contains("holds tokens.parquet, nothing of kind rag"),
            "{said}"
        );
    }
}
