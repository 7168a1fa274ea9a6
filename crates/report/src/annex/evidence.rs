//! What the audit was made from, how to make it again, and how to see that it was not changed.

use super::Material;
use crate::blocks::{Block, Cell, Table, cells};
use crate::document::{Report, SCHEMA};

pub fn blocks(material: &Material<'_>) -> Vec<Block> {
    let report = material.report;
    let provenance = &report.provenance;
    let mut facts: Vec<(String, Cell)> = vec![
        (
            "Made by".into(),
            format!(
                "guestlist {}, random seed {}",
                provenance.version, provenance.seed
            )
            .into(),
        ),
        (
            "This annex".into(),
            format!(
                "rendered from report.json by guestlist {}; no figure was computed anew",
                material.context.version
            )
            .into(),
        ),
    ];
    let sha256 = material.context.report_sha256.clone();
    let unknown = "not at hand here; SHA256SUMS beside the report has it".to_owned();
    facts.push((
        "SHA-256 of report.json".into(),
        sha256.unwrap_or(unknown).into(),
    ));
    if let Some(policy) = &report.policy {
        let line = format!("{} ({})", policy.sha256, policy.name);
        facts.push(("SHA-256 of the policy".into(), line.into()));
    }
    facts.push(("Day of the test".into(), DATE.into()));
    facts.push(("Signature".into(), SIGNATURE.into()));
    let mut blocks = vec![Block::Facts(facts)];
    blocks.extend(read(report));
    blocks.extend([
        Block::Heading("The command that gives the same report again".into()),
        Block::Drawing(vec![provenance.command.clone()]),
        Block::Remark(AGAIN.to_owned()),
        Block::Heading("To see that nothing was changed".into()),
        Block::Drawing(vec![
            "guestlist verify FOLDER".to_owned(),
            "guestlist verify FOLDER --signers ALLOWED_SIGNERS".to_owned(),
        ]),
        Block::Remark(VERIFY.to_owned()),
        Block::Remark(format!(
            "Every setting in force stands in report.json ({SCHEMA})."
        )),
    ]);
    blocks
}

const DATE: &str =
    "as in part 2: that of the computer's clock, or as whoever ran the test entered it (--date)";
const SIGNATURE: &str =
    "an annex carries none; the folder of the test may (guestlist sign, checked as below)";
const AGAIN: &str = "Where the command reads stored outputs or answers, the same files, settings and seed give the \
    same report, byte for byte, with the same version of the tool, on any number of processor cores. Where it trains \
    models or asks a service anew, figures can differ a little from those above. Of paths from the root of a disk \
    the last part is shown; report.json has them whole.";
const VERIFY: &str = "FOLDER is the folder that the test wrote. The first line compares its files, and the files that the \
    test read, with the digests that were written down. Digests show accidents; a signature, which the second \
    line asks for, also shows whether somebody changed files and digests together.";

const IN_MEMORY: &str = "The report names no files of data: they came from a program's memory.";
const BY_ITSELF: &str = "What a training program or a service opened by itself is not among them.";

/// The files that were read: data, code and configuration.
fn read(report: &Report) -> Vec<Block> {
    let heading = "The files that were read, by their digests".into();
    let mut blocks = vec![Block::Heading(heading)];
    let inputs = report.provenance.inputs.iter();
    let rows = inputs.map(|input| cells(&[input.path.clone(), input.sha256.clone()]));
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        let heads = &["file", "SHA-256"];
        blocks.push(Block::Table(Table::new(
            "Files that were read",
            heads,
            rows,
        )));
    }
    let remark = match report.read_of_subject().next() {
        None => IN_MEMORY,
        Some(_) => BY_ITSELF,
    };
    blocks.push(Block::Remark(remark.to_owned()));
    blocks
}
