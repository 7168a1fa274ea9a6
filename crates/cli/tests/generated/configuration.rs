//! `docs/configuration.md`: every key of every kind, as `guestlist init` writes it.

use assert_cmd::Command;
use guestlist::kinds::KINDS;

use super::page;

#[test]
fn the_page_of_configurations_has_every_key_of_every_kind() {
    // Scores of other tools are audited without one.
    let kinds = KINDS.iter().filter(|kind| kind.init.is_some());
    let sections: Vec<String> = kinds.map(|kind| section(kind.kind.name())).collect();
    page::check(
        "configuration.md",
        sections.join("\n").trim_end_matches('\n'),
    );
}

fn section(kind: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_guestlist"));
    command.args(["init", kind]).current_dir(folder.path());
    command.assert().success();
    let written = std::fs::read_to_string(folder.path().join("guestlist.toml")).unwrap();
    format!("## `kind = \"{kind}\"`\n\n```toml\n{written}```\n")
}
