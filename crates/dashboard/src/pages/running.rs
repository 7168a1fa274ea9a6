//! Audits that run, with their bars; and those that ended without a report.

use ::report::progress::State;

use crate::folder::Root;
use crate::http::post::link;
use crate::library::named;
use crate::markup::{Html, html};
use crate::progress::watch::{Following, words};

/// One line with a bar; scripts move it.
pub fn line(path: &str, one: &Following, root: &Root) -> Html {
    let place: Vec<String> = parts(path);
    let progress = &one.progress;
    let bar = match progress.total {
        0 => html!("<progress aria-label=\"progress\"></progress>"),
        total => html!(
            "<progress aria-label=\"progress\" value=\"{}\" max=\"{}\"></progress>",
            progress.done.min(total),
            total
        ),
    };
    let bar = match one.state {
        State::Running => bar,
        _ => Html::default(),
    };
    html!(
        "<li data-progress=\"{}\" data-state=\"{}\"><a href=\"{}\">{}</a> {}\
         <span class=\"words\">{}</span></li>",
        path,
        one.state.word(),
        link(&place),
        named(path, root),
        bar,
        words(one)
    )
}

/// The section above the list; empty where nothing runs.
pub fn section(all: &[(String, Following)], root: &Root) -> Html {
    let shown = |running: bool| -> Html {
        all.iter()
            .filter(|(_, one)| (one.state == State::Running) == running)
            .filter(|(_, one)| one.state != State::Finished)
            .map(|(path, one)| line(path, one, root))
            .collect()
    };
    let titled = |title: &str, lines: Html| match lines == Html::default() {
        true => lines,
        false => html!("<h2>{}</h2><ul class=\"running\">{}</ul>", title, lines),
    };
    html!(
        "<section id=\"running\" data-live aria-label=\"Running audits\">{}{}</section>",
        titled("Running", shown(true)),
        titled("Ended early", shown(false))
    )
}

/// A folder, part by part.
pub fn parts(path: &str) -> Vec<String> {
    match path {
        "" => Vec::new(),
        path => path.split('/').map(str::to_owned).collect(),
    }
}
