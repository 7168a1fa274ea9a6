//! What attributing texts would cost. Nobody is asked for it.

use asking::store::Store;
use attacks::source::Label;
use serde_json::json;

use super::{AttributionEstimate, Plan, Source};
use crate::Result;
use crate::kinds::Kind;
use crate::pipeline::{Estimate, span};

pub fn estimate(plan: &Plan) -> Result<Estimate> {
    let folder = plan.folder();
    let stored = match folder.join("audit.sqlite").exists() {
        true => Store::open(&folder)?.counts()?.answers,
        false => 0,
    };
    let estimate = AttributionEstimate::new(plan);
    Ok(Estimate {
        manifest: None,
        questions: None,
        kind: Source::KIND,
        facts: json!({
            "items": plan.basis.items.len(), "texts": estimate.texts,
            "pretrained": plan.basis.count(Some(Label::Pretrained)),
            "retrieved": plan.basis.count(Some(Label::Retrieved)),
            "non_members": plan.basis.count(Some(Label::NonMember)),
            "unknown": plan.basis.count(None), "perturbations": estimate.perturbations,
            "stand_in": plan.stand_in.is_some(), "requests": estimate.most,
            "least_requests": estimate.least, "captions": estimate.captions, "stored": stored,
            "max_requests": estimate.max_requests, "tokens_in": estimate.tokens_in,
            "tokens_out": estimate.tokens_out, "seconds": estimate.seconds,
            "least_seconds": estimate.least_seconds,
        }),
        lines: lines(plan, &estimate, stored),
        notes: Vec::new(),
        next: "Nothing was sent. `guestlist probe` tries one question, `guestlist run` starts."
            .into(),
    })
}

/// What is about to be spent, in a line.
pub fn cost(estimate: &AttributionEstimate) -> String {
    let captions = match estimate.captions {
        0 => String::new(),
        count => format!(" and {count} captions"),
    };
    let least = match estimate.least < estimate.most {
        true => format!(", {} at least with early stopping", estimate.least),
        false => String::new(),
    };
    let budget = match estimate.max_requests {
        Some(most) if most < (estimate.most + estimate.captions) as u64 => {
            format!("; max_requests is {most}, so that not all may be asked")
        }
        _ => String::new(),
    };
    format!(
        "{} texts, {} perturbed inputs each, with and without retrieval: {} requests{captions} at \
         most{least}{budget}",
        estimate.texts, estimate.perturbations, estimate.most
    )
}

fn lines(plan: &Plan, estimate: &AttributionEstimate, stored: u64) -> Vec<(String, String)> {
    let mut lines = vec![
        ("service".to_owned(), plan.service.about()),
        ("retrieval off".into(), off_words(plan)),
        ("items".into(), items_words(plan)),
        ("similarity".into(), plan.basis.similarity.name()),
        (
            "perturbations".into(),
            format!(
                "{} inputs of each text by {}, asked with and without retrieval",
                estimate.perturbations,
                plan.config.source.perturbation.as_str()
            ),
        ),
    ];
    if estimate.captions > 0 {
        lines.push((
            "captions".into(),
            format!(
                "{} of {} pictures; a picture's text is known only then",
                estimate.captions,
                plan.basis.pictures()
            ),
        ));
    }
    let least = match estimate.least < estimate.most {
        true => format!(
            ", {} at least: texts are left alone once their labels are settled, but for {}",
            estimate.least, estimate.checked
        ),
        false => String::new(),
    };
    let retries = plan.config.transport.retries;
    let before = match stored {
        0 => String::new(),
        stored => format!("; the folder holds {stored} answers, which are not asked for again"),
    };
    lines.push((
        "requests".into(),
        format!(
            "{} at most{least}; each is tried up to {retries} times again{before}",
            estimate.most + estimate.captions
        ),
    ));
    lines.push(("limit".into(), limit_words(estimate)));
    lines.push((
        "tokens".into(),
        format!(
            "roughly {} in the questions (what the service adds is not counted), {} in answers, at \
             most",
            estimate.tokens_in, estimate.tokens_out
        ),
    ));
    if let (Some(most), Some(least)) = (estimate.seconds, estimate.least_seconds) {
        lines.push((
            "time".into(),
            format!(
                "from {} to {} at the rate that is allowed",
                span(least),
                span(most)
            ),
        ));
    }
    lines.push(("folder".into(), plan.folder().display().to_string()));
    lines
}

fn off_words(plan: &Plan) -> String {
    match &plan.stand_in {
        None => "the service's own switch".into(),
        Some(stand_in) => format!("a stand-in: {}", stand_in.endpoint()),
    }
}

fn items_words(plan: &Plan) -> String {
    let mut parts: Vec<String> = Label::ALL
        .into_iter()
        .map(|label| (plan.basis.count(Some(label)), label.as_str()))
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    match plan.basis.count(None) {
        0 => {}
        count => parts.push(format!("{count} of unknown source")),
    }
    format!("{}: {}", plan.basis.items.len(), parts.join(", "))
}

fn limit_words(estimate: &AttributionEstimate) -> String {
    match estimate.max_requests {
        None => "none: set transport.max_requests, or give --max-requests".to_owned(),
        Some(most) => {
            let short = most < (estimate.most + estimate.captions) as u64;
            let rest = if short {
                ", fewer than there may be questions"
            } else {
                ""
            };
            format!("never more than {most} requests{rest}")
        }
    }
}
