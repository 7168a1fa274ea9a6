//! The ELSA family: per-record logistic regression of membership on functions of the confidence.

use stats::logistic::fit_logistic;
use stats::special::ln_sigmoid;

use super::ShadowAttack;
use super::statistics::{Column, ln_loss};
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::{Abstention, Answer, Scores};
use crate::settings::{Kind, Setting, Settings};
use crate::signals::shadow::Rescale;
use base::Result;

/// One variant: its card and its feature map, the intercept first.
pub struct Elsa<const D: usize> {
    card: &'static Card,
    features: fn(f64) -> [f64; D],
}

static PENALTY: Setting = Setting {
    key: "elsa.penalty",
    kind: Kind::Number {
        default: 1.0,
        least: 1e-9,
        most: 1e9,
    },
    help: "ridge penalty λ on all weights but the intercept",
};

const ASKS: &str =
    "Which function of the confidence separates this record's IN from its OUT shadows?";
const WHY: &str = "Every exponential-family ratio is linear in some functions of the confidence; \
                   instead of estimating a law per class, the weights are learnt directly.";
const MISLEADS: &str = "Few shadows and many features overfit record by record; the ridge then \
                        shrinks extreme scores and low false-positive rates suffer first.";
const PAPER: &str = "Brännvall 2026, arXiv:2603.11799, appendix H";

macro_rules! elsa {
    ($attack:ident, $card:ident, $id:literal, $summary:literal, $features:expr, $width:literal) => {
        static $card: Card = Card {
            id: $id,
            summary: $summary,
            asks: ASKS,
            why_it_works: WHY,
            access: Access::InAndOutShadows,
            when_it_misleads: MISLEADS,
            paper: PAPER,
            settings: &[&PENALTY],
        };
        pub static $attack: Elsa<$width> = Elsa {
            card: &$card,
            features: $features,
        };
    };
}

elsa!(
    ELSA1,
    CARD1,
    "elsa1",
    "per-record logistic regression on ln p",
    |phi| [1.0, ln_sigmoid(phi)],
    2
);
elsa!(
    ELSA2_PHI,
    CARD2_PHI,
    "elsa2-phi",
    "per-record logistic regression on φ",
    |phi| [1.0, phi],
    2
);
elsa!(
    ELSA3_BETA,
    CARD3_BETA,
    "elsa3-beta",
    "per-record logistic regression on ln p and ln(1−p), as a Beta law would have",
    |phi| [1.0, ln_sigmoid(phi), ln_sigmoid(-phi)],
    3
);
elsa!(
    ELSA3_GAMMA,
    CARD3_GAMMA,
    "elsa3-gamma",
    "per-record logistic regression on ln(−ln p) and ln p, as a Gamma law would have",
    |phi| [1.0, ln_loss(phi), ln_sigmoid(phi)],
    3
);
elsa!(
    ELSA3_PHI,
    CARD3_PHI,
    "elsa3-phi",
    "per-record logistic regression on φ and φ², as two Gaussians would have",
    |phi| [1.0, phi, phi * phi],
    3
);
elsa!(
    ELSA_FULL,
    CARD_FULL,
    "elsa-full",
    "per-record logistic regression on all seven features of the paper",
    |phi| {
        let p = ln_sigmoid(phi).exp();
        [
            1.0,
            ln_loss(phi),
            ln_sigmoid(phi),
            ln_sigmoid(-phi),
            phi * phi,
            p,
            p * p,
        ]
    },
    7
);

impl<const D: usize> ShadowAttack for Elsa<D> {
    fn card(&self) -> &'static Card {
        self.card
    }

    fn column_passes(&self, _settings: &Settings) -> usize {
        1
    }

    fn score(&self, view: &View) -> Result<Scores> {
        let penalty = view.settings.number(&PENALTY);
        view.per_column(Rescale::Exact, |column| self.answer(column, penalty))
    }
}

impl<const D: usize> Elsa<D> {
    fn answer(&self, column: &Column, penalty: f64) -> Answer {
        if !column.inside.contains(&true) {
            return Err(Abstention::NoInShadow);
        }
        if !column.inside.contains(&false) {
            return Err(Abstention::NoOutShadow);
        }
        let rows: Vec<[f64; D]> = column.phi.iter().map(|&phi| (self.features)(phi)).collect();
        let weights = fit_logistic(&rows, &column.inside, penalty).ok_or(Abstention::Undefined)?;
        let target = (self.features)(column.target);
        Ok(weights.iter().zip(target).map(|(w, x)| w * x).sum())
    }
}
