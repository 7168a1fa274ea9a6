//! Rows that are there four times, drawn one by one.

use judge::guardrails::Status;

use super::digits;
use super::judged::{gated, said, shadows, status, verdict, withheld};
use super::{Case, Claim, Sides};
use guestlist::Error;

const RECORDS: usize = 200;
const COPIES: usize = 4;
const MODELS: usize = 9;

pub static CASE: Case = Case {
    id: "copies",
    title: "rows that are there four times, drawn one by one",
    habit: "Join tables, forget that the join repeats rows, split at random. Of nearly every record one \
            copy is trained on and another is called a non-member, which the model knows as well.",
    source: "a habit; Kandpal, Wallace and Raffel 2022 (arXiv:2202.06539) show how much repeated texts leak",
    data: "networks trained on halves of 200 handwritten digits, each of them four times in the data",
    notices: "run draws all copies of a record together; duplicates",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let apart = digits::repeated(seed, RECORDS, COPIES, MODELS)?;
    let together = digits::models(seed, RECORDS, MODELS)?;
    let attacks = "loss,lira,rmia,bavaria-t";
    let apart = shadows(&apart.phi, &apart.keep, None, attacks, seed)?;
    let together = shadows(&together.phi, &together.keep, None, attacks, seed)?;
    let violated = status(&apart, "duplicates") == Some(Status::Violated);
    let (naive, ours) = (gated(&apart), gated(&together));
    Ok(Sides {
        mistaken: vec![Claim::new(
            "auc",
            naive,
            format!(
                "AUC {naive:.3} with every copy drawn for itself: {}",
                verdict(naive)
            ),
        )],
        guestlist: vec![
            Claim::new("violated", f64::from(u8::from(violated)), said(&apart)),
            Claim::new("withheld", withheld(&apart), "no pass over copies".into()),
            Claim::new(
                "auc",
                ours,
                format!("with each digit once: AUC {ours:.3}, {}", verdict(ours)),
            ),
        ],
    })
}
