//! The blind baseline: models that see the texts and nothing else. If one of them tells members from
//! non-members, so can any attack, and the audit measures the choice of texts, not the model
//! (Das, Zhang and Tramèr 2024, "Blind baselines beat membership inference attacks").
//!
//! Four look: a logistic model of words and pairs of words, one of three characters in a row (so
//! that capitals, marks and spaces count), and the one word, and the one run of characters, that
//! separates best. All are cross-validated; the best counts, corrected for there being four.

use std::collections::HashMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use stats::roc::Roc;
use stats::sparse::{SparseLogistic, SparseRow};
use stats::streams::{Seed, shuffle};
use text::{Grams, find_letters, find_word};

use crate::measure::auc::delong_variance;

const FOLDS: usize = 5;
/// Hashed columns. Two words that share one are rare enough.
const COLUMNS: usize = 1 << 18;
const PENALTY: f32 = 1e-5;
/// Folds share most of what they learn from, so their AUCs vary together: the variance of the mean
/// is 1/k + 1/(k − 1) in place of 1/k (Nadeau and Bengio 2003).
const OVERLAP: f64 = 1.5;
/// What tells the sets apart is shown where there may be something to tell.
const SHOWN: f64 = 0.05;
/// Words that are shown, and columns searched for them: some belong to pairs of words.
const TELLING: usize = 4;
const MOST_SEARCHED: usize = 16;
/// Fewer texts of a kind teach nothing.
const FEWEST: usize = 20;

/// How well the texts alone do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Blind {
    /// Which of the four did best, in words.
    pub by: String,
    /// Cross-validated: mean over folds, each predicted by a model of the others.
    pub auc: f64,
    pub low: f64,
    pub high: f64,
    /// The chance of an AUC this far above one half when texts tell nothing, and this far below.
    pub p_value: f64,
    pub p_below: f64,
    /// The lower end for words and pairs of words, whichever did best.
    pub words_low: f64,
    pub texts: usize,
    /// What speaks for a member, and what against, the strongest first.
    pub for_members: Vec<String>,
    pub for_nonmembers: Vec<String>,
}

/// What a model looks at.
#[derive(Clone, Copy, PartialEq)]
enum View {
    Words,
    Letters,
}

impl View {
    fn counts(self, grams: &Grams) -> &[(u64, u32)] {
        match self {
            View::Words => &grams.words,
            View::Letters => &grams.letters,
        }
    }

    fn shown(self, text: &str, hash: u64) -> Option<String> {
        match self {
            View::Words => find_word(text, hash),
            View::Letters => find_letters(text, hash),
        }
    }
}

/// How a model predicts.
#[derive(Clone, Copy, PartialEq)]
enum Predictor {
    Logistic,
    /// By the presence of the one column that separates best.
    One,
}

const LOOKS: [(View, Predictor, &str); 4] = [
    (View::Words, Predictor::Logistic, "words alone"),
    (
        View::Letters,
        Predictor::Logistic,
        "letters and marks alone",
    ),
    (View::Words, Predictor::One, "one word alone"),
    (View::Letters, Predictor::One, "three characters alone"),
];

/// Nothing where there are too few texts.
pub fn blind(texts: &[&str], members: &[bool], confidence: f64, seed: Seed) -> Option<Blind> {
    let count = members.iter().filter(|member| **member).count();
    if count.min(members.len() - count) < FEWEST {
        return None;
    }
    let folds = folds(members, seed);
    // Of the grams themselves, many times the size of the texts, no more than one text's are held.
    let (words, letters): (Vec<_>, Vec<_>) = texts.par_iter().map(|text| counted(text)).unzip();
    let rows = [words, letters].map(weighted);
    let rows_of = |view: View| &rows[usize::from(view == View::Letters)];
    let measured: Vec<Measured> = LOOKS
        .par_iter()
        .filter_map(|(view, predictor, _)| {
            cross_validated(rows_of(*view), members, &folds, *predictor)
        })
        .collect();
    let best = (0..measured.len()).max_by(|a, b| measured[*a].auc.total_cmp(&measured[*b].auc))?;
    let Measured { auc, error } = measured[best];
    let looks = LOOKS.len() as f64;
    let side = (1.0 - confidence) / 2.0 / looks;
    let reach = |error: f64| -stats::normal::normal_quantile(side) * error;
    let by_words = measured.first()?;
    // Under chance the variance is that of random ranks.
    let (a, b) = (count as f64, (members.len() - count) as f64);
    let chance_error = OVERLAP * ((a + b + 1.0) / (12.0 * a * b)).sqrt();
    let chance = |auc: f64| stats::normal::normal_sf((auc - 0.5) / chance_error);
    let p_value = (looks * chance(auc)).min(1.0);
    let (view, _, by) = LOOKS[best];
    let [for_members, for_nonmembers] = match p_value < SHOWN {
        true => telling_parts(view, rows_of(view), texts, members, &folds),
        false => Default::default(),
    };
    Some(Blind {
        by: by.to_owned(),
        auc,
        low: (auc - reach(error)).max(0.0),
        high: (auc + reach(error)).min(1.0),
        p_value,
        p_below: chance(1.0 - by_words.auc),
        words_low: (by_words.auc - reach(by_words.error)).max(0.0),
        texts: texts.len(),
        for_members,
        for_nonmembers,
    })
}

#[derive(Clone, Copy)]
struct Measured {
    auc: f64,
    error: f64,
}

fn cross_validated(
    rows: &[SparseRow],
    members: &[bool],
    folds: &Folds,
    predictor: Predictor,
) -> Option<Measured> {
    let found: Vec<(f64, f64)> = (0..FOLDS)
        .into_par_iter()
        .filter_map(|fold| held_out(rows, members, folds, fold, predictor))
        .collect();
    let n = found.len() as f64;
    let variance = found.iter().map(|(_, variance)| variance).sum::<f64>();
    (n > 0.0).then(|| Measured {
        auc: found.iter().map(|(auc, _)| auc).sum::<f64>() / n,
        error: OVERLAP * variance.sqrt() / n,
    })
}

/// What speaks for a member, and what speaks against.
fn telling_parts(
    view: View,
    rows: &[SparseRow],
    texts: &[&str],
    members: &[bool],
    folds: &Folds,
) -> [Vec<String>; 2] {
    let all = folds.order.iter();
    let all: Vec<(&SparseRow, bool)> = all.map(|&place| (&rows[place], members[place])).collect();
    let model = SparseLogistic::fit(COLUMNS, &all, PENALTY);
    let strong = [1.0, -1.0].map(|direction| strongest(&model, direction));
    named(&strong, view, texts)
}

/// The columns with the largest weights in one direction.
fn strongest(model: &SparseLogistic, direction: f32) -> Vec<usize> {
    let mut columns: Vec<usize> = (0..COLUMNS).collect();
    let strength = |column: &usize| -direction * model.weights()[*column];
    columns.sort_by(|a, b| strength(a).total_cmp(&strength(b)));
    let strong = columns.into_iter().take(MOST_SEARCHED);
    strong.filter(|column| strength(column) < 0.0).collect()
}

/// The words or characters of columns, as the first text that has them writes them; those of columns
/// that stand for pairs of words have none.
fn named(columns: &[Vec<usize>; 2], view: View, texts: &[&str]) -> [Vec<String>; 2] {
    let mut names: HashMap<usize, String> = HashMap::new();
    for text in texts {
        let missing = columns.iter().flatten();
        let missing: Vec<usize> = missing
            .filter(|one| !names.contains_key(*one))
            .copied()
            .collect();
        if missing.is_empty() {
            break;
        }
        let grams = Grams::new(text);
        for column in missing {
            let mut counts = view.counts(&grams).iter();
            let found = counts.find(|(hash, _)| column_of(*hash) == column);
            let shown = found.and_then(|(hash, _)| view.shown(text, *hash));
            names.extend(shown.map(|shown| (column, shown)));
        }
    }
    let shown = |columns: &Vec<usize>| {
        let found = columns.iter().filter_map(|column| names.get(column));
        found.take(TELLING).cloned().collect()
    };
    [shown(&columns[0]), shown(&columns[1])]
}

/// The columns of a text with their counts, of words and of characters.
fn counted(text: &str) -> (SparseRow, SparseRow) {
    let grams = Grams::new(text);
    (hashed(&grams.words), hashed(&grams.letters))
}

/// Term frequency (damped) times inverse document frequency, each row of length one. What is
/// counted over all texts is not who is a member.
fn weighted(rows: Vec<SparseRow>) -> Vec<SparseRow> {
    let mut documents = vec![0u32; COLUMNS];
    for (column, _) in rows.iter().flatten() {
        documents[*column as usize] += 1;
    }
    let total = rows.len() as f32;
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
fn hashed(counts: &[(u64, u32)]) -> SparseRow {
    let mut row: SparseRow = counts
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
    row.shrink_to_fit();
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
    predictor: Predictor,
) -> Option<(f64, f64)> {
    let learned = folds.order.iter().filter(|text| folds.of[**text] != fold);
    let learned: Vec<(&SparseRow, bool)> =
        learned.map(|&text| (&rows[text], members[text])).collect();
    let held = (0..rows.len()).filter(|text| folds.of[*text] == fold);
    let roc = match predictor {
        Predictor::Logistic => {
            let model = SparseLogistic::fit(COLUMNS, &learned, PENALTY);
            Roc::new(held.map(|text| (f64::from(model.predict(&rows[text])), members[text])))
        }
        Predictor::One => {
            let (column, sign) = best_column(&learned);
            let has = |text: usize| rows[text].iter().any(|(found, _)| *found == column);
            Roc::new(held.map(|text| (sign * f64::from(u8::from(has(text))), members[text])))
        }
    }?;
    Some((roc.auc(), delong_variance(&roc).unwrap_or(0.0)))
}

/// The column whose presence differs most between the two kinds, and for which it speaks.
fn best_column(learned: &[(&SparseRow, bool)]) -> (u32, f64) {
    let mut counts = vec![[0u32; 2]; COLUMNS];
    for (row, member) in learned {
        for (column, _) in row.iter() {
            counts[*column as usize][usize::from(*member)] += 1;
        }
    }
    let members = learned.iter().filter(|(_, member)| *member).count().max(1) as f64;
    let others = (learned.len() as f64 - members).max(1.0);
    let lead = |column: &usize| {
        let [outside, inside] = counts[*column];
        f64::from(inside) / members - f64::from(outside) / others
    };
    let best = (0..COLUMNS).max_by(|a, b| lead(a).abs().total_cmp(&lead(b).abs()));
    let best = best.unwrap_or(0);
    (best as u32, lead(&best).signum())
}
