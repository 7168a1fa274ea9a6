//! guestlist: who was on the guest list?
//!
//! The library: signals are collected, attacks turn signals into scores without seeing the truth,
//! the judge alone opens the truth, the report only prints. The command line and every binding
//! are thin layers over this crate.
//!
//! Three functions lead in, and they are the same for every kind of target:
//!
//! - [`plan`]: what a configuration would do, take and cost; nothing is sent or trained.
//! - [`run`]: from a configuration to a report, by way of whatever must be collected.
//! - [`audit`]: the report of signals that exist already.
//!
//! Around them: [`init`](init::init) writes a configuration to start from, [`pipeline::probe`] asks its service
//! one question, [`diff::difference`] says whether leakage rose between two reports, [`stored`] reads reports
//! back and renders them, [`evidence`] says whether an audit's files are as they were written, [`doctor`] whether all
//! this can work here, [`convert`](convert::convert) writes signals in another format, and [`catalogue`] has
//! the attacks in words. [`canaries`] draws records that prove in one training run what a model remembers.
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
//! use guestlist::{AuditRequest, Kind, Outcome, Progress, audit};
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
//! use guestlist::{Kind, Progress, RunOptions, plan};
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
//! use guestlist::{AuditRequest, Progress, RunOptions, audit, run};
//!
//! let options = RunOptions { max_requests: Some(5000), ..RunOptions::default() };
//! let finished = run("guestlist.toml", &options, Progress::unwatched())?;
//! println!("{}", guestlist::report::markdown(&finished.audit.report));
//!
//! let again = AuditRequest { documents: Some("documents.jsonl".into()), ..AuditRequest::default() };
//! audit("guestlist-run/transcript.jsonl", &again, Progress::unwatched())?;
//! # Ok::<(), guestlist::Error>(())
//! ```
//!
//! # A classifier
//!
//! Kind `classifier` trains shadow models, here or on a cluster; `audit` takes outputs of models that
//! were trained elsewhere.
//!
//! ```no_run
//! use guestlist::{AuditRequest, Progress, RunOptions, audit, run};
//!
//! let options = RunOptions { shadows: Some(128), ..RunOptions::default() };
//! run("guestlist.toml", &options, Progress::unwatched())?;
//!
//! let one = AuditRequest { target: 3, shadows: Some(64), ..AuditRequest::default() };
//! audit("signals.npz", &one, Progress::unwatched())?;
//! # Ok::<(), guestlist::Error>(())
//! ```
//!
//! # A language model
//!
//! Kind `lm` scores texts with a model of this machine or of a server; `audit` takes token signals.
//!
//! ```no_run
//! use guestlist::{AuditRequest, Progress, RunOptions, audit, run};
//!
//! run("guestlist.toml", &RunOptions::default(), Progress::unwatched())?;
//!
//! let request = AuditRequest { training_file: Some("train.jsonl".into()), ..AuditRequest::default() };
//! audit("tokens.parquet", &request, Progress::unwatched())?;
//! # Ok::<(), guestlist::Error>(())
//! ```
//!
//! # Where a service has its answers from
//!
//! Kind `source` asks perturbed texts with retrieval and without. Its transcript is judged again by itself:
//! the run keeps beside it what that needs.
//!
//! ```no_run
//! use guestlist::{AuditRequest, Progress, RunOptions, audit, run};
//!
//! run("guestlist.toml", &RunOptions::default(), Progress::unwatched())?;
//! audit("guestlist-run/transcript.jsonl", &AuditRequest::default(), Progress::unwatched())?;
//! # Ok::<(), guestlist::Error>(())
//! ```
//!
//! # A few known records
//!
//! Kind `fewshot` needs a model's features of records, of which a few have a known membership.
//!
//! ```
//! use guestlist::{AuditRequest, Kind, Progress, audit};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let (features, members) = (folder.path().join("features.npy"), folder.path().join("members.txt"));
//! # let shape = "{'descr': '<f4', 'fortran_order': False, 'shape': (120, 2), }";
//! # let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
//! # bytes.extend((shape.len() as u16 + 1).to_le_bytes());
//! # bytes.extend(format!("{shape}\n").bytes());
//! # for i in 0..120u32 {
//! #     for width in [1, 2] {
//! #         let member = if i % 2 == 0 { 2.0 } else { 0.0 };
//! #         bytes.extend((member + (i * 37 * width % 101) as f32 / 101.0).to_le_bytes());
//! #     }
//! # }
//! # std::fs::write(&features, bytes).unwrap();
//! std::fs::write(&members, (0..120).step_by(2).map(|i| format!("{i}\n")).collect::<String>()).unwrap();
//!
//! let request = AuditRequest {
//!     kind: Some(Kind::Fewshot),
//!     members: Some(members),
//!     shots: vec![1, 5],
//!     runs: Some(20),
//!     ..AuditRequest::default()
//! };
//! let finished = audit(&features, &request, Progress::unwatched())?;
//! assert_eq!(finished.audit.report.kind(), Kind::Fewshot);
//! # Ok::<(), guestlist::Error>(())
//! ```
//!
//! `examples/` has a program of each kind; those of a retrieval service and of a few known records have ten
//! lines each.

mod advice;
pub mod catalogue;
pub mod convert;
pub mod diff;
pub mod doctor;
mod error;
pub mod evidence;
pub mod init;
pub mod kinds;
mod launch;
pub mod pipeline;
pub mod policy;
pub mod stored;
pub mod study;

pub use attacks::scores::{Abstention, Scores};
pub use base::{Cancel, Error, ErrorKind, Event, Progress, Result, Sink, Unit};
pub use canaries;
pub use error::ExitCode;
pub use judge::verdict::{Outcome, Verdict};
pub use launch::Launch;
pub use pipeline::{
    Audit, AuditOptions, AuditRequest, Estimate, Extra, Finished, RunOptions, audit, plan, run,
};
pub use report::{self, Kind, Report};
