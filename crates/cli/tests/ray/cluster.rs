//! A Ray that lives as long as a test.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Longer than anything that cluster.py does.
const PATIENCE: Duration = Duration::from_secs(400);

/// What the configuration calls it.
pub const EXECUTOR: &str = "ray";

/// Whether a variable is one of a node's own processes, as cluster.py marks them.
pub fn is_of(variable: &[u8], node: &str) -> bool {
    variable.starts_with(b"LOOPBACK_RAY=") && variable.ends_with(format!(":{node}").as_bytes())
}

/// Ended by its own keeper, cluster.py, when the pipe to it closes: also if this process is killed.
pub struct Cluster {
    keeper: Child,
    orders: Option<ChildStdin>,
    answers: Receiver<String>,
    address: String,
    _folder: TempDir,
    _turn: File,
}

impl Cluster {
    pub fn start() -> Self {
        // One cluster at a time is enough for a small machine.
        let turn = File::create(concat!(env!("CARGO_TARGET_TMPDIR"), "/ray.lock")).unwrap();
        turn.lock().unwrap();
        // Ray's sockets want a short path.
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ray/cluster.py");
        let mut command = Command::new("python3");
        if let Some(path) = std::env::var_os("GUESTLIST_TEST_RAY_PYTHONPATH") {
            command.env("PYTHONPATH", path);
        }
        let mut keeper = command
            .arg(script)
            .arg("run")
            .arg(folder.path())
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
        let mut cluster = Self {
            keeper,
            orders,
            answers,
            address: String::new(),
            _folder: folder,
            _turn: turn,
        };
        let said = cluster.answer();
        let address = said.strip_prefix("ready ");
        cluster.address = address.unwrap_or_else(|| panic!("{said}")).to_owned();
        cluster
    }

    /// Tells a program where the cluster is.
    pub fn show(&self, command: &mut Command) {
        command.env("RAY_ADDRESS", &self.address);
    }

    /// `kill` or `up`, and a node.
    #[track_caller]
    pub fn order(&mut self, order: &str) {
        writeln!(self.orders.as_mut().unwrap(), "{order}").unwrap();
        assert_eq!(self.answer(), "done");
    }

    #[track_caller]
    fn answer(&self) -> String {
        self.answers.recv_timeout(PATIENCE).unwrap()
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
