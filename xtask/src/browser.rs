//! A real browser for the tests of pages: Debian's Chromium, driven by Playwright's core from Node.

use std::path::PathBuf;

use crate::debian;
use crate::installing::Lack;
use crate::needy::{Need, Variables};
use crate::node;
use crate::shell::{Failed, root, succeeds};

/// The fonts are for the letters of the pages: a bare machine has none.
const PACKAGES: [&str; 2] = ["chromium", "fonts-dejavu-core"];
const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const FOLDER: &str = "target/node-browser";
const PLAYWRIGHT: &str = "playwright-core@1.65.0";

/// A browser, and what drives it.
pub fn need() -> Result<Need, Lack> {
    node::check()?;
    let mut missing = Vec::new();
    if browser().is_none() {
        missing.push(debian::installation(
            "Chromium",
            &PACKAGES,
            "about 120 MB",
            || debian::install(&PACKAGES),
        )?);
    }
    if !package().join("index.mjs").exists() {
        // The package brings no browser.
        missing.push(node::installation(PLAYWRIGHT, FOLDER, "3 MB"));
    }
    Ok(Need {
        missing,
        variables: Box::new(variables),
    })
}

fn variables() -> Result<Variables, Lack> {
    let browser = browser();
    let browser = browser.ok_or_else(|| Failed("Chromium does not start".into()))?;
    Ok(vec![
        ("GUESTLIST_CHROMIUM", browser.into()),
        ("GUESTLIST_PLAYWRIGHT", package().into()),
    ])
}

fn browser() -> Option<&'static str> {
    PROGRAMS
        .into_iter()
        .find(|program| succeeds(program, &["--version"]))
}

fn package() -> PathBuf {
    root().join(FOLDER).join("node_modules/playwright-core")
}
