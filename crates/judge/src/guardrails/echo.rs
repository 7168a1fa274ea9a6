//! Is it knowledge, or does the service repeat what it is asked?

use super::{Evidence, Status, percent};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let found = evidence.probes?.echoes?;
    if found.called == 0 {
        return None;
    }
    let share = found.echoes as f64 / found.called as f64;
    let detail = format!(
        "{} of {} documents called pretrained bring back hardly a word that was hidden: their answers \
         repeat the input",
        found.echoes, found.called
    );
    Some(match share {
        share if share > 0.5 => (
            Status::Violated,
            format!(
                "{detail}; sma-pretrained and the label then measure repetition: ask with a question \
                 that does not invite it (source.question), and look at words-pretrained"
            ),
        ),
        share if share > 0.1 => (Status::Warn, format!("{detail} ({})", percent(share, 1.0))),
        _ => (Status::Ok, detail),
    })
}
