//! What rows say of canaries themselves, which must be what was drawn: a file of another draw has the
//! same ids and other texts, and what its model remembers says nothing of this one.

use std::path::Path;

use super::SealedCanaries;
use crate::{Error, Result};

/// Texts of rows, held against those that were drawn under their ids.
#[derive(Default)]
pub struct TextsTold {
    canaries: usize,
    compared: usize,
    differing: usize,
    /// Row, from 0, and id of the first that differs.
    first: Option<(usize, String)>,
}

impl TextsTold {
    /// Whitespace around a text is no part of it.
    pub fn add(&mut self, sealed: &SealedCanaries, row: usize, id: &str, text: Option<&str>) {
        let Some(drawn) = sealed.text(id) else {
            return;
        };
        self.canaries += 1;
        let Some(text) = text else {
            return;
        };
        self.compared += 1;
        if text.trim() != drawn.trim() {
            self.differing += 1;
            self.first.get_or_insert_with(|| (row, id.to_owned()));
        }
    }

    pub fn check(&self, sealed: &SealedCanaries, file: &Path) -> Result<()> {
        let Some((row, id)) = &self.first else {
            return Ok(());
        };
        let message = format!(
            "the texts of {} of {} canaries are not those that {} has under their ids, first row {} ({id:?})",
            self.differing,
            self.compared,
            sealed.roster()?.display(),
            row + 1
        );
        Err(Error::mismatch(message).at(file).hint(
            "give the manifest of the draw that was scored, or score its canaries.jsonl and keep its ids",
        ))
    }

    /// What to say where nothing could be compared.
    pub fn note(&self) -> Option<String> {
        let blind = self.canaries - self.compared;
        (blind > 0).then(|| {
            format!(
                "{blind} canaries were scored without their texts beside: that they are those of this draw \
                 is known by their ids alone"
            )
        })
    }
}
