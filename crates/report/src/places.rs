//! Where files lie on somebody's machine is nobody else's business: what is handed on names them by the last part of
//! their path. `report.json` keeps what was given, so that `guestlist verify` finds it.

use std::path::Path;

use crate::detail::Detail;
use crate::document::Report;

impl Report {
    /// The report as it is handed on: no path from the root of a disk is in it, where the tool knows that it is one.
    pub fn without_places(mut self) -> Self {
        let mut known: Vec<String> = Vec::new();
        let inputs = self.provenance.inputs.iter_mut();
        let inputs = inputs.flat_map(|input| [Some(&mut input.path), input.folder.as_mut()]);
        for path in inputs.flatten().chain(models(&mut self.detail)) {
            if Path::new(path.as_str()).is_absolute() {
                known.push(path.clone());
                *path = last_part(path);
            }
        }
        self.provenance.command = shortened(&self.provenance.command);
        // The longest first: a folder is the beginning of what lies in it.
        known.sort_by_key(|path| std::cmp::Reverse(path.len()));
        for text in said(&mut self) {
            for path in known.iter().filter(|path| path.len() > 1) {
                *text = text.replace(path.as_str(), &last_part(path));
            }
        }
        self
    }
}

/// The folders of language models.
fn models(detail: &mut Detail) -> impl Iterator<Item = &mut String> {
    let scoring = match detail {
        Detail::Lm(lm) => lm.scoring.as_mut(),
        _ => None,
    };
    let models = scoring.into_iter().flat_map(|scoring| &mut scoring.models);
    models.map(|model| &mut model.source)
}

/// Sentences in which an input may be named.
fn said(report: &mut Report) -> impl Iterator<Item = &mut String> {
    let guardrails = report.guardrails.iter_mut().map(|one| &mut one.detail);
    let skipped = report.skipped.iter_mut().map(|one| &mut one.reason);
    let reasons = report.verdict.reasons.iter_mut();
    reasons
        .chain(guardrails)
        .chain(skipped)
        .chain(&mut report.notes)
}

/// Of a path from the root of somebody's disk, what it ends in.
pub fn last_part(name: &str) -> String {
    let path = Path::new(name);
    match path.file_name().filter(|_| path.is_absolute()) {
        Some(last) => last.to_string_lossy().into_owned(),
        None => name.to_owned(),
    }
}

/// A command, its paths from the root by their last part.
fn shortened(command: &str) -> String {
    let mut shown = String::with_capacity(command.len());
    let (mut rest, mut before) = (command, ' ');
    while let Some(letter) = rest.chars().next() {
        let length = path_length(rest, before).unwrap_or(0);
        if length == 0 {
            shown.push(letter);
            (rest, before) = (&rest[letter.len_utf8()..], letter);
        } else {
            shown += &last_part(&rest[..length]);
            (rest, before) = (&rest[length..], '/');
        }
    }
    shown
}

/// How many bytes of a command are a path from the root, with this letter before them.
fn path_length(rest: &str, before: char) -> Option<usize> {
    if !rest.starts_with('/') {
        return None;
    }
    let end = match before {
        ' ' | '=' | ',' | ':' if !rest.starts_with("//") => rest.find([' ', ',']),
        '\'' | '"' => rest.find(before),
        _ => return None,
    };
    Some(end.unwrap_or(rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_from_the_root_are_named_by_their_last_part() {
        for (given, shown) in [
            ("/home/ada/scores.csv", "scores.csv"),
            ("data/scores.csv", "data/scores.csv"),
            ("https://example.org/v1", "https://example.org/v1"),
            ("/", "/"),
        ] {
            assert_eq!(last_part(given), shown);
        }
    }

    #[test]
    fn a_command_keeps_everything_else() {
        for (command, shown) in [
            (
                "guestlist audit /home/ada/s.csv --out /srv/out --date 2026-01-31",
                "guestlist audit s.csv --out out --date 2026-01-31",
            ),
            (
                "guestlist audit '/home/ada b/s d.csv' --set a=/home/x/y",
                "guestlist audit 's d.csv' --set a=y",
            ),
            (
                "guestlist.audit_file(\"/home/ada/s.csv\", kind='scores')",
                "guestlist.audit_file(\"s.csv\", kind='scores')",
            ),
            (
                "guestlist run ../a/b.toml --url http://localhost/v1",
                "guestlist run ../a/b.toml --url http://localhost/v1",
            ),
            ("guestlist audit /ä/ö /", "guestlist audit ö /"),
        ] {
            assert_eq!(shortened(command), shown);
        }
    }

    #[test]
    fn what_is_handed_on_names_no_folder_of_somebodys() {
        let text = include_str!("../tests/data/leaky.json");
        let mut report = Report::from_json(text).unwrap();
        let path = "/home/ada/secret/phi.npy";
        report.provenance.inputs[0].path = path.into();
        report.provenance.command = format!("guestlist audit {path}");
        report.notes = vec![format!("{path}: a column was left out")];
        let handed = report.without_places();
        assert_eq!(handed.provenance.inputs[0].path, "phi.npy");
        assert_eq!(handed.provenance.command, "guestlist audit phi.npy");
        assert_eq!(handed.notes, ["phi.npy: a column was left out"]);
        assert_eq!(handed.provenance.inputs[1].path, "signals/keep.npy");
    }
}
