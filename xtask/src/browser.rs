//! A real browser for the tests of pages: Debian's Chromium, driven by Playwright's core from Node.

use std::path::PathBuf;
use std::process::Command;

use crate::debian::{self, last_line, said};
use crate::installing::{Installation, Lack};
use crate::needy::{Need, Variables};
use crate::shell::{Failed, root, succeeds};

/// The fonts are for the letters of the pages: a bare machine has none.
const PACKAGES: [&str; 2] = ["chromium", "fonts-dejavu-core"];
const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const FOLDER: &str = "target/node-browser";
const PLAYWRIGHT: &str = "playwright-core@1.65.0";

/// A browser, and what drives it.
pub fn need() -> Result<Need, Lack> {
    if !succeeds("node", &["--version"]) || !succeeds("npm", &["--version"]) {
        return Err(Lack::Uninstalled(
            "node and npm are not found; install Node 18 or newer".into(),
        ));
    }
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
        missing.push(Installation {
            what: PLAYWRIGHT.into(),
            place: FOLDER.into(),
            size: "3 MB",
            install: Box::new(install_playwright),
        });
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

/// A folder of our own that is filled once; the package brings no browser.
fn install_playwright() -> Result<(), Failed> {
    let mut command = Command::new("npm");
    command.args([
        "install",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--prefix",
    ]);
    let answer = said(command.arg(root().join(FOLDER)).arg(PLAYWRIGHT))?;
    match answer.status.success() {
        true => Ok(()),
        false => Err(Failed(format!(
            "npm could not install {PLAYWRIGHT}: {}",
            last_line(&answer.stderr)
        ))),
    }
}
