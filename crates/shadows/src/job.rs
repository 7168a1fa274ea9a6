//! What a node of a cluster does: one job of a plan, which is one model or several that share its device.

use base::Progress;

use crate::cluster::jobs::Jobs;
use crate::executor::Failure;
use crate::handover;
use crate::local::{self, Workers};
use crate::process;
use crate::run::{Run, Turn};
use crate::store::State;
use crate::{Error, ErrorKind, Result};

/// Where whoever starts a job says how many cores it has.
pub const CORES: &str = "GUESTLIST_CORES";

/// How many jobs a plan has, of so many models each.
pub fn count(run: &Run, models_per_job: usize) -> usize {
    jobs(models_per_job).count(run.models())
}

/// Trains what is missing of a job's models. Safe to do twice, at once, anywhere. The models that are
/// there then come back.
pub fn train(
    run: &Run,
    job: usize,
    models_per_job: usize,
    progress: Progress<'_>,
) -> Result<Vec<usize>> {
    let models = jobs(models_per_job).models(job);
    let models: Vec<usize> = models.filter(|&model| model < run.models()).collect();
    // Where the folder came as a copy, only the plan is in it.
    run.store().prepare()?;
    match models.as_slice() {
        [model] if models_per_job <= 1 => alone(run, *model, progress)?,
        _ => together(run, job, models_per_job, &models, progress)?,
    }
    Ok(models)
}

fn jobs(models_per_job: usize) -> Jobs {
    Jobs {
        models_per_job: models_per_job.max(1),
    }
}

/// The models of a job as text, for whoever has only the job's log.
pub fn handed_over(run: &Run, models: &[usize]) -> Result<String> {
    let texts = models.iter().map(|&model| {
        let folder = run.store().model(model);
        handover::write(&folder, model)
    });
    texts.collect()
}

/// The end of what the training program said of a job's models.
pub fn last_words(run: &Run, job: usize, models_per_job: usize) -> String {
    let logs = jobs(models_per_job).models(job);
    let logs = logs.map(|model| process::tail(&run.store().log(model)));
    let logs: Vec<String> = logs.filter(|log| !log.is_empty()).collect();
    logs.join("\n")
}

/// A job that fails is submitted again by whoever submitted it.
fn alone(run: &Run, model: usize, progress: Progress<'_>) -> Result<()> {
    let turn = Turn {
        worker: None,
        threads: cores(),
        attempt: 1,
    };
    run.enter(turn.worker);
    let trained = run.train(model, turn, progress);
    run.leave(turn.worker, progress);
    trained
}

/// Several at once; one that fails is tried again here, so that it takes no other with it.
fn together(
    run: &Run,
    job: usize,
    models_per_job: usize,
    models: &[usize],
    progress: Progress<'_>,
) -> Result<()> {
    let open = models.iter().copied();
    let open: Vec<usize> = open
        .filter(|&model| run.state(model) != State::Done)
        .collect();
    let count = models_per_job.div_ceil(run.models_at_once().max(1));
    let workers = Workers {
        first: job * count,
        count,
        cores: cores(),
    };
    let failures = match open.is_empty() {
        true => Vec::new(),
        false => local::train(run, &open, workers, progress)?,
    };
    match failures.first() {
        None => Ok(()),
        Some(first) => Err(told(first, failures.len())),
    }
}

fn told(first: &Failure, failed: usize) -> Error {
    let others = match failed {
        1 => String::new(),
        _ => format!(" (and {} more models of this job failed)", failed - 1),
    };
    Error::new(
        ErrorKind::Training,
        format!("model {}: {}{others}", first.model, first.error),
    )
    .at(&first.log)
}

/// The cores that were given to this job; those of the machine where nobody says so. A node that does
/// not fence its jobs in shows all of its cores to each.
fn cores() -> usize {
    let given = [CORES, "SLURM_CPUS_PER_TASK"].into_iter();
    let mut given = given.filter_map(|name| std::env::var(name).ok()?.parse().ok());
    given.find(|&cores| cores > 0).unwrap_or_else(local::cores)
}
