//! Were target and reference asked about the same tokens?

use super::{Evidence, Status};
use crate::records::numbered;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let tokens = &evidence.texts?.tokens;
    if tokens.identical {
        let detail = "target and reference give every token the same log-probability: they are the \
                      same model, and attacks that compare them say nothing; name the model that \
                      fine-tuning started from as reference";
        return Some((Status::Warn, detail.to_owned()));
    }
    if tokens.compared == 0 {
        return None;
    }
    let Some(example) = tokens.example.filter(|_| tokens.mismatched > 0) else {
        let detail = "target and reference were asked about the same tokens".to_owned();
        return Some((Status::Ok, detail));
    };
    let detail = format!(
        "target and reference cut {} of {} texts into other tokens, such as {}: their \
         log-probabilities cannot be compared; use a reference with the target's tokenizer",
        tokens.mismatched,
        tokens.compared,
        numbered(&[example])
    );
    Some((Status::Violated, detail))
}
