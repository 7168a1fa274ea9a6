//! The right way: the same audits that `guestlist audit` does.

use attacks::signals::bytes::Bytes;
use base::Progress;
use formats::in_memory::MemoryArray;
use judge::guardrails::Status;
use judge::rag::SourcesNamed;
use judge::verdict::Outcome;
use report::Report;

use guestlist::Error;
use guestlist::kinds::classifier::Classifier;
use guestlist::kinds::classifier::attack::{DiagnosticsWanted, ShadowRequest};
use guestlist::kinds::rag::Rag;
use guestlist::kinds::rag::attack::{AskedDocument, ProbeRequest};
use guestlist::kinds::scores::Scores;
use guestlist::kinds::scores::attack::ScoresRequest;
use guestlist::pipeline::AuditOptions;

/// Judges one score of every record.
pub fn report(name: &str, scores: &[f64], members: &[bool], seed: u64) -> Result<Report, Error> {
    let options = AuditOptions::default();
    let resolved = options.resolve::<Scores>()?;
    let scores = scores.iter().map(|score| Ok(*score)).collect();
    let given = ScoresRequest {
        scores: vec![(name.to_owned(), scores)],
        members: members.iter().copied().map(Some).collect(),
        ids: None,
        canaries: None,
        context: options.context(&resolved, members.len(), seed, String::new(), Vec::new()),
        format: "demonstration",
        input: None,
    };
    Ok(given.run(Progress::unwatched())?.report)
}

/// Judges models by their outputs: φ and membership by model and record, and classes where there are
/// any. These attacks only; all of them where none is named.
pub fn shadows(
    phi: &[Vec<f64>],
    keep: &[Vec<bool>],
    labels: Option<&[i64]>,
    attacks: &str,
    seed: u64,
) -> Result<Report, Error> {
    let options = AuditOptions {
        attacks: attacks.to_owned(),
        bootstrap: Some(0),
        ..AuditOptions::default()
    };
    let resolved = options.resolve::<Classifier>()?;
    let arrays = [
        Some(array("phi", "<f8", phi, |value| {
            value.to_le_bytes().to_vec()
        })?),
        Some(array("keep", "|b1", keep, |kept| vec![u8::from(*kept)])?),
        labels.map(of_labels).transpose()?,
    ];
    let arrays = arrays.into_iter().flatten().collect();
    let table = formats::shadow::from_arrays(arrays, None)?;
    let request = ShadowRequest {
        context: options.context(&resolved, table.records(), seed, String::new(), Vec::new()),
        table,
        population: None,
        members: None,
        members_name: String::new(),
        unknown: None,
        canaries: None,
        target: 0,
        shadows: None,
        attacks: resolved.attacks,
        replicates: 0,
        scaling: Vec::new(),
        diagnostics: DiagnosticsWanted {
            normality: false,
            qq: false,
            slices: Vec::new(),
        },
        training: None,
        digests: None,
    };
    Ok(request.run(Progress::unwatched())?.report)
}

fn of_labels(labels: &[i64]) -> Result<MemoryArray, Error> {
    let bytes = labels.iter().flat_map(|label| label.to_le_bytes());
    let bytes = Bytes::new(bytes.collect::<Vec<u8>>());
    MemoryArray::new("labels", "<i8", vec![labels.len()], vec![8], bytes)
}

/// Rows of numbers as an array of models and records.
fn array<T>(
    name: &str,
    element: &str,
    rows: &[Vec<T>],
    bytes: impl Fn(&T) -> Vec<u8>,
) -> Result<MemoryArray, Error> {
    let width = bytes(&rows[0][0]).len();
    let shape = vec![rows.len(), rows[0].len()];
    let strides = vec![width * shape[1], width];
    let all: Vec<u8> = rows.iter().flatten().flat_map(bytes).collect();
    MemoryArray::new(name, element, shape, strides, Bytes::new(all))
}

/// Judges what a service said about documents, by these attacks.
pub fn exchanges(documents: Vec<AskedDocument>, attacks: &str, seed: u64) -> Result<Report, Error> {
    let options = AuditOptions {
        attacks: attacks.to_owned(),
        bootstrap: Some(0),
        ..AuditOptions::default()
    };
    let resolved = options.resolve::<Rag>()?;
    let context = options.context(&resolved, documents.len(), seed, String::new(), Vec::new());
    let request = ProbeRequest {
        left_out_tells: None,
        format: "demonstration",
        documents,
        controls: None,
        stored: None,
        repeats: None,
        sources_named: SourcesNamed::No,
        failed: std::collections::BTreeMap::new(),
        attacks: resolved.attacks,
        context,
        service: None,
        helpers: Vec::new(),
        requests: report::rag::Requests::default(),
    };
    Ok(request.run(Progress::unwatched())?.report)
}

/// The value that the gate looked at.
pub fn gated(report: &Report) -> f64 {
    report.verdict.gate.as_ref().map_or(0.5, |gate| gate.value)
}

/// The verdict in capitals, and the guardrails that are violated.
pub fn said(report: &Report) -> String {
    let violated = report.guardrails.iter();
    let violated = violated.filter(|finding| finding.status == Status::Violated);
    let violated: Vec<&str> = violated.map(|finding| finding.id.as_str()).collect();
    match (report.verdict.outcome, violated.is_empty()) {
        (Outcome::Pass, _) => "PASS".to_owned(),
        (Outcome::Fail, _) => "FAIL".to_owned(),
        (Outcome::Inconclusive, true) => "inconclusive".to_owned(),
        (Outcome::Inconclusive, false) => {
            format!("inconclusive, {} violated", violated.join(" and "))
        }
    }
}

/// One where the audit did not pass.
pub fn withheld(report: &Report) -> f64 {
    f64::from(u8::from(report.verdict.outcome != Outcome::Pass))
}

/// Whether a guardrail is violated, or warns.
pub fn status(report: &Report, guardrail: &str) -> Option<Status> {
    let mut findings = report.guardrails.iter();
    let found = findings.find(|finding| finding.id == guardrail);
    found.map(|finding| finding.status)
}

/// The AUC of the only attack, or one half where there is none.
pub fn auc(report: &Report) -> f64 {
    report
        .attacks
        .first()
        .map_or(0.5, |attack| attack.auc.value)
}

/// As the gate's default has it.
pub fn verdict(auc: f64) -> &'static str {
    match auc >= judge::gate::DEFAULT_AUC_THRESHOLD {
        true => "FAIL",
        false => "PASS",
    }
}
