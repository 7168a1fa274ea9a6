//! What the network sees of a text: up to twenty numbers at every predicted position, and a few of the
//! text as a whole.
//!
//! How much a fine-tune changed differs from one to the next by orders of magnitude, and says little. So
//! changes are given as they are and in units of the text's own mean change, its size.

use super::super::wbc::share_of_windows;
use crate::scores::Abstention;
use crate::signals::tokens::TextSignals;

/// How far a gain counts where it is clipped.
const CLIP: f32 = 3.0;
/// Ranks that servers cap are compared up to here.
const CAP: u32 = 5;
/// A text that hardly changed has this size at least: what is smaller is rounding.
const LEAST_SIZE: f64 = 1e-4;
/// ln of `ez` is brought between this and its negative.
const FARTHEST_EZ: f64 = 4.0;
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
            Variant::Bare => 5,
            Variant::Ranks => 7,
            Variant::Moments => 10,
            Variant::Full => 20,
        }
    }

    /// Numbers of the text as a whole.
    pub fn known(self) -> usize {
        match self {
            Variant::Bare => 7,
            _ => 10,
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
    /// ln of `ez`, brought within bounds; where ranks are.
    pub ez: Option<f32>,
}

impl Sheet {
    /// The predicted positions `from..to`; the first of a text is left out by who asks.
    pub fn new(text: &TextSignals, variant: Variant, from: usize, to: usize) -> Self {
        let whole = Whole::new(text, from, to);
        let mut rows = Vec::with_capacity((to - from) * variant.inputs());
        for place in from..to {
            position(text, variant, place, whole.size, &mut rows);
        }
        let zone = (variant != Variant::Bare).then(|| whole.errors(text, from, to));
        let zone = zone.flatten();
        Self {
            rows,
            known: whole.known(zone.as_ref()),
            positions: to - from,
            ez: zone.map(|zone| number(zone.ez())),
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

fn position(text: &TextSignals, variant: Variant, place: usize, size: f64, row: &mut Vec<f32>) {
    let at = |list: &Option<Vec<f64>>| list.as_ref().map_or(0.0, |list| list[place]);
    let rank = |list: &Option<Vec<u32>>| list.as_ref().map_or(1, |list| list[place].max(1));
    let (own, reference) = (text.logprob[place], at(&text.reference));
    let gain = number(own - reference);
    let in_sizes = |change: f64| number(change / size);
    let relative = in_sizes(f64::from(gain));
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
        row.push(relative);
        return;
    }
    if variant == Variant::Ranks {
        row.extend([ln(own_rank.min(CAP)), errs(own_rank), relative]);
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
            relative,
        ]);
        return;
    }
    let (ref_mean, ref_deviation) = (at(&text.ref_mean), at(&text.ref_variance).max(0.0).sqrt());
    let ref_rank = rank(&text.ref_rank);
    let (most, ref_most) = (at(&text.max_logprob), at(&text.ref_max_logprob));
    row.extend([
        number(mean),
        number(ref_mean),
        number(deviation),
        number(ref_deviation),
        ln(own_rank),
        ln(ref_rank),
        errs(own_rank),
        errs(ref_rank),
        number(most),
        number(ref_most),
        z,
        standard(reference, ref_mean, ref_deviation),
        relative,
        in_sizes(mean - ref_mean),
        in_sizes(deviation - ref_deviation),
        in_sizes(most - ref_most),
    ]);
}

/// What is known of some positions of a text as a whole.
struct Whole {
    gains: Vec<f64>,
    /// The mean change.
    size: f64,
    all: Sums,
}

/// Sums of rises and of falls of ln p.
#[derive(Default)]
struct Sums {
    rises: f64,
    falls: f64,
    count: usize,
}

impl Sums {
    fn new(gains: impl Iterator<Item = f64>) -> Self {
        let mut sums = Sums::default();
        for gain in gains {
            sums.rises += gain.max(0.0);
            sums.falls += (-gain).max(0.0);
            sums.count += 1;
        }
        sums
    }

    /// ln of rises over falls, to each of which one mean change is added.
    fn balance(&self, size: f64) -> f64 {
        ((self.rises + size) / (self.falls + size)).ln()
    }
}

/// The positions where the target errs.
struct Errors {
    sums: Sums,
    balance: f64,
}

impl Errors {
    /// ln of `ez`: its infinite edges are brought near.
    fn ez(&self) -> f64 {
        let Sums {
            rises,
            falls,
            count,
        } = self.sums;
        match (count, rises == 0.0 && falls == 0.0) {
            (0, _) => FARTHEST_EZ,
            (_, true) => 0.0,
            _ => (rises.ln() - falls.ln()).clamp(-FARTHEST_EZ, FARTHEST_EZ),
        }
    }
}

impl Whole {
    fn new(text: &TextSignals, from: usize, to: usize) -> Self {
        let reference = text.reference.as_deref().unwrap_or_default();
        let gains: Vec<f64> = (from..to)
            .map(|place| f64::from(number(text.logprob[place] - reference[place])))
            .collect();
        let size = gains.iter().map(|gain| gain.abs()).sum::<f64>() / gains.len() as f64;
        Self {
            size: size.max(LEAST_SIZE),
            all: Sums::new(gains.iter().copied()),
            gains,
        }
    }

    /// Where ranks are; a text without an error has the balance of all its positions.
    fn errors(&self, text: &TextSignals, from: usize, to: usize) -> Option<Errors> {
        let ranks = &text.rank.as_ref()?[from..to];
        let wrong = self.gains.iter().zip(ranks).filter(|(_, rank)| **rank > 1);
        let sums = Sums::new(wrong.map(|(gain, _)| *gain));
        let seen = if sums.count > 0 { &sums } else { &self.all };
        let balance = seen.balance(self.size);
        Some(Errors { sums, balance })
    }

    /// Mean gain, share of rises, share of windows won, ln of the number of positions, ln of the size, mean
    /// gain in sizes, the balance of rises and falls and, of the errors, their balance, `ez` and their share.
    fn known(&self, errors: Option<&Errors>) -> Vec<f32> {
        let count = self.gains.len() as f64;
        let rises = self.gains.iter().filter(|gain| **gain > 0.0).count() as f64;
        let mean = self.gains.iter().sum::<f64>() / count;
        let mut known = vec![
            number(mean),
            number(rises / count),
            number(share_of_windows(&self.gains).unwrap_or(0.0)),
            number(count.ln()),
            number(self.size.ln()),
            number(mean / self.size),
            number(self.all.balance(self.size)),
        ];
        if let Some(errors) = errors {
            known.extend([
                number(errors.balance),
                number(errors.ez()),
                number(errors.sums.count as f64 / count),
            ]);
        }
        known
    }
}

/// An infinite log-probability counts as far as the network looks; what is no number counts as nothing.
fn number(value: f64) -> f32 {
    match value.is_nan() {
        true => 0.0,
        false => value.clamp(-1e4, 1e4) as f32,
    }
}
