//! `guestlist verify` and `guestlist sign`: is an audit's folder as it was written, and who stands for it?

use guestlist::evidence::{self, Request, Signers, Verification};
use guestlist::{Error, ExitCode};
use serde_json::json;

use super::arguments::{Sign, Verify};
use super::console::Console;

pub fn run(options: &Verify, console: &Console) -> Result<ExitCode, Error> {
    let signers = options.signers.as_ref().map(|file| Signers {
        file: file.clone(),
        identity: options.identity.clone(),
    });
    let request = Request {
        inputs: options.inputs.clone(),
        signers,
    };
    let found = evidence::verify(&options.dir, &request)?;
    tell(&found, console);
    console.report(&found.text(), &found.conclusion())?;
    Ok(match found.holds() {
        true => ExitCode::Pass,
        false => ExitCode::Fail,
    })
}

pub fn sign(options: &Sign, console: &Console) -> Result<ExitCode, Error> {
    let path = evidence::sign(&options.dir, &options.key)?;
    console.event(&json!({"event": "signed", "file": path.display().to_string()}));
    console.note(&format!("wrote {}", path.display()));
    Ok(ExitCode::Pass)
}

fn tell(found: &Verification, console: &Console) {
    for (event, all) in [("file", &found.files), ("input", &found.inputs)] {
        for one in all {
            let place = one.found.as_ref().map(|place| place.display().to_string());
            console.event(&json!({
                "event": event, "path": one.path, "state": one.state.word(), "found": place,
            }));
        }
    }
    console.event(&json!({
        "event": "verification", "holds": found.holds(), "report": found.says,
        "signature": found.signature.to_string(), "conclusion": found.conclusion(),
    }));
}
