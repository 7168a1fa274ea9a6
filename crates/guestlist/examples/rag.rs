//! A retrieval service over `store.jsonl`, with `others.jsonl` beside it: `guestlist rag-server store.jsonl`
//! serves documents to try it on.
//!
//! `cargo run --example rag -- http://127.0.0.1:8080`

#![allow(clippy::print_stdout)] // it shows what it found

use std::path::Path;

use guestlist::init::{InitRequest, init};
use guestlist::{Kind, Progress, Report, RunOptions, run};

pub fn audit(url: String, folder: &Path) -> guestlist::Result<Report> {
    let wanted = InitRequest {
        members: Some(folder.join("store.jsonl")),
        nonmembers: Some(folder.join("others.jsonl")),
        target: Some(url),
        preset: Some("guestlist".into()),
        out: folder.join("guestlist.toml"),
        ..InitRequest::default()
    };
    init(Kind::Rag, &wanted)?;
    let finished = run(wanted.out, &RunOptions::default(), Progress::unwatched())?;
    Ok(finished.audit.report)
}

fn main() -> guestlist::Result<()> {
    let url = std::env::args().nth(1).unwrap_or_default();
    let report = audit(url, Path::new("."))?;
    println!("{}", guestlist::report::markdown(&report));
    Ok(())
}
