//! `lira` and `lira-offline`: the likelihood-ratio attack.

use stats::normal::ln_normal_cdfs;

use super::ShadowAttack;
use super::gaussian::{SWITCHED_SETTINGS, Variances, need_outside};
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use base::Result;

pub struct Lira;
pub struct LiraOffline;

static CARD: Card = Card {
    id: "lira",
    summary: "Gaussian log-likelihood ratio of IN against OUT shadows",
    asks: "Does the model's confidence look like that of models trained on the record, or of \
           models that were not?",
    why_it_works: "The rescaled logit is roughly normal over training runs, so the ratio of two \
                   normal densities is close to the best test there is. With fewer than 64 \
                   shadows one variance per class serves all records, since a handful of values \
                   cannot give each record its own.",
    access: Access::InAndOutShadows,
    when_it_misleads: "With few shadows per record its tails are noisy, and a shadow recipe \
                       that differs from the target's shifts every score.",
    paper: "Carlini et al. 2022, arXiv:2112.03570",
    settings: &SWITCHED_SETTINGS,
};

static OFFLINE: Card = Card {
    id: "lira-offline",
    summary: "ln Φ of the target's distance above the OUT shadows, one-sided",
    asks: "Is the model more confident than models that were not trained on the record would be?",
    why_it_works: "A p-value under the OUT distribution needs no model trained on the record, so \
                   shadows can be trained before anyone names the records to audit.",
    access: Access::OutShadows,
    when_it_misleads: "It sees only that a value is unusual, not that it is what membership \
                       would cause; weaker than `lira` where IN and OUT differ in spread.",
    paper: "Carlini et al. 2022, arXiv:2112.03570, section VI-C",
    settings: &SWITCHED_SETTINGS,
};

impl ShadowAttack for Lira {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn score(&self, view: &View) -> Result<Scores> {
        let variances = Variances::new(view);
        Ok(view.per_record_with_logs(|record| variances.ratio(record)))
    }
}

impl ShadowAttack for LiraOffline {
    fn card(&self) -> &'static Card {
        &OFFLINE
    }

    fn score(&self, view: &View) -> Result<Scores> {
        let variances = Variances::new(view);
        Ok(view.per_record_through(ln_normal_cdfs, |record| {
            need_outside(record)?;
            let outside = variances.outside(record.outside);
            Ok((record.target - outside.mean) / outside.variance.sqrt())
        }))
    }
}
