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
    let outlook = AttributionEstimate::of(plan);
    Ok(Estimate {
        kind: Source::KIND,
        facts: json!({
            "items": plan.basis.items.len(), "texts": outlook.texts,
            "pretrained": plan.basis.count(Some(Label::Pretrained)),
            "retrieved": plan.basis.count(Some(Label::Retrieved)),
            "non_members": plan.basis.count(Some(Label::NonMember)),
            "unknown": plan.basis.count(None), "perturbations": outlook.perturbations,
            "stand_in": plan.stand_in.is_some(), "requests": outlook.most,
            "least_requests": outlook.least, "captions": outlook.captions, "stored": stored,
            "max_requests": outlook.max_requests, "tokens_in": outlook.tokens_in,
            "tokens_out": outlook.tokens_out, "seconds": outlook.seconds,
            "least_seconds": outlook.least_seconds,
        }),
        lines: lines(plan, &outlook, stored),
        notes: Vec::new(),
        next: "Nothing was sent. `guestlist probe` tries one question, `guestlist run` starts."
            .into(),
    })
}

/// What is about to be spent, in a line.
pub fn cost(outlook: &AttributionEstimate) -> String {
    let captions = match outlook.captions {
        0 => String::new(),
        count => format!(" and {count} captions"),
    };
    let least = match outlook.least < outlook.most {
        true => format!(", {} at least with early stopping", outlook.least),
        false => String::new(),
    };
    let budget = match outlook.max_requests {
        Some(most) if most < (outlook.most + outlook.captions) as u64 => {
            format!("; max_requests is {most}, so that not all may be asked")
        }
        _ => String::new(),
    };
    format!(
        "{} texts, {} perturbed inputs each, with and without retrieval: {} requests{captions} at \
         most{least}{budget}",
        outlook.texts, outlook.perturbations, outlook.most
    )
}

fn lines(plan: &Plan, outlook: &AttributionEstimate, stored: u64) -> Vec<(String, String)> {
    let mut lines = vec![
        ("service".to_owned(), plan.service.about()),
        ("retrieval off".into(), off_words(plan)),
        ("items".into(), items_words(plan)),
        ("similarity".into(), plan.basis.similarity.name()),
        (
            "perturbations".into(),
            format!(
                "{} inputs of each text by {}, asked with and without retrieval",
                outlook.perturbations,
                plan.config.source.perturbation.as_str()
            ),
        ),
    ];
    if outlook.captions > 0 {
        lines.push((
            "captions".into(),
            format!(
                "{} of {} pictures; a picture's text is known only then",
                outlook.captions,
                plan.basis.pictures()
            ),
        ));
    }
    let least = match outlook.least < outlook.most {
        true => format!(
            ", {} at least: texts are left alone once their labels are settled, but for {}",
            outlook.least, outlook.checked
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
            outlook.most + outlook.captions
        ),
    ));
    lines.push(("limit".into(), limit_words(outlook)));
    lines.push((
        "tokens".into(),
        format!(
            "roughly {} in the questions (what the service adds is not counted), {} in answers, at \
             most",
            outlook.tokens_in, outlook.tokens_out
        ),
    ));
    if let (Some(most), Some(least)) = (outlook.seconds, outlook.least_seconds) {
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

fn limit_words(outlook: &AttributionEstimate) -> String {
    match outlook.max_requests {
        None => "none: set transport.max_requests, or give --max-requests".to_owned(),
        Some(most) => {
            let short = most < (outlook.most + outlook.captions) as u64;
            let rest = if short {
                ", fewer than there may be questions"
            } else {
                ""
            };
            format!("never more than {most} requests{rest}")
        }
    }
}
