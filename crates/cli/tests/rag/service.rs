//! Documents, services that hold some of them, and configurations that ask.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rehearsal::{ChunkSettings, Defences, Document, Index, Running, Service, ServiceSettings};
use serde_json::{Value, json};

use crate::bench::Bench;

const NOUNS: [&str; 24] = [
    "harbour",
    "lantern",
    "orchard",
    "glacier",
    "meadow",
    "cathedral",
    "compass",
    "quarry",
    "pendulum",
    "juniper",
    "trumpet",
    "willow",
    "anchor",
    "bramble",
    "canyon",
    "dolphin",
    "falcon",
    "garnet",
    "kettle",
    "lagoon",
    "magnet",
    "obelisk",
    "ribbon",
    "timber",
];

/// A short text of its own, like all others in kind.
pub fn text(number: usize) -> String {
    // Mixed first (splitmix64): else the draws of even and odd numbers lie on two lattices, and members
    // differ from others by themselves.
    let mut state = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((state >> 33) % below) as usize
    };
    let mut sentence = || {
        let (a, b, c) = (NOUNS[draw(24)], NOUNS[draw(24)], NOUNS[draw(24)]);
        let (year, count) = (1400 + draw(500), 100 + draw(9000));
        let name = format!("Mr {}son", NOUNS[draw(24)][..3].to_uppercase());
        format!(
            "The large {a} beside the {b} was finished in {year} and held {count} barrels of {c}, \
             as {name} wrote."
        )
    };
    (0..5).map(|_| sentence()).collect::<Vec<_>>().join(" ")
}

pub fn documents(range: std::ops::Range<usize>) -> Vec<Document> {
    range
        .map(|number| Document {
            id: format!("paper-{number:05}"),
            title: None,
            text: text(number),
        })
        .collect()
}

/// Members are even numbers, others odd, below twice the count.
pub fn write_documents(bench: &Bench, count: usize) {
    for (name, odd) in [("in.jsonl", 0), ("out.jsonl", 1)] {
        let rows = documents(0..2 * count).into_iter().skip(odd).step_by(2);
        let rows = rows
            .map(|document| json!({"id": document.id, "text": document.text}).to_string() + "\n");
        bench.write(name, &rows.collect::<String>());
    }
}

/// The embedded service over the even ones of so many documents, or over others.
pub fn serve(documents: Vec<Document>, defences: &[&str]) -> Running {
    let names: Vec<String> = defences.iter().map(|name| (*name).to_owned()).collect();
    let settings = ServiceSettings {
        defences: Defences::parse(&names).unwrap(),
        ..ServiceSettings::default()
    };
    let index = Index::new(documents, ChunkSettings::default(), None).unwrap();
    let service = Service::extractive(index, settings).unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    rehearsal::start(Arc::new(service), address, None).unwrap()
}

pub fn even(count: usize) -> Vec<Document> {
    documents(0..2 * count).into_iter().step_by(2).collect()
}

/// The texts of the even ones of so many, with their numbers.
pub fn texts_of_members(count: usize) -> Vec<(usize, String)> {
    let numbers = (0..2 * count).step_by(2);
    numbers.map(|number| (number, text(number))).collect()
}

/// The document that a question quotes five words of, if any.
pub fn holder(query: &str, texts: &[(usize, String)]) -> Option<usize> {
    let words: Vec<&str> = query
        .split(|letter: char| letter.is_whitespace() || letter == '"')
        .collect();
    let runs: Vec<String> = words.windows(5).map(|run| run.join(" ")).collect();
    // A year or a count makes a run a document's own.
    let own = |run: &&String| run.contains(|letter: char| letter.is_ascii_digit());
    let mut holds = texts.iter().filter(|(_, text)| {
        let mut runs = runs.iter().filter(own);
        runs.any(|run| text.contains(run.as_str()))
    });
    holds.next().map(|(number, _)| *number)
}

/// A configuration for a service at this address, with further lines at its end.
pub fn configure(bench: &Bench, address: SocketAddr, more: &str) {
    bench.write(
        "guestlist.toml",
        &format!(
            "kind = \"rag\"\n[documents]\nmembers = \"in.jsonl\"\nnonmembers = \"out.jsonl\"\n\
             [target]\npreset = \"guestlist\"\nurl = \"http://{address}\"\n\
             [audit.settings]\n\"ia.questions\" = 4\n{more}\n"
        ),
    );
}

/// A server that answers every chat request with what a function makes of its body.
pub struct Odd {
    pub address: SocketAddr,
    pub requests: Arc<AtomicUsize>,
}

impl Odd {
    /// The function gets the request's head, its body and its number, and gives the whole answer.
    pub fn start(answer: impl Fn(&str, &Value, usize) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(AtomicUsize::new(0));
        let (counter, answer) = (requests.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let (counter, answer) = (counter.clone(), answer.clone());
                std::thread::spawn(move || talk(connection, &counter, &*answer));
            }
        });
        Self { address, requests }
    }

    pub fn count(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

fn talk(
    connection: TcpStream,
    counter: &AtomicUsize,
    answer: &dyn Fn(&str, &Value, usize) -> Vec<u8>,
) -> Option<()> {
    let mut writer = connection.try_clone().ok()?;
    let mut reader = BufReader::new(connection);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let length = head.to_lowercase();
        let length = length
            .split("content-length:")
            .nth(1)?
            .lines()
            .next()?
            .trim()
            .parse()
            .ok()?;
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let number = counter.fetch_add(1, Ordering::SeqCst);
        let body = serde_json::from_slice(&body).unwrap_or_default();
        let response = answer(&head, &body, number);
        writer.write_all(&response).ok()?;
        if response.is_empty() {
            return None;
        }
    }
}

pub fn http(status: &str, kind: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

pub fn said(text: &str) -> Vec<u8> {
    let body = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
    http("200 OK", "application/json", body.to_string().as_bytes())
}

/// What a service at this address answers to such a body.
pub fn pass_on(address: SocketAddr, body: &Value) -> Vec<u8> {
    let mut connection = TcpStream::connect(address).unwrap();
    let body = body.to_string();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    connection.write_all(head.as_bytes()).unwrap();
    connection.write_all(body.as_bytes()).unwrap();
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer).unwrap();
    let begins = answer
        .windows(4)
        .position(|part| part == b"\r\n\r\n")
        .unwrap();
    answer.split_off(begins + 4)
}
