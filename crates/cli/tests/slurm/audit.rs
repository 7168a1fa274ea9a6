//! An audit's folder, the program at work in it, and what it leaves.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::cluster::{self, Cluster};

/// Longer than anything takes, so that what hangs fails its test.
const PATIENCE: Duration = Duration::from_secs(240);

pub struct Audit {
    folder: TempDir,
}

impl Audit {
    pub fn new(configuration: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("guestlist.toml"), configuration).unwrap();
        Self { folder }
    }

    /// Handwritten digits. Training takes about a millisecond an epoch.
    pub fn digits(models: usize, epochs: u32) -> Self {
        let shadows = models - 1;
        let audit = Self::new(&format!(
            "kind = \"classifier\"\n\
             [data]\npath = \"digits.csv.gz\"\nlabel = \"digit\"\n\
             [models]\nshadows = {shadows}\n\
             [training]\nhidden = [64]\nepochs = {epochs}\n\
             [run]\nfolder = \"out\"\n\
             [slurm]\npoll = 0.2\n[ray]\npoll = 0.2\n\
             [audit]\nattacks = [\"lira\", \"rmia\", \"loss\"]\n"
        ));
        let data = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../rehearsal/data/digits.csv.gz"
        );
        fs::copy(data, audit.path("digits.csv.gz")).unwrap();
        audit
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts `guestlist run` on the cluster.
    pub fn start(&self, cluster: &Cluster) -> Running {
        self.start_with(cluster, |_| {})
    }

    pub fn start_with(&self, cluster: &Cluster, adapt: impl FnOnce(&mut Command)) -> Running {
        let mut command = self.command(cluster::EXECUTOR);
        cluster.show(&mut command);
        adapt(&mut command);
        self.spawn(command)
    }

    /// Runs it on this machine, for comparison.
    pub fn run_here(&self) -> Output {
        self.spawn(self.command("local")).said()
    }

    fn command(&self, executor: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_guestlist"));
        command
            .args(["run", "--executor", executor])
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }

    fn spawn(&self, mut command: Command) -> Running {
        let stderr = self.path("stderr.txt");
        let child = command
            .stderr(File::create(&stderr).unwrap())
            .spawn()
            .unwrap();
        Running { child, stderr }
    }

    /// A process that trains one of the models now, on that node if one is named.
    pub fn worker(&self, node: Option<&str>) -> Option<u32> {
        let plan = self.path("out/plan.json");
        let trains = |pid: &u32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let mut words = line.split(|byte| *byte == 0).skip(1);
            words.next() == Some(b"work")
                && words.next() == Some(plan.as_os_str().as_encoded_bytes())
        };
        let runs_there = |pid: &u32| {
            let Some(node) = node else { return true };
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let mut variables = environment.split(|b| *b == 0);
            variables.any(|variable| cluster::is_of(variable, node))
        };
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let mut pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.find(|pid| trains(pid) && runs_there(pid))
    }

    pub fn has_model(&self, model: usize) -> bool {
        self.path(&format!("out/models/{model:05}")).exists()
    }

    /// All that must not depend on where models were trained: report, scores and every file of
    /// every model, byte for byte.
    #[track_caller]
    pub fn agrees_with(&self, other: &Audit) {
        let (ours, theirs) = (self.results(), other.results());
        assert_eq!(
            ours.keys().collect::<Vec<_>>(),
            theirs.keys().collect::<Vec<_>>()
        );
        for (name, bytes) in &ours {
            assert!(theirs[name] == *bytes, "{} differs", name.display());
        }
    }

    fn results(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let out = self.path("out");
        let mut files = BTreeMap::new();
        for name in ["report.json", "scores.parquet"] {
            files.insert(name.into(), fs::read(out.join(name)).unwrap());
        }
        collect(&out, Path::new("models"), &mut files);
        files
    }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(root.join(folder)).unwrap() {
        let name = folder.join(entry.unwrap().file_name());
        match root.join(&name).is_dir() {
            true => collect(root, &name, files),
            false => {
                files.insert(name.clone(), fs::read(root.join(&name)).unwrap());
            }
        }
    }
}

/// The program at work; it does not outlive this value.
pub struct Running {
    child: Child,
    stderr: PathBuf,
}

/// How it ended.
pub struct Output {
    pub code: Option<i32>,
    pub stderr: String,
}

impl Running {
    pub fn stderr(&self) -> String {
        fs::read_to_string(&self.stderr).unwrap()
    }

    /// Waits for something to happen while the program is at work.
    #[track_caller]
    pub fn until<T>(&mut self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(found) = look() {
                return found;
            }
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "it ended before {what}: {}", self.stderr());
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("in vain for {what}: {}", self.stderr());
    }

    #[track_caller]
    pub fn until_it_says(&mut self, words: &str) {
        let stderr = self.stderr.clone();
        let said = || fs::read_to_string(&stderr).is_ok_and(|text| text.contains(words));
        self.until(words, || said().then_some(()));
    }

    pub fn signal(&self, signal: &str) {
        send(signal, self.child.id());
    }

    #[track_caller]
    pub fn said(mut self) -> Output {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                return Output {
                    code: status.code(),
                    stderr: self.stderr(),
                };
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it does not end: {}", self.stderr());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Output {
    /// Whatever the verdict is, there is one.
    #[track_caller]
    pub fn gives_a_verdict(self) -> Self {
        assert!(matches!(self.code, Some(0 | 1 | 3)), "{}", self.stderr);
        self
    }

    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        self
    }

    #[track_caller]
    pub fn says(self, words: &str) -> Self {
        assert!(self.stderr.contains(words), "{words}: {}", self.stderr);
        self
    }
}

pub fn send(signal: &str, pid: u32) {
    let pid = pid.to_string();
    let sent = Command::new("kill").args([signal, &pid]).status().unwrap();
    assert!(sent.success());
}
