//! A Slurm that lives as long as a test.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Longer than anything that cluster.py does.
const PATIENCE: Duration = Duration::from_secs(120);

/// What the configuration calls it.
pub const EXECUTOR: &str = "slurm";

/// Whether a variable is one of a node's own processes.
pub fn is_of(variable: &[u8], node: &str) -> bool {
    variable == format!("SLURMD_NODENAME={node}").as_bytes()
}

/// Ended by its own keeper, cluster.py, when the pipe to it closes: also if this process is
/// killed.
pub struct Cluster {
    keeper: Child,
    orders: Option<ChildStdin>,
    answers: Receiver<String>,
    folder: TempDir,
    _turn: File,
}

impl Cluster {
    /// Options as cluster.py has them.
    pub fn start(options: &[&str]) -> Self {
        // One cluster at a time is enough for a small machine.
        let turn = File::create(concat!(env!("CARGO_TARGET_TMPDIR"), "/slurm.lock")).unwrap();
        turn.lock().unwrap();
        // Slurm's sockets want a short path.
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/slurm/cluster.py");
        let mut keeper = Command::new("python3")
            .arg(script)
            .arg("run")
            .arg(folder.path())
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // A signal to the tests as a group leaves it alive to clean up.
            .process_group(0)
            .spawn()
            .unwrap();
        let (send, answers) = channel();
        let stdout = BufReader::new(keeper.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = send.send(line);
            }
        });
        let orders = keeper.stdin.take();
        let cluster = Self {
            keeper,
            orders,
            answers,
            folder,
            _turn: turn,
        };
        cluster.answers("ready");
        cluster
    }

    /// Tells a program where the cluster is.
    pub fn show(&self, command: &mut Command) {
        command.env("SLURM_CONF", self.configuration());
    }

    fn configuration(&self) -> PathBuf {
        self.folder.path().join("slurm.conf")
    }

    /// One of Slurm's programs, with what it said.
    pub fn slurm(&self, program: &str, arguments: &[&str]) -> String {
        let output = Command::new(program)
            .args(arguments)
            .env("SLURM_CONF", self.configuration())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{program} {arguments:?}: {said}");
        said
    }

    /// Every task there ever was, as `array_task`, in order.
    pub fn tasks(&self) -> Vec<String> {
        let arguments = ["--noheader", "--array", "--states=all", "--format=%F_%K"];
        let said = self.slurm("squeue", &arguments);
        let mut tasks: Vec<String> = said.split_whitespace().map(str::to_owned).collect();
        tasks.sort();
        tasks
    }

    /// Tasks that wait or run.
    pub fn under_way(&self) -> usize {
        let said = self.slurm("squeue", &["--noheader", "--array"]);
        said.lines().count()
    }

    /// `stop`, `kill` or `up`, and a daemon.
    pub fn order(&mut self, order: &str) {
        writeln!(self.orders.as_mut().unwrap(), "{order}").unwrap();
        self.answers("done");
    }

    #[track_caller]
    fn answers(&self, expected: &str) {
        let answer = self.answers.recv_timeout(PATIENCE);
        assert_eq!(answer.as_deref(), Ok(expected));
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.orders.take());
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Ok(Some(_)) = self.keeper.try_wait() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}
