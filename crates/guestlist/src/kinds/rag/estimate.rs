//! What asking a retrieval service would cost, and what it would give away. Nobody is asked for it.

use asking::store::Store;
use base::Progress;
use serde_json::json;

use super::{AskingEstimate, Helped, Plan, Probing, Quoting, Rag};
use crate::Result;
use crate::kinds::Kind;
use crate::pipeline::{Estimate, span};

pub fn estimate(plan: &Plan, progress: Progress<'_>) -> Result<Estimate> {
    let folder = plan.folder();
    let store = match folder.join("audit.sqlite").exists() {
        true => Some(Store::open(&folder)?),
        false => None,
    };
    let helped = Helped::planned(plan, store.as_ref())?;
    let probing = Probing::new(plan, helped);
    let outlook = probing.outlook(store.as_ref())?;
    tell_quoting(&probing.quoting(), progress);
    let strategies = outlook.strategies.iter().map(|(name, strategy)| {
        json!({
            "id": name, "questions": strategy.questions, "documents": strategy.documents,
        })
    });
    Ok(Estimate {
        kind: Rag::KIND,
        facts: json!({
            "documents": outlook.documents, "members": outlook.members,
            "questions": outlook.questions(), "with_retrieval": outlook.with,
            "without_retrieval": outlook.without, "repeats": outlook.repeats,
            "controls": outlook.controls, "recheck": outlook.recheck,
            "helper": outlook.helper, "stored": outlook.stored, "requests": outlook.to_ask(),
            "max_requests": outlook.max_requests, "tokens_in": outlook.tokens_in,
            "tokens_out": outlook.tokens_out, "seconds": outlook.seconds,
            "strategies": strategies.collect::<Vec<_>>(),
        }),
        lines: lines(plan, &outlook),
        notes: Vec::new(),
        next: "Nothing was sent. `guestlist probe` tries one question, `guestlist run` starts."
            .into(),
    })
}

/// Once, before anything leaves the house.
pub fn tell_quoting(quoting: &Quoting, progress: Progress<'_>) {
    let Some(words) = quoting.words() else {
        return;
    };
    progress.facts(
        "quoting",
        &json!({
            "host": quoting.host, "nonmembers": quoting.nonmembers,
            "characters": quoting.characters, "longest": quoting.strategies,
        }),
    );
    progress.warn(&format!("warning: {words}"));
}

pub fn tell_cost(outlook: &AskingEstimate, progress: Progress<'_>) {
    let stored = match outlook.stored {
        0 => String::new(),
        stored => format!(" ({stored} were answered before)"),
    };
    let budget = match outlook.max_requests {
        Some(most) if most < outlook.to_ask() as u64 => format!(
            "; max_requests is {most}, so that not all can be asked: documents come in random order"
        ),
        _ => String::new(),
    };
    progress.note(&format!(
        "{} questions{stored}{budget}",
        outlook.questions()
    ));
    if outlook.recheck > 0 {
        progress.note(&format!(
            "up to {} requests ask stored answers again, to see whether it is still the same service",
            outlook.recheck
        ));
    }
}

fn lines(plan: &Plan, outlook: &AskingEstimate) -> Vec<(String, String)> {
    let mut lines = vec![
        ("service".to_owned(), plan.service.about()),
        (
            "documents".into(),
            format!(
                "{}: {} members and {} non-members",
                outlook.documents,
                outlook.members,
                outlook.documents - outlook.members
            ),
        ),
    ];
    for (name, strategy) in &outlook.strategies {
        lines.push((
            name.clone(),
            format!(
                "{} questions about {} documents, {:.1} each",
                strategy.questions,
                strategy.documents,
                strategy.questions as f64 / strategy.documents.max(1) as f64
            ),
        ));
    }
    let off = match (outlook.without, plan.service.has_off()) {
        (0, false) => {
            "none: the target does not say how retrieval is switched off ([target.off])".into()
        }
        (0, true) => "none: probes.without_retrieval is false".into(),
        (count, _) => format!("the same {count} again"),
    };
    lines.push(("retrieval off".into(), off));
    if outlook.repeats > 0 {
        lines.push((
            "asked twice".into(),
            format!("{} questions", outlook.repeats),
        ));
    }
    if outlook.controls > 0 {
        lines.push((
            "controls".into(),
            format!(
                "{} questions about {} documents with invented facts",
                outlook.controls,
                plan.controls.len()
            ),
        ));
    }
    if outlook.recheck > 0 {
        lines.push((
            "asked again".into(),
            format!(
                "{} requests, to see whether stored answers are still this service's",
                outlook.recheck
            ),
        ));
    }
    if outlook.helper > 0 {
        lines.push((
            "helper".into(),
            format!("{} requests to write questions", outlook.helper),
        ));
    }
    let before = match outlook.stored {
        0 => String::new(),
        stored => format!(", {stored} of {} answered before", outlook.questions()),
    };
    let retries = plan.config.transport.retries;
    lines.push((
        "requests".into(),
        format!(
            "{}{before}; each is tried up to {retries} times again",
            outlook.to_ask()
        ),
    ));
    let limit = match outlook.max_requests {
        None => "none: set transport.max_requests, or give --max-requests".to_owned(),
        Some(most) => {
            let short = most < outlook.to_ask() as u64;
            let rest = if short {
                ", fewer than there are questions"
            } else {
                ""
            };
            format!("never more than {most} requests{rest}")
        }
    };
    lines.push(("limit".into(), limit));
    lines.push((
        "tokens".into(),
        format!(
            "roughly {} in the questions (what the service adds is not counted), {} in answers",
            outlook.tokens_in, outlook.tokens_out
        ),
    ));
    if let Some(seconds) = outlook.seconds {
        lines.push((
            "time".into(),
            format!("at least {} at the rate that is allowed", span(seconds)),
        ));
    }
    lines.push(("folder".into(), plan.folder().display().to_string()));
    lines
}
