//! Between reader and server: counts what passes, and does to it what networks do.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};

/// What went through: the heads of requests, and how many bytes came back.
#[derive(Default)]
pub struct Seen {
    pub heads: Vec<String>,
    pub bytes: usize,
}

/// What becomes of connections.
#[derive(Clone, Default)]
pub enum Weather {
    #[default]
    Fair,
    /// So many connections break after so many bytes of their answers.
    Breaking { connections: usize, after: usize },
    /// Nobody is there.
    Away,
    /// Every request is answered with this instead.
    Answered(&'static str),
}

#[derive(Clone, Default)]
pub struct Proxy {
    seen: Arc<Mutex<Seen>>,
    weather: Arc<Mutex<Weather>>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    /// Hands every connection on to the server; gives its own address.
    pub fn start(to: String) -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let proxy = Self::default();
        let own = proxy.clone();
        std::thread::spawn(move || {
            for client in listener.incoming() {
                own.connect(client.unwrap(), &to);
            }
        });
        (proxy, address)
    }

    /// Connections that are open end: a reader would go on with them as if nothing had changed.
    pub fn set(&self, weather: Weather) {
        *self.weather.lock().unwrap() = weather;
        for open in self.open.lock().unwrap().drain(..) {
            let _ = open.shutdown(Shutdown::Both);
        }
    }

    /// What was seen since this was asked last.
    pub fn taken(&self) -> Seen {
        std::mem::take(&mut *self.seen())
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }

    /// What this connection may bring back before it breaks.
    fn allowed(&self) -> usize {
        match &mut *self.weather.lock().unwrap() {
            Weather::Breaking { connections, after } if *connections > 0 => {
                *connections -= 1;
                *after
            }
            _ => usize::MAX,
        }
    }

    fn connect(&self, client: TcpStream, to: &str) {
        let weather = self.weather.lock().unwrap().clone();
        match weather {
            Weather::Away => drop(client),
            Weather::Answered(answer) => answered(client, answer),
            Weather::Fair | Weather::Breaking { .. } => self.handed_on(client, to),
        }
    }

    fn handed_on(&self, mut client: TcpStream, to: &str) {
        let mut server = TcpStream::connect(to).unwrap();
        let open = client.try_clone().unwrap();
        self.open.lock().unwrap().push(open);
        let (mut there, mut back) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        let (asking, answering) = (self.clone(), self.clone());
        std::thread::spawn(move || {
            pass(&mut there, &mut server, usize::MAX, |bytes| {
                let text = String::from_utf8_lossy(bytes).into_owned();
                asking.seen().heads.push(text);
            });
        });
        std::thread::spawn(move || {
            let allowed = answering.allowed();
            pass(&mut back, &mut client, allowed, |bytes| {
                answering.seen().bytes += bytes.len();
            });
        });
    }
}

fn pass(from: &mut TcpStream, to: &mut TcpStream, mut allowed: usize, mut look: impl FnMut(&[u8])) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read) = from.read(&mut buffer) {
        let read = read.min(allowed);
        if read == 0 {
            break;
        }
        allowed -= read;
        look(&buffer[..read]);
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let side = match allowed {
        0 => Shutdown::Both,
        _ => Shutdown::Write,
    };
    let _ = to.shutdown(side);
}

/// Reads a request, which has no body here, and says the same to every one.
fn answered(mut client: TcpStream, answer: &'static str) {
    std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        if client.read(&mut buffer).is_ok() {
            let _ = client.write_all(answer.as_bytes());
        }
        let _ = client.shutdown(Shutdown::Both);
    });
}
