//! Audits that run, with their bars; and those that ended without a report.

use ::report::markup::text;
use ::report::progress::{Progress, State};
use maud::{Markup, html};

use crate::library::named;
use crate::progress::watch::{Following, status};

use super::App;

/// One line with a bar; scripts move it.
pub fn line(path: &str, one: &Following, app: &App) -> Markup {
    let place: Vec<String> = parts(path);
    html! {
        li data-progress=(text(path)) data-state=(one.state.word()) {
            a href=(text(&app.site.audit(&place))) { (text(named(path, &app.root))) }
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
pub fn section(all: &[(String, Following)], app: &App) -> Markup {
    let shown = |title: &str, running: bool| {
        let lines: Vec<Markup> = (all.iter())
            .filter(|(_, one)| (one.state == State::Running) == running)
            .filter(|(_, one)| one.state != State::Finished)
            .map(|(path, one)| line(path, one, app))
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
