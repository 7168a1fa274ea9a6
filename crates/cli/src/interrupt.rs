//! Ctrl-C: the first asks the work to stop and clean up, the second stops at once. A signal that whoever started
//! the program has it ignore stays ignored: `nohup` does so with the end of a terminal, and shells with the
//! Ctrl-C of jobs in the background.

use base::Cancel;
use guestlist::ExitCode;
#[cfg(unix)]
use nix::sys::signal::{SigHandler, Signal};

static CANCEL: Cancel = Cancel::new();

/// What all work of this program listens to.
pub fn cancel() -> &'static Cancel {
    &CANCEL
}

pub fn install() {
    ignore_file_limit();
    let ignored = ignored();
    // Without a handler Ctrl-C still ends the program; only the clean-up would be missing.
    let _ = ctrlc::set_handler(|| {
        if CANCEL.request() {
            std::process::exit(ExitCode::Interrupted as i32);
        }
    });
    leave_ignored(&ignored);
}

/// Those of the signals that end the program which it was started to ignore.
#[cfg(unix)]
fn ignored() -> Vec<Signal> {
    let ends = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM];
    ends.into_iter()
        .filter(|signal| {
            let before = set(*signal, SigHandler::SigIgn);
            before.is_some_and(|before| {
                set(*signal, before);
                matches!(before, SigHandler::SigIgn)
            })
        })
        .collect()
}

#[cfg(unix)]
fn leave_ignored(signals: &[Signal]) {
    for signal in signals {
        set(*signal, SigHandler::SigIgn);
    }
}

/// What was done about a signal before.
#[cfg(unix)]
fn set(signal: Signal, handler: SigHandler) -> Option<SigHandler> {
    // SAFETY: a signal is ignored, or gets back what it had; nothing of ours runs in a handler.
    unsafe { nix::sys::signal::signal(signal, handler) }.ok()
}

#[cfg(not(unix))]
fn ignored() {}

#[cfg(not(unix))]
fn leave_ignored(_: &()) {}

/// A write beyond the shell's file limit is then an error like that of a full disk, which cleans
/// up, and not the end of the program.
#[cfg(unix)]
fn ignore_file_limit() {
    use signal_hook::consts::SIGXFSZ;
    let seen = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let _ = signal_hook::flag::register(SIGXFSZ, seen);
}

#[cfg(not(unix))]
fn ignore_file_limit() {}

/// Whether someone asked to stop.
pub fn asked() -> bool {
    CANCEL.requested()
}
