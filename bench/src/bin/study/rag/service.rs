//! `guestlist rag-server`, started, asked and stopped.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use guestlist_bench::{Failed, beside};
use serde_json::{Value, json};

use super::drawn::Drawn;
use super::{Condition, Wanted};

pub struct Running {
    child: Child,
    said: BufReader<ChildStdout>,
    address: String,
}

/// How often defences acted, by the service's own count.
#[derive(Clone, Copy, Default)]
pub struct Acted {
    pub asked: u64,
    pub suspected: u64,
    pub refused: u64,
    pub filtered: u64,
}

impl Running {
    pub fn start(wanted: &Wanted, drawn: &Drawn, condition: &Condition) -> Result<Self, Failed> {
        let mut command = serving(&drawn.store)?;
        command.args(["--max-tokens", &wanted.max_tokens.to_string()]);
        command.args(["--top-k", &wanted.top_k.to_string()]);
        if let Some(model) = &wanted.model {
            command
                .arg("--model")
                .arg(model)
                .args(["--device", &wanted.device]);
        }
        Self::started(command, drawn, condition.defences, condition.usual)
    }

    /// Without a model: enough to see what is suspected.
    pub fn reader(drawn: &Drawn, usual: bool) -> Result<Self, Failed> {
        Self::started(serving(&drawn.store)?, drawn, &["detect-probing"], usual)
    }

    fn started(
        mut command: Command,
        drawn: &Drawn,
        defences: &[&str],
        usual: bool,
    ) -> Result<Self, Failed> {
        if let (Some(questions), true) = (&drawn.usual, usual) {
            command.arg("--usual-questions").arg(questions);
        }
        if !defences.is_empty() {
            command.args(["--defence", &defences.join(",")]);
        }
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| Failed(format!("guestlist rag-server did not start: {error}")))?;
        let said = child
            .stdout
            .take()
            .ok_or_else(|| Failed("no output".into()))?;
        let mut running = Self {
            child,
            said: BufReader::new(said),
            address: String::new(),
        };
        let listening = running.event("listening")?;
        running.address = listening["address"].as_str().unwrap_or_default().to_owned();
        Ok(running)
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// Asks one question, and leaves the answer to itself.
    pub fn ask(&self, question: &str) -> Result<(), Failed> {
        let failed = |error: std::io::Error| Failed(format!("{}: {error}", self.address));
        let body = json!({"messages": [{"role": "user", "content": question}]}).to_string();
        let host = self.address.trim_start_matches("http://");
        let mut connection = TcpStream::connect(host).map_err(failed)?;
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        connection
            .write_all((head + &body).as_bytes())
            .map_err(failed)?;
        let mut answer = Vec::new();
        connection.read_to_end(&mut answer).map_err(failed)?;
        match answer.starts_with(b"HTTP/1.1 200") {
            true => Ok(()),
            false => Err(Failed(format!("{question:?} was not answered"))),
        }
    }

    /// Interrupts the server, and hears what its defences did.
    pub fn stop(mut self) -> Result<Acted, Failed> {
        let process = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &process]).status();
        sent.map_err(|error| Failed(format!("kill did not start: {error}")))?;
        let stopped = self.event("stopped")?;
        let count = |name: &str| stopped[name].as_u64().unwrap_or_default();
        Ok(Acted {
            asked: count("asked"),
            suspected: count("suspected"),
            refused: count("refused"),
            filtered: count("filtered"),
        })
    }

    fn event(&mut self, name: &str) -> Result<Value, Failed> {
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.said.read_line(&mut line);
            if read.map_err(|error| Failed(error.to_string()))? == 0 {
                return Err(Failed(format!(
                    "guestlist rag-server ended before it was {name}"
                )));
            }
            if let Ok(event) = serde_json::from_str::<Value>(&line)
                && event["event"] == name
            {
                return Ok(event);
            }
        }
    }
}

fn serving(store: &Path) -> Result<Command, Failed> {
    let mut command = Command::new(beside("guestlist")?);
    let command_line = command.arg("rag-server").arg(store);
    command_line.args(["--port", "0", "--json"]);
    Ok(command)
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
