//! A program that was started by us ends with us, and with it whatever it started.

use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};

/// A program that does not outlive this value.
#[derive(Debug)]
pub struct Guarded(Child);

impl Guarded {
    /// Starts it, in a group of its own: Ctrl-C in a terminal does not reach it.
    pub fn spawn(mut command: Command) -> io::Result<Self> {
        group::apart(&mut command);
        command.spawn().map(Self)
    }

    /// Its input and output, where they are pipes, once.
    pub fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>) {
        (self.0.stdin.take(), self.0.stdout.take())
    }

    /// Where it complains, where that is a pipe, once.
    pub fn complaints(&mut self) -> Option<ChildStderr> {
        self.0.stderr.take()
    }

    /// How it ended, if it has.
    pub fn exited(&mut self) -> io::Result<Option<ExitStatus>> {
        self.0.try_wait()
    }

    /// Ends it now.
    pub fn end(&mut self) {
        group::end(&self.0);
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// The same without waiting for it: the system may keep a program that hangs in a driver for as long as it likes.
    pub fn abandon(mut self) {
        group::end(&self.0);
        let _ = self.0.kill();
        // Its end is waited for elsewhere, if there is one.
        let waiting = std::thread::Builder::new();
        let _ = waiting.spawn(move || drop(self));
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.end();
    }
}

/// A program and all it starts form a group of their own, which can be ended as one.
#[cfg(target_os = "linux")]
mod group {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    use rustix::process::{
        Pid, Signal, getpid, getppid, kill_process_group, set_parent_process_death_signal,
    };

    pub fn apart(command: &mut Command) {
        command.process_group(0);
        let parent = getpid();
        // SAFETY: the closure makes two system calls, which are allowed between fork and exec, and
        // touches no memory of the parent's.
        unsafe {
            // If guestlist itself is killed, work for nobody ends too; also if that happened
            // before this was said.
            command.pre_exec(move || {
                set_parent_process_death_signal(Some(Signal::KILL))?;
                match getppid() == Some(parent) {
                    true => Ok(()),
                    false => Err(std::io::ErrorKind::NotFound.into()),
                }
            });
        }
    }

    pub fn end(child: &Child) {
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
mod group {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    use rustix::process::{Pid, Signal, kill_process_group};

    pub fn apart(command: &mut Command) {
        command.process_group(0);
    }

    pub fn end(child: &Child) {
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

#[cfg(not(unix))]
mod group {
    use std::process::{Child, Command};

    pub fn apart(_command: &mut Command) {}

    pub fn end(_child: &Child) {}
}
