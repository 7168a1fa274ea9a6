//! Ctrl-C: the first asks the work to stop and clean up, the second stops at once.

use std::sync::atomic::{AtomicBool, Ordering};

use guestlist::ExitCode;

static ASKED: AtomicBool = AtomicBool::new(false);

pub fn install() {
    // Without a handler Ctrl-C still ends the program; only the clean-up would be missing.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(ExitCode::Interrupted as i32);
        }
    });
}

/// Whether someone asked to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
