//! Were answers cut off before their end?

use super::{Evidence, Status, percent};

const SOME: f64 = 0.01;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let cut = evidence.probes?.cut_short.as_ref()?;
    if cut.answers == 0 {
        return None;
    }
    if cut.shortened > 0 {
        let detail = format!(
            "{} of {} responses are longer than what is kept of them (65,536 characters of an answer and of each text \
             beside it): what comes after was looked at by nobody; have the service answer more briefly (max_tokens or \
             num_predict in target.body), and ask anew with --ask-again",
            cut.shortened, cut.answers
        );
        return Some((Status::Violated, detail));
    }
    let share = cut.cut_short as f64 / cut.answers as f64;
    let found = format!(
        "{} of {} answers ({}) were cut off at the service's limit of tokens",
        cut.cut_short,
        cut.answers,
        percent(share, 1.0)
    );
    Some(match share > SOME {
        false => (Status::Ok, found),
        true => {
            let detail = format!(
                "{found}: what would have come after shows nowhere; raise the limit (max_tokens or \
                 num_predict) in target.body, and ask anew with --ask-again"
            );
            (Status::Warn, detail)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;
    use crate::rag::{CutShort, ProbeFacts};

    #[test]
    fn what_was_not_kept_takes_a_pass() {
        let status = |shortened| {
            let facts = ProbeFacts {
                cut_short: Some(CutShort {
                    answers: 500,
                    shortened,
                    ..CutShort::default()
                }),
                ..ProbeFacts::default()
            };
            let gate = Gate::default();
            let evidence = Evidence {
                probes: Some(&facts),
                ..Evidence::new(60, 60, &gate, &[])
            };
            check(&evidence).map(|(status, _)| status)
        };
        assert_eq!(status(1), Some(Status::Violated));
        assert_eq!(status(0), Some(Status::Ok));
    }
}
