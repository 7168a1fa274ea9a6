//! Attacks on classifiers, most with the help of shadow models: one file per attack or family,
//! one line each in [`ATTACKS`].

pub mod columns;
pub mod engine;
pub mod statistics;
pub mod view;

mod base1;
mod base2;
mod base3;
mod base4;
mod bavaria;
mod beta;
mod confidence;
mod correctness;
mod elsa;
mod entropy;
mod exponential;
mod gamma;
mod gaussian;
mod label_ratio;
mod lira;
mod lira_reference;
mod loss;
mod loss_per_class;
mod modified_entropy;
mod order;
mod population;
mod reference;
mod references;
mod rmia;
mod share;
mod statistic;
mod understudy;

pub use self::share::{Population, shares_below};
use self::statistics::Wants;
use self::view::View;
use crate::Attack;
use crate::card::{Access, Card};
use crate::scores::Scores;
use crate::settings::Settings;
use base::Result;

/// Turns shadow signals into scores. An attack never sees which records are members.
pub trait ShadowAttack: Sync {
    fn card(&self) -> &'static Card;

    /// Statistics it reads beyond the moments.
    fn wants(&self) -> Wants {
        Wants::MOMENTS
    }

    /// Whether it needs shadows that trained on the record.
    fn needs_inside(&self, _settings: &Settings) -> bool {
        self.card().access == Access::InAndOutShadows
    }

    /// How often it goes over all shadow values by itself: for progress bars.
    fn column_passes(&self, _settings: &Settings) -> usize {
        0
    }

    fn score(&self, view: &View) -> Result<Scores>;

    /// What it takes from reference records, in words; asked for only where there are some.
    fn learnt(&self, _view: &View) -> Result<Option<String>> {
        Ok(None)
    }
}

/// Every shadow attack, in the order reports list them.
pub static ATTACKS: &[&dyn ShadowAttack] = &[
    &loss::Loss,
    &population::Population,
    &loss_per_class::LossPerClass,
    &confidence::Confidence,
    &entropy::Entropy,
    &modified_entropy::ModifiedEntropy,
    &correctness::Correctness,
    &label_ratio::LabelRatio,
    &reference::Reference,
    &lira::Lira,
    &lira::LiraOffline,
    &lira_reference::LiraReference,
    &rmia::Rmia,
    &rmia::RmiaOffline,
    &base1::Base1,
    &base1::Base1Offline,
    &base2::Base2,
    &base2::Base2Offline,
    &base3::Base3,
    &base3::Base3Offline,
    &base4::Base4,
    &bavaria::BavariaN,
    &bavaria::BavariaT,
    &bavaria::BavariaNOffline,
    &bavaria::BavariaTOffline,
    &exponential::Exponential,
    &gamma::Gamma,
    &beta::Beta,
    &elsa::ELSA1,
    &elsa::ELSA2_PHI,
    &elsa::ELSA3_BETA,
    &elsa::ELSA3_GAMMA,
    &elsa::ELSA3_PHI,
    &elsa::ELSA_FULL,
    &understudy::Understudy,
    &understudy::UnderstudyOffline,
];

impl Attack for &'static dyn ShadowAttack {
    const ON: &'static str = "";

    fn every() -> &'static [Self] {
        ATTACKS
    }

    fn card(attack: Self) -> &'static Card {
        attack.card()
    }
}

/// The attack of that name.
pub fn find(id: &str) -> Result<&'static dyn ShadowAttack> {
    Attack::find(id)
}

#[cfg(test)]
mod tests;
