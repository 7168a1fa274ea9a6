//! Others' crates are built once: every selection that the documented commands build must give them
//! the same features, or the second command builds again what the first has built.

use std::collections::{BTreeMap, BTreeSet};

use crate::shell::{Failed, cargo_command, output};

/// What the commands build, each within the next.
const SELECTIONS: [(&str, &[&str]); 3] = [
    ("cargo run", &["--edges", "normal,build"]),
    (
        "cargo build --workspace",
        &["--workspace", "--edges", "normal,build"],
    ),
    (
        "cargo test --workspace",
        &["--workspace", "--edges", "normal,build,dev"],
    ),
];

/// The features that each crate of others is built with: two sets where one is for build scripts
/// and macros.
type Built = BTreeMap<String, BTreeSet<String>>;

pub fn check() -> Result<(), Failed> {
    let mut built = Vec::new();
    for (command, selection) in SELECTIONS {
        built.push((command, read(&tree(selection)?)));
    }
    let differences = built
        .windows(2)
        .flat_map(|pair| differences(&pair[0], &pair[1]));
    let differences: Vec<String> = differences.collect();
    match differences.is_empty() {
        true => Ok(()),
        false => Err(Failed(format!(
            "crates are built twice, with other features; add those that are missing to \
             [workspace.dependencies]:\n  {}",
            differences.join("\n  ")
        ))),
    }
}

fn tree(selection: &[&str]) -> Result<String, Failed> {
    let mut command = cargo_command();
    command.args([
        "tree", "--locked", "--prefix", "none", "--format", "{p}|{f}",
    ]);
    output(command.args(selection))
}

/// Our own crates stand with their folder.
fn read(tree: &str) -> Built {
    let mut built = Built::new();
    for line in tree.lines() {
        let line = line.trim_end_matches(" (*)");
        if let Some((name, features)) = line.split_once('|')
            && !name.contains(" (/")
        {
            let sets = built.entry(name.to_owned()).or_default();
            sets.insert(features.to_owned());
        }
    }
    built
}

fn differences(small: &(&str, Built), large: &(&str, Built)) -> Vec<String> {
    let ((first, small), (second, large)) = (small, large);
    let said = |(name, features): (&String, &BTreeSet<String>)| {
        let others = large.get(name)?;
        let missing: Vec<&String> = features.difference(others).collect();
        (!missing.is_empty())
            .then(|| format!("{name}: {missing:?} by `{first}`, {others:?} by `{second}`"))
    };
    small.iter().filter_map(said).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_with_other_features_is_named_and_ours_are_not() {
        let small = read("rand v1.0.0|std\nsyn v2.0.0|full (*)\nours v0.1.0 (/here)|png");
        let large = read("rand v1.0.0|alloc,std\nsyn v2.0.0|full\nours v0.1.0 (/here)|");
        let found = differences(&("run", small), &("test", large));
        assert_eq!(
            found,
            [r#"rand v1.0.0: ["std"] by `run`, {"alloc,std"} by `test`"#]
        );
    }

    #[test]
    fn a_crate_for_build_scripts_too_may_have_two_sets() {
        let small = read("libc v1.0.0|std");
        let large = read("libc v1.0.0|std\nlibc v1.0.0|");
        assert!(differences(&("run", small), &("test", large)).is_empty());
    }
}
