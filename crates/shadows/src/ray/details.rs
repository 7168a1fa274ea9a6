//! What Ray says of its jobs. Believed only as far as it goes: what is missing or odd is passed over.

use asking::http::printable;
use serde::Deserialize;

use crate::cluster::{Ending, How};
use crate::{Error, ErrorKind};

/// How much of Ray's own words is shown.
const SHOWN: usize = 300;

/// One job, of anybody's.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Details {
    pub submission_id: Option<String>,
    status: Option<String>,
    message: Option<String>,
    error_type: Option<String>,
    driver_exit_code: Option<i64>,
}

impl Details {
    pub fn is_running(&self) -> bool {
        self.status.as_deref() == Some("RUNNING")
    }

    pub fn is_waiting(&self) -> bool {
        self.status.as_deref() == Some("PENDING")
    }

    pub fn is_well(&self) -> bool {
        self.status.as_deref() == Some("SUCCEEDED")
    }

    /// How it ended; nothing if it has not.
    pub fn ending(&self) -> Option<Ending> {
        let ending = |how, error| Some(Ending { how, error });
        match self.status.as_deref()? {
            "SUCCEEDED" => ending(
                How::Well,
                training("its job on Ray ended well, but its model is not seen here")
                    .hint("run.folder must be on a file system that all nodes share"),
            ),
            "STOPPED" => ending(How::Cancelled, training("its job on Ray was stopped")),
            "FAILED" => ending(self.how_it_failed(), self.failure()),
            _ => None,
        }
    }

    fn how_it_failed(&self) -> How {
        match (self.error_type.as_deref(), self.driver_exit_code) {
            (Some("JOB_SUPERVISOR_ACTOR_START_TIMEOUT"), _) => How::Displaced,
            (Some("RUNTIME_ENV_SETUP_FAILURE"), _) => How::Failed,
            // A program that was killed says nothing of the others.
            (_, Some(code)) if (1..128).contains(&code) => How::Failed,
            _ => How::Broken,
        }
    }

    fn failure(&self) -> Error {
        match (self.error_type.as_deref(), self.driver_exit_code) {
            (Some("JOB_SUPERVISOR_ACTOR_START_TIMEOUT"), _) => training(
                "Ray did not start its job in time",
            )
            .hint(
                "what [ray] asks for must be free on a node: see `ray status`, or set ray.at_once",
            ),
            (Some("RUNTIME_ENV_SETUP_FAILURE"), _) => {
                training(&format!("Ray could not set up its job: {}", self.words()))
                    .hint("check ray.runtime_env")
            }
            (Some("JOB_SUPERVISOR_ACTOR_DIED"), _) => {
                training("its job on Ray was lost, as with its node or for want of memory")
            }
            (_, Some(code)) if code < 0 => {
                training(&format!("its job on Ray was ended by signal {}", -code))
            }
            (_, Some(code)) => training(&format!("its job on Ray ended with exit code {code}")),
            (_, None) => training(&format!("its job on Ray failed: {}", self.words())),
        }
    }

    fn words(&self) -> String {
        let words = self.message.as_deref().unwrap_or_default();
        match printable(words, SHOWN) {
            words if words.is_empty() => "it gives no reason".into(),
            words => words,
        }
    }
}

/// Of a job that ended well, but whose log does not have its models.
pub fn without_result() -> Ending {
    Ending {
        how: How::Broken,
        error: training("its job on Ray ended well, but its model is not in the job's log"),
    }
}

fn training(message: &str) -> Error {
    Error::new(ErrorKind::Training, message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ended(details: serde_json::Value) -> (How, String) {
        let details: Details = serde_json::from_value(details).unwrap();
        let ending = details.ending().unwrap();
        (ending.how, ending.error.message)
    }

    /// As Ray 2.60 says it.
    #[test]
    fn endings_are_told_apart() {
        let failed = |more: serde_json::Value| {
            let mut details = json!({"type": "SUBMISSION", "status": "FAILED", "message": "Job…"});
            details
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            ended(details)
        };
        let (how, words) =
            failed(json!({"driver_exit_code": 2, "error_type": "JOB_ENTRYPOINT_COMMAND_ERROR"}));
        assert_eq!(
            (how, words.as_str()),
            (How::Failed, "its job on Ray ended with exit code 2")
        );
        let (how, words) = failed(json!({"driver_exit_code": -9}));
        assert_eq!(
            (how, words.as_str()),
            (How::Broken, "its job on Ray was ended by signal 9")
        );
        let (how, _) =
            failed(json!({"error_type": "JOB_SUPERVISOR_ACTOR_DIED", "driver_exit_code": null}));
        assert_eq!(how, How::Broken);
        let (how, _) = failed(json!({"error_type": "JOB_SUPERVISOR_ACTOR_START_TIMEOUT"}));
        assert_eq!(how, How::Displaced);
        assert_eq!(ended(json!({"status": "STOPPED"})).0, How::Cancelled);
        assert_eq!(ended(json!({"status": "SUCCEEDED"})).0, How::Well);
    }

    #[test]
    fn what_is_odd_is_passed_over_and_harmless() {
        let odd: Details =
            serde_json::from_value(json!({"status": "NEW", "unknown": [1]})).unwrap();
        assert!(odd.ending().is_none() && !odd.is_running() && !odd.is_waiting());
        let (_, words) = ended(json!({"status": "FAILED", "message": "\u{1b}[31mred"}));
        assert_eq!(words, "its job on Ray failed: \\u{1b}[31mred");
        let none = ended(json!({"status": "FAILED"})).1;
        assert!(none.ends_with("it gives no reason"), "{none}");
    }
}
