//! A workbench: a folder with data and a configuration, and the program to run there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Longer than any command takes, so that a hanging one fails its test.
const PATIENCE: Duration = Duration::from_secs(180);

pub struct Bench {
    folder: TempDir,
}

pub struct Output {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Output {
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        self
    }

    /// What is printed fits a terminal of 80 columns and about 40 lines.
    #[track_caller]
    pub fn is_one_screen(&self) {
        let (lines, widest) = self.stdout.lines().fold((0, 0), |(lines, widest), line| {
            (lines + 1, widest.max(line.chars().count()))
        });
        assert!(
            lines <= 42 && widest <= 80,
            "{lines} lines, {widest} wide:\n{}",
            self.stdout
        );
    }

    #[track_caller]
    pub fn complains(self, parts: &[&str]) {
        let said = self.exits(2).stderr;
        for part in parts {
            assert!(said.contains(part), "{part:?} is not in: {said}");
        }
        assert!(said.contains("hint: "), "no remedy in: {said}");
    }
}

/// A policy of three criteria, for every kind of audit.
pub const THREE_CRITERIA: &str = r#"
name = "three criteria"
attackers = ["strongest", "few-shot"]
[[criteria]]
measure = "auc"
threshold = 0.65
why = "The release threshold of the threat specification."
[[criteria]]
measure = "tpr@0.01"
threshold = 0.05
why = "Five times what chance names."
[[criteria]]
measure = "epsilon"
delta = 1e-5
threshold = 0.5
why = "Half an epsilon is the most that we want proved."
"#;

/// Two overlapping clouds of points with a number, a category and a class.
pub fn table(records: usize) -> String {
    let mut state = 7u64;
    let mut draw = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as f64 / f64::from(1u32 << 31)
    };
    let mut text = String::from("age,income,town,class\n");
    for _ in 0..records {
        let class = draw() < 0.5;
        let shift = if class { 0.6 } else { 0.0 };
        let town = ["Ulm", "Bonn", "?"][(draw() * 3.0) as usize];
        let age = 20.0 + 50.0 * (draw() + shift);
        let income = (draw() + draw() + shift) * 1000.0;
        let class = if class { "yes" } else { "no" };
        text += &format!("{age:.1},{income:.0},{town},{class}\n");
    }
    text
}

impl Bench {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// Data, and a configuration with these further lines.
    pub fn with(shadows: usize, training: &str) -> Self {
        let bench = Self::new();
        bench.write("data.csv", &table(240));
        bench.configure(shadows, training);
        bench
    }

    pub fn configure(&self, shadows: usize, training: &str) {
        self.write(
            "guestlist.toml",
            &format!(
                "kind = \"classifier\"\n[data]\npath = \"data.csv\"\nlabel = \"class\"\n\
                 [models]\nshadows = {shadows}\n[audit]\nattacks = \"lira,rmia\"\n\
                 [training]\nhidden = [16]\n{training}\n"
            ),
        );
    }

    /// What a policy of three criteria says of a report, as the outcomes of its criteria.
    #[track_caller]
    #[allow(dead_code)] // not every kind's tests have a demonstration
    pub fn three_criteria(&self, folder: &str, code: i32) -> Vec<String> {
        self.write("policy.toml", THREE_CRITERIA);
        let said = self.guestlist(&format!(
            "policy check {folder} --policy policy.toml --json"
        ));
        let said = said.exits(code).stdout;
        let events = said
            .lines()
            .map(|line| -> Value { serde_json::from_str(line).unwrap() });
        let criteria = events.filter(|event| event["event"] == "criterion");
        let outcome = |event: Value| event["criterion"]["outcome"].as_str().unwrap().to_owned();
        criteria.map(outcome).collect()
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &(impl AsRef<[u8]> + ?Sized)) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_guestlist"));
        command
            .current_dir(self.folder.path())
            .args(arguments.split_whitespace())
            // Demonstrations as people see them; else few sentences are broken where tests look for words.
            .env(
                "COLUMNS",
                if ["demo", "report"]
                    .iter()
                    .any(|one| arguments.starts_with(one))
                {
                    "80"
                } else {
                    "100"
                },
            )
            .env_remove("NO_COLOR")
            .env_remove("RUST_BACKTRACE")
            // One day for all: runs are compared, and midnight may lie between them.
            .env("SOURCE_DATE_EPOCH", "1773014400")
            .stdin(Stdio::null());
        command
    }

    pub fn guestlist(&self, arguments: &str) -> Output {
        let mut child = self
            .command(arguments)
            .stdout(fs::File::create(self.path(".stdout")).unwrap())
            .stderr(fs::File::create(self.path(".stderr")).unwrap())
            .spawn()
            .unwrap();
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > PATIENCE {
                child.kill().unwrap();
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let said = |name: &str| fs::read_to_string(self.path(name)).unwrap();
        Output {
            code: status.code(),
            stdout: said(".stdout"),
            stderr: said(".stderr"),
        }
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path(name)).unwrap()).unwrap()
    }

    /// The bytes of every file of the run.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        gather(&self.path("guestlist-run"), &mut found);
        let top = self.path("guestlist-run");
        found
            .into_iter()
            .map(|(path, bytes)| (path.strip_prefix(&top).unwrap().to_owned(), bytes))
            .collect()
    }

    /// When each finished model was put into its place.
    pub fn models(&self) -> BTreeMap<String, std::time::SystemTime> {
        let Ok(entries) = fs::read_dir(self.path("guestlist-run/models")) else {
            return BTreeMap::new();
        };
        entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_dir())
            .map(|path| {
                let time = fs::metadata(path.join("model.json")).unwrap().modified();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                (name, time.unwrap())
            })
            .collect()
    }
}

fn gather(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => gather(&path, found),
            false => {
                found.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
}
