//! A small HTTP server on loopback that ends with the test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub query: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The text that is to be scored, if it is one.
    pub fn prompt(&self) -> Option<&str> {
        let keys = ["prompt", "text", "inputs"];
        keys.iter().find_map(|key| self.body.get(key)?.as_str())
    }
}

pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Promises more than is sent.
    pub cut: bool,
    pub delay: Duration,
}

impl Reply {
    pub fn json(body: &Value) -> Self {
        Self::status(200, &body.to_string())
    }

    pub fn status(status: u16, body: &str) -> Self {
        Self {
            status,
            headers: vec![("content-type".into(), "application/json".into())],
            body: body.into(),
            cut: false,
            delay: Duration::ZERO,
        }
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub fn not_found() -> Self {
        Self::status(404, r#"{"detail":"Not Found"}"#)
    }
}

type Handler = dyn Fn(&Request) -> Reply + Send + Sync;

#[derive(Default)]
struct Seen {
    requests: Mutex<Vec<Request>>,
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
                let (handler, seen) = (handler.clone(), shared.clone());
                // Ends by itself: one request per connection.
                std::thread::spawn(move || serve(&stream.unwrap(), &*handler, &seen));
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

    /// The prompts asked for, without the probe's.
    pub fn prompts(&self) -> Vec<String> {
        let requests = self.requests();
        let prompts = requests.iter().filter_map(Request::prompt);
        prompts
            .filter(|prompt| !prompt.contains("Tuesday"))
            .map(str::to_owned)
            .collect()
    }

    pub fn most_in_flight(&self) -> usize {
        self.seen.most_in_flight.load(Ordering::SeqCst)
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.seen.closing.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
        let _ = self.thread.take().unwrap().join();
    }
}

fn serve(stream: &TcpStream, handler: &Handler, seen: &Seen) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
    let Some(request) = read(stream, seen) else {
        return;
    };
    let now = seen.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
    seen.most_in_flight.fetch_max(now, Ordering::SeqCst);
    let reply = handler(&request);
    std::thread::sleep(reply.delay);
    seen.in_flight.fetch_sub(1, Ordering::SeqCst);
    let mut head = format!("HTTP/1.1 {} Whatever\r\n", reply.status);
    for (name, value) in &reply.headers {
        head += &format!("{name}: {value}\r\n");
    }
    let promised = reply.body.len() + usize::from(reply.cut) * 100;
    head += &format!("content-length: {promised}\r\nconnection: close\r\n\r\n");
    let mut stream = stream;
    // The client may have gone.
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(&reply.body);
}

fn read(stream: &TcpStream, seen: &Seen) -> Option<Request> {
    let mut lines = BufReader::new(stream);
    let mut first = String::new();
    lines.read_line(&mut first).ok()?;
    let mut words = first.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        lines.read_line(&mut line).ok()?;
        match line.trim().split_once(':') {
            Some((name, value)) => headers.push((name.to_lowercase(), value.trim().to_owned())),
            None => break,
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    lines.read_exact(&mut body).ok()?;
    let mut requests = seen.requests.lock().unwrap();
    let request = Request {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        headers,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    };
    requests.push(request.clone());
    Some(request)
}
