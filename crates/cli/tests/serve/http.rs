//! Requests as bytes, and what comes back.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Longer than any answer takes, so that a hanging server fails its test.
pub const PATIENCE: Duration = Duration::from_secs(180);

pub struct Answer {
    pub status: u16,
    /// By their names in small letters.
    pub headers: BTreeMap<String, String>,
    pub bytes: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text());
        self
    }

    #[track_caller]
    pub fn says(&self, part: &str) {
        let text = self.text();
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
}

pub fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Sends the bytes and reads the whole answer; its body has a length or ends with the connection.
pub fn send(address: &str, request: &[u8]) -> Answer {
    let mut stream = connect(address);
    stream.write_all(request).unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
    let status = status.unwrap_or_else(|| panic!("no status in {line:?}"));
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.insert(name.to_lowercase(), value.to_owned()),
            None => break,
        };
    }
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).unwrap();
    Answer {
        status,
        headers,
        bytes,
    }
}

/// One request with further header lines.
pub fn request(method: &str, target: &str, host: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = match body.is_empty() {
        true => String::new(),
        false => format!(
            "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n",
            body.len()
        ),
    };
    format!(
        "{method} {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}{length}\r\n{body}"
    )
    .into_bytes()
}
