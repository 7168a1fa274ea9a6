//! What a few-shot audit would take: one episode of every attack is run to know.

use std::path::Path;

use base::Progress;
use serde_json::json;

use super::Fewshot;
use super::attack::{Cost, EpisodeRequest};
use crate::Result;
use crate::kinds::Kind;
use crate::pipeline::{Estimate, span};

pub fn estimate(
    request: &EpisodeRequest,
    folder: &Path,
    progress: Progress<'_>,
) -> Result<Estimate> {
    progress.note("measuring how long an episode takes");
    let costs = request.costs()?;
    let seconds = costs.iter().map(|cost| cost.seconds).sum::<f64>() / threads();
    let (truth, design) = (&request.subject.truth, &request.design);
    let attacks = costs.iter().map(|cost| {
        json!({
            "id": cost.attack, "episodes": cost.episodes, "seconds": cost.seconds / threads(),
        })
    });
    let facts = json!({
        "records": truth.len(), "members": truth.members(), "shots": design.shots,
        "runs": design.runs, "seconds": seconds, "attacks": attacks.collect::<Vec<_>>(),
    });
    let mut lines = vec![
        (
            "records".to_owned(),
            format!(
                "{}: {} members and {} non-members",
                truth.len(),
                truth.members(),
                truth.nonmembers()
            ),
        ),
        ("features".into(), request.subject.about()),
        ("episodes".into(), episodes(request)),
    ];
    lines.extend(costs.iter().map(line));
    lines.push((
        "in all".into(),
        format!("about {} on {} threads", span(seconds), threads()),
    ));
    lines.push(("folder".into(), folder.display().to_string()));
    Ok(Estimate {
        manifest: None,
        questions: None,
        kind: Fewshot::KIND,
        facts,
        lines,
        notes: Vec::new(),
        next: "Nothing was kept. `guestlist run` starts.".into(),
    })
}

fn episodes(request: &EpisodeRequest) -> String {
    let design = &request.design;
    let shots: Vec<String> = design.shots.iter().map(usize::to_string).collect();
    format!(
        "{} runs with {} shots; {} + {} records for validation, {} + {} asked about",
        design.runs,
        shots.join(", "),
        design.validation,
        design.validation,
        design.query,
        design.query
    )
}

fn line(cost: &Cost) -> (String, String) {
    let words = format!(
        "{} episodes, those with shuffled membership included, about {}",
        cost.episodes,
        span(cost.seconds / threads())
    );
    (cost.attack.to_owned(), words)
}

/// Before a model is tuned again for every episode, says how long that takes.
pub fn tell_cost(request: &EpisodeRequest, progress: Progress<'_>) -> Result<()> {
    if !request.tunes_a_model() {
        return Ok(());
    }
    let seconds: f64 = request.costs()?.iter().map(|cost| cost.seconds).sum();
    let seconds = seconds / threads();
    progress.facts("estimate", &json!({"seconds": seconds}));
    progress.note(&format!(
        "fes-tt tunes the model anew in every episode: about {} in all on {} threads; fewer runs \
         or other attacks take less",
        span(seconds),
        threads()
    ));
    Ok(())
}

fn threads() -> f64 {
    rayon::current_num_threads() as f64
}
