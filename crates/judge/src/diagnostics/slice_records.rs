//! All judged records of an attack in one order, and what of them lies in a slice.

use attacks::scores::Scores;
use rayon::prelude::*;
use stats::roc::Roc;

use super::CATCHING_FPR;
use super::slice_gate::Part;
use super::slice_test::difference;
use super::slices::{
    Mark, SMALLEST_CLASS, SMALLEST_GATED, Share, SliceColumn, SliceFinding, SliceMeasures,
};
use crate::abstained::placed;
use crate::gate::{Gate, Measure};
use crate::measure::auc::auc;
use crate::measures::times_the_variance;
use crate::power::shows;
use crate::ranking::false_positive_budget;
use crate::{Error, Options, Truth};

/// All records, from the highest score down, so that no slice sorts again. Those that the attack
/// abstained on stand where its scores carry no evidence; a slice in which it judged too few is not
/// asked about.
pub(super) struct Judged {
    records: Vec<Record>,
    pub cut: Option<f64>,
    /// The same of the rate that is gated.
    pub gate_cut: Option<f64>,
    /// Times the variance that independent scores would have.
    shared: f64,
}

#[derive(Clone, Copy)]
struct Record {
    score: f64,
    judged: bool,
    member: bool,
    row: usize,
}

/// What is counted before anything is measured.
#[derive(Clone, Copy, Default)]
struct Counts {
    members: u64,
    nonmembers: u64,
    caught: u64,
    flagged: u64,
    /// Of members and of non-members, those that the attack judged.
    judged: [u64; 2],
}

impl Counts {
    /// Whether the attack judged so many of each kind.
    fn judged_at_least(&self, fewest: u64) -> bool {
        self.judged.iter().all(|judged| *judged >= fewest)
    }
}

/// One attack in one slice where it judged enough to be asked.
pub(super) struct Asked {
    pub roc: Roc,
    pub judged: [usize; 2],
}

impl Asked {
    fn new(part: &[Record]) -> Option<Self> {
        let judged = [true, false].map(|kind| {
            let of_kind = part.iter().filter(|record| record.member == kind);
            of_kind.filter(|record| record.judged).count()
        });
        let enough = judged.iter().all(|count| *count as u64 >= SMALLEST_GATED);
        let roc = roc(part.iter()).filter(|_| enough)?;
        Some(Asked { roc, judged })
    }
}

impl Judged {
    pub fn new(scores: &Scores, truth: &Truth, rows: &[usize], gate: &Gate) -> Result<Self, Error> {
        let masked = truth.masked(scores);
        let all = placed(&masked);
        let record = |&row: &usize| {
            Some(Record {
                score: all.get(row)?,
                judged: scores.get(row).is_some(),
                member: truth.is_member(row)?,
                row,
            })
        };
        let mut records: Vec<Record> = rows.iter().filter_map(record).collect();
        records.par_sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
        let roc = roc(records.iter()).ok_or_else(|| {
            Error::input(
                "the judged records have no ROC curve",
                "give members and non-members both",
            )
        })?;
        let cut = |fpr: f64| {
            let budget = false_positive_budget(fpr, roc.nonmembers());
            roc.point_at_false_positives(budget).threshold
        };
        let gate_cut = match gate.measure {
            Measure::TprAtFpr(fpr) => cut(fpr),
            _ => None,
        };
        Ok(Judged {
            cut: cut(CATCHING_FPR),
            gate_cut,
            shared: times_the_variance(scores),
            records,
        })
    }

    /// How this attack's scores are measured, which may vary more than others'.
    pub fn options(&self, options: &Options) -> Options {
        Options {
            design_effect: options.design_effect * self.shared,
            ..options.clone()
        }
    }

    pub fn cut(&self, column: &SliceColumn, options: &Options) -> Vec<SliceFinding> {
        let options = &self.options(options);
        let counts = self.counts(column);
        let present = |code: &usize| counts[*code].members + counts[*code].nonmembers > 0;
        let codes: Vec<usize> = (0..column.names.len()).filter(present).collect();
        codes
            .into_par_iter()
            .map(|code| self.slice(column, code, counts[code], options))
            .collect()
    }

    fn counts(&self, column: &SliceColumn) -> Vec<Counts> {
        let mut counts = vec![Counts::default(); column.names.len()];
        for record in &self.records {
            let counts = &mut counts[column.values[record.row] as usize];
            let caught = u64::from(self.cut.is_some_and(|cut| record.score >= cut));
            counts.judged[usize::from(!record.member)] += u64::from(record.judged);
            if record.member {
                counts.members += 1;
                counts.caught += caught;
            } else {
                counts.nonmembers += 1;
                counts.flagged += caught;
            }
        }
        counts
    }

    /// The curve of every slice of a column; nothing for those that are too small.
    pub fn by_code(&self, column: &SliceColumn) -> Vec<Option<Asked>> {
        let mut parts: Vec<Vec<Record>> = vec![Vec::new(); column.names.len()];
        for record in &self.records {
            parts[column.values[record.row] as usize].push(*record);
        }
        let curve = |part: Vec<Record>| Asked::new(&part);
        parts.into_iter().map(curve).collect()
    }

    /// A column that sets the values apart which are too small to be judged by themselves: together
    /// they may show what none of them does. Nothing where there are not two of them, or no others.
    pub fn small_together(
        &self,
        column: &SliceColumn,
        gate: &Gate,
        attacks: usize,
    ) -> Option<SliceColumn> {
        let counts = self.counts(column);
        let small: Vec<bool> = (counts.iter())
            .map(|counts| {
                let [members, nonmembers] = counts.judged.map(|judged| judged as usize);
                let present = counts.members + counts.nonmembers > 0;
                !shows(gate, members, nonmembers, attacks) && present
            })
            .collect();
        let count = small.iter().filter(|small| **small).count();
        let code = |value: &u32| u32::from(!small[*value as usize]);
        let present = |counts: &&Counts| counts.members + counts.nonmembers > 0;
        let present = counts.iter().filter(present).count();
        (count > 1 && count < present).then(|| SliceColumn {
            name: column.name.clone(),
            values: column.values.iter().map(code).collect(),
            names: vec![
                format!("the {count} smallest together"),
                "the others together".into(),
            ],
            numbers: Vec::new(),
        })
    }

    /// One slice and the rest under this attack.
    pub fn part(&self, column: &SliceColumn, code: usize) -> Part {
        let inside = |record: &Record| column.values[record.row] as usize == code;
        let own: Vec<&Record> = self
            .records
            .iter()
            .filter(|record| inside(record))
            .collect();
        let rest = roc(self.records.iter().filter(|record| !inside(record)));
        let own: Vec<Record> = own.into_iter().copied().collect();
        // An attack that judged too few of them has no say here.
        let asked = Asked::new(&own).map_or(Vec::new(), |_| own);
        let records = asked.iter().map(|r| (r.row, r.score, r.member));
        let rest = rest.filter(large_enough);
        Part::new(records.collect(), rest, self.gate_cut, self.shared)
    }

    fn slice(
        &self,
        column: &SliceColumn,
        code: usize,
        counts: Counts,
        options: &Options,
    ) -> SliceFinding {
        let part = |inside: bool| {
            let belongs =
                move |record: &&Record| (column.values[record.row] as usize == code) == inside;
            roc(self.records.iter().filter(belongs)).filter(large_enough)
        };
        let own = part(true).filter(|_| counts.judged_at_least(SMALLEST_CLASS));
        let measures = own.map(|own| {
            let rest = part(false);
            SliceMeasures {
                auc: auc(&own, options.confidence, options.auc_scale)
                    .inflated(options.design_effect),
                tpr: Share::new(counts.caught, counts.members, options.confidence),
                fpr: Share::new(counts.flagged, counts.nonmembers, options.confidence),
                rest_auc: rest.as_ref().map(Roc::auc),
                p_value: (rest.as_ref()).map(|rest| difference(&own, rest, options.design_effect)),
                corrected_p_value: None,
                mark: Mark::Alike,
            }
        });
        SliceFinding {
            column: column.name.clone(),
            value: column.names[code].clone(),
            records: counts.members + counts.nonmembers,
            members: counts.members,
            nonmembers: counts.nonmembers,
            measures,
            gate: None,
            below: None,
        }
    }
}

fn roc<'a>(records: impl Iterator<Item = &'a Record>) -> Option<Roc> {
    Roc::new(records.map(|record| (record.score, record.member)))
}

pub(super) fn gateable(roc: &Roc) -> bool {
    roc.members().min(roc.nonmembers()) >= SMALLEST_GATED
}

fn large_enough(roc: &Roc) -> bool {
    roc.members().min(roc.nonmembers()) >= SMALLEST_CLASS
}
