//! Files beside texts that nobody can read: they are no part of an audit, which must not go unsaid.

use std::path::Path;

use formats::texts::left_out;
use report::printable;

/// How many are named before the others are counted.
const MOST_NAMED: usize = 3;

/// What to say of a folder of texts; nothing where all of it is read.
pub(super) fn words(folder: &Path) -> Option<String> {
    let names = left_out(folder);
    let files = match names.len() {
        0 => return None,
        1 => "1 file".to_owned(),
        many => format!("{many} files"),
    };
    let words = format!(
        "{}: {files} left out: {}; texts are .txt, .md, .html and .pdf",
        folder.display(),
        listed(&names)
    );
    Some(printable(&words))
}

fn listed(names: &[String]) -> String {
    let named = names[..names.len().min(MOST_NAMED)].join(", ");
    match names.len().saturating_sub(MOST_NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_files_are_named_and_the_others_counted() {
        let folder = tempfile::tempdir().unwrap();
        let add = |name: &str| std::fs::write(folder.path().join(name), "x").unwrap();
        add("a.txt");
        assert_eq!(words(folder.path()), None);
        add("x.docx");
        let said = words(folder.path()).unwrap();
        assert!(said.contains(": 1 file left out: x.docx;"), "{said}");
        for name in ["b.csv", "c.rtf", "d.odt", ".DS_Store"] {
            add(name);
        }
        let said = words(folder.path()).unwrap();
        let all = ": 4 files left out: b.csv, c.rtf, d.odt and 1 more;";
        assert!(said.contains(all), "{said}");
    }
}
