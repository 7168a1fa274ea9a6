//! A level of danger that a coin reaches half of the time.

use judge::measure::log_mia::log_mia;
use judge::measure::{FalsePositiveRule, Level};
use stats::roc::Roc;
use stats::streams::{Seed, uniform};

use super::{Case, Claim, Sides, broken};
use guestlist::Error;

const AUDITS: u64 = 2000;
const RECORDS: usize = 100;

pub static CASE: Case = Case {
    id: "severe",
    title: "chance called severe",
    habit: "Log-MIA calls a leak severe when the record with the largest score is a member (regime A), \
            or when there are more members than non-members up to the last false alarm allowed (B). \
            A score without information does that half of the time, at any number of records.",
    source: "the definition of Log-MIA (Jiménez-López et al., few-shot membership inference, §4.2-4.4), \
             which has no test of significance",
    data: "2,000 audits of 100 members and 100 non-members whose scores are random numbers",
    notices: "the exact p-value beside every level; above 5% the level is called chance",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let (mut top, mut few, mut ours_top, mut ours_few) = (0.0, 0.0, 0.0, 0.0);
    for audit in 0..AUDITS {
        let mut draw = Seed(seed).numbered("random scores", audit);
        let rows = (0..2 * RECORDS).map(|row| (uniform(&mut draw), row < RECORDS));
        let roc = Roc::new(rows).ok_or_else(|| broken("the curve", "has no points"))?;
        let (a, b) = severe(&roc);
        top += f64::from(u8::from(a));
        few += f64::from(u8::from(b));
        let measured = log_mia(&roc, FalsePositiveRule::Ceil);
        ours_top += f64::from(u8::from(measured.a.level == Level::Severe));
        ours_few += f64::from(u8::from(measured.b.level == Level::Severe));
    }
    let share = |count: f64| count / AUDITS as f64;
    let said = |name, count: f64, regime: &str| {
        let share = share(count);
        let words = format!("severe in {:.1}% of the audits ({regime})", 100.0 * share);
        Claim::new(name, share, words)
    };
    Ok(Sides {
        mistaken: vec![
            said("severe-a", top, "regime A"),
            said("severe-b", few, "regime B"),
        ],
        guestlist: vec![
            said("severe-a", ours_top, "regime A, with its p-value"),
            said("severe-b", ours_few, "regime B, with its p-value"),
        ],
    })
}

/// The mistake: the levels as they are defined. A: a member above every non-member. B: more members
/// than the ⌈ln n⌉ non-members that are allowed.
fn severe(roc: &Roc) -> (bool, bool) {
    let allowed = ((roc.members() + roc.nonmembers()) as f64).ln().ceil() as u64;
    let caught = |allowed: u64| roc.point_at_false_positives(allowed).true_positives;
    (caught(0) >= 1, caught(allowed) > allowed)
}
