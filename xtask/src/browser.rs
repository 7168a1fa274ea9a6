//! A real browser for the tests of pages: Debian's Chromium, driven by Playwright's core from Node.

use std::path::PathBuf;
use std::process::Command;

use crate::debian::{self, last_line, said};
use crate::needy::Variables;
use crate::shell::{Failed, root, succeeds};

/// The fonts are for the letters of the pages: a bare machine has none.
const PACKAGES: [&str; 2] = ["chromium", "fonts-dejavu-core"];
const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const PLAYWRIGHT: &str = "playwright-core@1.65.0";

/// Makes sure that the tests find a browser and what drives it, or says why they cannot.
pub fn ready_for_tests() -> Result<Variables, Failed> {
    if !succeeds("node", &["--version"]) || !succeeds("npm", &["--version"]) {
        return Err(Failed(
            "node and npm are not found; install Node 18 or newer".into(),
        ));
    }
    let browser = match installed() {
        Some(program) => program,
        None => install()?,
    };
    Ok(vec![
        ("GUESTLIST_CHROMIUM", browser.into()),
        ("GUESTLIST_PLAYWRIGHT", playwright()?.into()),
    ])
}

fn installed() -> Option<&'static str> {
    PROGRAMS
        .into_iter()
        .find(|program| succeeds(program, &["--version"]))
}

fn install() -> Result<&'static str, Failed> {
    debian::check("Chromium", &PACKAGES)?;
    eprintln!("installing Chromium for the tests of pages");
    debian::install(&PACKAGES)?;
    installed().ok_or_else(|| Failed("Chromium was installed and does not start".into()))
}

/// A folder of our own that is filled once; the package brings no browser.
fn playwright() -> Result<PathBuf, Failed> {
    let folder = root().join("target/node-browser");
    let package = folder.join("node_modules/playwright-core");
    if !package.join("index.mjs").exists() {
        eprintln!("installing {PLAYWRIGHT} into {}", folder.display());
        let mut command = Command::new("npm");
        command.args([
            "install",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--prefix",
        ]);
        let answer = said(command.arg(&folder).arg(PLAYWRIGHT))?;
        if !answer.status.success() {
            let reason = last_line(&answer.stderr);
            return Err(Failed(format!(
                "npm could not install {PLAYWRIGHT}: {reason}"
            )));
        }
    }
    Ok(package)
}
