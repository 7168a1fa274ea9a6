//! What scoring the texts would take. Models of this machine are timed on a few texts; servers are not
//! asked.

use asking::store::Store;
use base::{Event, Progress};
use serde_json::json;

use super::{Lm, Plan, Scoring, ScoringEstimate, TIMED};
use crate::Result;
use crate::kinds::Kind;
use crate::pipeline::{Estimate, Sizes, span};

pub fn estimate(plan: &Plan, progress: Progress<'_>) -> Result<Estimate> {
    let mut roles = plan.roles().into_iter();
    if let Some((role, _)) = roles.find(|(_, model)| model.server.is_some()) {
        return Ok(of_server(plan, &role));
    }
    let folder = plan.folder();
    let store = match folder.join("audit.sqlite").exists() {
        true => Some(Store::open(&folder)?),
        false => None,
    };
    progress.note("measuring how fast the models read");
    let scoring = Scoring::open(plan, TIMED, progress);
    progress.tell(Event::Over);
    let estimate = scoring?.estimate(store.as_ref())?;
    let seconds: Option<f64> = estimate.passes.iter().map(|pass| pass.seconds).sum();
    let passes = estimate.passes.iter().map(|pass| {
        json!({
            "name": pass.name, "texts": pass.texts, "tokens": pass.tokens, "done": pass.done,
            "windowed": pass.windowed, "seconds": pass.seconds,
        })
    });
    Ok(Estimate {
        manifest: None,
        questions: None,
        kind: Lm::KIND,
        facts: json!({
            "texts": estimate.texts, "members": sizes(plan).members, "unknown": sizes(plan).unknown,
            "canaries": canaries(plan),
            "attacks": plan.resolved.attacks.len(), "seconds": seconds,
            "passes": passes.collect::<Vec<_>>(),
        }),
        lines: lines(plan, &estimate, seconds),
        notes: Vec::new(),
        next: "Nothing was kept. `guestlist run` starts.".into(),
    })
}

/// Canaries are of no known membership before they are scored, and none of them is called.
fn sizes(plan: &Plan) -> Sizes {
    match plan.canaries {
        Some(_) => Sizes::default(),
        None => plan.texts.iter().map(|text| text.member).collect(),
    }
}

fn canaries(plan: &Plan) -> usize {
    plan.canaries.as_ref().map_or(0, |_| plan.texts.len())
}

/// Of canaries nobody knows yet which are members, and they are judged all the same.
fn texts(plan: &Plan) -> String {
    match plan.canaries {
        Some(_) => format!(
            "{} canaries, which are judged: who was included by a fair coin is opened when they are scored",
            canaries(plan)
        ),
        None => sizes(plan).to_string(),
    }
}

fn lines(plan: &Plan, estimate: &ScoringEstimate, seconds: Option<f64>) -> Vec<(String, String)> {
    let mut lines = vec![("texts".to_owned(), texts(plan))];
    for pass in &estimate.passes {
        let tokens = pass
            .tokens
            .map_or(String::new(), |n| format!("{n} tokens, "));
        let windows = match pass.windowed {
            0 => String::new(),
            n => format!(", {n} texts in windows because they exceed the context"),
        };
        let time = pass
            .seconds
            .map_or(String::new(), |s| format!(", about {}", span(s)));
        lines.push((
            pass.name.clone(),
            format!(
                "{tokens}{} of {} texts scored{windows}{time}",
                pass.done, pass.texts
            ),
        ));
    }
    if let Some(seconds) = seconds {
        lines.push(("in all".into(), format!("about {}", span(seconds))));
    }
    lines.push(("attacks".into(), plan.resolved.attacks.len().to_string()));
    lines.push(("folder".into(), plan.folder().display().to_string()));
    lines
}

/// Requests and size, from the texts alone.
fn of_server(plan: &Plan, role: &str) -> Estimate {
    let texts = plan.texts.len();
    let passes = plan.roles().len() + usize::from(plan.wants_lowercase());
    let letters: usize = plan.texts.iter().map(|text| text.text.len()).sum();
    let sizes = sizes(plan);
    let attacks = plan.resolved.attacks.len();
    let lines = [
        ("texts", self::texts(plan)),
        (
            "passes",
            format!("{passes} over all texts, one request per text and pass"),
        ),
        (
            "size",
            format!(
                "{letters} bytes of text, roughly {} tokens per pass",
                letters / 4
            ),
        ),
        (
            "attacks",
            format!("{attacks} asked for; which of them can run depends on what the server gives"),
        ),
        ("folder", plan.folder().display().to_string()),
    ];
    Estimate {
        manifest: None,
        questions: None,
        kind: Lm::KIND,
        facts: json!({
            "texts": texts, "members": sizes.members, "unknown": sizes.unknown,
            "canaries": canaries(plan),
            "requests": texts * passes, "bytes": letters, "attacks": attacks,
        }),
        lines: lines.map(|(name, words)| (name.to_owned(), words)).into(),
        notes: Vec::new(),
        next: format!(
            "Nothing was sent: what {role} gives is found out when `guestlist run` starts, by a small \
             request or a few."
        ),
    }
}
