//! Shadow models that are all the same model.

use super::digits;
use super::judged::{gated, said, shadows, status, verdict, withheld};
use super::{Case, Claim, Sides};
use guestlist::Error;
use judge::guardrails::Status;

const MODELS: usize = 9;

pub static CASE: Case = Case {
    id: "alike",
    title: "shadow models that are all one model",
    habit: "Cache trained models under a key that leaves out the split. Every shadow then is the first \
            model loaded again: nothing varies with membership, and every attack that compares finds \
            nothing.",
    source: "a training program that loads a cached checkpoint; an array of one row repeated",
    data: "a network trained on 300 of 600 handwritten digits, taken for nine models that trained on \
           different halves",
    notices: "models-alike compares the outputs of models that trained on different records, and names them",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let honest = digits::models(seed, 600, MODELS)?;
    let cached = vec![honest.phi[0].clone(); MODELS];
    let compared = "lira,rmia,bavaria-t";
    let same = shadows(&cached, &honest.keep, None, compared, seed)?;
    let apart = shadows(&honest.phi, &honest.keep, None, compared, seed)?;
    let violated = status(&same, "models-alike") == Some(Status::Violated);
    let (naive, ours) = (gated(&same), gated(&apart));
    Ok(Sides {
        mistaken: vec![Claim::new(
            "auc",
            naive,
            format!(
                "AUC {naive:.3} by comparing with the shadows: {}",
                verdict(naive)
            ),
        )],
        guestlist: vec![
            Claim::new("violated", f64::from(u8::from(violated)), said(&same)),
            Claim::new("withheld", withheld(&same), "no pass over one model".into()),
            Claim::new(
                "auc",
                ours,
                format!("with nine models that are nine: AUC {ours:.3}"),
            ),
        ],
    })
}
