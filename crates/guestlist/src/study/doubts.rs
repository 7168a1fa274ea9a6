//! What audits find against data that a study is made of: numbers of data that decide nothing are no evidence.

use std::path::Path;

use base::Progress;
use judge::guardrails::Status;
use report::{Report, escape_markdown};
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::kinds::Kind;
use crate::pipeline::{AuditOptions, AuditRequest, Source, found};

/// How small a leak the records could show is a matter of a verdict, and a study gives none.
const OF_VERDICTS: &str = "detectable-leak";

/// A guardrail that is violated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Doubt {
    pub guardrail: String,
    pub detail: String,
}

/// Of an audit of the same data by these attacks. What cannot be audited is doubtful, too.
pub fn audited<K: Kind>(
    path: &Path,
    attacks: &[&str],
    seed: u64,
    progress: Progress<'_>,
) -> Result<Vec<Doubt>> {
    let asked = AuditRequest {
        kind: Some(K::KIND),
        seed,
        options: AuditOptions {
            attacks: attacks.join(","),
            source: Source::CommandLine,
            ..AuditOptions::default()
        },
        ..AuditRequest::default()
    };
    let quiet = progress.quietly();
    let audit = || {
        let input = found::within(path, &asked, quiet)?;
        K::attack(K::read(&input, &asked, quiet)?, quiet)
    };
    match audit() {
        Ok(audit) => Ok(of(&audit.report)),
        Err(error) if error.is_interruption() => Err(error),
        Err(error) => Ok(vec![Doubt {
            guardrail: "audit".into(),
            detail: error.message,
        }]),
    }
}

pub fn of(report: &Report) -> Vec<Doubt> {
    let violated = report.guardrails.iter();
    let violated =
        violated.filter(|finding| finding.status == Status::Violated && finding.id != OF_VERDICTS);
    violated
        .map(|finding| Doubt {
            guardrail: finding.id.clone(),
            detail: finding.detail.clone(),
        })
        .collect()
}

/// For people who look at the terminal.
pub fn tell(name: &str, doubts: &[Doubt], progress: Progress<'_>) {
    for Doubt { guardrail, detail } in doubts {
        progress.note(&format!(
            "{name}: an audit of these data decides nothing ({guardrail}): {detail}"
        ));
    }
}

/// A section of the page; nothing where there is no doubt.
pub fn section<'a>(sets: impl Iterator<Item = (&'a str, &'a [Doubt])>) -> String {
    let mut lines = String::new();
    for (name, doubts) in sets {
        for Doubt { guardrail, detail } in doubts {
            let words = [name, guardrail.as_str(), detail.as_str()].map(escape_markdown);
            lines += &format!("- {}: **{}**: {}\n", words[0], words[1], words[2]);
        }
    }
    match lines.is_empty() {
        true => lines,
        false => format!(
            "\n## What speaks against these data\n\nAn audit of them would decide nothing, and neither do the numbers \
             below:\n\n{lines}"
        ),
    }
}
