//! `min-k` and `min-k-plus-plus`: the least likely tokens of the text.

use super::{TokenAttack, given, mean};
use crate::card::{Access, Card};
use crate::scores::Answer;
use crate::settings::{Kind, Setting, Settings};
use crate::signals::tokens::{Need, TextSignals};

pub struct MinK;
pub struct MinKPlusPlus;

static SHARE: Setting = Setting {
    key: "min-k.share",
    kind: Kind::Number {
        default: 0.2,
        least: 1e-6,
        most: 1.0,
    },
    help: "share of the tokens that count, the least likely ones",
};

static MIN_K: Card = Card {
    id: "min-k",
    summary: "mean log-probability of the least likely tokens",
    asks: "How surprising are the text's most surprising tokens?",
    why_it_works: "A text that was never seen has a few tokens that no model expects; training on \
                   it takes the surprise out of exactly those.",
    access: Access::Tokens(&[]),
    when_it_misleads: "As the loss, it takes simple text for members. Published codes have averaged \
                       the most likely tokens by mistake, which inverts it.",
    paper: "Shi et al. 2024, arXiv:2310.16789",
    settings: &[&SHARE],
};

static MIN_K_PLUS_PLUS: Card = Card {
    id: "min-k-plus-plus",
    summary: "min-k, standardised over the vocabulary (Min-K%++)",
    asks: "How surprising are the most surprising tokens, measured against what the model expected \
           at that place?",
    why_it_works: "Where the model is unsure, any token is unlikely; dividing by the spread of its \
                   own distribution takes that away. Training makes the true token a local maximum.",
    access: Access::Tokens(&[Need::Moments]),
    when_it_misleads: "It needs the model's whole next-token distribution, which servers do not \
                       give. Without a reference it still knows nothing of how hard the text is.",
    paper: "Zhang et al. 2025, arXiv:2404.02936",
    settings: &[&SHARE],
};

impl TokenAttack for MinK {
    fn card(&self) -> &'static Card {
        &MIN_K
    }

    fn score(&self, text: &TextSignals, settings: &Settings) -> Answer {
        Ok(mean_of_lowest(text.logprob.clone(), settings))
    }
}

impl TokenAttack for MinKPlusPlus {
    fn card(&self) -> &'static Card {
        &MIN_K_PLUS_PLUS
    }

    fn score(&self, text: &TextSignals, settings: &Settings) -> Answer {
        let moments = given(&text.mean).iter().zip(given(&text.variance));
        let tokens = text.logprob.iter().zip(moments);
        let standardised = tokens.map(|(logprob, (mean, variance))| {
            let distance = logprob - mean;
            // A model that is certain of the token has no spread: the token is as expected.
            if distance == 0.0 {
                0.0
            } else {
                distance / variance.sqrt()
            }
        });
        Ok(mean_of_lowest(standardised.collect(), settings))
    }
}

/// The mean of the lowest max(1, ⌊share · n⌋) values.
fn mean_of_lowest(mut values: Vec<f64>, settings: &Settings) -> f64 {
    let share = settings.number(&SHARE);
    // One part in 10¹² forgives a product such as 0.29 · 100 = 28.999….
    let count = (share * values.len() as f64 * (1.0 + 1e-12)).floor() as usize;
    let count = count.clamp(1, values.len());
    values.select_nth_unstable_by(count - 1, f64::total_cmp);
    let lowest = &mut values[..count];
    lowest.sort_unstable_by(f64::total_cmp);
    mean(lowest)
}
