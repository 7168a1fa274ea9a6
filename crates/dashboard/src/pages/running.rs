//! Audits that run, with their bars; and those that ended without a report.

use ::report::markup::text;
use ::report::progress::{Progress, State};
use maud::{Markup, html};

use crate::folder::Root;
use crate::http::post::link;
use crate::library::named;
use crate::progress::watch::{Following, status};

/// One line with a bar; scripts move it.
pub fn line(path: &str, one: &Following, root: &Root) -> Markup {
    let place: Vec<String> = parts(path);
    html! {
        li data-progress=(text(path)) data-state=(one.state.word()) {
            a href=(text(&link(&place))) { (text(named(path, root))) }
            " "
            @if one.state == State::Running { (bar(&one.progress)) }
            span class="words" { (text(&status(one))) }
        }
    }
}

fn bar(progress: &Progress) -> Markup {
    html! {
        @match progress.total {
            0 => progress aria-label="progress" {},
            total => progress aria-label="progress" value=(progress.done.min(total)) max=(total) {},
        }
    }
}

/// The section above the list; empty where nothing runs.
pub fn section(all: &[(String, Following)], root: &Root) -> Markup {
    let shown = |title: &str, running: bool| {
        let lines: Vec<Markup> = (all.iter())
            .filter(|(_, one)| (one.state == State::Running) == running)
            .filter(|(_, one)| one.state != State::Finished)
            .map(|(path, one)| line(path, one, root))
            .collect();
        html! {
            @if !lines.is_empty() {
                h2 { (title) }
                ul class="running" { @for line in lines { (line) } }
            }
        }
    };
    html! {
        section id="running" data-live aria-label="Running audits" {
            (shown("Running", true))
            (shown("Ended early", false))
        }
    }
}

/// A folder, part by part.
pub fn parts(path: &str) -> Vec<String> {
    match path {
        "" => Vec::new(),
        path => path.split('/').map(str::to_owned).collect(),
    }
}
