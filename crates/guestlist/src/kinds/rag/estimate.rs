//! What asking a retrieval service would cost, and what it would give away. Nobody is asked for it.

use asking::rag::PriceSettings;
use asking::store::Store;
use base::Progress;
use serde_json::json;

use super::proposal::Proposal;
use super::{AskingEstimate, Helped, Plan, Probing, Quoting, Rag};
use crate::Result;
use crate::kinds::Kind;
use crate::pipeline::{Estimate, Sizes, span};

pub fn estimate(plan: &Plan, progress: Progress<'_>) -> Result<Estimate> {
    let folder = plan.folder();
    let store = match folder.join("audit.sqlite").exists() {
        true => Some(Store::open(&folder)?),
        false => None,
    };
    let helped = Helped::planned(plan, store.as_ref())?;
    let probing = Probing::new(plan, helped);
    let estimate = probing.estimate(store.as_ref())?;
    let questions = plan.hands_out.then(|| probing.handed_out()).transpose()?;
    tell_quoting(&probing.quoting(), progress);
    let strategies = estimate.strategies.iter().map(|(name, strategy)| {
        json!({
            "id": name, "questions": strategy.questions, "documents": strategy.documents,
        })
    });
    Ok(Estimate {
        manifest: None,
        questions,
        kind: Rag::KIND,
        facts: json!({
            "documents": estimate.documents, "members": estimate.members,
            "unknown": sizes(plan).unknown,
            "questions": estimate.questions(), "with_retrieval": estimate.with,
            "without_retrieval": estimate.without, "repeats": estimate.repeats,
            "controls": estimate.controls, "recheck": estimate.recheck,
            "helper": estimate.helper, "stored": estimate.stored, "requests": estimate.to_ask(),
            "expected_requests": estimate.expected, "spared": estimate.spared,
            "max_requests": estimate.max_requests, "tokens_in": estimate.tokens_in,
            "tokens_out": estimate.tokens_out, "seconds": estimate.seconds,
            "seconds_by_latency": estimate.by_latency.map(|(seconds, _)| seconds),
            "cost": plan.config.target.price.as_ref().map(|price| estimate.cost(price)),
            "currency": plan.config.target.price.as_ref().and_then(|price| price.currency.clone()),
            "proposal": Proposal::new(plan, &estimate),
            "strategies": strategies.collect::<Vec<_>>(),
        }),
        lines: lines(plan, &estimate),
        notes: Vec::new(),
        next: next(plan).into(),
    })
}

fn next(plan: &Plan) -> &'static str {
    match plan.config.target.elsewhere {
        Some(true) => {
            "Nothing was sent. `guestlist plan --questions FILE` writes the questions for others to ask."
        }
        _ => "Nothing was sent. `guestlist probe` tries one question, `guestlist run` starts.",
    }
}

/// Once, before anything leaves the house.
pub fn tell_quoting(quoting: &Quoting, progress: Progress<'_>) {
    let Some(words) = quoting.warning() else {
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

pub fn tell_cost(estimate: &AskingEstimate, progress: Progress<'_>) {
    let stored = match estimate.stored {
        0 => String::new(),
        stored => format!(" ({stored} were answered before)"),
    };
    let budget = match estimate.max_requests {
        Some(most) if most < estimate.to_ask() as u64 => format!(
            "; max_requests is {most}, so that not all can be asked: documents come in random order"
        ),
        _ => String::new(),
    };
    let expected = match estimate.expected {
        Some(expected) if expected < estimate.to_ask() => format!(
            " at most, about {expected} requests being expected, as documents are left alone once they are settled"
        ),
        _ => String::new(),
    };
    progress.note(&format!(
        "{} questions{expected}{stored}{budget}",
        estimate.questions()
    ));
    if estimate.recheck > 0 {
        progress.note(&format!(
            "up to {} requests ask stored answers again, to see whether it is still the same service",
            estimate.recheck
        ));
    }
}

fn cost(price: &PriceSettings, estimate: &AskingEstimate) -> String {
    let context = match price.context {
        Some(context) => format!("{context} tokens that the service adds to each question"),
        None => format!(
            "{} tokens that a service usually adds to each question (target.price.context)",
            PriceSettings::CONTEXT
        ),
    };
    format!(
        "about {} for {} requests, with {context}; those that are tried again cost more",
        price.shown(estimate.cost(price)),
        estimate.will_ask()
    )
}

fn sizes(plan: &Plan) -> Sizes {
    plan.documents.iter().map(|listed| listed.member).collect()
}

fn lines(plan: &Plan, estimate: &AskingEstimate) -> Vec<(String, String)> {
    let mut lines = vec![
        ("service".to_owned(), plan.service.about()),
        ("documents".into(), sizes(plan).to_string()),
    ];
    for (name, strategy) in &estimate.strategies {
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
    let off = match (estimate.without, plan.service.has_off()) {
        (0, false) => {
            "none: the target does not say how retrieval is switched off ([target.off])".into()
        }
        (0, true) => "none: probes.without_retrieval is false".into(),
        (count, _) => format!("the same {count} again"),
    };
    lines.push(("retrieval off".into(), off));
    if estimate.repeats > 0 {
        lines.push((
            "asked twice".into(),
            format!("{} questions", estimate.repeats),
        ));
    }
    if estimate.controls > 0 {
        lines.push((
            "controls".into(),
            format!(
                "{} questions about {} documents with invented facts",
                estimate.controls,
                plan.controls.len()
            ),
        ));
    }
    if estimate.recheck > 0 {
        lines.push((
            "asked again".into(),
            format!(
                "{} requests, to see whether stored answers are still this service's",
                estimate.recheck
            ),
        ));
    }
    if estimate.helper > 0 {
        lines.push((
            "helper".into(),
            format!("{} requests to write questions", estimate.helper),
        ));
    }
    let before = match estimate.stored {
        0 => String::new(),
        stored => format!(", {stored} of {} answered before", estimate.questions()),
    };
    let expected = match estimate.expected {
        Some(expected) if expected < estimate.to_ask() => format!(
            " at most; about {expected} are expected, as documents are left alone once their answers settle them"
        ),
        _ => String::new(),
    };
    let retries = plan.config.transport.retries;
    lines.push((
        "requests".into(),
        format!(
            "{}{expected}{before}; each is tried up to {retries} times again",
            estimate.to_ask()
        ),
    ));
    let limit = match estimate.max_requests {
        None => "none: set transport.max_requests, or give --max-requests".to_owned(),
        Some(most) => {
            let short = most < estimate.to_ask() as u64;
            let rest = if short {
                ", fewer than there are questions"
            } else {
                ""
            };
            format!("never more than {most} requests{rest}")
        }
    };
    lines.push(("limit".into(), limit));
    if let Some(proposal) = Proposal::new(plan, estimate) {
        let best = format!("best for {}", proposal.max_requests);
        lines.push((best, proposal.to_string()));
    }
    lines.push((
        "tokens".into(),
        format!(
            "roughly {} in the questions (what the service adds is not counted), {} in answers",
            estimate.tokens_in, estimate.tokens_out
        ),
    ));
    if let Some(price) = &plan.config.target.price {
        lines.push(("cost".into(), cost(price, estimate)));
    }
    if let Some((seconds, answers)) = estimate.by_latency.filter(|_| estimate.will_ask() > 0) {
        let lines_of = plan.config.transport.concurrency;
        lines.push((
            "time".into(),
            format!(
                "about {}, as {answers} stored answers took, {lines_of} at once",
                span(seconds)
            ),
        ));
    }
    if let Some(seconds) = estimate.seconds {
        lines.push((
            "time".into(),
            format!("at least {} at the rate that is allowed", span(seconds)),
        ));
    }
    lines.push(("folder".into(), plan.folder().display().to_string()));
    lines
}
