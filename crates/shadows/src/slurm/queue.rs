//! What squeue says.

use super::script;
use crate::cluster::Task;
use crate::cluster::jobs::Jobs;

/// The format of a line: array job, task in the array, state, reason, name.
pub const FORMAT: &str = "%F|%K|%T|%r|%j";

/// Reasons to wait that pass by themselves.
const PATIENT: [&str; 7] = [
    "None",
    "Priority",
    "Resources",
    "JobArrayTaskLimit",
    "BeginTime",
    "Prolog",
    "Cleaning",
];

/// Why it waits, where somebody may have to do something about it.
fn trouble(state: &str, reason: &str) -> Option<String> {
    let told = state != "RUNNING" && !PATIENT.contains(&reason);
    told.then(|| reason.to_owned())
}

/// The models of this run's arrays. The name of an array ends in the number that its tasks count
/// from; lines about anything else are passed over.
pub fn parse(text: &str, name: &str, jobs: Jobs) -> Vec<Task> {
    text.lines()
        .filter_map(|line| tasks(line.trim(), name, jobs))
        .flatten()
        .collect()
}

fn tasks(line: &str, name: &str, jobs: Jobs) -> Option<Vec<Task>> {
    let mut fields = line.splitn(5, '|');
    let mut field = || fields.next();
    let (array, index, state, reason, there) = (field()?, field()?, field()?, field()?, field()?);
    let offset = script::offset(there, name)?;
    let index: usize = index.parse().ok()?;
    let task = |model| Task {
        model,
        job: array.to_owned(),
        running: state == "RUNNING",
        waiting: state == "PENDING",
        leaving: state == "COMPLETING",
        trouble: trouble(state, reason),
    };
    (!is_over(state)).then(|| jobs.models(offset + index).map(task).collect())
}

/// A task on its way out is not over: it is still at work on its files, or about to be queued
/// again.
fn is_over(state: &str) -> bool {
    matches!(
        state,
        "COMPLETED"
            | "FAILED"
            | "CANCELLED"
            | "TIMEOUT"
            | "NODE_FAIL"
            | "OUT_OF_MEMORY"
            | "BOOT_FAIL"
            | "DEADLINE"
            | "PREEMPTED"
            | "REVOKED"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Jobs = Jobs { models_per_job: 1 };

    #[test]
    fn a_task_of_several_models_has_them_all() {
        let four = Jobs { models_per_job: 4 };
        let tasks = parse("12|2|RUNNING|None|g+1000\n", "g", four);
        let models: Vec<usize> = tasks.iter().map(|task| task.model).collect();
        assert_eq!(models, [4008, 4009, 4010, 4011]);
    }

    #[test]
    fn tasks_of_this_run_are_found_by_name() {
        let text = "12|0|RUNNING|None|guestlist-ab+0\n12|3|PENDING|Priority|guestlist-ab+0\n\
                    13|2|COMPLETING|None|guestlist-ab+1000\n14|1|RUNNING|None|other\n\
                    15|7|FAILED|NonZeroExitCode|guestlist-ab+0\n\
                    16|N/A|RUNNING|None|guestlist-ab+0\n";
        let found: Vec<(usize, String, bool)> = parse(text, "guestlist-ab", ONE)
            .into_iter()
            .map(|task| (task.model, task.job, task.running))
            .collect();
        let expected = [(0, "12", true), (3, "12", false), (1002, "13", false)];
        assert_eq!(
            found,
            expected.map(|(model, array, running)| (model, array.to_owned(), running))
        );
    }

    #[test]
    fn only_a_reason_that_stays_is_trouble() {
        let text = "1|0|PENDING|Resources|g+0\n1|1|PENDING|launch failed requeued held|g+0\n\
                    1|2|RUNNING|None|g+0\n1|3|PENDING|PartitionConfig|g+0\n";
        let tasks = parse(text, "g", ONE);
        let troubles: Vec<_> = tasks.iter().filter_map(|t| t.trouble.as_deref()).collect();
        assert_eq!(troubles, ["launch failed requeued held", "PartitionConfig"]);
    }
}
