//! A page, of which a part is made here and the rest is written by people.

use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- made by `cargo xtask gen`: change the code, not this -->\n";
const END: &str = "<!-- people write from here on -->\n";

/// Compares the part between the marks, or writes it.
pub fn check(name: &str, made: &str) {
    let path = path(name);
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("a mark where it begins");
    let (_, after) = rest.split_once(END).expect("a mark where it ends");
    compare(
        &path,
        &page,
        &format!("{before}{BEGIN}\n{made}\n{END}{after}"),
    );
}

/// Compares a whole file, or writes it.
pub fn check_whole(name: &str, made: &str) {
    let path = path(name);
    let file = std::fs::read_to_string(&path).unwrap_or_default();
    compare(&path, &file, made);
}

fn compare(path: &Path, page: &str, expected: &str) {
    if page == expected {
        return;
    }
    if std::env::var_os("GUESTLIST_WRITE_PAGES").is_some() {
        std::fs::write(path, expected).unwrap();
        return;
    }
    let name = path.file_name().unwrap().display();
    let differs = expected.lines().zip(page.lines()).find(|(a, b)| a != b);
    panic!("docs/{name} differs from the code, run `cargo xtask gen`: {differs:?}");
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(name)
}

/// A table in Markdown.
pub fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!(
        "| {} |\n|{}\n",
        heads.join(" | "),
        "---|".repeat(heads.len())
    );
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}
