//! `cargo xtask study rag`: every attack on a retrieval service against every defence of the rehearsal
//! service, with a language model of this machine or a server of yours writing the answers.

mod drawn;
mod service;
mod tables;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use guestlist_bench::figures::conditions;
use guestlist_bench::{Failed, beside, root};
use serde_json::{Value, json};

use self::drawn::Drawn;
use self::service::{Acted, Running};
use self::tables::Measured;

const USAGE: &str = "`cargo xtask study rag` wants --documents FILE (JSON Lines with id or _id, text and title); it \
    answers with sentences of the documents, by --model PATH (a folder or a .gguf file) with what a model writes, or as \
    --server URL does; there are also --device NAME (cpu), --count N documents of each kind (64), --store N documents \
    in the store (500), --questions FILE of natural questions (JSON Lines with claim or question), --attacks A,B, \
    --conditions A,B, --side-by-side N services at once (1), --concurrency N, --top-k N chunks an answer rests on (4), --max-tokens N, --work FOLDER, and --write, which puts the figures into the page";

pub struct Wanted {
    pub documents: PathBuf,
    pub model: Option<PathBuf>,
    pub server: Option<String>,
    pub device: String,
    pub count: usize,
    pub store: usize,
    pub questions: Option<PathBuf>,
    pub attacks: Option<String>,
    pub conditions: Option<Vec<String>>,
    pub side_by_side: usize,
    pub concurrency: usize,
    pub top_k: usize,
    pub max_tokens: usize,
    pub work: PathBuf,
    pub write: bool,
}

/// A service as it is measured: its name in the tables, and its defences.
struct Condition {
    name: &'static str,
    defences: &'static [&'static str],
    /// `detect-probing` is told what people usually ask.
    usual: bool,
    /// The documents that are called members are in the store.
    holds: bool,
}

const ALL: &[&str] = &[
    "filter-output",
    "paraphrase",
    "hide-citations",
    "detect-probing",
    "refuse-verbatim",
    "one-refusal",
];

const USUAL: &str = "detect-probing with usual questions";

const CONDITIONS: [Condition; 12] = [
    Condition {
        name: "no defence",
        defences: &[],
        usual: false,
        holds: true,
    },
    Condition {
        name: "hide-citations",
        defences: &["hide-citations"],
        usual: false,
        holds: true,
    },
    Condition {
        name: "filter-output",
        defences: &["filter-output"],
        usual: false,
        holds: true,
    },
    Condition {
        name: "paraphrase",
        defences: &["paraphrase"],
        usual: false,
        holds: true,
    },
    Condition {
        name: "detect-probing",
        defences: &["detect-probing"],
        usual: false,
        holds: true,
    },
    Condition {
        name: USUAL,
        defences: &["detect-probing"],
        usual: true,
        holds: true,
    },
    Condition {
        name: "refuse-verbatim",
        defences: &["refuse-verbatim"],
        usual: false,
        holds: true,
    },
    Condition {
        name: "one-refusal",
        defences: &["refuse-verbatim", "one-refusal"],
        usual: false,
        holds: true,
    },
    Condition {
        name: "refuse-by-status",
        defences: &["refuse-verbatim", "refuse-by-status"],
        usual: false,
        holds: true,
    },
    Condition {
        name: "all",
        defences: ALL,
        usual: false,
        holds: true,
    },
    Condition {
        name: "all with usual questions",
        defences: ALL,
        usual: true,
        holds: true,
    },
    Condition {
        name: "null",
        defences: &[],
        usual: false,
        holds: false,
    },
];

pub fn run(arguments: impl Iterator<Item = String>) -> Result<(), Failed> {
    let wanted = wanted(arguments)?;
    let drawn = Drawn::new(&wanted)?;
    let measured = measure_all(&wanted, &drawn, &chosen(&wanted)?)?;
    let detection = match (&wanted.server, measured.first()) {
        (None, Some(first)) => tables::detection(&drawn, first)?,
        _ => Value::Null,
    };
    let text = save_all(&wanted, measured.iter(), &detection)?;
    if wanted.write {
        let name = match wanted.model.is_some() || wanted.server.is_some() {
            true => "study-rag",
            false => "study-rag-sentences",
        };
        save(&root().join(format!("bench/figures/{name}.json")), &text)?;
        eprintln!(
            "wrote bench/figures/{name}.json: `cargo xtask gen` puts it into docs/study-rag.md"
        );
    }
    Ok(())
}

/// Several services at once, where one alone leaves a GPU idle between its questions; in the order of the tables.
fn measure_all(
    wanted: &Wanted,
    drawn: &Drawn,
    conditions: &[&'static Condition],
) -> Result<Vec<Measured>, Failed> {
    let left = Mutex::new(conditions.iter().enumerate());
    let next = || left.lock().ok().and_then(|mut left| left.next());
    let done: Mutex<Vec<(usize, Measured)>> = Mutex::default();
    let work = || -> Result<(), Failed> {
        while let Some((place, condition)) = next() {
            eprintln!("{}", condition.name);
            let measured = measure(wanted, drawn, condition)?;
            if let Ok(mut done) = done.lock() {
                done.push((place, measured));
                done.sort_by_key(|(place, _)| *place);
                // What was measured so far is kept, whatever happens to the rest.
                save_all(
                    wanted,
                    done.iter().map(|(_, measured)| measured),
                    &Value::Null,
                )?;
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..wanted.side_by_side.max(1))
            .map(|_| scope.spawn(work))
            .collect();
        for worker in workers {
            let ended = worker.join();
            ended.map_err(|_| Failed("a service's thread panicked".into()))??;
        }
        Ok::<(), Failed>(())
    })?;
    let done = done
        .into_inner()
        .map_err(|_| Failed("a service's thread panicked".into()))?;
    Ok(done.into_iter().map(|(_, measured)| measured).collect())
}

/// Figures and answers to be read, in the study's folder.
fn save_all<'a>(
    wanted: &Wanted,
    measured: impl Iterator<Item = &'a Measured>,
    detection: &Value,
) -> Result<String, Failed> {
    let measured: Vec<&Measured> = measured.collect();
    let values = json!({
        "command": command(wanted),
        "made": conditions(),
        "answered_by": answered_by(wanted),
        "documents": {"each": wanted.count, "store": wanted.store, "chunks": wanted.top_k, "tokens": wanted.max_tokens},
        "auc": tables::auc(&measured),
        "requests": tables::requests(&measured),
        "acted": tables::acted(&measured),
        "detection": detection,
        "measured": measured.iter().map(|one| one.values()).collect::<Vec<_>>(),
    });
    let text = serde_json::to_string_pretty(&values).map_err(|error| Failed(error.to_string()))?;
    let text = text + "\n";
    save(&wanted.work.join("study-rag.json"), &text)?;
    let sample: String = measured.iter().map(|one| one.sample()).collect();
    save(&wanted.work.join("sample.md"), &sample)?;
    Ok(text)
}

/// What makes the same table, of files by their names alone.
fn command(wanted: &Wanted) -> String {
    let model = wanted.model.as_ref().map_or("", |_| " --model MODEL");
    let questions = wanted
        .questions
        .as_ref()
        .map_or("", |_| " --questions QUESTIONS");
    let named = |flag: &str, names: Option<String>| {
        names.map_or_else(String::new, |names| format!(" {flag} {names:?}"))
    };
    let conditions = named(
        "--conditions",
        wanted.conditions.as_ref().map(|names| names.join(",")),
    );
    let attacks = named("--attacks", wanted.attacks.clone());
    format!(
        "cargo xtask study rag{model} --documents DOCUMENTS{questions} --count {} --store {} --top-k {} --max-tokens \
         {}{conditions}{attacks} --write",
        wanted.count, wanted.store, wanted.top_k, wanted.max_tokens
    )
}

/// Whose answers they are: the model's file by its name alone.
fn answered_by(wanted: &Wanted) -> String {
    let name = |path: &PathBuf| {
        path.file_stem()
            .map(|name| name.to_string_lossy().into_owned())
    };
    match &wanted.server {
        Some(_) => "a server".into(),
        None => {
            let model = wanted.model.as_ref().and_then(name);
            match model {
                Some(model) => format!("{model} on {}", wanted.device),
                None => "sentences of the documents".into(),
            }
        }
    }
}

/// Another's server has the defences that it has.
fn chosen(wanted: &Wanted) -> Result<Vec<&'static Condition>, Failed> {
    if wanted.server.is_some() {
        return Ok(CONDITIONS.iter().take(1).collect());
    }
    let Some(names) = &wanted.conditions else {
        let known = wanted.questions.is_some();
        let all = CONDITIONS.iter();
        return Ok(all.filter(|condition| known || !condition.usual).collect());
    };
    let of = |name: &String| {
        let found = CONDITIONS.iter().find(|condition| condition.name == name);
        found.ok_or_else(|| Failed(format!("there is no condition {name}")))
    };
    names.iter().map(of).collect()
}

fn measure(wanted: &Wanted, drawn: &Drawn, condition: &Condition) -> Result<Measured, Failed> {
    let folder = wanted.work.join(condition.name.replace(' ', "-"));
    std::fs::create_dir_all(&folder).map_err(|error| Failed(error.to_string()))?;
    let started = std::time::Instant::now();
    let running = match &wanted.server {
        Some(_) => None,
        None => Some(Running::start(wanted, drawn, condition)?),
    };
    let own = running.as_ref().map(Running::address);
    let address = wanted
        .server
        .as_deref()
        .or(own)
        .unwrap_or_default()
        .to_owned();
    let (members, nonmembers) = match condition.holds {
        true => (&drawn.members, &drawn.nonmembers),
        false => (&drawn.absent, &drawn.nonmembers),
    };
    // What the model says by itself is asked once: no defence changes it.
    let without = condition.holds && condition.defences.is_empty();
    let attacks = wanted.attacks.as_ref().map(|names| {
        let names: Vec<String> = names.split(',').map(|name| format!("{name:?}")).collect();
        format!("[audit]\nattacks = [{}]\n", names.join(", "))
    });
    let config = format!(
        "kind = \"rag\"\n[documents]\nmembers = {members:?}\nnonmembers = {nonmembers:?}\n[target]\npreset = \
         \"guestlist\"\nurl = {address:?}\n[transport]\nconcurrency = {}\n[probes]\nwithout_retrieval = {without}\n\
         recheck = 0\nrepeats = 0\n{}",
        wanted.concurrency,
        attacks.unwrap_or_default()
    );
    save(&folder.join("guestlist.toml"), &config)?;
    let status = Command::new(beside("guestlist")?)
        .args(["run", "--quiet", "guestlist.toml"])
        .current_dir(&folder)
        .status()
        .map_err(|error| Failed(format!("guestlist did not start: {error}")))?;
    let acted = running.map_or(Ok(Acted::default()), Running::stop)?;
    // 0, 1 and 3 are verdicts.
    match status.code() {
        Some(0 | 1 | 3) => Measured::read(condition.name, &folder, acted, started.elapsed()),
        _ => Err(Failed(format!(
            "{}: guestlist run ended with {status}",
            condition.name
        ))),
    }
}

fn save(path: &Path, text: &str) -> Result<(), Failed> {
    std::fs::write(path, text).map_err(|error| Failed(format!("{}: {error}", path.display())))
}

fn wanted(mut arguments: impl Iterator<Item = String>) -> Result<Wanted, Failed> {
    let mut wanted = Wanted {
        documents: PathBuf::new(),
        model: None,
        server: None,
        device: "cpu".into(),
        count: 64,
        store: 500,
        questions: None,
        attacks: None,
        conditions: None,
        side_by_side: 1,
        concurrency: 8,
        top_k: 4,
        max_tokens: 96,
        work: root().join("target/study-rag"),
        write: false,
    };
    while let Some(flag) = arguments.next() {
        if flag == "--write" {
            wanted.write = true;
            continue;
        }
        let value = arguments.next().ok_or_else(|| Failed(USAGE.into()))?;
        let number = || {
            value
                .parse::<usize>()
                .map_err(|_| Failed(format!("{flag} {value} is no number")))
        };
        match flag.as_str() {
            "--documents" => wanted.documents = value.into(),
            "--model" => wanted.model = Some(value.into()),
            "--server" => wanted.server = Some(value),
            "--device" => wanted.device = value,
            "--count" => wanted.count = number()?,
            "--store" => wanted.store = number()?,
            "--questions" => wanted.questions = Some(value.into()),
            "--attacks" => wanted.attacks = Some(value),
            "--conditions" => {
                wanted.conditions = Some(value.split(',').map(str::to_owned).collect())
            }
            "--side-by-side" => wanted.side_by_side = number()?,
            "--concurrency" => wanted.concurrency = number()?,
            "--top-k" => wanted.top_k = number()?,
            "--max-tokens" => wanted.max_tokens = number()?,
            "--work" => wanted.work = value.into(),
            _ => return Err(Failed(USAGE.into())),
        }
    }
    match wanted.documents == PathBuf::new() {
        true => Err(Failed(USAGE.into())),
        false => Ok(wanted),
    }
}
