//! What goes with a pass wherever it is shown in short: the warnings about what could have hidden a leak. A pass
//! that is handed on without them is taken for more than it is.

use judge::guardrails::{Finding, Status};
use judge::verdict::Outcome;

use crate::document::Report;

/// The guardrails that weaken a pass: those that warn, and those that the user overruled.
pub fn caveats(report: &Report) -> Vec<&Finding> {
    if report.verdict.outcome != Outcome::Pass {
        return Vec::new();
    }
    let weakens = |finding: &&Finding| finding.status != Status::Ok && finding.blocks.pass();
    report.guardrails.iter().filter(weakens).collect()
}

/// How many there are and which, as "2 warnings: few-members, models-alike"; nothing where there is none.
pub fn counted(report: &Report) -> Option<String> {
    let names: Vec<&str> = caveats(report).iter().map(|one| one.id.as_str()).collect();
    let count = match names.len() {
        0 => return None,
        1 => "1 warning".to_owned(),
        more => format!("{more} warnings"),
    };
    Some(format!("{count}: {}", names.join(", ")))
}

/// What a pass supposes that no output shows, in the words of a sentence: a warning that is only named is read by
/// nobody.
pub fn supposed(report: &Report) -> Option<&'static str> {
    let unsure = |one: &&Finding| one.id == "models-alike" && one.status == Status::Warn;
    let found = caveats(report).into_iter().find(unsure);
    found.map(|_| "unless the rows of keep are not the models' own, and then nothing was tested")
}

/// Each in full, behind its name.
pub fn lines(report: &Report) -> Vec<String> {
    let all = caveats(report).into_iter();
    all.map(|one| format!("{}: {}", one.id, one.detail))
        .collect()
}

#[cfg(test)]
mod tests {
    use judge::guardrails::Blocks;

    use super::*;

    #[test]
    fn a_pass_has_its_warnings_and_no_other_outcome_has() {
        let text = include_str!("../tests/data/leaky.json");
        let mut report = Report::from_json(text).unwrap();
        assert_eq!(counted(&report), None);
        report.verdict.outcome = Outcome::Pass;
        let both = "2 warnings: enough-nonmembers, shadow-coverage";
        assert_eq!(counted(&report).as_deref(), Some(both));
        assert!(lines(&report)[0].starts_with("enough-nonmembers: 185 non-members"));
        let mut warning = report.guardrails.iter_mut();
        let coverage = warning.find(|one| one.id == "shadow-coverage").unwrap();
        // What could only have made a leak appear weakens no pass.
        coverage.blocks = Blocks::Fail;
        let one = "1 warning: enough-nonmembers";
        assert_eq!(counted(&report).as_deref(), Some(one));
        for finding in &mut report.guardrails {
            finding.status = Status::Ok;
        }
        assert_eq!(counted(&report), None);
    }
}
