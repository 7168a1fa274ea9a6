//! guestlist: who was on the guest list?
//!
//! The library: signals are collected, attacks turn signals into scores without seeing the truth,
//! the judge alone opens the truth, the report only prints. The command line and every binding
//! are thin layers over this crate.
//!
//! Three functions lead in, and they are the same for every kind of target:
//!
//! - [`pipeline::plan`]: what a configuration would do, take and cost; nothing is sent or trained.
//! - [`pipeline::run`]: from a configuration to a report, by way of whatever must be collected.
//! - [`pipeline::audit`]: the report of signals that exist already.
//!
//! All take a [`Progress`]: [`Progress::unwatched`] where nobody looks, or a [`Sink`] that hears every
//! [`Event`] and a [`Cancel`] by which the work is stopped. What a run collected before it was stopped is
//! kept, and the next one goes on from there.
//!
//! # Scores of another program
//!
//! Kind `scores` judges what exists: a column with the truth, and one per attack.
//!
//! ```
//! use guestlist::pipeline::{AuditRequest, audit};
//! use guestlist::{Kind, Outcome, Progress};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("scores.csv");
//! let row = |i: usize| format!("{i},{},{}\n", i % 2, (i * 7919 % 400 + i % 2 * 200) as f64 / 400.0);
//! let rows: String = (0..400).map(row).collect();
//! std::fs::write(&path, format!("id,member,mine\n{rows}")).unwrap();
//!
//! let request = AuditRequest { kind: Some(Kind::Scores), ..AuditRequest::default() };
//! let finished = audit(&path, &request, Progress::unwatched())?;
//! assert_eq!(finished.audit.report.verdict.outcome, Outcome::Fail);
//! assert!(finished.audit.report.attacks[0].auc.value > 0.8);
//! # Ok::<(), guestlist::Error>(())
//! ```
//!
//! # A retrieval service
//!
//! Kind `rag` asks a service about documents that it holds and about others like them. A plan reads and
//! checks everything, and says what a run would send.
//!
//! ```
//! use guestlist::pipeline::{RunOptions, plan};
//! use guestlist::{Kind, Progress};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
//! let document = |set: &str, n: usize| {
//!     format!("{{\"id\": \"{set}{n}\", \"text\": \"Report {n} of the {set} archive, filed in Ulm.\"}}\n")
//! };
//! write("in.jsonl", (0..20).map(|n| document("inner", n)).collect());
//! write("out.jsonl", (0..20).map(|n| document("outer", n)).collect());
//! write("guestlist.toml", r#"
//!     kind = "rag"
//!     [documents]
//!     members = "in.jsonl"
//!     nonmembers = "out.jsonl"
//!     [target]
//!     preset = "guestlist"
//!     url = "http://127.0.0.1:8080"
//! "#.to_owned());
//!
//! let config = folder.path().join("guestlist.toml");
//! let estimate = plan(&config, &RunOptions::default(), Progress::unwatched())?;
//! assert_eq!(estimate.kind, Kind::Rag);
//! assert!(estimate.to_string().contains("Nothing was sent"));
//! # Ok::<(), guestlist::Error>(())
//! ```
//!
//! The run itself asks the service; a transcript of it, or of any other program, is judged again.
//!
//! ```no_run
//! use std::path::Path;
//! use guestlist::Progress;
//! use guestlist::pipeline::{AuditRequest, RunOptions, audit, run};
//!
//! let options = RunOptions { max_requests: Some(5000), ..RunOptions::default() };
//! let finished = run(Path::new("guestlist.toml"), &options, Progress::unwatched())?;
//! println!("{}", guestlist::report::markdown(&finished.audit.report));
//!
//! let again = AuditRequest { documents: Some("documents.jsonl".into()), ..AuditRequest::default() };
//! audit(Path::new("guestlist-run/transcript.jsonl"), &again, Progress::unwatched())?;
//! # Ok::<(), guestlist::Error>(())
//! ```
//!
//! # A classifier
//!
//! Kind `classifier` trains shadow models, here or on a cluster; `audit` takes outputs of models that
//! were trained elsewhere.
//!
//! ```no_run
//! use std::path::Path;
//! use guestlist::Progress;
//! use guestlist::pipeline::{AuditRequest, RunOptions, audit, run};
//!
//! let options = RunOptions { shadows: Some(128), ..RunOptions::default() };
//! run(Path::new("guestlist.toml"), &options, Progress::unwatched())?;
//!
//! let one = AuditRequest { target: 3, shadows: Some(64), ..AuditRequest::default() };
//! audit(Path::new("signals.npz"), &one, Progress::unwatched())?;
//! # Ok::<(), guestlist::Error>(())
//! ```
//!
//! # A language model
//!
//! Kind `lm` scores texts with a model of this machine or of a server; `audit` takes token signals.
//!
//! ```no_run
//! use std::path::Path;
//! use guestlist::Progress;
//! use guestlist::pipeline::{AuditRequest, RunOptions, audit, run};
//!
//! run(Path::new("guestlist.toml"), &RunOptions::default(), Progress::unwatched())?;
//!
//! let request = AuditRequest { training_file: Some("train.jsonl".into()), ..AuditRequest::default() };
//! audit(Path::new("tokens.parquet"), &request, Progress::unwatched())?;
//! # Ok::<(), guestlist::Error>(())
//! ```
//!
//! # Where a service has its answers from
//!
//! Kind `source` asks perturbed texts with retrieval and without. Its transcript is judged again by itself:
//! the run keeps beside it what that needs.
//!
//! ```no_run
//! use std::path::Path;
//! use guestlist::Progress;
//! use guestlist::pipeline::{AuditRequest, RunOptions, audit, run};
//!
//! run(Path::new("guestlist.toml"), &RunOptions::default(), Progress::unwatched())?;
//! audit(Path::new("guestlist-run/transcript.jsonl"), &AuditRequest::default(), Progress::unwatched())?;
//! # Ok::<(), guestlist::Error>(())
//! ```
//!
//! # A few known records
//!
//! Kind `fewshot` needs a model's features of records, of which a few have a known membership.
//!
//! ```no_run
//! use std::path::Path;
//! use guestlist::{Kind, Progress};
//! use guestlist::pipeline::{AuditRequest, audit};
//!
//! let request = AuditRequest {
//!     kind: Some(Kind::Fewshot),
//!     shots: vec![1, 5, 10],
//!     out: Some("audit".into()),
//!     ..AuditRequest::default()
//! };
//! let finished = audit(Path::new("features.npz"), &request, Progress::unwatched())?;
//! println!("{:?}", finished.files);
//! # Ok::<(), guestlist::Error>(())
//! ```
//!
//! `examples/` has a program of each kind.

pub mod catalogue;
pub mod diff;
mod error;
pub mod init;
pub mod kinds;
pub mod pipeline;

pub use attacks::scores::{Abstention, Scores};
pub use base::{Cancel, Error, ErrorKind, Event, Progress, Result, Sink, Unit};
pub use error::ExitCode;
pub use judge::verdict::{Outcome, Verdict};
pub use report::{self, Kind, Report};
