//! Slices: the records cut by a column, such as the true class or an age group, each measured on
//! its own and compared with the rest.
//!
//! The threshold of TPR is the one that holds FPR ≤ 1% over *all* records, because that is the one
//! an attacker who does not know of the slices would use; the slice's own FPR there is shown beside.

use attacks::scores::Scores;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use stats::beta::{clopper_pearson_lower, clopper_pearson_upper};

use super::CATCHING_FPR;
use super::slice_gate::{Below, Best, Part, SliceGate, Standing};
use super::slice_records::{Asked, Judged};
use crate::gate::Gate;
use crate::holm::holm;
use crate::measure::auc::Auc;
use crate::power::needed;
use crate::{Error, Options, Threshold, Truth};

/// Slices with fewer members, or fewer non-members, than this are not measured.
pub const SMALLEST_CLASS: u64 = 10;
/// The column of true classes.
pub const LABEL: &str = "label";
/// What readers of columns call values that are too many to be kept apart.
pub const REMAINDER: &str = "(other)";
/// Slices with fewer records than this are counted and not named.
pub const FEWEST_NAMED: u64 = 10;
/// Slices with fewer than this are not held against the gate: not even a perfect attack proves there
/// that it is one.
pub const SMALLEST_GATED: u64 = 5;
/// A slice is marked when chance explains its difference with at most this probability.
pub const LEVEL: f64 = 0.05;
/// A slice lies below one half when chance explains that with at most this probability.
const BELOW_LEVEL: f64 = 0.01;

/// How records are cut: for each of them an index into `names`.
#[derive(Clone, Debug, PartialEq)]
pub struct SliceColumn {
    pub name: String,
    pub values: Vec<u32>,
    pub names: Vec<String>,
    /// Of each record the number by which it was cut; empty where values are as they were.
    pub numbers: Vec<f64>,
}

impl SliceColumn {
    /// The column of these records alone.
    pub fn of_rows(self, rows: &[usize]) -> Self {
        SliceColumn {
            values: rows.iter().map(|&row| self.values[row]).collect(),
            ..self
        }
    }

    /// One value per record, each of them named.
    pub fn check(&self, records: usize) -> Result<(), Error> {
        if self.values.len() != records {
            let values = self.values.len();
            return Err(Error::input(
                format!("{} has {values} values for {records} records", self.name),
                "give one value per record of the signals, in the same order",
            ));
        }
        match self
            .values
            .iter()
            .find(|&&v| v as usize >= self.names.len())
        {
            None => Ok(()),
            Some(value) => Err(Error::input(
                format!(
                    "{} has {} names but a value {value}",
                    self.name,
                    self.names.len()
                ),
                "name every value",
            )),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Slices {
    pub attack: String,
    /// Over all judged records: the FPR allowed, and the cut that keeps to it.
    pub fpr: f64,
    pub threshold: Threshold,
    /// Level of the marks, all slices together (Holm).
    pub level: f64,
    /// How many slices there are, how many were compared with the rest, and how many differ.
    pub looked_at: usize,
    pub compared: usize,
    pub marked: usize,
    /// So many members and non-members each show a leak at the gate's threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<usize>,
    /// Slices of so few records that they are not named.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unlisted: usize,
    /// Columns whose values that are large enough to show a leak at the gate's threshold hold less than
    /// half of the records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unjudged: Vec<String>,
    /// Those that violate the gate, then those that may, those that lie below one half,
    /// those that leak more than the rest, then those that leak less, then those that cannot be
    /// told apart, each from the largest AUC down; last those that are too small.
    pub slices: Vec<SliceFinding>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SliceFinding {
    pub column: String,
    pub value: String,
    /// Of the records the attack judged.
    pub records: u64,
    pub members: u64,
    pub nonmembers: u64,
    /// Absent where there are too few members or non-members.
    pub measures: Option<SliceMeasures>,
    /// What the gate says of it; absent where it is too small, or in reports of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<SliceGate>,
    /// The attack that tells its members apart the wrong way round, most surely of all; absent where none does
    /// beyond chance, all attacks and slices counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<Below>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SliceMeasures {
    pub auc: Auc,
    pub tpr: Share,
    pub fpr: Share,
    /// Of all other records together; absent where those are too few.
    pub rest_auc: Option<f64>,
    /// The chance of such a difference from the rest if there is none, and the same after
    /// correcting for the number of slices compared.
    pub p_value: Option<f64>,
    pub corrected_p_value: Option<f64>,
    pub mark: Mark,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// Leaks more than the rest.
    More,
    /// Leaks less than the rest.
    Less,
    /// Cannot be told from the rest.
    Alike,
}

/// A share with its Clopper–Pearson interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Share {
    pub count: u64,
    pub of: u64,
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Share {
    pub(super) fn new(count: u64, of: u64, confidence: f64) -> Self {
        let side = (1.0 - confidence) / 2.0;
        Share {
            count,
            of,
            value: count as f64 / of as f64,
            low: clopper_pearson_lower(count, of, side),
            high: clopper_pearson_upper(count, of, side),
        }
    }
}

/// What is cut into slices.
pub struct Cut<'a> {
    /// The attack that is shown, which is the one that the gate looked at.
    pub attack: &'a str,
    /// Every attack, for the one that is best on all records may be blind in a slice.
    pub attacks: &'a [(String, Scores)],
    pub truth: &'a Truth,
    /// The rows that count.
    pub records: &'a [usize],
    /// They have been checked.
    pub columns: &'a [SliceColumn],
    /// List the slices of a handful of records, too.
    pub show_records: bool,
}

/// Measures the gated attack on every slice of the given records, and asks all attacks whether a slice
/// violates the gate.
pub fn slices(cut: &Cut, gate: &Gate, options: &Options) -> Result<Slices, Error> {
    let Cut {
        attack,
        attacks,
        truth,
        records,
        columns,
        show_records,
    } = *cut;
    let place = attacks.iter().position(|(id, _)| id == attack);
    let judged = (attacks.par_iter())
        .map(|(_, scores)| Judged::new(scores, truth, records, gate))
        .collect::<Result<Vec<Judged>, Error>>()?;
    let Some(shown) = place.map(|place| &judged[place]) else {
        return Err(Error::input(
            format!("{attack} has no scores"),
            "slice by an attack that was judged",
        ));
    };
    let mut slices: Vec<SliceFinding> = columns
        .iter()
        .flat_map(|column| shown.cut(column, options))
        .collect();
    let pooled: Vec<SliceColumn> = columns
        .iter()
        .filter_map(|column| shown.small_together(column, gate, attacks.len()))
        .collect();
    for column in &pooled {
        let parts = shown.cut(column, options).into_iter();
        slices.extend(parts.filter(|part| part.value == column.names[0]));
    }
    let (compared, marked) = mark(&mut slices);
    let every = [columns, &pooled].concat();
    let ids = attacks.iter().map(|(id, _)| id.as_str());
    let by_attack: Vec<(&str, &Judged)> = ids.zip(&judged).collect();
    ask_the_gate(&mut slices, &every, &by_attack, gate, options);
    let unjudged = columns
        .iter()
        .filter(|column| !is_judged(column, &pooled, &slices));
    let unjudged = unjudged.map(|column| column.name.clone()).collect();
    let unlisted = match show_records {
        true => 0,
        false => leave_out(&mut slices),
    };
    slices.sort_by(|a, b| {
        order(a)
            .partial_cmp(&order(b))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    Ok(Slices {
        attack: attack.to_owned(),
        fpr: CATCHING_FPR,
        threshold: shown.cut.into(),
        needed: needed(gate, attacks.len()),
        unlisted,
        unjudged,
        level: LEVEL,
        looked_at: slices.len() + unlisted,
        compared,
        marked,
        slices,
    })
}

/// Whether values that could be judged by themselves hold half of a column's records or more. What holds
/// several values is none.
fn is_judged(column: &SliceColumn, pooled: &[SliceColumn], slices: &[SliceFinding]) -> bool {
    let together = pooled.iter().find(|pooled| pooled.name == column.name);
    let together = together.map(|pooled| &pooled.names[0]);
    let of_column = slices.iter().filter(|slice| slice.column == column.name);
    let of_column = of_column.filter(|slice| Some(&slice.value) != together);
    let (mut judged, mut all) = (0, 0);
    for slice in of_column {
        all += slice.records;
        if slice.value != REMAINDER && slice.gate.as_ref().is_some_and(|gate| !gate.small) {
            judged += slice.records;
        }
    }
    2 * judged >= all
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Sorts ascending as slices are listed.
fn order(slice: &SliceFinding) -> (u8, bool, bool, Option<Mark>, f64) {
    let measures = slice.measures.as_ref();
    let standing = slice.gate.as_ref().map(|gate| gate.standing);
    (
        standing.map_or(2, Standing::rank),
        slice.below.is_none(),
        measures.is_none(),
        measures.map(|m| m.mark),
        measures.map_or(0.0, |m| -m.auc.value),
    )
}

/// Corrects the p-values of all slices together and marks those that differ; how many were
/// compared, and how many are marked.
fn mark(slices: &mut [SliceFinding]) -> (usize, usize) {
    let mut compared: Vec<&mut SliceMeasures> = slices
        .iter_mut()
        .filter_map(|slice| slice.measures.as_mut())
        .filter(|measures| measures.p_value.is_some())
        .collect();
    let p_values: Vec<f64> = compared.iter().filter_map(|m| m.p_value).collect();
    let mut marked = 0;
    for (measures, corrected) in compared.iter_mut().zip(holm(&p_values)) {
        measures.corrected_p_value = Some(corrected);
        if corrected <= LEVEL {
            marked += 1;
            let more = Some(measures.auc.value) > measures.rest_auc;
            measures.mark = if more { Mark::More } else { Mark::Less };
        }
    }
    (compared.len(), marked)
}

/// Asks every attack about every slice that can be measured, and corrects for the number of slices.
fn ask_the_gate(
    slices: &mut [SliceFinding],
    columns: &[SliceColumn],
    attacks: &[(&str, &Judged)],
    gate: &Gate,
    options: &Options,
) {
    for column in columns {
        let (best, below) = readings(column, attacks, gate, options);
        let of_column = slices
            .iter_mut()
            .filter(|slice| slice.column == column.name);
        let of_column: Vec<&mut SliceFinding> = of_column.collect();
        of_column.into_par_iter().for_each(|slice| {
            let code = column.names.iter().position(|name| *name == slice.value);
            if let Some(code) = code {
                slice.below = below[code].clone();
            }
            let asked = code.and_then(|code| Some((code, best[code].as_ref()?)));
            if let Some((code, best)) = asked {
                let parts = attacks.iter().map(|(_, judged)| judged.part(column, code));
                let parts = || -> Vec<Part> { parts.clone().collect() };
                slice.gate = Some(best.stand(gate, options, parts));
            }
        });
    }
    let asked = slices.iter_mut().filter_map(|slice| slice.gate.as_mut());
    correct(asked.collect(), gate);
    correct_below(slices, attacks.len());
}

/// By Bonferroni for the attacks and by Holm for the slices; what chance explains is dropped.
fn correct_below(slices: &mut [SliceFinding], attacks: usize) {
    let p_value = |slice: &SliceFinding| match &slice.below {
        Some(below) => (below.corrected_p_value * attacks as f64).min(1.0),
        None => 1.0,
    };
    let asked = slices
        .iter_mut()
        .filter(|slice| slice.gate.is_some() || slice.measures.is_some() || slice.below.is_some());
    let asked: Vec<&mut SliceFinding> = asked.collect();
    let p_values: Vec<f64> = asked.iter().map(|slice| p_value(slice)).collect();
    for (slice, corrected) in asked.into_iter().zip(holm(&p_values)) {
        if let Some(below) = &mut slice.below {
            below.corrected_p_value = corrected;
        }
        slice.below.take_if(|_| corrected > BELOW_LEVEL);
    }
}

/// Takes out slices that say who is a member: of a handful of records, and of members or non-members
/// alone. What leaks stays. How many there were.
fn leave_out(slices: &mut Vec<SliceFinding>) -> usize {
    let before = slices.len();
    slices.retain(|slice| {
        let many = slice.records >= FEWEST_NAMED && slice.members.min(slice.nonmembers) > 0;
        let leaks = (slice.gate.as_ref()).is_some_and(|gate| gate.standing != Standing::Within);
        many || leaks || slice.below.is_some()
    });
    before - slices.len()
}

/// By slice, an attack's reading and what it shows the wrong way round.
type Readings = (Vec<Option<Best>>, Vec<Option<Below>>);

/// In every slice of a column the best attack, and the one that is most surely below one half; nothing where all
/// are too small.
fn readings(
    column: &SliceColumn,
    attacks: &[(&str, &Judged)],
    gate: &Gate,
    options: &Options,
) -> Readings {
    let by_attack: Vec<Readings> = (attacks.par_iter())
        .map(|(id, judged)| {
            let options = judged.options(options);
            let own = judged.by_code(column).into_iter();
            own.map(|asked| match asked {
                None => (None, None),
                Some(Asked {
                    roc,
                    judged: counts,
                }) => {
                    let (cut, tried) = (judged.gate_cut, attacks.len());
                    (
                        Best::new(id, &roc, counts, cut, tried, gate, &options),
                        Below::new(id, &roc, tried, gate, &options),
                    )
                }
            })
            .unzip()
        })
        .collect();
    let best = |code: usize| {
        let found = by_attack.iter().filter_map(|(best, _)| best[code].clone());
        found.reduce(Best::or)
    };
    let below = |code: usize| {
        let found = by_attack
            .iter()
            .filter_map(|(_, below)| below[code].clone());
        found.reduce(Below::or)
    };
    let codes = 0..column.names.len();
    (
        codes.clone().map(best).collect(),
        codes.map(below).collect(),
    )
}

/// Holm's correction over all slices, and where each stands then.
fn correct(mut asked: Vec<&mut SliceGate>, gate: &Gate) {
    let corrected = holm(&asked.iter().map(|one| one.p_value).collect::<Vec<f64>>());
    let more: Vec<f64> = asked
        .iter()
        .map(|one| one.more_p_value.unwrap_or(1.0))
        .collect();
    for (one, (corrected, more)) in asked.iter_mut().zip(corrected.into_iter().zip(holm(&more))) {
        one.corrected_p_value = corrected;
        one.more_p_value = one.more_p_value.map(|_| more);
        one.standing = match one.value >= gate.threshold {
            true if corrected <= LEVEL => Standing::Violates,
            true if more <= LEVEL => Standing::Suspect,
            _ => Standing::Within,
        };
    }
}

impl Slices {
    /// The slice that stands worst: of those that violate the gate, or else of all that could be
    /// asked, the one with the largest value.
    pub fn worst(&self) -> Option<(&SliceFinding, &SliceGate)> {
        let asked = self.slices.iter();
        let asked = asked.filter_map(|slice| Some((slice, slice.gate.as_ref()?)));
        asked.reduce(|worst, next| {
            let rank = |of: &(&SliceFinding, &SliceGate)| (of.1.standing.rank(), -of.1.value);
            match rank(&next) < rank(&worst) {
                true => next,
                false => worst,
            }
        })
    }

    /// The same of a criterion that every slice must meet: where none stands out, of those alone that are large
    /// enough to show a leak.
    pub fn deciding(&self) -> Option<(&SliceFinding, &SliceGate)> {
        let worst = self.worst()?;
        if worst.1.standing != Standing::Within {
            return Some(worst);
        }
        let asked = self.slices.iter();
        let asked = asked.filter_map(|slice| Some((slice, slice.gate.as_ref()?)));
        let large = asked.filter(|(_, gate)| !gate.small);
        large.reduce(|worst, next| match next.1.value > worst.1.value {
            true => next,
            false => worst,
        })
    }

    /// Whether a slice violates the gate beyond chance.
    pub fn violate(&self) -> bool {
        self.worst()
            .is_some_and(|(_, gate)| gate.standing == Standing::Violates)
    }
}

#[cfg(test)]
#[path = "slices_tests.rs"]
mod tests;
