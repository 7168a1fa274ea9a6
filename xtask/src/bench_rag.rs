//! `cargo xtask bench rag`: a large audit of a retrieval service, and what judging its answers again takes, for
//! docs/guide-rag.md.

use std::process::Command;

use crate::generated;
use crate::shell::{Failed, beside, cargo, root, run};

const BUILD: [&str; 5] = ["build", "--release", "--workspace", "--bin", "guestlist"];

/// Further arguments are those of bench/rag/replay.py: which documents, and how many.
pub fn measure(further: impl Iterator<Item = String>) -> Result<(), Failed> {
    cargo(&BUILD)?;
    run(Command::new("python3")
        .arg(root().join("bench/rag/replay.py"))
        .arg(beside("guestlist")?)
        .arg(root().join("target/bench-rag"))
        .arg(root().join("bench/figures/rag-replay.json"))
        .args(further))?;
    generated::pages(false)
}
