//! The blind baseline: a bag of words that never sees a model. If it tells members from
//! non-members, so can any attack, and the audit measures the choice of texts, not the model
//! (Das, Zhang and Tramèr 2024, "Blind baselines beat membership inference attacks").

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use stats::roc::Roc;
use stats::sparse::{SparseLogistic, SparseRow};
use stats::streams::{Seed, shuffle};

use super::words::{Words, word_of};
use crate::measure::auc::delong_variance;

const FOLDS: usize = 5;
/// Hashed columns. Two words that share one are rare enough.
const COLUMNS: usize = 1 << 18;
const PENALTY: f32 = 1e-5;
/// Folds share most of what they learn from, so their AUCs vary together: the variance of the mean
/// is 1/k + 1/(k − 1) in place of 1/k (Nadeau and Bengio 2003).
const OVERLAP: f64 = 1.5;
/// Words are shown where there may be something to tell.
const SHOWN: f64 = 0.05;
/// Words that are shown, and columns searched for them: some belong to pairs of words.
const TELLING: usize = 4;
const MOST_SEARCHED: usize = 16;
/// Fewer texts of a kind teach nothing.
const FEWEST: usize = 20;

/// How well the words alone do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blind {
    /// Cross-validated: mean over folds, each predicted by a model of the others.
    pub auc: f64,
    pub low: f64,
    pub high: f64,
    /// The chance of an AUC this far above one half when words tell nothing.
    pub p_value: f64,
    pub texts: usize,
    /// Words that speak for a member, and words that speak against, the strongest first.
    pub for_members: Vec<String>,
    pub for_nonmembers: Vec<String>,
}

/// Nothing where there are too few texts. `text` gives a text by its place.
pub fn blind<'a>(
    words: &[Words],
    members: &[bool],
    text: impl Fn(usize) -> &'a str,
    confidence: f64,
    seed: Seed,
) -> Option<Blind> {
    let count = members.iter().filter(|member| **member).count();
    if count.min(members.len() - count) < FEWEST {
        return None;
    }
    let rows = weighted(words);
    let folds = folds(members, seed);
    let measured: Vec<(f64, f64)> = (0..FOLDS)
        .into_par_iter()
        .filter_map(|fold| held_out(&rows, members, &folds, fold))
        .collect();
    let n = measured.len() as f64;
    let auc = measured.iter().map(|(auc, _)| auc).sum::<f64>() / n;
    let error = OVERLAP
        * measured
            .iter()
            .map(|(_, variance)| variance)
            .sum::<f64>()
            .sqrt()
        / n;
    let reach = -stats::normal::normal_quantile((1.0 - confidence) / 2.0) * error;
    // Under chance the variance is that of random ranks.
    let (a, b) = (count as f64, (members.len() - count) as f64);
    let chance_error = OVERLAP * ((a + b + 1.0) / (12.0 * a * b)).sqrt();
    let p_value = stats::normal::normal_sf((auc - 0.5) / chance_error);
    let [for_members, for_nonmembers] = match p_value < SHOWN {
        true => telling_words(&rows, words, members, &folds, &text),
        false => Default::default(),
    };
    (n > 0.0).then(|| Blind {
        auc,
        low: (auc - reach).max(0.0),
        high: (auc + reach).min(1.0),
        p_value,
        texts: words.len(),
        for_members,
        for_nonmembers,
    })
}

/// Words that speak for a member, and words that speak against.
fn telling_words<'a>(
    rows: &[SparseRow],
    words: &[Words],
    members: &[bool],
    folds: &Folds,
    text: &impl Fn(usize) -> &'a str,
) -> [Vec<String>; 2] {
    let all = folds.order.iter();
    let all: Vec<(&SparseRow, bool)> = all.map(|&place| (&rows[place], members[place])).collect();
    let model = SparseLogistic::fit(COLUMNS, &all, PENALTY);
    [1.0, -1.0].map(|direction| telling(&model, direction, words, text))
}

/// The words with the largest weights in one direction.
fn telling<'a>(
    model: &SparseLogistic,
    direction: f32,
    words: &[Words],
    text: &impl Fn(usize) -> &'a str,
) -> Vec<String> {
    let mut columns: Vec<usize> = (0..COLUMNS).collect();
    let strength = |column: &usize| -direction * model.weights()[*column];
    columns.sort_by(|a, b| strength(a).total_cmp(&strength(b)));
    let strong = columns.into_iter().take(MOST_SEARCHED);
    let strong = strong.filter(|column| strength(column) < 0.0);
    let word = |column: usize| {
        words.iter().enumerate().find_map(|(place, words)| {
            let hash = words
                .grams
                .iter()
                .find(|(hash, _)| column_of(*hash) == column);
            word_of(text(place), hash?.0)
        })
    };
    strong.filter_map(word).take(TELLING).collect()
}

/// Term frequency (damped) times inverse document frequency, each row of length one. What is
/// counted over all texts is not who is a member.
fn weighted(words: &[Words]) -> Vec<SparseRow> {
    let mut documents = vec![0u32; COLUMNS];
    let rows: Vec<Vec<(u32, f32)>> = words.par_iter().map(hashed).collect();
    for (column, _) in rows.iter().flatten() {
        documents[*column as usize] += 1;
    }
    let total = words.len() as f32;
    let weigh = |mut row: Vec<(u32, f32)>| {
        for (column, value) in &mut row {
            let rarity = (1.0 + total) / (1.0 + documents[*column as usize] as f32);
            *value = (1.0 + value.ln()) * (1.0 + rarity.ln());
        }
        let length = row
            .iter()
            .map(|(_, value)| value * value)
            .sum::<f32>()
            .sqrt();
        for (_, value) in &mut row {
            *value /= length;
        }
        row
    };
    rows.into_par_iter().map(weigh).collect()
}

fn column_of(hash: u64) -> usize {
    ((hash >> 32) % COLUMNS as u64) as usize
}

/// Columns of a text with their counts, each column once.
fn hashed(words: &Words) -> Vec<(u32, f32)> {
    let mut row: Vec<(u32, f32)> = words
        .grams
        .iter()
        .map(|(hash, count)| (column_of(*hash) as u32, *count as f32))
        .collect();
    row.sort_unstable_by_key(|(column, _)| *column);
    row.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    row
}

/// A fold per text, both kinds spread evenly, and the order to learn in.
struct Folds {
    of: Vec<usize>,
    order: Vec<usize>,
}

fn folds(members: &[bool], seed: Seed) -> Folds {
    let mut order: Vec<usize> = (0..members.len()).collect();
    shuffle(&mut seed.stream("blind-baseline"), &mut order);
    let mut of = vec![0; members.len()];
    let mut seen = [0; 2];
    for &text in &order {
        let kind = &mut seen[usize::from(members[text])];
        of[text] = *kind % FOLDS;
        *kind += 1;
    }
    Folds { of, order }
}

/// AUC and its variance on one fold.
fn held_out(
    rows: &[SparseRow],
    members: &[bool],
    folds: &Folds,
    fold: usize,
) -> Option<(f64, f64)> {
    let learned = folds.order.iter().filter(|text| folds.of[**text] != fold);
    let learned: Vec<(&SparseRow, bool)> =
        learned.map(|&text| (&rows[text], members[text])).collect();
    let model = SparseLogistic::fit(COLUMNS, &learned, PENALTY);
    let held = (0..rows.len()).filter(|text| folds.of[*text] == fold);
    let scored = held.map(|text| (f64::from(model.predict(&rows[text])), members[text]));
    let roc = Roc::new(scored)?;
    Some((roc.auc(), delong_variance(&roc).unwrap_or(0.0)))
}
