//! A vector per text, for an audit by a handful of known texts (kind fewshot).

use std::path::PathBuf;

use asking::store::Store;
use formats::features::{FeatureRow, write};
use texts::{Model, Text, TextFeatures, statistics};

use super::scoring::{Opened, Scoring, TEXTS_AT_ONCE};
use crate::Error;

pub(super) const FILE: &str = "features.parquet";

impl Scoring<'_> {
    /// Writes the vectors that were asked for. Texts of unknown membership have no place in it.
    pub fn write_features(&self, store: &Store) -> Result<Option<PathBuf>, Error> {
        let Some(wanted) = self.plan.config.scoring.features else {
            return Ok(None);
        };
        let path = self.plan.folder().join(FILE);
        let texts = &self.plan.texts;
        let mut first = 0;
        let mut next = || {
            // A batch of unknown texts alone is no end.
            while first < texts.len() {
                let range = first..texts.len().min(first + TEXTS_AT_ONCE);
                first = range.end;
                let vectors = match wanted {
                    TextFeatures::Hidden => {
                        let target = &self.models[0];
                        target
                            .model
                            .fetch_states(&target.asked, range.clone(), store)?
                    }
                    TextFeatures::Statistics => self.statistics(range.clone(), store)?,
                };
                let rows: Vec<FeatureRow> =
                    texts[range].iter().zip(vectors).filter_map(row).collect();
                if !rows.is_empty() {
                    return Ok(rows);
                }
            }
            Ok(Vec::new())
        };
        write(&path, &mut next)?;
        Ok(Some(path))
    }

    fn statistics(
        &self,
        range: std::ops::Range<usize>,
        store: &Store,
    ) -> base::Result<Vec<Vec<f32>>> {
        let fetch = |opened: &Opened| opened.model.fetch(&opened.asked, range.clone(), store);
        let reference = self.models.iter().find(|opened| opened.is_reference);
        let own = fetch(&self.models[0])?;
        let mut references = reference.map(fetch).transpose()?.map(Vec::into_iter);
        let texts = &self.plan.texts[range.clone()];
        own.iter()
            .zip(texts)
            .map(|(own, text)| {
                let reference = references.as_mut().and_then(Iterator::next);
                statistics(own, reference.as_ref()).ok_or_else(|| nothing(text))
            })
            .collect()
    }
}

/// Servers show no states: known before anything is asked.
pub(super) fn check(model: &Model, wanted: Option<TextFeatures>) -> Result<(), Error> {
    if wanted == Some(TextFeatures::Hidden) && model.files().is_empty() {
        return Err(Error::usage(
            "scoring.features is \"hidden\", but a server does not show states of the model",
            "set scoring.features to \"statistics\", or name the model's folder",
        ));
    }
    Ok(())
}

fn row((text, features): (&Text, Vec<f32>)) -> Option<FeatureRow<'_>> {
    Some(FeatureRow {
        id: &text.id,
        member: text.member?,
        features,
    })
}

fn nothing(text: &Text) -> base::Error {
    base::Error::malformed(format!("text {:?} has no token with all signals", text.id))
        .hint("leave it out of the texts")
}
