//! `cargo xtask gen`: pages that come from the code. Tests write them, or compare them: they know
//! the code, and we need not be built with it.

use crate::shell::{Failed, cargo_command, run};

const TESTS: [&str; 6] = [
    "test",
    "--workspace",
    "--release",
    "--quiet",
    "--test",
    "generated",
];

/// With `--check` nothing is written, and a page that differs is a failure.
pub fn pages(check: bool) -> Result<(), Failed> {
    let mut command = cargo_command();
    command.args(TESTS);
    if !check {
        command.env("GUESTLIST_WRITE_PAGES", "1");
    }
    run(&mut command)
}
