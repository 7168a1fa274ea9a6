//! A real S3-compatible server (moto), and where the reader finds it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::proxy::{Proxy, Weather};

/// Longer than a server takes to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

pub const SECRET: &str = "hush-hush";

/// Ends with the test. The reader knows its store by the environment, which a program has once: so there is one
/// store, and one test has it.
pub struct Store {
    child: Child,
    /// Where it lies without the proxy.
    address: String,
    pub proxy: Proxy,
}

impl Drop for Store {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Store {
    pub fn start() -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let (proxy, outside) = Proxy::start(address.to_string());
        // SAFETY: no other thread reads the environment yet.
        unsafe {
            for (name, value) in [
                ("AWS_ENDPOINT_URL", format!("http://{outside}").as_str()),
                ("AWS_ALLOW_HTTP", "true"),
                ("AWS_ACCESS_KEY_ID", "somebody"),
                ("AWS_SECRET_ACCESS_KEY", SECRET),
                ("AWS_REGION", "us-east-1"),
            ] {
                std::env::set_var(name, value);
            }
        }
        let store = Self {
            child: server(address.port()),
            address: address.to_string(),
            proxy,
        };
        let start = Instant::now();
        while TcpStream::connect(&store.address).is_err() {
            assert!(start.elapsed() < PATIENCE, "moto does not answer");
            std::thread::sleep(Duration::from_millis(50));
        }
        store
    }

    /// An empty bucket `box`, fair weather, and everybody let in.
    pub fn emptied(&self) -> &Self {
        self.proxy.set(Weather::Fair);
        self.ask("POST", "/moto-api/reset-auth", b"1000000000");
        self.ask("POST", "/moto-api/reset", b"");
        self.ask("PUT", "/box", b"");
        self.proxy.taken();
        self
    }

    pub fn put(&self, place: &str, body: &[u8]) {
        self.ask("PUT", place, body);
    }

    /// From now on the server lets in only those it knows, and it knows nobody.
    pub fn let_nobody_in(&self) {
        self.ask("POST", "/moto-api/reset-auth", b"0");
    }

    /// Past the proxy, signed by anybody: of who is nobody, moto replaces no object.
    fn ask(&self, method: &str, place: &str, body: &[u8]) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "{method} {place} HTTP/1.1\r\nHost: {}\r\nAuthorization: AWS anybody:x\r\nContent-Length: {}\r\nConnection: \
             close\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

fn server(port: u16) -> Child {
    let mut command = Command::new("python3");
    let port = port.to_string();
    command.args(["-m", "moto.server", "-H", "127.0.0.1", "-p", &port]);
    if let Some(path) = std::env::var_os("GUESTLIST_MOTO") {
        command.env("PYTHONPATH", path);
    }
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}
