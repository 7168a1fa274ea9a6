//! What the current report shows and the baseline says nothing of: a leak may be new there.

use judge::compare::{Change, Scope as Of, newly_strongest};
use judge::diagnostics::slice_gate::Standing;
use judge::diagnostics::slices::{SliceFinding, Slices};
use judge::gate::Measure;
use judge::policy::Scope;
use judge::verdict::{Decision, Level, Outcome};
use report::Report;

/// Why nothing can be said of a rise, where something that matters was not compared.
pub fn uncompared(
    baseline: &Report,
    current: &Report,
    changes: &[Change],
    level: f64,
) -> Option<String> {
    deciding_attack(baseline, current)
        .or_else(|| stronger_attack(baseline, current, level))
        .or_else(|| deciding_slice(baseline, current))
        .or_else(|| leaking_slice(baseline, current, changes))
        .or_else(|| own_fail(baseline, current, changes))
}

/// The attack that decided a report is in the other one, at the same level.
pub fn has(report: &Report, decision: &Decision) -> bool {
    let of_records = report.attacks.as_slice();
    let attacks = match is_of_persons(decision) {
        true => (report.persons.as_ref()).map_or(of_records, |persons| &persons.attacks),
        false => of_records,
    };
    attacks.iter().any(|one| one.id == decision.attack)
}

pub fn is_of_persons(decision: &Decision) -> bool {
    decision.level == Some(Level::Person)
}

fn missing(what: &str) -> String {
    format!("{what} is missing from the baseline, so a rise may be hidden")
}

fn deciding_attack(baseline: &Report, current: &Report) -> Option<String> {
    let gate = current.verdict.gate.as_ref()?;
    (!has(baseline, gate)).then(|| {
        missing(&format!(
            "{}, which decides the current audit,",
            gate.attack
        ))
    })
}

fn stronger_attack(baseline: &Report, current: &Report, level: f64) -> Option<String> {
    let found = newly_strongest(&baseline.attacks, &current.attacks, level);
    let first = found.first()?;
    let what = format!(
        "{} (AUC {:.4}), which is stronger than every attack that was compared,",
        first.id, first.auc.value
    );
    Some(missing(&what))
}

fn deciding_slice(baseline: &Report, current: &Report) -> Option<String> {
    let gate = current.verdict.gate.as_ref()?;
    let slices = current.diagnostics.slices.as_ref()?;
    let (slice, _) = slices.deciding().filter(|_| gate.scope == Scope::Slice)?;
    let name = format!(
        "the slice {} = {}, which decides the current audit,",
        slice.column, slice.value
    );
    (same(baseline, slice).is_none()).then(|| missing(&name))
}

fn same<'a>(baseline: &'a Report, slice: &SliceFinding) -> Option<&'a SliceFinding> {
    let slices = baseline.diagnostics.slices.as_ref()?;
    let mut slices = slices.slices.iter();
    slices.find(|old| old.column == slice.column && old.value == slice.value)
}

/// A slice that fails the current audit by what was neither compared nor failed the baseline.
fn leaking_slice(baseline: &Report, current: &Report, changes: &[Change]) -> Option<String> {
    let slices: &Slices = current.diagnostics.slices.as_ref()?;
    let violates = |slice: &SliceFinding| {
        let gate = slice.gate.as_ref();
        gate.is_some_and(|gate| gate.standing == Standing::Violates)
    };
    let compared = |slice: &SliceFinding| {
        let of = Of::Slice(slice.column.clone(), slice.value.clone());
        let by = slice.gate.as_ref().map(|gate| gate.attack.as_str());
        let before = baseline.diagnostics.slices.as_ref();
        let attacks = [Some(slices), before].map(|slices| Some(slices?.attack.as_str()));
        attacks == [by, by]
            && changes
                .iter()
                .any(|change| change.scope.as_ref() == Some(&of))
    };
    let mut leaking = slices.slices.iter().filter(|slice| violates(slice));
    let new = leaking.find(|slice| {
        let failed = same(baseline, slice).is_some_and(violates);
        !failed && !compared(slice)
    })?;
    let name = format!("{} = {}", new.column, new.value);
    Some(match same(baseline, new) {
        None => missing(&format!(
            "the slice {name}, in which the current audit fails,"
        )),
        Some(_) => format!(
            "the current audit fails in the slice {name} by what was not compared, so a rise may be \
             hidden"
        ),
    })
}

/// The current audit fails by a measure that was not compared, and the baseline did not.
fn own_fail(baseline: &Report, current: &Report, changes: &[Change]) -> Option<String> {
    let gate = current.verdict.gate.as_ref()?;
    let fails = current.verdict.outcome == Outcome::Fail && gate.fails_by_its_value();
    let before = baseline.verdict.gate.as_ref();
    let as_before = baseline.verdict.outcome == Outcome::Fail
        && before.is_some_and(|old| (&old.attack, old.measure) == (&gate.attack, gate.measure));
    let compared = changes.iter().any(|change| is_gated(gate, change));
    (fails && !as_before && !compared).then(|| {
        format!(
            "the current audit fails by its {} of {}, which was not compared, so a rise may be hidden",
            gate.measure, gate.attack
        )
    })
}

/// Whether a change is that of the measure that decided.
pub fn is_gated(decision: &Decision, change: &Change) -> bool {
    let measure = Measure::parse(&change.measure).ok();
    let scope = is_of_persons(decision).then_some(Of::Person);
    let same = decision.attack == change.attack && change.scope == scope;
    same && measure == Some(decision.measure)
}
