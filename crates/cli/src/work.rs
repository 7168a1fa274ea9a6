//! `guestlist work`: trains one model of a plan. Cluster nodes start this.

use guestlist::{Error, ExitCode};
use serde_json::json;
use shadows::{Planned, Turn};

use super::arguments::Work;
use super::console::Console;
use super::interrupt;

pub fn run(options: &Work, console: &Console) -> Result<ExitCode, Error> {
    let planned = Planned::read(&options.plan)?;
    let run = planned.run()?;
    if options.job >= run.models() {
        return Err(Error::usage(
            format!(
                "--job is {} but the plan has {} models",
                options.job,
                run.models()
            ),
            format!("give a number from 0 to {}", run.models() - 1),
        ));
    }
    let turn = Turn {
        worker: None,
        threads: cores(),
        attempt: 1,
    };
    let progress = base::Progress::unwatched().stopped_by(interrupt::cancel());
    run.enter(turn.worker);
    let trained = run.train(options.job, turn, progress);
    run.leave(turn.worker, progress);
    trained.map_err(|error| match error.kind {
        base::ErrorKind::Interrupted => Error::stopped("interrupted; the model is not finished"),
        _ => error,
    })?;
    console.event(&json!({"event": "model", "model": options.job, "state": "done"}));
    console.note(&format!("model {} is there", options.job));
    Ok(ExitCode::Pass)
}

/// The cores that Slurm gave to this task; without Slurm, those of the machine. A node that does
/// not fence its tasks in shows all of its cores to each.
fn cores() -> usize {
    let given = std::env::var("SLURM_CPUS_PER_TASK").ok();
    given
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}
