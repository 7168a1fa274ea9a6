//! How fast a service is asked: ten thousand questions to a server on this machine, in a process of
//! its own, and the memory that they take.
//!
//! `cargo run --release -p guestlist-asking --example rag_throughput`

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use attacks::signals::probes::Arm;
use base::Progress;
use guestlist_asking::rag::{Ask, Service, TargetSettings, TransportSettings};
use guestlist_asking::store::Store;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        return serve();
    }
    let (mut server, url) = start()?;
    let measured = measure(&url);
    server.kill()?;
    server.wait()?;
    measured
}

fn measure(url: &str) -> Outcome<()> {
    let mut out = io::stdout();
    let folder = tempfile::tempdir()?;
    let store = Store::open(folder.path())?;
    let target = target(url)?;
    let service = Service::new(&target, &transport(None))?;
    for count in [1_000, 10_000] {
        let asked = service.ask_all(&asks(count), &store, Progress::unwatched())?;
        let tally = asked.tally;
        let rate = tally.sent as f64 / tally.seconds;
        let memory = resident()?;
        writeln!(
            out,
            "{count} questions: {} sent at {rate:.0} per second, {} from the store, {memory} MiB",
            tally.sent, tally.from_store
        )?;
    }
    let again = service.ask_all(&asks(10_000), &store, Progress::unwatched())?;
    writeln!(out, "all from the store: {:.2} s", again.tally.seconds)?;
    drop(store);

    let folder = tempfile::tempdir()?;
    let store = Store::open(folder.path())?;
    let limited = Service::new(&target, &transport(Some(6_000)))?;
    let asked = limited.ask_all(&asks(1_500), &store, Progress::unwatched())?;
    let rate = 60.0 * asked.tally.sent as f64 / asked.tally.seconds;
    writeln!(
        out,
        "with requests_per_minute = 6000: {rate:.0} per minute, {:.1} % of the limit",
        rate / 60.0
    )?;
    Ok(())
}

fn target(url: &str) -> Outcome<TargetSettings> {
    let target = format!(r#"{{"preset": "guestlist", "url": "{url}"}}"#);
    Ok(serde_json::from_str(&target)?)
}

fn transport(requests_per_minute: Option<u32>) -> TransportSettings {
    TransportSettings {
        concurrency: 16,
        requests_per_minute,
        ..TransportSettings::default()
    }
}

fn asks(count: usize) -> Vec<Ask> {
    let ask = |number| Ask {
        arm: Arm::Retrieval,
        query: format!("What does the handbook say about matter {number}?"),
        repeat: 0,
    };
    (0..count).map(ask).collect()
}

/// In MiB; 0 where the system does not tell.
fn resident() -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let words = line.and_then(|line| line.split_whitespace().next());
    Ok(words.unwrap_or("0").parse::<u64>()? / 1024)
}

fn start() -> Outcome<(Child, String)> {
    let mut server = Command::new(std::env::current_exe()?)
        .arg("serve")
        .stdout(Stdio::piped())
        .spawn()?;
    let output = server.stdout.take().ok_or("the server has no output")?;
    let mut url = String::new();
    BufReader::new(output).read_line(&mut url)?;
    Ok((server, url.trim().to_owned()))
}

fn serve() -> Outcome<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    writeln!(io::stdout(), "http://{}", listener.local_addr()?)?;
    for stream in listener.incoming() {
        let stream = stream?;
        std::thread::spawn(move || while answer(&stream).is_ok() {});
    }
    Ok(())
}

/// One request of a connection: about two kilobytes back.
fn answer(stream: &TcpStream) -> Outcome<()> {
    let mut lines = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 {
            return Err("the end".into());
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse()?;
        }
    }
    lines.read_exact(&mut vec![0; length])?;
    let text = "words of a document ".repeat(40);
    let body = format!(
        r#"{{"choices":[{{"message":{{"content":"{text}"}}}}],
            "citations":[{{"id":"d1","title":"t","text":"{text}"}}]}}"#
    );
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
    let mut stream = stream;
    stream.set_nodelay(true)?;
    stream.write_all((head + &body).as_bytes())?;
    Ok(())
}
