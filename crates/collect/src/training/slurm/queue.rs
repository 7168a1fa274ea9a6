//! What squeue says.

/// One model that Slurm has in its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    pub model: usize,
    pub running: bool,
}

/// The format of a line: array job, task in the array, state, name.
pub const FORMAT: &str = "%F|%K|%T|%j";

/// The tasks of this run's arrays. The name of an array ends in the number that its tasks count
/// from; lines about anything else are passed over.
pub fn parse(text: &str, name: &str) -> Vec<Task> {
    text.lines()
        .filter_map(|line| task(line.trim(), name))
        .collect()
}

fn task(line: &str, name: &str) -> Option<Task> {
    let mut fields = line.splitn(4, '|');
    let (_, index, state, there) = (
        fields.next()?,
        fields.next()?,
        fields.next()?,
        fields.next()?,
    );
    let offset: usize = there.strip_prefix(name)?.strip_prefix('+')?.parse().ok()?;
    // A task on its way out is still at work on its files, or about to be queued again.
    let over = matches!(
        state,
        "COMPLETED"
            | "FAILED"
            | "CANCELLED"
            | "TIMEOUT"
            | "NODE_FAIL"
            | "OUT_OF_MEMORY"
            | "BOOT_FAIL"
            | "DEADLINE"
    );
    let index: usize = index.parse().ok()?;
    (!over).then_some(Task {
        model: offset + index,
        running: state == "RUNNING",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_of_this_run_are_found_by_name() {
        let text = "12|0|RUNNING|guestlist-ab+0\n12|3|PENDING|guestlist-ab+0\n\
                    13|2|RUNNING|guestlist-ab+1000\n14|1|RUNNING|other\n\
                    15|7|FAILED|guestlist-ab+0\n16|N/A|RUNNING|guestlist-ab+0\n";
        let task = |model, running| Task { model, running };
        assert_eq!(
            parse(text, "guestlist-ab"),
            [task(0, true), task(3, false), task(1002, true)]
        );
    }
}
