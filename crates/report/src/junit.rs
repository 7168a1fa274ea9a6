//! The verdict as JUnit XML: the gate is a test, and so is every guardrail; attacks that could not
//! run are skipped tests.

use judge::guardrails::{Finding, Status};
use judge::policy::CriterionFinding;
use judge::verdict::Outcome;
use quick_junit::{
    NonSuccessKind, Report as Suites, SerializeError, TestCase, TestCaseStatus, TestSuite,
};

use crate::document::{Report, Skipped};
use crate::text::printable;

/// JUnit XML that continuous-integration servers read.
pub fn junit(report: &Report) -> Result<String, SerializeError> {
    let mut suite = TestSuite::new("guestlist");
    suite.add_test_case(gate(report));
    let criteria = report.policy.iter().flat_map(|policy| &policy.criteria);
    suite.add_test_cases(criteria.enumerate().map(criterion));
    let forced = report.verdict.forced;
    suite.add_test_cases(
        report
            .guardrails
            .iter()
            .map(|finding| guardrail(finding, forced)),
    );
    suite.add_test_cases(report.skipped.iter().map(skipped));
    let mut suites = Suites::new("guestlist");
    suites.add_test_suite(suite);
    suites.to_string()
}

fn gate(report: &Report) -> TestCase {
    let reasons = printable(&report.verdict.reasons.join("; "));
    let status = match report.verdict.outcome {
        Outcome::Pass => TestCaseStatus::success(),
        Outcome::Fail => failed(NonSuccessKind::Failure, "leak", &reasons),
        Outcome::Inconclusive => failed(NonSuccessKind::Error, "inconclusive", &reasons),
    };
    let mut case = TestCase::new("gate", status);
    case.set_classname("guestlist");
    case.set_system_out(reasons);
    case
}

/// One criterion of a policy.
fn criterion((place, criterion): (usize, &CriterionFinding)) -> TestCase {
    let reason = printable(&criterion.reason);
    let status = match criterion.outcome {
        Outcome::Pass => TestCaseStatus::success(),
        Outcome::Fail => failed(NonSuccessKind::Failure, "leak", &reason),
        Outcome::Inconclusive => failed(NonSuccessKind::Error, "inconclusive", &reason),
    };
    let (measure, scope) = (criterion.measure.name(), criterion.scope.word());
    let name = format!("criterion {}: {measure} of {scope}", place + 1);
    let mut case = TestCase::new(name, status);
    case.set_classname("guestlist");
    case.set_system_out(reason);
    case
}

/// A violated guardrail fails, unless the user overruled it.
fn guardrail(finding: &Finding, forced: bool) -> TestCase {
    let detail = printable(&finding.detail);
    let status = match finding.status {
        Status::Violated if !forced => failed(NonSuccessKind::Failure, "guardrail", &detail),
        _ => TestCaseStatus::success(),
    };
    let places: Vec<String> = (finding.criteria.iter())
        .map(|place| (place + 1).to_string())
        .collect();
    let of = match places.is_empty() {
        true => String::new(),
        false => format!(" of criterion {}", places.join(", ")),
    };
    let mut case = TestCase::new(format!("guardrail {}{of}", finding.id), status);
    case.set_classname("guestlist");
    case.set_system_out(detail);
    case
}

/// An attack that was asked for and could not run.
fn skipped(skipped: &Skipped) -> TestCase {
    let mut status = TestCaseStatus::skipped();
    status.set_message(printable(&skipped.reason));
    let mut case = TestCase::new(format!("attack {}", skipped.id), status);
    case.set_classname("guestlist");
    case
}

fn failed(kind: NonSuccessKind, name: &str, message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(name);
    status.set_message(message);
    status
}
