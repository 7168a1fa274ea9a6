//! The files of an audit: all of them, or none.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use formats::calls::{CallRow, add_calls};
use formats::files::{FileSet, MadeFolder, Overwrite};
use formats::scores::{Levels, ScoreTable, add_scores};
use formats::vulnerability::{ExposureRow, ExposureTable, add_exposures};
use judge::calls::Call;
use judge::diagnostics::Exposures;
use judge::diagnostics::slice_gate::Standing;
use judge::diagnostics::slices::SliceFinding;
use report::Report;
use serde::Deserialize;

use super::Audit;
use super::figures::{add_figures, figures_folder, remove_stale_figures};
use crate::Error;
use crate::evidence::{SIGNATURE, add_sums};
use crate::stored::{self, Format};

/// Files beyond `report.json`, `report.html`, `scores.parquet`, `vulnerability.parquet` where there were
/// replicates, `calls.parquet` where records are of unknown membership, and `SHA256SUMS` of them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extra {
    Figures,
    Junit,
    Markdown,
    Sarif,
}

/// A folder that is known to be writable before the work starts. If the work fails and the
/// folder was made for it, the folder goes again.
pub struct OutFolder {
    path: PathBuf,
    made: MadeFolder,
}

impl OutFolder {
    pub fn prepare(path: &Path) -> Result<Self, Error> {
        let refuse = |error: std::io::Error| {
            Error::usage(
                format!("{}: cannot be written: {error}", path.display()),
                "give a folder that you may write to",
            )
        };
        let made = MadeFolder::new(path).map_err(refuse)?;
        tempfile::tempfile_in(path).map_err(refuse)?;
        Ok(Self {
            path: path.to_owned(),
            made,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder stays, whoever wrote into it.
    pub fn keep(self) {
        self.made.keep();
    }

    /// Writes every file under a temporary name, then renames them all.
    pub fn write(self, audit: &Audit, extras: &[Extra]) -> Result<Vec<PathBuf>, Error> {
        let figures = match extras.contains(&Extra::Figures) {
            true => Some(figures_folder(&self.path)?),
            false => None,
        };
        let mut set = FileSet::new(Overwrite::Replace);
        let mut written = Vec::new();
        let columns: Vec<_> = audit
            .scores
            .iter()
            .map(|(id, scores)| (id.clone(), scores))
            .collect();
        let table = ScoreTable {
            records: audit.members.len(),
            ids: audit.ids.as_ref(),
            member: &|record| audit.members.get(record).copied().flatten(),
            columns: &columns,
            levels: levels(&audit.report),
        };
        let scores = self.path.join("scores.parquet");
        // Pages are composed while the scores are written: neither needs the other.
        let (added, texts) = rayon::join(
            || add_scores(&mut set, &scores, &table),
            || self.texts(audit, extras),
        );
        added?;
        let texts = texts?;
        written.push(scores);
        if let Some(exposures) = &audit.exposures {
            let path = self.path.join("vulnerability.parquet");
            add_exposures(&mut set, &path, &exposure_table(audit, &row(exposures)))?;
            written.push(path);
        }
        if let Some(calls) = &audit.calls {
            let path = self.path.join("calls.parquet");
            let rows: Vec<CallRow> = calls.rows.iter().map(|call| called(audit, call)).collect();
            add_calls(&mut set, &path, &rows)?;
            written.push(path);
        }
        for (name, text) in texts {
            let path = self.path.join(name);
            set.add(&path, |out| out.write_all(text.as_bytes()))?;
            written.push(path);
        }
        if figures.is_some() {
            written.extend(add_figures(&mut set, &self.path, &audit.report)?);
        }
        // Last, so that a set whose renaming was cut short does not agree with its digests.
        written.push(add_sums(&mut set, &self.path)?);
        set.commit()?;
        if let Some(folder) = figures {
            folder.keep();
        }
        self.remove_stale(&written);
        self.made.keep();
        Ok(written)
    }

    /// Renderings of an earlier verdict would contradict this one, and its signature is none of this one's.
    fn remove_stale(&self, written: &[PathBuf]) {
        remove_stale_figures(&self.path, written);
        for name in [
            "junit.xml",
            "results.sarif",
            "report.md",
            "vulnerability.parquet",
            "calls.parquet",
            SIGNATURE,
        ] {
            let path = self.path.join(name);
            if !written.contains(&path) {
                // What cannot be removed was not written by us.
                let _ = std::fs::remove_file(path);
            }
        }
    }

    fn texts(&self, audit: &Audit, extras: &[Extra]) -> Result<Vec<(&'static str, String)>, Error> {
        let render = |format| stored::render(&audit.report, format);
        let (json, html) = rayon::join(|| render(Format::Json), || render(Format::Html));
        let mut texts = vec![("report.json", json?), ("report.html", html?)];
        texts.extend(audit.further.iter().cloned());
        for extra in extras {
            texts.push(match extra {
                Extra::Figures => continue,
                Extra::Junit => ("junit.xml", render(Format::Junit)?),
                Extra::Markdown => ("report.md", render(Format::Markdown)?),
                Extra::Sarif => ("results.sarif", render(Format::Sarif)?),
            });
        }
        Ok(texts)
    }
}

/// What was judged besides records, for whoever judges the scores again.
fn levels(report: &Report) -> Levels {
    let slices = report.diagnostics.slices.iter();
    let slices: Vec<&SliceFinding> = slices.flat_map(|found| &found.slices).collect();
    let columns = |of: &dyn Fn(&SliceFinding) -> bool| {
        let columns = slices.iter().filter(|slice| of(slice));
        let columns: BTreeSet<&str> = columns.map(|slice| slice.column.as_str()).collect();
        columns.into_iter().map(str::to_owned).collect()
    };
    let leaks = |slice: &SliceFinding| {
        let gate = slice.gate.as_ref();
        gate.is_some_and(|gate| gate.standing != Standing::Within)
    };
    Levels {
        persons: report.persons.as_ref().map(|persons| persons.group.clone()),
        slices: columns(&|_| true),
        violated: columns(&leaks),
    }
}

fn called(audit: &Audit, call: &Call) -> CallRow {
    let judged = call.score.is_ok();
    CallRow {
        id: match &audit.ids {
            Some(ids) => ids[call.row].to_owned(),
            None => call.row.to_string(),
        },
        attack: call.attack.clone(),
        score: call.score.ok(),
        p_value: judged.then_some(call.p_value),
        q_value: judged.then_some(call.q_value),
        called: call.called,
        reason: call.score.err().map(|reason| reason.to_string()),
    }
}

fn exposure_table<'a>(
    audit: &'a Audit,
    row: &'a dyn Fn(usize) -> ExposureRow,
) -> ExposureTable<'a> {
    ExposureTable {
        records: audit.members.len(),
        ids: audit.ids.as_ref(),
        row,
    }
}

fn row(exposures: &Exposures) -> impl Fn(usize) -> ExposureRow {
    |record| {
        let exposure = &exposures.records()[record];
        let times = &exposure.times;
        ExposureRow {
            times_member: times.times_member,
            caught: times.caught,
            times_nonmember: times.times_nonmember,
            flagged: times.flagged,
            mean_percentile: exposure.mean_percentile,
        }
    }
}
