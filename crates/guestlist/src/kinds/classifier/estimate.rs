//! What training and auditing a classifier would take.

use base::Progress;
use serde_json::json;
use shadows::{Run, TrainingEstimate};

use super::{Classifier, Plan};
use crate::Result;
use crate::kinds::Kind;
use crate::pipeline::{Estimate, span};

pub fn estimate(plan: &Plan, progress: Progress<'_>) -> Result<Estimate> {
    let run = plan.run()?;
    if !plan.training.settings().by_program() {
        progress.note("measuring how long a model takes");
    }
    let estimate = run.estimate();
    let manifest = plan.kubernetes.then(|| manifest(plan, &run)).transpose()?;
    // At best, a cluster takes all at once.
    let workers = plan.executor.at_once(&run, &plan.executor_options);
    let workers = workers.unwrap_or(usize::MAX);
    let seconds = estimate.seconds.map(|seconds| {
        let rounds = estimate.to_train().div_ceil(workers);
        (seconds, seconds * rounds as f64)
    });
    let units = plan.training.subject().units.as_ref();
    Ok(Estimate {
        kind: Classifier::KIND,
        facts: json!({
            "records": estimate.records, "different_records": units.map(|units| units.count()),
            "design": plan.config.models.design,
            "reference_records": plan.aside.as_ref().map(|aside| aside.reference.len()),
            "models": estimate.models, "done": estimate.done, "returning": estimate.returning,
            "stale": estimate.stale.len(), "to_train": estimate.to_train(),
            "trainer": estimate.trainer, "executor": plan.executor.name(),
            "seconds_per_model": seconds.map(|s| s.0), "seconds": seconds.map(|s| s.1),
        }),
        lines: lines(plan, &estimate, workers, seconds),
        notes: plan.notes(),
        next: match &manifest {
            Some(_) => "Nothing was trained. `kubectl apply -f` of the manifest starts; `guestlist run` judges."
                .into(),
            None => "Nothing was trained. `guestlist run` starts.".into(),
        },
        manifest,
        questions: None,
    })
}

/// What Kubernetes is told. The run's folder is readied, because pods read the plan that lies in it.
fn manifest(plan: &Plan, run: &Run) -> Result<String> {
    let kubernetes = &plan.config.kubernetes;
    kubernetes.check()?;
    run.store().prepare()?;
    let _lock = run.store().lock()?;
    let open = run.prepare()?.open;
    shadows::kubernetes::manifest(run, &open, kubernetes)
}

fn lines(
    plan: &Plan,
    estimate: &TrainingEstimate,
    workers: usize,
    seconds: Option<(f64, f64)>,
) -> Vec<(String, String)> {
    let mut lines = vec![
        ("data".to_owned(), data(plan)),
        (
            "models".into(),
            match &plan.aside {
                Some(aside) => aside.models(estimate.models - 1),
                None => format!(
                    "{}: the audited one and {} shadows, each trained on a random half ({} records)",
                    estimate.models,
                    estimate.models - 1,
                    estimate.records / 2
                ),
            },
        ),
        ("trainer".into(), estimate.trainer.clone()),
        ("executor".into(), plan.executor.about().to_owned()),
        ("finished".into(), estimate.done.to_string()),
    ];
    if let Some((model, why)) = estimate.stale.first() {
        let stale = format!("{}; of model {model}: {why}", estimate.stale.len());
        lines.push(("stale".into(), stale));
    }
    if estimate.returning > 0 {
        let returning = format!("{}, set aside earlier", estimate.returning);
        lines.push(("returning".into(), returning));
    }
    let time = seconds.map_or(String::new(), |(one, all)| {
        format!(
            ", about {} each: about {} with {} at once",
            span(one),
            span(all),
            workers.min(estimate.to_train())
        )
    });
    let attacks = plan.resolved.attacks.len();
    lines.extend([
        ("to train".into(), format!("{}{time}", estimate.to_train())),
        ("attacks".into(), attacks.to_string()),
        ("folder".into(), plan.folder().display().to_string()),
    ]);
    lines
}

fn data(plan: &Plan) -> String {
    let subject = plan.training.subject();
    match &subject.data {
        Some(data) => format!(
            "{} records, {} columns as {} numbers each, {} classes",
            data.len(),
            data.columns.len(),
            data.width,
            data.classes.len()
        ),
        None => format!("{} records, read by your program", subject.records),
    }
}
