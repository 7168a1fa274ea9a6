//! What the network sees of a text: up to sixteen numbers at every predicted position, and a few of the
//! text as a whole.

use super::super::ez::rises_over_falls;
use super::super::wbc::share_of_windows;
use crate::scores::Abstention;
use crate::signals::tokens::TextSignals;

/// How far a gain counts where it is clipped.
const CLIP: f32 = 3.0;
/// Ranks that servers cap are compared up to here.
const CAP: u32 = 5;
/// A deviation below this says that the model was certain; dividing by less would only amplify rounding.
const LEAST_DEVIATION: f64 = 1e-2;

/// What was collected decides which network reads a text; in order of what they know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variant {
    /// Log-probabilities of target and reference.
    Bare,
    /// And the target's ranks, which may be capped.
    Ranks,
    /// And the mean and variance of the target over the vocabulary.
    Moments,
    /// And first choices, and all of it of the reference.
    Full,
}

pub const VARIANTS: [Variant; 4] = [
    Variant::Bare,
    Variant::Ranks,
    Variant::Moments,
    Variant::Full,
];

impl Variant {
    /// The richest that a text allows.
    pub fn of(text: &TextSignals) -> Self {
        let reference = text.ref_rank.is_some()
            && text.ref_rank_cap.is_none()
            && text.ref_mean.is_some()
            && text.ref_variance.is_some()
            && text.ref_max_logprob.is_some();
        let moments = text.mean.is_some() && text.variance.is_some();
        let exact = text.rank.is_some() && text.rank_cap.is_none();
        let ranked = text.rank.is_some() && text.rank_cap.is_none_or(|cap| cap >= CAP);
        if exact && moments && text.max_logprob.is_some() && reference {
            Variant::Full
        } else if exact && moments {
            Variant::Moments
        } else if ranked {
            Variant::Ranks
        } else {
            Variant::Bare
        }
    }

    /// Numbers a position.
    pub fn inputs(self) -> usize {
        match self {
            Variant::Bare => 4,
            Variant::Ranks => 6,
            Variant::Moments => 9,
            Variant::Full => 16,
        }
    }

    /// Numbers of the text as a whole.
    pub fn known(self) -> usize {
        match self {
            Variant::Bare => 4,
            _ => 5,
        }
    }
}

/// A text as a network reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// [positions, inputs]
    pub rows: Vec<f32>,
    pub known: Vec<f32>,
    pub positions: usize,
}

impl Sheet {
    /// The predicted positions `from..to`; the first of a text is left out by who asks.
    pub fn new(text: &TextSignals, variant: Variant, from: usize, to: usize) -> Self {
        let mut rows = Vec::with_capacity((to - from) * variant.inputs());
        for place in from..to {
            position(text, variant, place, &mut rows);
        }
        Self {
            rows,
            known: whole(text, variant, from, to),
            positions: to - from,
        }
    }
}

/// Windows of about equal length, none longer than `longest`, that cover all positions but the first.
pub fn windows(text: &TextSignals, longest: usize) -> Result<Vec<(usize, usize)>, Abstention> {
    let count = text.logprob.len();
    if count < 2 {
        return Err(Abstention::NoPosition);
    }
    let (first, positions) = (1, count - 1);
    let parts = positions.div_ceil(longest);
    let cut = |part: usize| first + part * positions / parts;
    Ok((0..parts).map(|part| (cut(part), cut(part + 1))).collect())
}

fn position(text: &TextSignals, variant: Variant, place: usize, row: &mut Vec<f32>) {
    let at = |list: &Option<Vec<f64>>| list.as_ref().map_or(0.0, |list| list[place]);
    let rank = |list: &Option<Vec<u32>>| list.as_ref().map_or(1, |list| list[place].max(1));
    let (own, reference) = (text.logprob[place], at(&text.reference));
    let gain = number(own - reference);
    row.extend([
        number(own),
        number(reference),
        gain,
        gain.clamp(-CLIP, CLIP),
    ]);
    let errs = |rank: u32| f32::from(u8::from(rank > 1));
    let ln = |rank: u32| f64::from(rank).ln() as f32;
    let own_rank = rank(&text.rank);
    if variant == Variant::Bare {
        return;
    }
    if variant == Variant::Ranks {
        row.extend([ln(own_rank.min(CAP)), errs(own_rank)]);
        return;
    }
    let (mean, deviation) = (at(&text.mean), at(&text.variance).max(0.0).sqrt());
    let standard = |value: f64, mean: f64, deviation: f64| {
        number((value - mean) / deviation.max(LEAST_DEVIATION))
    };
    let z = standard(own, mean, deviation);
    if variant == Variant::Moments {
        row.extend([
            number(mean),
            number(deviation),
            ln(own_rank),
            errs(own_rank),
            z,
        ]);
        return;
    }
    let (ref_mean, ref_deviation) = (at(&text.ref_mean), at(&text.ref_variance).max(0.0).sqrt());
    let ref_rank = rank(&text.ref_rank);
    row.extend([
        number(mean),
        number(ref_mean),
        number(deviation),
        number(ref_deviation),
        ln(own_rank),
        ln(ref_rank),
        errs(own_rank),
        errs(ref_rank),
        number(at(&text.max_logprob)),
        number(at(&text.ref_max_logprob)),
        z,
        standard(reference, ref_mean, ref_deviation),
    ]);
}

/// Mean gain, share of rises, share of windows won, ln of the number of positions and, where ranks are
/// there, `ez-smoothed`.
fn whole(text: &TextSignals, variant: Variant, from: usize, to: usize) -> Vec<f32> {
    let reference = text.reference.as_deref().unwrap_or_default();
    let gains: Vec<f64> = (from..to)
        .map(|place| f64::from(number(text.logprob[place] - reference[place])))
        .collect();
    let count = gains.len() as f64;
    let rises = gains.iter().filter(|gain| **gain > 0.0).count() as f64;
    let mut known = vec![
        number(gains.iter().sum::<f64>() / count),
        number(rises / count),
        number(share_of_windows(&gains).unwrap_or(0.0)),
        number(count.ln()),
    ];
    if let (true, Some(rank)) = (variant != Variant::Bare, &text.rank) {
        let wrong = gains
            .iter()
            .zip(&rank[from..to])
            .filter(|(_, rank)| **rank > 1);
        known.push(number(rises_over_falls(wrong.map(|(gain, _)| *gain))));
    }
    known
}

/// An infinite log-probability counts as far as the network looks; what is no number counts as nothing.
fn number(value: f64) -> f32 {
    match value.is_nan() {
        true => 0.0,
        false => value.clamp(-1e4, 1e4) as f32,
    }
}
