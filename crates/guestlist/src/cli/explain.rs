//! `guestlist explain`: what a word in a report means.

use attacks::card::Card;
use attacks::settings::{Kind, Setting};
use attacks::shadow::ATTACKS;
use guestlist::{Error, ExitCode};
use judge::glossary;

use super::arguments::Explain;
use super::console::Console;

pub fn run(options: &Explain, console: &Console) -> Result<ExitCode, Error> {
    let id = options.id.as_str();
    if let Some(attack) = ATTACKS.iter().find(|attack| attack.card().id == id) {
        console.data(&card(attack.card()));
        return Ok(ExitCode::Pass);
    }
    if let Some(entry) = glossary::find(id) {
        console.data(&format!("{}\n\n{}\n", entry.id, entry.meaning));
        return Ok(ExitCode::Pass);
    }
    let attacks: Vec<&str> = ATTACKS.iter().map(|attack| attack.card().id).collect();
    let words: Vec<&str> = glossary::entries().map(|entry| entry.id).collect();
    Err(Error::usage(
        format!("nothing is named {id}"),
        format!(
            "attacks: {}; words of a report: {}",
            attacks.join(", "),
            words.join(", ")
        ),
    ))
}

fn card(card: &Card) -> String {
    let mut text = format!(
        "{}: {}\n\nAsks             {}\nWhy it works     {}\nNeeds            {}\n\
         When it misleads {}\nPaper            {}\n",
        card.id,
        card.summary,
        card.asks,
        card.why_it_works,
        card.access.words(),
        card.when_it_misleads,
        card.paper
    );
    if !card.settings.is_empty() {
        text += "\nSettings (--set key=value)\n";
        for setting in card.settings {
            text += &setting_line(setting);
        }
    }
    text
}

fn setting_line(setting: &Setting) -> String {
    let allowed = match setting.kind {
        Kind::Number { least, most, .. } => format!("{least:e} to {most:e}"),
        Kind::Choice { choices, .. } => choices.join(", "),
    };
    format!(
        "  {} = {}   {} ({allowed})\n",
        setting.key,
        setting.default_text(),
        setting.help
    )
}
