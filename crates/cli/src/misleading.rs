//! `guestlist demo misleading`: mistakes of published code beside what guestlist says.

use guestlist::{Error, ExitCode};
use rehearsal::misleading::{CASES, Case, Claim, Sides, find};
use report::wrap;
use serde_json::json;

use super::arguments::Demo;
use super::console::Console;
use super::demo::request;
use super::interrupt;

pub fn run(options: &Demo, console: &Console) -> Result<ExitCode, Error> {
    if options.epsilon.is_some() {
        return Err(request(options).foreign("epsilon", "the classifier"));
    }
    if !options.defences.is_empty() {
        return Err(request(options).foreign("defence", "demo rag"));
    }
    if options.policy.is_some() {
        return Err(Error::usage(
            "--policy is for the other demonstrations: every case here has its own gate",
            "leave it out",
        ));
    }
    if options.out.is_some() || options.figures {
        return Err(Error::usage(
            "--out or --figures is for the other demonstrations: this one writes no files",
            "leave it out",
        ));
    }
    let cases = match options.case.as_deref() {
        None => return list(console),
        Some("all") => CASES.to_vec(),
        Some(id) => vec![find(id)?],
    };
    for case in cases {
        if interrupt::asked() {
            return Err(Error::interrupted());
        }
        let sides = case.show(options.seed)?;
        console.event(&json!({
            "event": "case", "id": case.id, "title": case.title, "habit": case.habit,
            "source": case.source, "data": case.data, "notices": case.notices,
            "mistaken": sides.mistaken, "guestlist": sides.guestlist,
        }));
        console.text(&shown(case, &sides, console.style().width))?;
    }
    Ok(ExitCode::Pass)
}

fn list(console: &Console) -> Result<ExitCode, Error> {
    let widest = CASES.iter().map(|case| case.id.len()).max().unwrap_or(0);
    for case in CASES {
        console.event(&json!({"event": "case", "id": case.id, "title": case.title}));
        console.text(&format!("{:widest$}  {}\n", case.id, case.title))?;
    }
    console.note(
        "One of them: guestlist demo misleading ties. Every one: guestlist demo misleading all",
    );
    Ok(ExitCode::Pass)
}

fn shown(case: &Case, sides: &Sides, width: usize) -> String {
    let mut lines = vec![format!("{}: {}", case.id, case.title)];
    for (head, text) in [
        ("habit:  ", case.habit),
        ("found:  ", case.source),
        ("here:   ", case.data),
    ] {
        lines.extend(wrap(text, width, &format!("  {head}"), "          "));
    }
    lines.push("  the mistaken way says".into());
    lines.extend(said(&sides.mistaken, width));
    lines.push("  guestlist says".into());
    lines.extend(said(&sides.guestlist, width));
    lines.extend(wrap(case.notices, width, "  noticed by: ", "          "));
    lines.join("\n") + "\n\n"
}

fn said(said: &[Claim], width: usize) -> Vec<String> {
    said.iter()
        .flat_map(|said| wrap(&said.words, width, "    - ", "      "))
        .collect()
}
