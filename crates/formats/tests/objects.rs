//! Parquet in a real S3-compatible server (moto) on loopback, behind a proxy that counts: what comes is
//! what lies in a file, and no more of it travels than is read.

#![cfg(feature = "object-store")]
#![allow(clippy::unwrap_used)] // helpers of tests are tests too

extern crate guestlist_formats as formats;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::ops::Range;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use formats::parts::{Parts, files_of, stored};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

/// Longer than a server takes to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Ends with the test.
struct Server {
    child: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start() -> Self {
        let free = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let mut command = Command::new("python3");
        command.args([
            "-m",
            "moto.server",
            "-H",
            "127.0.0.1",
            "-p",
            &free.port().to_string(),
        ]);
        if let Some(path) = std::env::var_os("GUESTLIST_MOTO") {
            command.env("PYTHONPATH", path);
        }
        let child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self {
            child,
            address: free.to_string(),
        };
        let start = Instant::now();
        while TcpStream::connect(&server.address).is_err() {
            assert!(start.elapsed() < PATIENCE, "moto does not answer");
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }

    fn put(&self, place: &str, body: &[u8]) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        let head = format!(
            "PUT {place} HTTP/1.1\r\nHost: {}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n",
            self.address
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

/// What went through: the heads of requests, and how many bytes came back.
#[derive(Default)]
struct Seen {
    heads: Vec<String>,
    bytes: usize,
}

/// Hands every connection on, and counts.
fn proxy(to: String) -> (String, Arc<Mutex<Seen>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let seen = Arc::new(Mutex::new(Seen::default()));
    let counted = seen.clone();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let (client, server) = (client.unwrap(), TcpStream::connect(&to).unwrap());
            let (mut there, mut back) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            let (asked, answered) = (counted.clone(), counted.clone());
            let (mut client, mut server) = (client, server);
            std::thread::spawn(move || {
                pass(&mut there, &mut server, |bytes| {
                    let text = String::from_utf8_lossy(bytes).into_owned();
                    asked.lock().unwrap().heads.push(text);
                });
            });
            std::thread::spawn(move || {
                pass(&mut back, &mut client, |bytes| {
                    answered.lock().unwrap().bytes += bytes.len()
                });
            });
        }
    });
    (address, seen)
}

fn pass(from: &mut TcpStream, to: &mut TcpStream, mut look: impl FnMut(&[u8])) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read) = from.read(&mut buffer) {
        if read == 0 {
            break;
        }
        look(&buffer[..read]);
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

/// Scores beside a column of texts that no reader of scores wants and that is most of the file.
fn table(rows: Range<usize>) -> Vec<u8> {
    let ids: StringArray = rows.clone().map(|row| Some(format!("r{row}"))).collect();
    let members: BooleanArray = rows.clone().map(|row| Some(row % 2 == 0)).collect();
    let scores: Float64Array = rows
        .clone()
        .map(|row| (row % 7 != 0).then_some(row as f64))
        .collect();
    let notes: StringArray = rows
        .map(|row| Some(format!("{row:>2000}").replace(' ', &(row % 10).to_string())))
        .collect();
    let columns: [(&str, ArrayRef); 4] = [
        ("id", Arc::new(ids)),
        ("member", Arc::new(members)),
        ("note", Arc::new(notes)),
        ("loss", Arc::new(scores)),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_dictionary_enabled(false)
        .set_max_row_group_row_count(Some(500))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
#[ignore = "needs moto"]
fn in_object_storage_only_ranges_of_what_is_wanted_are_read() {
    let server = Server::start();
    let (address, seen) = proxy(server.address.clone());
    // SAFETY: no other thread of this test reads the environment yet.
    unsafe {
        for (name, value) in [
            ("AWS_ENDPOINT_URL", format!("http://{address}").as_str()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_ACCESS_KEY_ID", "somebody"),
            ("AWS_SECRET_ACCESS_KEY", "hush-hush"),
            ("AWS_REGION", "us-east-1"),
        ] {
            std::env::set_var(name, value);
        }
    }
    let (whole, first, second) = (table(0..3000), table(0..1000), table(1000..3000));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("whole.parquet");
    std::fs::write(&file, &whole).unwrap();
    server.put("/box", b"");
    server.put("/box/whole.parquet", &whole);
    server.put("/box/many/part-00000.parquet", &first);
    server.put("/box/many/part-00001.parquet", &second);
    server.put("/box/many/_SUCCESS", b"");

    let expected = formats::scores::read(&file).unwrap();
    let taken = |seen: &Mutex<Seen>| std::mem::take(&mut *seen.lock().unwrap());
    for (place, all) in [
        ("whole.parquet", whole.len()),
        ("many", first.len() + second.len()),
    ] {
        taken(&seen);
        let found = formats::scores::read(Path::new(&format!("s3://box/{place}"))).unwrap();
        assert_eq!(found.ids, expected.ids);
        assert_eq!(found.members, expected.members);
        let bits = |scores: &formats::scores::PrecomputedScores| {
            let column = scores.columns[0].1.as_slice().iter();
            column.map(|score| score.to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(bits(&found), bits(&expected));
        let seen = taken(&seen);
        assert!(seen.bytes * 5 < all, "{} bytes of {all} came", seen.bytes);
        let fetched = seen
            .heads
            .iter()
            .filter(|head| head.starts_with("GET /box/") && head.contains(".parquet"));
        assert!(fetched.clone().count() > 0);
        for head in fetched {
            assert!(head.to_lowercase().contains("range: bytes="), "{head}");
        }
        assert!(seen.heads.iter().all(|head| !head.contains("hush-hush")));
    }

    // What stands in for a digest, and what is listed.
    let object = stored(Path::new("s3://box/whole.parquet")).unwrap();
    assert!(
        object.size == whole.len() as u64 && object.etag.is_some(),
        "{object:?}"
    );
    let files = files_of(Path::new("s3://box/many/")).unwrap();
    let files: Vec<String> = files
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    assert_eq!(
        files,
        [
            "s3://box/many/part-00000.parquet",
            "s3://box/many/part-00001.parquet"
        ]
    );

    // An object that is replaced while it is read is refused, not mixed.
    let parts = Parts::open(Path::new("s3://box/whole.parquet")).unwrap();
    server.put("/box/whole.parquet", &table(5..3005));
    let error = parts
        .read(|_| true, 1000)
        .find_map(Result::err)
        .unwrap()
        .to_string();
    assert!(error.contains("replaced while it was read"), "{error}");

    let error = formats::scores::read(Path::new("s3://box/nowhere"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("bucket box has no object \"nowhere\"") && error.contains("hint"),
        "{error}"
    );
    let error = formats::scores::read(Path::new("s3://nobody/x"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("s3://nobody/x") && !error.contains("hush-hush"),
        "{error}"
    );
}
