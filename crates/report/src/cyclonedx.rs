//! The report as a CycloneDX bill of materials (ECMA-424): the audited model with a model card whose
//! quantitative analysis is what attacks reach, and the files that were read. It has no serial number and no
//! time of day, so that equal reports give equal bytes.

use judge::AttackMeasures;
use judge::verdict::Outcome;
use serde_json::{Value, json};

use crate::caveats;
use crate::detail::Kind;
use crate::document::Report;
use crate::headline::headline;
use crate::sections::percent;
use crate::shown_rates::shown_rates;
use crate::subject::named;
use crate::table::rate;
use crate::text::printable_json;

const SPECIFICATION: &str = "1.6";
const REFERENCE: &str = "audited";

/// Ends in a line feed. No record is named in it.
pub fn cyclonedx(report: &Report) -> Result<String, serde_json::Error> {
    let report = &report.clone().without_records().without_places();
    let mut components = vec![model(report)];
    components.extend(files(report));
    let document = json!({
        "$schema": format!("http://cyclonedx.org/schema/bom-{SPECIFICATION}.schema.json"),
        "bomFormat": "CycloneDX",
        "specVersion": SPECIFICATION,
        "version": 1,
        "metadata": metadata(report),
        "components": components,
    });
    let text = crate::json::pretty(&document)?;
    // Line feeds stand between values alone.
    let lines = text.split('\n').map(printable_json);
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

fn metadata(report: &Report) -> Value {
    let tool = json!({
        "type": "application", "name": "guestlist", "version": report.provenance.version,
        "description": "audits of membership inference",
    });
    json!({"tools": {"components": [tool]}})
}

fn model(report: &Report) -> Value {
    let subject = report.provenance.subject.clone();
    json!({
        "type": "machine-learning-model",
        "bom-ref": REFERENCE,
        "name": subject.unwrap_or_else(|| named(report)),
        "description": described(report.kind()),
        "modelCard": {
            "quantitativeAnalysis": {"performanceMetrics": metrics(report)},
            "considerations": considerations(report),
            "properties": properties(report),
        },
    })
}

/// The document has one type for what has a model card: what stands behind it is said.
fn described(kind: Kind) -> String {
    let what = match kind {
        Kind::Rag | Kind::Source => {
            "; what is measured is whether documents of its store are given away"
        }
        _ => "; what is measured is whether records of its training are given away",
    };
    format!("{kind}{what}")
}

/// Numbers that decide nothing are not handed on without the words that say so.
fn metrics(report: &Report) -> Vec<Value> {
    if report.verdict.outcome == Outcome::Inconclusive {
        return Vec::new();
    }
    let whole = report.attacks.iter().map(|attack| (attack, "all records"));
    let people = report.persons.iter().flat_map(|persons| &persons.attacks);
    let people = people.map(|attack| (attack, "persons"));
    let mut metrics: Vec<Value> = whole
        .chain(people)
        .flat_map(|(attack, slice)| of_attack(report, attack, slice))
        .collect();
    metrics.extend(of_slices(report));
    metrics
}

fn of_attack(report: &Report, attack: &AttackMeasures, slice: &str) -> Vec<Value> {
    let named = |measure: &str| named_metric(measure, &attack.id);
    let auc = &attack.auc;
    let mut metrics = vec![metric(&named("AUC"), auc.value, [auc.low, auc.high], slice)];
    let rates = &report.provenance.measuring.fprs;
    for place in shown_rates(rates) {
        let Some(found) = attack.tpr_at_fpr.get(place) else {
            continue;
        };
        if let (Some(value), Some(low), Some(high)) = (found.value, found.low, found.high) {
            let name = named(&format!("TPR at {} FPR", rate(found.fpr)));
            metrics.push(metric(&name, value, [low, high], slice));
        }
    }
    metrics
}

/// Whoever reads metrics of models takes more for better.
fn named_metric(measure: &str, attack: &str) -> String {
    format!("membership inference {measure} ({attack}; lower is better)")
}

/// The gated attack on every slice that was measured.
fn of_slices(report: &Report) -> Vec<Value> {
    let Some(slices) = &report.diagnostics.slices else {
        return Vec::new();
    };
    let name = named_metric("AUC", &slices.attack);
    let measured = slices.slices.iter().filter_map(|slice| {
        let auc = &slice.measures.as_ref()?.auc;
        let part = crate::printable(&format!("{} = {}", slice.column, slice.value));
        Some(metric(&name, auc.value, [auc.low, auc.high], &part))
    });
    measured.collect()
}

fn metric(name: &str, value: f64, interval: [f64; 2], slice: &str) -> Value {
    let [low, high] = interval;
    json!({
        "type": name,
        "value": value.to_string(),
        "slice": slice,
        "confidenceInterval": {"lowerBound": low.to_string(), "upperBound": high.to_string()},
    })
}

fn considerations(report: &Report) -> Value {
    let outcome = report.verdict.outcome;
    let mut limitations = vec![
        "A test for membership inference alone; no test for attribute inference, inversion, extraction or \
         reconstruction, and no statement of compliance."
            .to_owned(),
    ];
    if let Some(attacker) = &report.verdict.attacker {
        limitations.push(format!("Holds for an attacker who {}.", attacker.who));
        limitations.extend(
            attacker
                .stronger
                .iter()
                .map(|stronger| format!("Not tried: {stronger}.")),
        );
    }
    if outcome == Outcome::Inconclusive {
        limitations.push("The audit decided nothing: its measures are left out here.".to_owned());
    }
    let warnings = caveats::lines(report).into_iter();
    limitations.extend(
        warnings.map(|line| crate::printable(&format!("A warning weakens the pass: {line}"))),
    );
    let with = caveats::counted(report).map(|found| format!(" with {found}"));
    let with = with.unwrap_or_default();
    let steps = report.next_steps.iter().map(|step| step.what.clone());
    let steps: Vec<String> = steps.collect();
    let mut risk = json!({"name": format!("Membership inference: {}{with}. {}", outcome.word(), headline(report))});
    if !steps.is_empty() {
        risk["mitigationStrategy"] = steps.join("; ").into();
    }
    json!({"technicalLimitations": limitations, "ethicalConsiderations": [risk]})
}

/// What decided, for programs.
fn properties(report: &Report) -> Vec<Value> {
    let provenance = &report.provenance;
    let data = &provenance.data;
    let mut pairs = vec![
        ("verdict", report.verdict.outcome.word().to_owned()),
        ("kind", report.kind().name().to_owned()),
        ("members", data.judged_members.to_string()),
        (
            "nonmembers",
            (data.judged_records - data.judged_members).to_string(),
        ),
        ("confidence", percent(provenance.measuring.confidence)),
        ("command", crate::printable(&provenance.command)),
        ("seed", provenance.seed.to_string()),
    ];
    // When the document was made is another thing.
    pairs.extend(
        provenance
            .date
            .iter()
            .map(|day| ("day-of-the-audit", crate::printable(day))),
    );
    if report.verdict.forced {
        pairs.push(("forced", "true".to_owned()));
    }
    let warnings = caveats::lines(report).into_iter();
    pairs.extend(warnings.map(|line| ("warning", crate::printable(&line))));
    if let Some(gate) = &report.verdict.gate {
        pairs.push((
            "gate",
            format!(
                "{} of {} at {}",
                gate.measure.name(),
                gate.attack,
                gate.threshold
            ),
        ));
    }
    let decided = report.verdict.outcome != Outcome::Inconclusive;
    if let Some(least) = report.verdict.detectable.filter(|_| decided) {
        pairs.push(("smallest-detectable", least.to_string()));
    }
    if let Some(policy) = &report.policy {
        pairs.push(("policy-sha256", policy.sha256.clone()));
    }
    let named = |(name, value): (&str, String)| json!({"name": format!("guestlist:{name}"), "value": value});
    pairs.into_iter().map(named).collect()
}

/// The files that were read, by their digests; what is known by none is named without.
fn files(report: &Report) -> Vec<Value> {
    let inputs = report.provenance.inputs.iter().enumerate();
    let file = inputs.map(|(place, input)| {
        let mut file = json!({
            "type": "file", "bom-ref": format!("input-{place}"), "name": crate::printable(&input.path),
            "description": "read by the audit",
        });
        if is_digest(&input.sha256) {
            file["hashes"] = json!([{"alg": "SHA-256", "content": input.sha256}]);
        }
        file
    });
    file.collect()
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
