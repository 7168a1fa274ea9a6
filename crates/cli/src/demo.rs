//! `guestlist demo`: a whole audit on embedded data.

use guestlist::pipeline::{Extra, Source};
use guestlist::{Error, ExitCode, Kind};
use rehearsal::demo::{DemoRequest, Demonstrated, show, usual_folder};

use super::arguments::{Demo, DemoKind};
use super::console::Console;
use super::misleading;
use super::progress::follow;
use super::recorded::quoted;
use super::verdict::conclude;

pub fn run(options: &Demo, console: &Console) -> Result<ExitCode, Error> {
    let Some(kind) = kind(options.kind) else {
        return misleading::run(options, console);
    };
    if options.case.is_some() {
        return Err(Error::usage(
            "a case is for demo misleading",
            "leave it out",
        ));
    }
    let request = request(options);
    let Demonstrated { finished, config } =
        follow(console, |progress| show(kind, &request, progress))?;
    let code = conclude(&finished, console)? as u8;
    let config = config.display();
    let again = format!("Again, changed as you like: guestlist run {config}.");
    let next = match kind {
        Kind::Lm => format!("{again} On your own model: guestlist init lm"),
        Kind::Rag if options.defences.is_empty() => {
            "With defences: guestlist demo rag --out defended --defence \
             hide-citations,refuse-verbatim,detect-probing. On your own service: guestlist init rag"
                .to_owned()
        }
        Kind::Rag | Kind::Source => {
            format!("On your own service: guestlist init {}", kind.name())
        }
        Kind::Fewshot => {
            format!("{again} On your own features: guestlist init fewshot --data features.npz")
        }
        _ => format!("{again} On your own data: guestlist init classifier --data YOUR.csv"),
    };
    console.note(&format!(
        "An audit with this verdict exits with {code}. {next}"
    ));
    let out = options.out.clone().unwrap_or_else(|| usual_folder(kind));
    let page = out.join("report.html");
    console.note(&format!(
        "To look at it in a browser: open {}",
        page.display()
    ));
    Ok(ExitCode::Pass)
}

/// What is demonstrated by an audit.
fn kind(demo: DemoKind) -> Option<Kind> {
    match demo {
        DemoKind::Classifier => Some(Kind::Classifier),
        DemoKind::Lm => Some(Kind::Lm),
        DemoKind::Rag => Some(Kind::Rag),
        DemoKind::Source => Some(Kind::Source),
        DemoKind::Fewshot => Some(Kind::Fewshot),
        DemoKind::Misleading => None,
    }
}

pub fn request(options: &Demo) -> DemoRequest {
    let mut extras = vec![Extra::Markdown];
    extras.extend(options.figures.then_some(Extra::Figures));
    DemoRequest {
        out: options.out.clone(),
        seed: options.seed,
        epsilon: options.epsilon,
        defences: options.defences.clone(),
        extras,
        policy: options.policy.clone(),
        flags: match &options.policy {
            Some(policy) => format!(
                " --date {} --policy {}",
                options.date,
                quoted(&policy.to_string_lossy())
            ),
            None => format!(" --date {}", options.date),
        },
        date: Some(options.date.clone()),
        command: None,
        source: Source::CommandLine,
    }
}
