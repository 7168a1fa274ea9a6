//! `wbc`: a vote of windows of many widths.

use super::{TokenAttack, given};
use crate::card::{Access, Card};
use crate::scores::{Abstention, Answer};
use crate::settings::Settings;
use crate::signals::tokens::{Need, TextSignals};

pub struct Wbc;

/// The widths of the published attack.
const WIDTHS: [usize; 10] = [2, 3, 4, 6, 9, 13, 18, 25, 32, 40];

static CARD: Card = Card {
    id: "wbc",
    summary: "share of sliding windows that the target finds likelier than the reference",
    asks: "In how many stretches of the text does the audited model beat the reference? Of all \
           windows of 2, 3, 4, 6, 9, 13, 18, 25, 32 and 40 tokens, the share whose summed \
           difference of ln p is above zero, averaged over the widths that fit.",
    why_it_works: "Memorisation shows in short stretches. Counting windows won, over widths from 2 \
                   to 40 tokens, keeps one extreme token from deciding for the whole text.",
    access: Access::Tokens(&[Need::Reference]),
    when_it_misleads: "Scores come in steps, so strict false-positive rates may not be reachable on \
                       short texts. Widths that do not fit the text are left out.",
    paper: "WBC 2026 (USENIX Security), arXiv:2601.02751",
    settings: &[],
};

impl TokenAttack for Wbc {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn score(&self, text: &TextSignals, _: &Settings) -> Answer {
        let pairs = text.logprob.iter().zip(given(&text.reference));
        let gains: Vec<f64> = pairs.map(|(own, reference)| own - reference).collect();
        share_of_windows(&gains).ok_or(Abstention::NoPrediction)
    }
}

/// The share of windows won, averaged over the widths that fit; none where no width does.
pub(super) fn share_of_windows(gains: &[f64]) -> Option<f64> {
    let fitting = WIDTHS.iter().filter(|width| **width <= gains.len());
    let shares: Vec<f64> = fitting.map(|width| share_won(gains, *width)).collect();
    (!shares.is_empty()).then(|| super::mean(&shares))
}

/// The share of windows of this width whose sum is above zero. Summed afresh for every window: a
/// running sum would keep the rounding of what has left it, and zero must stay zero.
fn share_won(gains: &[f64], width: usize) -> f64 {
    let windows = gains.windows(width);
    let count = windows.len();
    let won = windows.filter(|window| window.iter().sum::<f64>() > 0.0);
    won.count() as f64 / count as f64
}
