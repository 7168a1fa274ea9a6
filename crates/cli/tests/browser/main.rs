//! Pages in a real browser. A test makes the page; a script beside it looks at it in Chromium.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod dashboard;
#[path = "../commands/npy.rs"]
#[allow(dead_code)] // shared with the tests of the command line
mod npy;
mod page;
mod report;
#[path = "../commands/signals.rs"]
#[allow(dead_code)] // shared with the tests of the command line
mod signals;

use page::run;

/// What the other tests build on: that errors of a page, and what it asks of the network, are noticed.
#[test]
#[ignore = "needs Chromium"]
fn in_a_browser_errors_and_requests_are_noticed() {
    run("harness.test.mjs", &[]);
}
