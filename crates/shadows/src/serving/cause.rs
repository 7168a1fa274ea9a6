//! Why a program that serves was lost, with the models that it had.

use std::process::ExitStatus;
use std::time::Duration;

use crate::{Error, ErrorKind};

#[derive(Clone, Debug)]
pub enum Cause {
    Exited(ExitStatus),
    Closed,
    Vanished,
    /// It answered for a model that it did not have.
    Unasked {
        model: usize,
    },
    /// It answered what is no answer.
    Wrong(String),
    /// This model took too long.
    TimedOut {
        model: usize,
    },
    /// Somebody asked to stop.
    Stopped,
}

impl Cause {
    /// What it means for a model that the program had.
    pub fn error(&self, lost: usize, timeout: Option<Duration>) -> Error {
        let failure = |message: String| Error::new(ErrorKind::Training, message);
        let seconds = timeout.unwrap_or_default().as_secs_f64();
        match self {
            Self::Exited(status) if status.success() => failure(
                "the training program ended without an answer".into(),
            )
            .hint(
                "with command.serve it reads jobs from its input, a line each, until that ends, \
                 and answers {\"model\": N}",
            ),
            Self::Exited(status) => failure(format!("the training program ended with {status}")),
            Self::Closed => failure("the training program closed its output".into())
                .hint("with command.serve it answers there, a line for each model"),
            Self::Vanished => failure("the training program was lost".into()),
            Self::Unasked { model } => failure(format!(
                "the training program answered for model {model}, which it did not have"
            ))
            .hint("answer every job once, with the number that stands under model"),
            Self::Wrong(words) => failure(format!("the training program answered {words}")).hint(
                "an answer is {\"model\": N} or {\"model\": N, \"error\": \"words\"}; print \
                 other things without a number under model",
            ),
            Self::TimedOut { model } if *model == lost => failure(format!(
                "the training program was ended after {seconds} seconds"
            ))
            .hint("raise command.timeout if it was merely slow"),
            Self::TimedOut { model } => failure(format!(
                "the training program was ended because model {model} took more than {seconds} \
                 seconds"
            )),
            Self::Stopped => Error::interrupted(),
        }
    }
}
