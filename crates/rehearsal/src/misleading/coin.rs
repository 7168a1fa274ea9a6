//! Few-shot results that a coin would give.

use judge::measure::log_mia::{log_mia, ratio};
use judge::measure::{FalsePositiveRule, Level};
use stats::roc::Roc;
use stats::streams::{Seed, uniform};

use super::{Case, Claim, Sides, broken};
use guestlist::Error;

const RUNS: u64 = 500;
/// Members, and as many non-members, that one run is judged on.
const QUERY: usize = 15;
/// ⌈ln 30⌉, the false alarms that the published code allows.
const ALLOWED: u64 = 4;
/// The published threshold of "severe", which belongs to three false alarms.
const PUBLISHED_BETA: f64 = 0.58;

pub static CASE: Case = Case {
    id: "coin",
    title: "few-shot results that a coin would give",
    habit: "500 runs on 15 members and 15 non-members, thresholds read off the very records that are \
            judged, the mean reported with a narrow interval. The interval is about the mean; nobody asks \
            what a coin's mean is.",
    source: "FeS-MIA: the 15 published cells of its transductive and SimpleShot attacks average 0.177 \
             (regime A) and 0.587 (B); its code (few-shot-mia, commit ed5aaee) has the thresholds from \
             validation commented out",
    data: "500 runs on 15 + 15 records whose scores are random numbers",
    notices: "the value that chance gives, exactly, beside each; shuffled membership as a control",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let (mut top, mut few, mut significant) = (0.0, 0.0, 0.0);
    let (mut chance_top, mut chance_few) = (0.0, 0.0);
    for run in 0..RUNS {
        let mut draw = Seed(seed).numbered("coin", run);
        let rows = (0..2 * QUERY).map(|row| (uniform(&mut draw), row < QUERY));
        let roc = Roc::new(rows).ok_or_else(|| broken("the curve", "has no points"))?;
        top += in_hindsight(&roc, 0);
        few += in_hindsight(&roc, ALLOWED);
        let measured = log_mia(&roc, FalsePositiveRule::Fixed(ALLOWED));
        (chance_top, chance_few) = (measured.a.expected_by_chance, measured.b.expected_by_chance);
        significant += f64::from(u8::from(measured.b.level == Level::Severe));
    }
    let runs = RUNS as f64;
    let (top, few, significant) = (top / runs, few / runs, significant / runs);
    let level = match few >= PUBLISHED_BETA {
        true => "severe",
        false => "moderate",
    };
    Ok(Sides {
        mistaken: vec![
            Claim::new(
                "regime-a",
                top,
                format!("regime A {top:.3} (published: 0.177 on average)"),
            ),
            Claim::new(
                "regime-b",
                few,
                format!("regime B {few:.3} (published: 0.587), against β = 0.58: {level}"),
            ),
        ],
        guestlist: vec![
            Claim::new(
                "chance-a",
                chance_top,
                format!("a score that says nothing gets {chance_top:.3} in regime A"),
            ),
            Claim::new(
                "chance-b",
                chance_few,
                format!("and {chance_few:.3} in regime B: not distinguishable from chance"),
            ),
            Claim::new(
                "significant",
                significant,
                format!(
                    "runs that are severe with p at most 5%: {:.1}%",
                    100.0 * significant
                ),
            ),
        ],
    })
}

/// The mistake: the best threshold of the records that are judged, and no word about chance.
fn in_hindsight(roc: &Roc, allowed: u64) -> f64 {
    let caught = roc.point_at_false_positives(allowed).true_positives;
    ratio(caught as f64, roc.members())
}
