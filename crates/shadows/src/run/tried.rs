//! Which settings of private training a run's folder remembers on the same data.

use std::collections::BTreeSet;

use super::super::privacy::{self, StatedPrivacy};
use super::Run;

impl Run<'_> {
    /// What the program that trained the audited model claims of it; nothing where it claims nothing.
    pub fn stated_privacy(&self) -> Option<StatedPrivacy> {
        let path = self.store.model(0).join(privacy::FILE);
        privacy::stated(&path).ok()?.map(|(stated, _)| stated)
    }

    /// How many settings were tried on these data, today's among them: those of models that lie in the
    /// folder or were set aside in it. Of the native trainer, private ones alone.
    pub fn settings_tried(&self) -> usize {
        let data = self.shared.get("data");
        let private = |settings: &Settings| {
            let native = self.training.settings.training.is_some();
            !native
                || settings
                    .iter()
                    .any(|(name, _)| name.starts_with("training.privacy"))
        };
        let mut known: BTreeSet<Settings> = (self.store.ingredients().into_iter())
            .filter(|ingredients| ingredients.get("data") == data)
            .map(|ingredients| ingredients.settings())
            .filter(private)
            .collect();
        known.insert(self.shared.settings());
        known.len()
    }
}

/// Settings by name, as texts.
type Settings = Vec<(String, String)>;
