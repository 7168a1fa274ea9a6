//! Steps for services whose answers show where they come from.

use report::{NextStep, Report};

use super::step;

pub fn steps(report: &Report) -> Vec<NextStep> {
    let gate = report.verdict.gate.as_ref();
    let learnt = gate.is_some_and(|gate| gate.attack.contains("pretrain"));
    let first = match learnt {
        true => step(
            "Take the texts out of the model's training, or out of its fine-tuning",
            "the model knows them without its store, so that no change of the store helps; remove copies of \
             texts first: they are known best",
        ),
        false => step(
            "Limit what the store shows: answers in other words, no long quotations",
            "answers follow the words of the documents; not measured here: change it and run again with \
             --ask-again",
        ),
    };
    let second = step(
        "Audit the service as kind rag",
        "it measures what questions alone find out about documents, with and without the sources shown",
    );
    vec![first, second]
}
