//! One question to the service of a configuration, before anything is spent on many.

use std::path::Path;

use asking::rag::Service;
use attacks::signals::probes::Arm;

use super::{Document, RunOptions, document};
use crate::kinds::{Kind, rag, source};
use crate::{Error, Result};

/// Whom to ask, and what.
pub struct Probed {
    pub service: Service,
    pub query: String,
    pub arm: Arm,
}

/// The question of the user's, or what a run would ask first.
pub fn first_question(
    config: &Path,
    query: Option<&str>,
    without_retrieval: bool,
) -> Result<Probed> {
    let text = document::read(config)?;
    let document = Document::new(config, &text)?;
    let usual = RunOptions::default();
    match document.kind()? {
        report::Kind::Source => {
            let plan = source::Source::plan(document.parse()?, document.place(), &usual)?;
            plan.probed(query, without_retrieval)
        }
        report::Kind::Rag => {
            let plan = rag::Rag::plan(document.parse()?, document.place(), &usual)?;
            Ok(plan.probed(query, without_retrieval))
        }
        kind => Err(Error::usage(
            format!(
                "{}: is of kind {}, which asks no service",
                config.display(),
                kind.name()
            ),
            "probe configurations of kind rag or source",
        )),
    }
}
