//! Calls on records whose membership nobody knows: the data owner's "was mine used?".
//!
//! A call is a test of "this record is no member". Its p-value is conformal (Vovk, Gammerman and Shafer
//! 2005; Bates et al. 2023, "Testing for outliers with conformal p-values"): of n
//! non-members of known membership, p = (1 + those that score as high) / (n + 1). Where the record is a
//! non-member like these, p is at most α with a chance of at most α, whatever the attack. So n
//! non-members reach no p below 1 / (n + 1). A record that an attack abstains on stands below all that it
//! judged, calibrating or asked: it is never called, and n stays all non-members.
//!
//! An attack that was chosen because it ranks *these* non-members low would call too many others. So it
//! is chosen for each asked record apart, by the AUC on the known records with the asked one among the
//! non-members, where it is if the test's hypothesis holds: then the choice treats all n + 1 alike, and
//! p stays exact (the full conformal rule). Nearly always this is the attack that is best without it.
//!
//! Many asked records are corrected together by Benjamini and Hochberg 1995 (valid for conformal
//! p-values that share their calibration: Bates et al. 2023). As a corrected p-value is never below the
//! plain one, a non-member is called with a chance of at most the level, and of all called records at
//! most that share is expected to be wrong.

mod choice;

use attacks::scores::{Abstention, Scores};
use serde::{Deserialize, Serialize};
use stats::streams::{Seed, below};

use self::choice::{Candidate, candidates};
use crate::persons::Groups;

/// The level at which records are called, unless another is asked for.
pub const DEFAULT_LEVEL: f64 = 0.05;

/// What calls are made from.
pub struct Asked<'a> {
    /// Attacks that did not learn from the known records.
    pub attacks: &'a [(String, Scores)],
    /// Who is a member, where that is known.
    pub members: &'a [Option<bool>],
    /// Rows that calibrate and choose, where not all known ones do.
    pub known: Option<&'a [usize]>,
    /// The attack that calls where no member is known and so none can be chosen.
    pub preferred: &'a [&'a str],
    pub level: f64,
}

/// Every call, and what a report says of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Calls {
    pub rows: Vec<Call>,
    pub summary: Unknown,
}

/// What is said of one asked record.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// From 0, in the order of the scores.
    pub row: usize,
    pub attack: String,
    /// Why there is no score.
    pub score: Result<f64, Abstention>,
    /// One where there is no score.
    pub p_value: f64,
    /// After correction for all that were asked.
    pub q_value: f64,
    pub called: bool,
}

/// What a report says of them: counts, never records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Unknown {
    /// The attack that calls: the best by AUC on the known records.
    pub attack: String,
    /// Whether it was chosen, out of how many, on the known records; one was given otherwise.
    pub chosen_from: usize,
    pub level: f64,
    pub method: String,
    /// Records of unknown membership, those of them that the attack abstained on, and those called.
    pub asked: usize,
    pub abstained: usize,
    pub called: usize,
    /// Non-members that calibrate.
    pub calibration: usize,
    /// No p-value can be smaller.
    pub smallest_p: f64,
    /// So many non-members let a record be called that stands out alone among all that were asked.
    pub needed: usize,
}

impl Unknown {
    /// Whether nobody could have been called, whatever the scores.
    pub fn is_powerless(&self) -> bool {
        self.smallest_p > self.level
    }

    /// Whether a record that stands out alone could have been called.
    pub fn calls_one(&self) -> bool {
        self.calibration >= self.needed
    }
}

/// Nothing where no record is asked about, where there is no non-member to compare with, or where no
/// attack judged any.
pub fn call(asked: &Asked) -> Option<Calls> {
    let unknown: Vec<usize> = (0..asked.members.len())
        .filter(|&row| asked.members[row].is_none())
        .collect();
    let candidates = candidates(asked);
    let usual = choice::usual(&candidates)?;
    let calibration = candidates.first().map_or(0, |first| first.nonmembers());
    if unknown.is_empty() || calibration == 0 {
        return None;
    }
    let mut rows: Vec<Call> = unknown
        .iter()
        .map(|&row| {
            let caller = choice::with(&candidates, row)?;
            Some(plain_call(caller, row))
        })
        .collect::<Option<_>>()?;
    let p_values: Vec<f64> = rows.iter().map(|call| call.p_value).collect();
    for (call, q_value) in rows.iter_mut().zip(benjamini_hochberg(&p_values)) {
        call.q_value = q_value;
        call.called = call.score.is_ok() && q_value <= asked.level;
    }
    let summary = Unknown {
        attack: usual.id.to_owned(),
        chosen_from: candidates.len(),
        level: asked.level,
        method: "conformal p-value under known non-members; Benjamini–Hochberg over all asked"
            .into(),
        asked: rows.len(),
        abstained: rows.iter().filter(|call| call.score.is_err()).count(),
        called: rows.iter().filter(|call| call.called).count(),
        calibration,
        smallest_p: 1.0 / (calibration as f64 + 1.0),
        needed: ((rows.len() as f64 / asked.level).ceil() as usize).saturating_sub(1),
    };
    Some(Calls { rows, summary })
}

/// One row of each person of whom something is known, drawn by the seed. Records of one person rise and
/// fall together, so that all of them say less than as many of different people would: with one of
/// each, the asked record of somebody else is one more like them, and p-values hold.
pub fn one_of_each(
    groups: &Groups,
    members: &[Option<bool>],
    known: Option<&[usize]>,
    seed: Seed,
) -> Vec<usize> {
    let mut rng = seed.stream("calls by person");
    let mut chosen: Vec<Option<usize>> = vec![None; groups.people()];
    let mut seen = vec![0_u32; groups.people()];
    let counts = |row: &usize| members.get(*row).is_some_and(Option::is_some);
    let all = || (0..members.len()).filter(counts).collect();
    let rows: Vec<usize> = known.map_or_else(all, <[usize]>::to_vec);
    for row in rows.into_iter().filter(counts) {
        let person = groups.person(row);
        seen[person] += 1;
        // Each of the person's records is kept with the same chance.
        if below(&mut rng, seen[person]) == 0 {
            chosen[person] = Some(row);
        }
    }
    let mut chosen: Vec<usize> = chosen.into_iter().flatten().collect();
    chosen.sort_unstable();
    chosen
}

/// Before correction.
fn plain_call(caller: &Candidate, row: usize) -> Call {
    let score = caller.scores.answer(row);
    let p_value = score.map_or(1.0, |score| caller.p_value(score));
    Call {
        row,
        attack: caller.id.to_owned(),
        score,
        p_value,
        q_value: p_value,
        called: false,
    }
}

/// p-values corrected by the step-up method of Benjamini and Hochberg, "Controlling the false discovery
/// rate" (1995), in the given order.
fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut corrected = vec![1.0; p_values.len()];
    let mut smallest: f64 = 1.0;
    for (place, &index) in order.iter().enumerate().rev() {
        let scaled = p_values[index] * p_values.len() as f64 / (place + 1) as f64;
        smallest = smallest.min(scaled);
        corrected[index] = smallest;
    }
    corrected
}

#[cfg(test)]
mod tests;
