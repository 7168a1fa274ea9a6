//! `guestlist serve`: the dashboard over a folder of audits.

use std::net::SocketAddr;
use std::time::Duration;

use dashboard::{LEAST_TOKEN, Running, Settings};
use guestlist::diff::difference;
use guestlist::{Error, ExitCode};
use report::{Difference, Report};
use serde_json::json;

use super::arguments::Serve;
use super::console::Console;
use super::interrupt;

/// Where a secret is taken from.
const TOKEN: &str = "GUESTLIST_TOKEN";
/// What `guestlist diff` takes for noise.
const LEVEL: f64 = 0.05;

pub fn run(options: &Serve, console: &Console) -> Result<ExitCode, Error> {
    let token = Token::find(options)?;
    // The program that runs audits is this one.
    let program = options
        .allow_run
        .then(|| guestlist::Launch::current().program.clone());
    let running = dashboard::start(Settings {
        folder: options.folder.clone(),
        address: SocketAddr::new(options.host, options.port),
        token: token.value(),
        public_url: options.public_url.clone(),
        access_log: options.access_log.clone(),
        program,
        compare,
    })?;
    tell(&running, options, &token, console);
    while !interrupt::asked() {
        if let Some(trouble) = running.log_trouble() {
            console.warn(&format!("warning: the access log lacks lines: {trouble}"));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    for folder in running.runs() {
        let name = if folder.is_empty() { "." } else { &folder };
        console.note(&format!(
            "stopping the audit in {name}; run it again to go on"
        ));
    }
    running.stop();
    Ok(ExitCode::Pass)
}

/// What visitors must know.
enum Token {
    None,
    Given(String),
    Made(String),
}

impl Token {
    /// A secret that is set always counts; beyond this machine there must be one, and a proxy is for others.
    fn find(options: &Serve) -> Result<Self, Error> {
        let given = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
        Ok(match given {
            Some(token) if token.chars().count() < LEAST_TOKEN => {
                return Err(Error::usage(
                    format!("{TOKEN} has fewer than {LEAST_TOKEN} characters"),
                    "set a longer secret, or unset it to have one made",
                ));
            }
            Some(token) => Token::Given(token),
            None if options.host.is_loopback() && options.public_url.is_none() => Token::None,
            None => Token::Made(dashboard::random_token()?),
        })
    }

    fn value(&self) -> Option<String> {
        match self {
            Token::None => None,
            Token::Given(token) | Token::Made(token) => Some(token.clone()),
        }
    }
}

fn tell(running: &Running, options: &Serve, token: &Token, console: &Console) {
    let address = running.address();
    let own = format!("http://{address}/");
    let public = options.public_url.as_ref().map(ToString::to_string);
    let place = public.as_ref().unwrap_or(&own);
    let words = match token {
        Token::None => format!("serving at {place}; Ctrl-C stops it"),
        Token::Given(_) => {
            format!("serving at {place}, with the token of {TOKEN}; Ctrl-C stops it")
        }
        Token::Made(token) => {
            format!("serving at {place}?token={token} (shown only now); Ctrl-C stops it")
        }
    };
    match token {
        // Without it nobody gets in, so that not even --quiet hushes it.
        Token::Made(_) => console.say(&words),
        _ => console.note(&words),
    }
    if !address.ip().is_loopback() {
        console.warn(&format!(
            "warning: {address} can be reached from other machines, and what is sent is not encrypted"
        ));
    }
    let mut event = json!({"event": "serving", "address": own});
    if let Some(public) = public {
        event["public_url"] = public.into();
    }
    console.event(&event);
}

fn compare(earlier: &Report, later: &Report) -> Result<Difference, String> {
    difference(earlier, later, LEVEL).map_err(|error| error.to_string())
}
