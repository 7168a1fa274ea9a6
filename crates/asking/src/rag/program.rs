//! A program that is started once and answers questions: JSON Lines in, JSON Lines out.
//!
//! It reads `{"id": 7, "question": "…", "retrieval": true}` and writes `{"id": 7, "answer": "…",
//! "sources": […]}`, or `{"id": 7, "error": "…"}`, in any order. Several questions may be open at once.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use attacks::signals::probes::Arm;
use base::Guarded;
use serde_json::json;

use super::called::{Call, Callee, Trouble};
use super::conversation::Conversation;
use super::settings::TargetSettings;
use crate::campaign::FailureKind;
use crate::{Error, ErrorKind, Result};

/// One arm's program.
struct Program {
    table: String,
    command: Vec<String>,
    folder: PathBuf,
    arm: Arm,
    next: AtomicU64,
    running: Mutex<Option<Conversation>>,
}

/// Who answers where the settings name no address; nothing where they do.
pub(super) fn callee(
    table: &str,
    settings: &TargetSettings,
    arm: Arm,
) -> Result<Option<Arc<dyn Callee>>> {
    if settings.elsewhere == Some(true) {
        return Ok(Some(Arc::new(Elsewhere)));
    }
    let Some(command) = settings.command.clone() else {
        return Ok(None);
    };
    if command.first().is_none_or(|program| program.is_empty()) {
        let message = format!("{table}.command is empty");
        return Err(Error::new(ErrorKind::Setting, message)
            .hint(r#"write command = ["python3", "answer.py"]"#));
    }
    Ok(Some(Arc::new(Program {
        table: table.to_owned(),
        command,
        folder: settings.base.clone(),
        arm,
        next: AtomicU64::new(1),
        running: Mutex::default(),
    })))
}

impl Program {
    fn start(&self) -> std::io::Result<Conversation> {
        let mut command = Command::new(&self.command[0]);
        command
            .args(&self.command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if !self.folder.as_os_str().is_empty() {
            command.current_dir(&self.folder);
        }
        Conversation::new(self.about(), Guarded::spawn(command)?)
    }

    fn unstartable(&self, error: &std::io::Error) -> Trouble {
        Trouble {
            // No question can mend that.
            kind: FailureKind::Refused(0),
            message: format!("{} cannot be started: {error}", self.about()),
            hint: format!(
                "check {}.command: a list of the program and its arguments; paths are seen from the \
                 configuration's folder",
                self.table
            ),
            passing: false,
        }
    }
}

impl Callee for Program {
    fn about(&self) -> String {
        format!("the program {}", self.command.join(" "))
    }

    fn address(&self) -> String {
        format!("command:{}", self.command.join(" "))
    }

    fn remark(&self) -> Option<String> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.as_ref().and_then(Conversation::remark)
    }

    fn put(&self, call: Call) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.as_ref().is_some_and(Conversation::is_over) {
            *running = None;
        }
        let conversation = match running.take().map_or_else(|| self.start(), Ok) {
            Ok(conversation) => conversation,
            Err(error) => return call.fail(self.unstartable(&error)),
        };
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let line = json!({
            "id": id, "question": call.query(), "retrieval": self.arm == Arm::Retrieval,
        });
        conversation.ask(id, line.to_string(), call);
        *running = Some(conversation);
    }
}

/// Nobody here: questions are written to a file, and asked by others.
struct Elsewhere;

impl Callee for Elsewhere {
    fn about(&self) -> String {
        "a service that is asked elsewhere".to_owned()
    }

    fn address(&self) -> String {
        "elsewhere:".to_owned()
    }

    fn put(&self, call: Call) {
        call.fail(Trouble {
            kind: FailureKind::Refused(0),
            message: "target.elsewhere is true: nobody can be asked from here".to_owned(),
            hint:
                "write the questions with `guestlist plan --questions questions.jsonl`, have them \
                   answered, and judge with `guestlist audit answers.jsonl --config CONFIG`"
                    .to_owned(),
            passing: false,
        });
    }
}
