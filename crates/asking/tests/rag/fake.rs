//! A small HTTP server on loopback that ends with the test, and misbehaves when told to.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    /// With what stands after the question mark.
    pub target: String,
    pub headers: BTreeMap<String, String>,
    pub text: String,
    pub body: Value,
    /// How many came before, of all.
    pub number: usize,
}

impl Request {
    /// The question, wherever it stands.
    pub fn query(&self) -> String {
        let places = [
            "/query",
            "/messages/0/content",
            "/question",
            "/message",
            "/input",
        ];
        let mut found = places
            .iter()
            .filter_map(|place| self.body.pointer(place)?.as_str());
        found.next().unwrap_or_default().to_owned()
    }
}

pub enum Reply {
    Full(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// Piece by piece, each after a pause; `true` where the end is proper.
    Pieces(Vec<Vec<u8>>, Duration, bool),
    /// Promises more than is sent.
    CutBody(Vec<u8>),
    /// Closes the connection without a word.
    Drop,
    /// Says nothing for so long.
    Hang(Duration),
}

impl Reply {
    pub fn json(body: &Value) -> Self {
        Self::text(200, &body.to_string())
    }

    pub fn text(status: u16, body: &str) -> Self {
        Self::Full(status, Vec::new(), body.into())
    }
}

type Handler = dyn Fn(&Request) -> Reply + Send + Sync;

#[derive(Default)]
struct Seen {
    requests: Mutex<Vec<Request>>,
    connections: AtomicUsize,
    in_flight: AtomicUsize,
    most_in_flight: AtomicUsize,
    closing: AtomicBool,
}

pub struct Fake {
    pub url: String,
    seen: Arc<Seen>,
    thread: Option<JoinHandle<()>>,
}

impl Fake {
    pub fn start(handler: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Seen::default());
        let handler: Arc<Handler> = Arc::new(handler);
        let shared = seen.clone();
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.closing.load(Ordering::SeqCst) {
                    return;
                }
                shared.connections.fetch_add(1, Ordering::SeqCst);
                let (handler, seen) = (handler.clone(), shared.clone());
                // Ends by itself when nothing comes any more.
                std::thread::spawn(move || while serve(&stream, &*handler, &seen).is_some() {});
            }
        });
        Self {
            url,
            seen,
            thread: Some(thread),
        }
    }

    pub fn requests(&self) -> Vec<Request> {
        self.seen.requests.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    pub fn most_in_flight(&self) -> usize {
        self.seen.most_in_flight.load(Ordering::SeqCst)
    }

    /// How often each question was asked.
    pub fn asked(&self) -> BTreeMap<String, usize> {
        let mut asked = BTreeMap::new();
        for request in self.requests() {
            *asked.entry(request.query()).or_default() += 1;
        }
        asked
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.seen.closing.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
        let _ = self.thread.take().unwrap().join();
    }
}

/// One request of a connection; nothing when that is over.
fn serve(stream: &std::io::Result<TcpStream>, handler: &Handler, seen: &Seen) -> Option<()> {
    let mut stream = stream.as_ref().ok()?;
    let _ = stream.set_nodelay(true);
    let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
    let request = read(stream, seen)?;
    if seen.closing.load(Ordering::SeqCst) {
        return None;
    }
    let now = seen.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
    seen.most_in_flight.fetch_max(now, Ordering::SeqCst);
    let reply = handler(&request);
    let sent = send(&mut stream, reply, seen);
    seen.in_flight.fetch_sub(1, Ordering::SeqCst);
    if sent.is_none() {
        let _ = stream.shutdown(Shutdown::Both);
    }
    sent
}

fn send(stream: &mut &TcpStream, reply: Reply, seen: &Seen) -> Option<()> {
    match reply {
        Reply::Full(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} Whatever\r\n");
            for (name, value) in headers {
                head += &format!("{name}: {value}\r\n");
            }
            head += &format!("content-length: {}\r\n\r\n", body.len());
            let mut all = head.into_bytes();
            all.extend(body);
            stream.write_all(&all).ok()
        }
        Reply::Pieces(pieces, pause, proper) => {
            let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
            stream.write_all(head.as_bytes()).ok()?;
            for piece in pieces {
                let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
                chunk.extend(piece);
                chunk.extend(b"\r\n");
                stream.write_all(&chunk).ok()?;
                rest(pause, seen);
            }
            if !proper {
                return None;
            }
            stream.write_all(b"0\r\n\r\n").ok()
        }
        Reply::CutBody(body) => {
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n",
                body.len() + 99
            );
            stream.write_all(head.as_bytes()).ok()?;
            stream.write_all(&body).ok()?;
            None
        }
        Reply::Drop => None,
        Reply::Hang(time) => {
            rest(time, seen);
            None
        }
    }
}

/// Sleeps, but not beyond the end of the test.
fn rest(time: Duration, seen: &Seen) {
    let step = Duration::from_millis(20);
    let mut left = time;
    while !left.is_zero() && !seen.closing.load(Ordering::SeqCst) {
        std::thread::sleep(left.min(step));
        left = left.saturating_sub(step);
    }
}

fn read(stream: &TcpStream, seen: &Seen) -> Option<Request> {
    let mut lines = BufReader::new(stream);
    let mut first = String::new();
    lines.read_line(&mut first).ok()?;
    let mut words = first.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        lines.read_line(&mut line).ok()?;
        match line.trim().split_once(':') {
            Some((name, value)) => headers.insert(name.to_lowercase(), value.trim().to_owned()),
            None => break,
        };
    }
    let length = headers
        .get("content-length")
        .map_or(0, |text| text.parse().unwrap());
    let mut body = vec![0; length];
    lines.read_exact(&mut body).ok()?;
    let mut requests = seen.requests.lock().unwrap();
    let request = Request {
        method,
        target,
        headers,
        text: String::from_utf8_lossy(&body).into_owned(),
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
        number: requests.len(),
    };
    requests.push(request.clone());
    Some(request)
}
