//! Equal scores put in the order of the file.

use super::judged::{auc, report, verdict};
use super::{Case, Claim, Sides, digits};
use guestlist::Error;

pub static CASE: Case = Case {
    id: "ties",
    title: "equal scores in the order of the file: any AUC you like",
    habit: "Sort by score, walk down the list, draw a step per record. Records with equal scores have \
            no order, but the list has one: often members first.",
    source: "LeakPro's MIAResult (commit c47752f; scores 9,9,5,5 with members 1,0,1,0 give 0.375, a \
             binary score 0.170 where pairs give 0.589; its pull request 465 is about it)",
    data: "whether a network is right about each of 400 handwritten digits, half of them trained on",
    notices: "one step per distinct score, a tied pair counts one half; tied-scores",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let models = digits::models(seed, 400, 1)?;
    let mut rows: Vec<(f64, bool)> = models
        .right
        .iter()
        .zip(&models.keep[0])
        .map(|(right, member)| (f64::from(u8::from(*right)), *member))
        .collect();
    rows.sort_by_key(|row| !row.1);
    let first = walked(&rows);
    let ours = judged(&rows, seed)?;
    rows.reverse();
    let last = walked(&rows);
    let again = judged(&rows, seed)?;
    Ok(Sides {
        mistaken: vec![
            Claim::new(
                "members-first",
                first,
                format!(
                    "AUC {first:.3} with members first in the file: {}",
                    verdict(first)
                ),
            ),
            Claim::new(
                "members-last",
                last,
                format!("AUC {last:.3} with members last: {}", verdict(last)),
            ),
        ],
        guestlist: vec![
            Claim::new(
                "members-first",
                ours,
                format!("AUC {ours:.3} with members first: {}", verdict(ours)),
            ),
            Claim::new(
                "members-last",
                again,
                format!("AUC {again:.3} with members last: {}", verdict(again)),
            ),
        ],
    })
}

/// The mistake: a step of the curve for every record, tied or not.
fn walked(rows: &[(f64, bool)]) -> f64 {
    let mut sorted = rows.to_vec();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut above, mut area) = (0.0, 0.0);
    for (_, member) in &sorted {
        match member {
            true => above += 1.0,
            false => area += above,
        }
    }
    area / (above * (sorted.len() as f64 - above))
}

fn judged(rows: &[(f64, bool)], seed: u64) -> Result<f64, Error> {
    let (scores, members): (Vec<f64>, Vec<bool>) = rows.iter().copied().unzip();
    Ok(auc(&report("is-right", &scores, &members, seed)?))
}
