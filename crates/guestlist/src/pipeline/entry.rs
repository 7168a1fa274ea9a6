//! A kind in the registry: what it is called, and its way through the pipeline.

use std::path::Path;

use attacks::Attack;
use attacks::card::Card;
use base::Progress;

use super::stages;
use super::{AuditRequest, Document, Estimate, Finished, Probed, Question, RunOptions};
use crate::Result;
use crate::kinds::{Init, Kind};

/// One kind, without its types.
pub struct Entry {
    pub kind: report::Kind,
    pub aliases: &'static [&'static str],
    pub title: &'static str,
    pub run_options: &'static [&'static str],
    pub audit_options: &'static [&'static str],
    pub init_options: &'static [&'static str],
    pub init: Option<Init>,
    pub subject: &'static str,
    pub input: &'static str,
    pub cards: fn() -> Vec<&'static Card>,
    /// The attacks that run where none is named, by their ids.
    pub usual: fn() -> Vec<&'static str>,
    pub recognise: fn(&Path) -> bool,
    pub plan: fn(&Document<'_>, &RunOptions, Progress<'_>) -> Result<Estimate>,
    pub run: fn(&Document<'_>, &RunOptions, Progress<'_>) -> Result<Finished>,
    pub probe: fn(&Document<'_>, &Question<'_>) -> Result<Probed>,
    pub collect: fn(&Document<'_>, &RunOptions, Progress<'_>) -> Result<()>,
    pub audit: fn(&Path, &AuditRequest, Progress<'_>) -> Result<Finished>,
}

/// The line of a kind.
pub const fn entry<K: Kind>() -> Entry {
    Entry {
        kind: K::KIND,
        aliases: K::ALIASES,
        title: K::TITLE,
        run_options: K::RUN_OPTIONS,
        audit_options: K::AUDIT_OPTIONS,
        init_options: K::INIT_OPTIONS,
        init: K::INIT,
        subject: K::SUBJECT,
        input: K::INPUT,
        cards: || K::Attack::cards().collect(),
        usual: || {
            let attacks = K::attacks().into_iter();
            attacks.map(|attack| K::Attack::card(attack).id).collect()
        },
        recognise: K::recognise,
        plan: stages::plan_kind::<K>,
        run: stages::run_kind::<K>,
        probe: stages::probe_kind::<K>,
        collect: stages::collect_kind::<K>,
        audit: stages::audit_kind::<K>,
    }
}
