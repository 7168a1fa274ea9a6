//! Ctrl-C: the first asks the work to stop and clean up, the second stops at once.

use base::Cancel;
use guestlist::ExitCode;

static CANCEL: Cancel = Cancel::new();

/// What all work of this program listens to.
pub fn cancel() -> &'static Cancel {
    &CANCEL
}

pub fn install() {
    ignore_file_limit();
    // Without a handler Ctrl-C still ends the program; only the clean-up would be missing.
    let _ = ctrlc::set_handler(|| {
        if CANCEL.request() {
            std::process::exit(ExitCode::Interrupted as i32);
        }
    });
}

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
