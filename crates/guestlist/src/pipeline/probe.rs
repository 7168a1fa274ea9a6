//! One question to the service of a configuration, before anything is spent on many.

use std::path::Path;

use asking::rag::{Service, Shown};
use attacks::signals::probes::Arm;
use base::Progress;

use super::{Document, document};
use crate::{Result, kinds};

/// What is to be asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'q> {
    /// What a run would ask first, where nothing is said.
    pub query: Option<&'q str>,
    /// Whether the service is asked as without its store.
    pub without_retrieval: bool,
}

/// Whom to ask, and what.
pub struct Probed {
    /// The service, as the configuration has it.
    pub service: Service,
    /// The question.
    pub query: String,
    /// With retrieval, or without.
    pub arm: Arm,
}

/// The question of the user's, or what a run would ask first.
pub fn first_question(config: &Path, question: &Question<'_>) -> Result<Probed> {
    let text = document::read(config)?;
    let document = Document::new(config, &text)?;
    (kinds::find(document.kind()?).probe)(&document, question)
}

/// Asks the service of a configuration one question: what was sent, what came back, and what was read
/// from it. Nothing is stored.
pub fn probe(config: &Path, question: &Question<'_>, progress: Progress<'_>) -> Result<Shown> {
    let Probed {
        service,
        query,
        arm,
    } = first_question(config, question)?;
    progress.note(&service.about());
    progress.check()?;
    service.probe_until(progress.cancel(), &query, arm)
}
