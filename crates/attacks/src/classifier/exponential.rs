//! `exponential`: log-likelihood ratio of exponentially distributed losses.

use stats::special::softplus;

use super::ShadowAttack;
use super::gaussian::need_both;
use super::statistics::Wants;
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use base::Result;

pub struct Exponential;

static CARD: Card = Card {
    id: "exponential",
    summary: "log-likelihood ratio of the loss under one exponential law per class",
    asks: "Is this loss more likely under the IN or under the OUT shadows' mean loss?",
    why_it_works: "The simplest member of the exponential family: one rate per class, the \
                   reciprocal of the mean loss.",
    access: Access::InAndOutShadows,
    when_it_misleads: "Losses over training runs are far from exponential; one outlier decides \
                       a mean loss. Kept as the family's baseline.",
    paper: "Brännvall 2026, arXiv:2603.11799, appendices A and E",
    settings: &[],
};

impl ShadowAttack for Exponential {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn wants(&self) -> Wants {
        Wants::SHAPES
    }

    fn score(&self, view: &View) -> Result<Scores> {
        Ok(view.per_shape(|record, shapes| {
            need_both(record)?;
            let loss = softplus(-record.target);
            let ln_density = |mean: f64| -mean.ln() - loss / mean;
            let inside = ln_density(shapes.inside.mean_loss);
            Ok(inside - ln_density(shapes.outside.mean_loss))
        }))
    }
}
