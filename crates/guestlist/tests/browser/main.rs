//! Pages in a real browser. A test makes the page; a script beside it looks at it in Chromium.

mod page;

use page::run;

/// What the other tests build on: that errors of a page, and what it asks of the network, are noticed.
#[test]
#[ignore = "needs Chromium"]
fn in_a_browser_errors_and_requests_are_noticed() {
    run("harness.test.mjs", &[]);
}
