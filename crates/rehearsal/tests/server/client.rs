//! Just enough HTTP to ask a server.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

pub struct Response {
    pub status: u16,
    /// Without the sizes of chunks.
    pub body: String,
}

impl Response {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

pub fn get(address: SocketAddr, path: &str) -> Response {
    send(
        address,
        &format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
    )
}

pub fn ask(address: SocketAddr, body: &str, headers: &str) -> Response {
    let length = body.len();
    send(
        address,
        &format!(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
        ),
    )
}

fn send(address: SocketAddr, request: &str) -> Response {
    let mut connection = TcpStream::connect(address).unwrap();
    connection
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    // A server that refuses a large body hangs up before it has read it.
    let _ = connection.write_all(request.as_bytes());
    let mut bytes = Vec::new();
    let _ = connection.read_to_end(&mut bytes);
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    Response {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        body: if chunked {
            join_chunks(body)
        } else {
            body.to_owned()
        },
    }
}

fn join_chunks(mut body: &str) -> String {
    let mut joined = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        joined.push_str(&rest[..size]);
        body = &rest[size + 2..];
        if size == 0 {
            break;
        }
    }
    joined
}
