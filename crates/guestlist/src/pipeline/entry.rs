//! A kind in the registry: what it is called, and its way through the pipeline.

use std::path::Path;

use attacks::card::Card;
use base::Progress;

use super::stages;
use super::{AuditRequest, Document, Estimate, Finished, RunOptions};
use crate::Result;
use crate::kinds::Kind;

/// One kind, without its types.
pub struct Entry {
    pub kind: report::Kind,
    pub title: &'static str,
    pub run_options: &'static [&'static str],
    pub audit_options: &'static [&'static str],
    pub cards: fn() -> Vec<&'static Card>,
    pub recognise: fn(&Path) -> bool,
    pub plan: fn(&Document<'_>, &RunOptions, Progress<'_>) -> Result<Estimate>,
    pub run: fn(&Document<'_>, &RunOptions, Progress<'_>) -> Result<Finished>,
    pub collect: fn(&Document<'_>, &RunOptions, Progress<'_>) -> Result<()>,
    pub audit: fn(&Path, &AuditRequest, Progress<'_>) -> Result<Finished>,
}

/// The line of a kind.
pub const fn entry<K: Kind>() -> Entry {
    Entry {
        kind: K::KIND,
        title: K::TITLE,
        run_options: K::RUN_OPTIONS,
        audit_options: K::AUDIT_OPTIONS,
        cards: || K::every().into_iter().map(K::card).collect(),
        recognise: K::recognise,
        plan: stages::plan_kind::<K>,
        run: stages::run_kind::<K>,
        collect: stages::collect_kind::<K>,
        audit: stages::audit_kind::<K>,
    }
}
