//! Many attacks, of which the best is reported.

use judge::gate::Gate;
use judge::measure::AucScale;
use judge::measure::auc::auc;
use stats::roc::Roc;
use stats::streams::{Seed, uniform};

use super::{Case, Claim, Sides, broken};
use guestlist::Error;

const AUDITS: u64 = 500;
const ATTACKS: usize = 28;
const RECORDS: usize = 30;

pub static CASE: Case = Case {
    id: "best-of-many",
    title: "the best of many attacks, reported as if it were the only one",
    habit: "Run every attack there is on the same records, report the largest AUC with its own 95% \
            interval. The largest of many numbers without meaning is large.",
    source: "a habit rather than a line of code: tables of many attacks on a few hundred records, as in \
             the 200 evaluated samples of SPV-MIA's configuration; ε maximised over all thresholds \
             without correction in TensorFlow Privacy (commit 03035d5) and ML Privacy Meter",
    data: "500 audits of 30 members and 30 non-members by 28 attacks whose scores are random numbers",
    notices: "an interval widened for every attack that was tried; multiple-attacks, beyond-chance, \
              --gate proven, --holdout",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let gate = Gate::default();
    let widened = gate.confidence_for(ATTACKS);
    let (mut failed, mut sure, mut ours) = (0.0, 0.0, 0.0);
    for audit in 0..AUDITS {
        let best = best(seed, audit)?;
        failed += f64::from(u8::from(best.auc() >= gate.threshold));
        let own = auc(&best, gate.confidence, AucScale::default());
        sure += f64::from(u8::from(own.low > 0.5));
        let corrected = auc(&best, widened, AucScale::default());
        ours += f64::from(u8::from(corrected.low > 0.5));
    }
    let share = |count: f64| count / AUDITS as f64;
    Ok(Sides {
        mistaken: vec![
            Claim::new(
                "fails",
                share(failed),
                format!(
                    "FAIL (best AUC at or above 0.65) in {:.1}% of the audits",
                    100.0 * share(failed)
                ),
            ),
            Claim::new(
                "above-chance",
                share(sure),
                format!(
                    "the best one's own 95% interval lies above one half in {:.1}%",
                    100.0 * share(sure)
                ),
            ),
        ],
        guestlist: vec![Claim::new(
            "above-chance",
            share(ours),
            format!(
                "the interval for the best of {ATTACKS} ({:.2}%) lies above one half in {:.1}%; in all \
                 others that reach 0.65, beyond-chance keeps the audit from failing",
                100.0 * widened,
                100.0 * share(ours)
            ),
        )],
    })
}

/// The mistake: the largest of many.
fn best(seed: u64, audit: u64) -> Result<Roc, Error> {
    let mut draw = Seed(seed).numbered("random attacks", audit);
    let mut best: Option<Roc> = None;
    for _ in 0..ATTACKS {
        let rows = (0..2 * RECORDS).map(|row| (uniform(&mut draw), row < RECORDS));
        let roc = Roc::new(rows);
        let larger = |roc: &Roc| best.as_ref().is_none_or(|best| roc.auc() > best.auc());
        if let Some(roc) = roc.filter(larger) {
            best = Some(roc);
        }
    }
    best.ok_or_else(|| broken("the curves", "have no points"))
}
