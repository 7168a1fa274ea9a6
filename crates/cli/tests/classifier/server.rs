//! A program that serves, for tests: it notes what it does in files, and misbehaves as it is told.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench::{Bench, Output};

/// Longer than anything takes, so that what hangs fails its test.
const PATIENCE: Duration = Duration::from_secs(180);

/// What every program here has. A line of a file is written at once, so that none is ever half there.
const COMMON: &str = r#"
import json, os, struct, sys, time

def note(name, text):
    with open(name, "a") as file:
        file.write(text + "\n")

def wait_for_ever():
    note("waiting", str(os.getpid()))
    time.sleep(600)

def answer(document):
    print(json.dumps(document))

def train(job):
    print("training model", job["model"])
    records = job["records"]
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % records
    header = header.ljust(117) + "\n"
    with open(job["output"], "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        numbers = [0.01 * r + 0.1 * (r in (job["model"], 7)) for r in range(records)]
        out.write(struct.pack("<%df" % records, *numbers))
    note("trained", str(job["model"]))

note("starts", str(os.getpid()))
"#;

const ONE_AFTER_ANOTHER: &str = r#"
assert os.environ["GUESTLIST_SERVE"] == "1"
for line in sys.stdin:
    job = json.loads(line)
    assert job["schema"] == "guestlist.job/1"
    with open(job["job"]) as file:
        document = json.load(file)
    assert document == {key: job[key] for key in document}
MISBEHAVIOUR
    train(job)
    answer({"model": job["model"]})
"#;

/// Trains what it has when an empty line comes, and answers in reverse.
const IN_BATCHES: &str = r#"
jobs = []
for line in sys.stdin:
    if line.strip():
        jobs.append(json.loads(line))
        assert len(jobs) <= int(os.environ["GUESTLIST_MODELS_AT_ONCE"])
        continue
    note("batches", str(len(jobs)))
    for job in jobs:
        pass
MISBEHAVIOUR
    for job in jobs:
        train(job)
    for job in reversed(jobs):
        answer({"model": job["model"]})
    jobs = []
"#;

const ONCE: &str = "
with open(sys.argv[1]) as file:
    train(json.load(file))
";

pub struct Server {
    pub bench: Bench,
}

impl Server {
    /// Nine models, with lines of `[run]` and `[command]`, and what the program does to a job before
    /// it trains.
    pub fn new(run: &str, command: &str, misbehaviour: &str) -> Self {
        let server = Self::configured(run, command, "\"serve.py\"");
        server.program(ONE_AFTER_ANOTHER, misbehaviour);
        server
    }

    /// A program that takes four models at once.
    pub fn batches(misbehaviour: &str) -> Self {
        let command = "serve = true\nmodels_at_once = 4\nretries = 1";
        let server = Self::configured("workers = 1", command, "\"serve.py\"");
        let of_each: String = misbehaviour.lines().map(|l| format!("    {l}\n")).collect();
        server.program(IN_BATCHES, &of_each);
        server
    }

    fn configured(run: &str, command: &str, arguments: &str) -> Self {
        let bench = Bench::new();
        bench.write(
            "guestlist.toml",
            &format!(
                "kind = \"classifier\"\n[data]\nrecords = 40\n[models]\nshadows = 8\n\
                 [run]\n{run}\n[audit]\nattacks = \"lira\"\n\
                 [command]\nrun = [\"python3\", {arguments}]\noutput = \"phi\"\n{command}\n"
            ),
        );
        Self { bench }
    }

    fn program(&self, text: &str, misbehaviour: &str) {
        let lines = misbehaviour.lines().map(|line| format!("    {line}\n"));
        let text = text.replace("MISBEHAVIOUR\n", &lines.collect::<String>());
        self.bench.write("serve.py", &format!("{COMMON}{text}"));
    }

    /// The same models by a program that is started for each.
    pub fn one_start_per_model(&self) -> Bench {
        let other = Self::configured("", "", "\"train.py\", \"{job}\"");
        other.bench.write("train.py", &format!("{COMMON}{ONCE}"));
        other.trains_all();
        other.bench
    }

    pub fn configure(&self, from: &str, to: &str) {
        let text = self.text("guestlist.toml");
        assert!(text.contains(from));
        self.bench.write("guestlist.toml", &text.replace(from, to));
    }

    #[track_caller]
    pub fn trains_all(&self) -> &Bench {
        let said = self.bench.guestlist("run");
        assert_ne!(said.code, Some(2), "{}", said.stderr);
        assert!(
            !said.stderr.contains("failed"),
            "no attempt fails: {}",
            said.stderr
        );
        assert_eq!(self.bench.models().len(), 9);
        &self.bench
    }

    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.bench.path(name)).unwrap_or_default()
    }

    /// The process of every start.
    pub fn starts(&self) -> Vec<String> {
        self.text("starts").lines().map(str::to_owned).collect()
    }

    /// How often each model was trained to its end.
    pub fn trained(&self) -> BTreeMap<usize, usize> {
        let mut trained = BTreeMap::new();
        for model in self.text("trained").lines() {
            *trained.entry(model.parse().unwrap()).or_default() += 1;
        }
        trained
    }

    #[track_caller]
    pub fn trained_each_once(&self, models: std::ops::Range<usize>) {
        let wanted: BTreeMap<usize, usize> = models.map(|model| (model, 1)).collect();
        assert_eq!(self.trained(), wanted);
    }

    /// The process that was the nth to wait for ever.
    pub fn waiting(&self, place: usize) -> Option<String> {
        self.text("waiting").lines().nth(place).map(str::to_owned)
    }

    pub fn kill(&self, signal: &str, pid: &str) {
        let sent = Command::new("kill").args([signal, pid]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits until a process is gone.
    #[track_caller]
    pub fn gone(&self, pid: &str) {
        let start = Instant::now();
        while lives(pid) {
            assert!(start.elapsed() < PATIENCE, "{pid} is left");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Starts `guestlist run`.
    pub fn start(&self) -> Running {
        let stderr = self.bench.path("stderr.txt");
        let child = self
            .bench
            .command("run")
            .stdout(Stdio::null())
            .stderr(File::create(&stderr).unwrap())
            .spawn()
            .unwrap();
        Running { child, stderr }
    }
}

/// Whether a process is there and not merely unburied.
pub fn lives(pid: &str) -> bool {
    let found = Command::new("kill")
        .args(["-0", pid])
        .stderr(Stdio::null())
        .status();
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let unburied = state
        .rsplit(')')
        .next()
        .is_some_and(|rest| rest.trim().starts_with('Z'));
    found.unwrap().success() && !unburied
}

/// The program at work; it does not outlive this value.
pub struct Running {
    child: Child,
    stderr: PathBuf,
}

impl Running {
    /// Waits for something to happen while the program is at work.
    #[track_caller]
    pub fn until<T>(&mut self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(found) = look() {
                return found;
            }
            let said = || fs::read_to_string(&self.stderr).unwrap();
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "it ended before {what}: {}", said());
            assert!(start.elapsed() < PATIENCE, "in vain for {what}: {}", said());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status().unwrap();
        assert!(sent.success());
    }

    #[track_caller]
    pub fn said(mut self) -> Output {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return Output {
                    code: status.code(),
                    stdout: String::new(),
                    stderr: fs::read_to_string(&self.stderr).unwrap(),
                };
            }
            assert!(start.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
