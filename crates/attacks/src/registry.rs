//! The list of attacks that a kind of target has: what is the same for every such list.

use crate::card::Card;
use crate::settings::Setting;
use base::{Error, Result};

/// An attack as its kind lists it.
pub trait Attack: Copy + 'static {
    /// What it attacks, after "there is no attack".
    const ON: &'static str;

    /// Every attack of the kind, in the order reports list them.
    fn every() -> &'static [Self];

    fn card(attack: Self) -> &'static Card;

    /// The attack of that name.
    fn find(id: &str) -> Result<Self> {
        let found = Self::every()
            .iter()
            .find(|attack| Self::card(**attack).id == id);
        found.copied().ok_or_else(|| {
            let ids: Vec<_> = Self::cards().map(|card| card.id).collect();
            Error::setting(
                format!("there is no attack{} named {id}", Self::ON),
                text::did_you_mean(&ids, id),
            )
        })
    }

    fn cards() -> impl Iterator<Item = &'static Card> {
        Self::every().iter().map(|attack| Self::card(*attack))
    }

    /// Every setting of every attack, once.
    fn settings() -> Vec<&'static Setting> {
        let mut all: Vec<&'static Setting> = Vec::new();
        for setting in Self::cards().flat_map(|card| card.settings) {
            if !all.iter().any(|known| known.key == setting.key) {
                all.push(setting);
            }
        }
        all
    }
}
