//! How a task ended: by the accounts, or by what the controller remembers.

use std::collections::BTreeMap;

use crate::cluster::{self, How, Known};
use crate::{Error, ErrorKind};

/// The last that Slurm knows of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// One word, such as FAILED.
    state: String,
    code: u32,
    signal: u32,
}

/// The endings of an array's tasks.
#[derive(Default)]
pub struct Endings {
    tasks: BTreeMap<usize, Ending>,
    /// Of the tasks that never started: Slurm no longer names those once they are cancelled.
    others: Option<Ending>,
    /// Whether anything at all is known of the array.
    known: bool,
}

impl Endings {
    /// Of a task, by its number in the array.
    fn get(&self, task: usize) -> Option<&Ending> {
        self.tasks.get(&task).or(self.others.as_ref())
    }

    /// What is known of a task. Of one that Slurm lacks though it remembers the array: it never started.
    pub fn known(&self, task: usize) -> Known {
        match self.get(task) {
            Some(ending) => Known::Ended(ending.told()),
            None if self.known => Known::NeverStarted,
            None => Known::Nothing,
        }
    }

    /// What somebody else knows better.
    pub fn update(&mut self, better: Self) {
        self.known |= better.known;
        self.tasks.extend(better.tasks);
        self.others = better.others.or(self.others.take());
    }

    fn insert(&mut self, tasks: &str, ending: &Ending) {
        for task in numbers(tasks) {
            self.tasks.insert(task, ending.clone());
        }
    }
}

impl Ending {
    /// Nothing for a state that is not final: the accounts may trail what happened.
    fn new(state: &str, exit: &str) -> Option<Self> {
        // `CANCELLED by 1000` is a state, too.
        let state = state.split_whitespace().next()?;
        let passing = [
            "PENDING",
            "RUNNING",
            "COMPLETING",
            "CONFIGURING",
            "REQUEUED",
            "RESIZING",
            "SUSPENDED",
        ];
        if passing.contains(&state) {
            return None;
        }
        let (code, signal) = exit.split_once(':')?;
        Some(Self {
            state: state.to_owned(),
            code: code.parse().ok()?,
            signal: signal.parse().ok()?,
        })
    }

    /// In words that all clusters share.
    fn told(&self) -> cluster::Ending {
        let how = match self.state.as_str() {
            "COMPLETED" => How::Well,
            "FAILED" => How::Failed,
            "CANCELLED" => How::Cancelled,
            "PREEMPTED" => How::Displaced,
            _ => How::Broken,
        };
        cluster::Ending {
            how,
            error: self.error(),
        }
    }

    fn error(&self) -> Error {
        let state = &self.state;
        let how = match (self.code, self.signal) {
            (0, 0) => String::new(),
            (code, 0) => format!(", exit code {code}"),
            (_, signal) => format!(", signal {signal}"),
        };
        let error = Error::new(
            ErrorKind::Training,
            format!("its task on the cluster ended as {state}{how}"),
        );
        match state.as_str() {
            "TIMEOUT" => error.hint("raise slurm.time"),
            "OUT_OF_MEMORY" => error.hint("raise slurm.memory"),
            "COMPLETED" => Error::new(
                ErrorKind::Training,
                "its task ended well, but its model is not seen here",
            )
            .hint("run.folder must be on a file system that all nodes share"),
            _ => error,
        }
    }
}

/// The format that `accounts` reads.
pub const ACCOUNTS_FORMAT: &str = "--format=JobID,State,ExitCode";

/// From sacct: `12_3|FAILED|7:0`; of tasks that never started, `12_[4-6%2]|CANCELLED by 0|0:0` or
/// `12|CANCELLED by 0|0:0`.
pub fn accounts(text: &str, array: &str) -> Endings {
    let mut endings = Endings::default();
    for line in text.lines() {
        let mut fields = line.trim().split('|');
        let mut field = || fields.next().unwrap_or_default();
        let (job, state, exit) = (field(), field(), field());
        endings.known |= job.split('_').next() == Some(array);
        let Some((tasks, ending)) = job.strip_prefix(array).zip(Ending::new(state, exit)) else {
            continue;
        };
        match tasks.strip_prefix('_') {
            Some(tasks) => endings.insert(tasks, &ending),
            None if tasks.is_empty() => endings.others = Some(ending),
            None => {}
        }
    }
    endings
}

/// Slurm's number for no number.
const NO_TASK: &str = "4294967294";

/// From `scontrol --oneliner show job`: a line for each task.
pub fn controller(text: &str, array: &str) -> Endings {
    let mut endings = Endings::default();
    for line in text.lines() {
        let field = |name: &str| {
            let mut words = line.split_whitespace();
            words.find_map(|word| word.strip_prefix(name))
        };
        let ending = field("JobState=")
            .zip(field("ExitCode="))
            .and_then(|(state, exit)| Ending::new(state, exit));
        if field("ArrayJobId=") != Some(array) {
            continue;
        }
        endings.known = true;
        match (field("ArrayTaskId="), ending) {
            (Some(NO_TASK), ending) => endings.others = ending,
            (Some(tasks), Some(ending)) => endings.insert(tasks, &ending),
            _ => {}
        }
    }
    endings
}

/// The numbers of `3`, of `0,2-5%2` and of `[0,2-5%2]`.
fn numbers(text: &str) -> Vec<usize> {
    let text = text.trim_start_matches('[').trim_end_matches(']');
    let text = text.split('%').next().unwrap_or_default();
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    text.split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(endings: &Endings) -> Vec<(usize, String)> {
        let words = |(task, ending): (&usize, &Ending)| (*task, ending.error().message);
        endings.tasks.iter().map(words).collect()
    }

    fn ended(task: usize, how: &str) -> (usize, String) {
        (task, format!("its task on the cluster ended as {how}"))
    }

    fn is(endings: &Endings, task: usize, how: How) -> bool {
        matches!(endings.known(task), Known::Ended(ending) if ending.how == how)
    }

    fn lacks(endings: &Endings, task: usize) -> bool {
        matches!(endings.known(task), Known::NeverStarted)
    }

    #[test]
    fn accounts_tell_how_tasks_ended() {
        let text = "1_0|COMPLETED|0:0\n1_1|FAILED|7:0\n1_2|FAILED|0:9\n1_4|CANCELLED by 0|0:0\n\
                    1_5|RUNNING|0:0\n1_6|REQUEUED|0:0\n11_7|FAILED|1:0\n\
                    1_[8-9,12%2]|CANCELLED by 0|0:0\n1_[13-14]|PENDING|0:0\n";
        let endings = accounts(text, "1");
        assert!(is(&endings, 0, How::Well));
        assert!(is(&endings, 12, How::Cancelled));
        assert_eq!(endings.get(13), None);
        assert_eq!(
            said(&endings)[1..],
            [
                ended(1, "FAILED, exit code 7"),
                ended(2, "FAILED, signal 9"),
                ended(4, "CANCELLED"),
                ended(8, "CANCELLED"),
                ended(9, "CANCELLED"),
                ended(12, "CANCELLED"),
            ]
        );
    }

    #[test]
    fn the_controller_tells_the_same() {
        let text = "JobId=4 ArrayJobId=1 ArrayTaskId=3 JobName=X UserId=root(0) JobState=FAILED \
                    Reason=NonZeroExitCode ExitCode=7:0 NodeList=n1\n\
                    JobId=1 ArrayJobId=1 ArrayTaskId=4-5%2 JobName=X JobState=PENDING ExitCode=0:0\n\
                    JobId=5 ArrayJobId=1 ArrayTaskId=6 JobName=X JobState=NODE_FAIL ExitCode=0:0\n\
                    JobId=9 JobName=single JobState=FAILED ExitCode=1:0\n";
        assert_eq!(
            said(&controller(text, "1")),
            [ended(3, "FAILED, exit code 7"), ended(6, "NODE_FAIL")]
        );
    }

    /// As Slurm 22.05 says it: what never started has lost its numbers.
    #[test]
    fn tasks_that_were_cancelled_before_they_started_are_those_not_named() {
        let text = "1_0|CANCELLED by 0|0:15\n1|CANCELLED by 0|0:0\n11|FAILED|1:0\n";
        let endings = accounts(text, "1");
        assert_eq!(said(&endings), [ended(0, "CANCELLED, signal 15")]);
        assert!(is(&endings, 3, How::Cancelled));
        let text = "JobId=1 ArrayJobId=1 ArrayTaskId=4294967294 JobName=X JobState=CANCELLED \
                    Reason=Resources ExitCode=0:0\n\
                    JobId=3 ArrayJobId=1 ArrayTaskId=1 JobName=X JobState=FAILED ExitCode=2:0\n";
        let mut endings = controller(text, "1");
        assert!(is(&endings, 3, How::Cancelled));
        endings.update(accounts("1_1|COMPLETED|0:0\n", "1"));
        assert!(is(&endings, 1, How::Well));
        assert!(is(&endings, 3, How::Cancelled));
    }

    #[test]
    fn a_task_that_its_array_lacks_never_started() {
        let endings = accounts("1_0|COMPLETED|0:0\n1_1|RUNNING|0:0\n", "1");
        assert!(lacks(&endings, 2) && !lacks(&endings, 0));
        assert!(!lacks(&accounts("11_0|COMPLETED|0:0\n", "1"), 2));
        assert!(!lacks(&accounts("", "1"), 2));
        let line = "JobId=4 ArrayJobId=1 ArrayTaskId=3 JobState=RUNNING ExitCode=0:0\n";
        assert!(lacks(&controller(line, "1"), 2));
        assert!(!lacks(&controller(line, "2"), 2));
    }

    #[test]
    fn a_limit_that_was_reached_names_its_setting() {
        let error = Ending::new("TIMEOUT", "0:15").unwrap().error();
        assert_eq!(error.hint.as_deref(), Some("raise slurm.time"));
    }
}
