//! `guestlist work`: trains one job of a plan. Nodes of a cluster start this.

use guestlist::{Error, ExitCode};
use serde_json::json;
use shadows::{Planned, job};

use super::arguments::Work;
use super::console::Console;
use super::interrupt;

pub fn run(options: &Work, console: &Console) -> Result<ExitCode, Error> {
    let planned = Planned::read(&options.plan)?;
    let run = planned.run()?;
    let models_per_job = options.models_per_job.get();
    let jobs = job::count(&run, models_per_job);
    if options.job >= jobs {
        let what = match models_per_job {
            1 => format!("{jobs} models"),
            _ => format!("{jobs} jobs of {models_per_job} models"),
        };
        return Err(Error::usage(
            format!("--job is {} but the plan has {what}", options.job),
            format!("give a number from 0 to {}", jobs - 1),
        ));
    }
    let progress = base::Progress::unwatched().stopped_by(interrupt::cancel());
    let trained = job::train(&run, options.job, models_per_job, progress);
    if options.hand_over && trained.is_err() {
        let words = job::last_words(&run, options.job, models_per_job);
        words.lines().for_each(|line| console.say(line));
    }
    let trained = trained.map_err(|error| match error.kind {
        base::ErrorKind::Interrupted => Error::stopped("interrupted; the model is not finished"),
        _ => error,
    })?;
    if options.hand_over {
        console.text(&job::handed_over(&run, &trained)?)?;
    }
    for model in trained {
        console.event(&json!({"event": "model", "model": model, "state": "done"}));
        console.note(&format!("model {model} is there"));
    }
    Ok(ExitCode::Pass)
}
