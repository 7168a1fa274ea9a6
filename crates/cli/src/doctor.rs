//! `guestlist doctor`: whether guestlist can work here, and what is missing for what.

use guestlist::doctor::{DoctorRequest, examine};
use guestlist::{Error, ExitCode};
use serde_json::json;

use super::arguments::Doctor;
use super::console::Console;
use super::progress::follow;

pub fn run(options: &Doctor, console: &Console) -> Result<ExitCode, Error> {
    let request = DoctorRequest {
        out: options.out.clone(),
        python: options.python.clone(),
    };
    let found = follow(console, |progress| examine(&request, progress))?;
    for finding in &found.findings {
        let mut event = json!({"event": "finding"});
        if let (Some(event), Ok(serde_json::Value::Object(finding))) =
            (event.as_object_mut(), serde_json::to_value(finding))
        {
            event.extend(finding);
        }
        console.event(&event);
    }
    console.event(&json!({"event": "doctor", "works": found.works()}));
    let text = found.to_string();
    console.report(&text, text.lines().last().unwrap_or_default())?;
    Ok(match found.works() {
        true => ExitCode::Pass,
        false => ExitCode::Error,
    })
}
