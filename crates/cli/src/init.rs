//! `guestlist init`: a configuration to start from.

use std::path::{Path, PathBuf};

use guestlist::kinds::source::init::SourceStart;
use guestlist::{Error, ExitCode, init};
use serde_json::json;

use super::arguments::{Init, InitKind};
use super::console::Console;
use super::demo::refuse;

pub fn run(options: &Init, console: &Console) -> Result<ExitCode, Error> {
    let name = options.out.display();
    if !matches!(options.kind, InitKind::Rag) {
        refuse_flags("rag", &[(options.controls.is_some(), "--controls")])?;
    }
    if options.out.exists() && !options.overwrite {
        if let Some(count) = options.controls {
            return controls_alone(options, count, console);
        }
        return Err(Error::usage(
            format!("{name}: exists already"),
            "choose another name with --out, or replace it with --overwrite",
        ));
    }
    if !matches!(options.kind, InitKind::Source) {
        refuse_flags(
            "source",
            &[
                (options.items.is_some(), "--items"),
                (options.stand_in.is_some(), "--stand-in"),
                (options.images.is_some(), "--images"),
            ],
        )?;
    }
    match options.kind {
        InitKind::Classifier => classifier(options, console),
        InitKind::Lm => language_model(options, console),
        InitKind::Rag => retrieval(options, console),
        InitKind::Source => source(options, console),
        InitKind::Fewshot => few_shot(options, console),
    }
}

fn classifier(options: &Init, console: &Console) -> Result<ExitCode, Error> {
    refuse_flags(
        "lm, rag or source",
        &[
            (options.members.is_some(), "--members"),
            (options.nonmembers.is_some(), "--nonmembers"),
            (options.target.is_some(), "--target"),
        ],
    )?;
    refuse_flags("lm", &[(options.reference.is_some(), "--reference")])?;
    refuse_flags("rag or source", &[(options.preset.is_some(), "--preset")])?;
    let data = options
        .data
        .as_deref()
        .map(|data| seen_from(&options.out, data));
    let text =
        guestlist::kinds::classifier::init::classifier(data.as_deref(), options.label.as_deref())?;
    let found = data
        .as_deref()
        .map(guestlist::kinds::classifier::init::labels_found)
        .transpose()?;
    let known = options.label.is_some() || found == Some(true);
    let next = match (&options.data, known) {
        (Some(_), true) => "guestlist plan, then guestlist run",
        (Some(_), false) => "set data.label in it, then guestlist plan and guestlist run",
        (None, _) => "set data.path and data.label in it, then guestlist plan and guestlist run",
    };
    let done = written(options, console, &text, next)?;
    if let (Some(data), Some(label)) = (&data, &options.label)
        && let Some(doubts) = guestlist::kinds::classifier::init::doubts(data, label)
    {
        console.say(&format!(
            "before that, mend this, or plan refuses it: {doubts}"
        ));
    }
    Ok(done)
}

fn language_model(options: &Init, console: &Console) -> Result<ExitCode, Error> {
    refuse_flags(
        "classifier",
        &[
            (options.data.is_some(), "--data"),
            (options.label.is_some(), "--label"),
        ],
    )?;
    refuse_flags("rag or source", &[(options.preset.is_some(), "--preset")])?;
    check_paths(options)?;
    let path = |path: &Option<PathBuf>| path.as_deref().map(|path| seen_from(&options.out, path));
    let model = |name: &Option<String>| {
        let name = name.as_ref()?;
        Some(match init::is_server(name) {
            true => name.clone(),
            false => seen_from(&options.out, Path::new(name))
                .display()
                .to_string(),
        })
    };
    let text = guestlist::kinds::lm::init::language_model(
        path(&options.members).as_deref(),
        path(&options.nonmembers).as_deref(),
        model(&options.target).as_deref(),
        model(&options.reference).as_deref(),
    );
    let all = [
        options.members.is_some(),
        options.nonmembers.is_some(),
        options.target.is_some(),
    ];
    let next = match all.iter().all(|given| *given) {
        true => "guestlist plan, then guestlist run",
        false => "set texts and models in it, then guestlist plan and guestlist run",
    };
    let next = match options.reference {
        Some(_) => next.to_owned(),
        None => format!("{next}. {NO_REFERENCE}"),
    };
    written(options, console, &text, &next)
}

const NO_REFERENCE: &str = "It names no reference model: without the model that fine-tuning started \
                            from, the strongest attacks cannot run and a pass is inconclusive; add \
                            it as [reference]";

/// What is named must be there: else a run would be the first to say so.
fn check_paths(options: &Init) -> Result<(), Error> {
    let files = [
        ("--members", options.members.as_deref()),
        ("--nonmembers", options.nonmembers.as_deref()),
    ];
    let models = [
        ("--target", &options.target),
        ("--reference", &options.reference),
    ];
    let models = models.map(|(flag, name)| {
        let name = name.as_deref().filter(|name| !init::is_server(name));
        (flag, name.map(Path::new))
    });
    let mut named = files.into_iter().chain(models);
    match named.find(|(_, path)| path.is_some_and(|path| !path.exists())) {
        Some((flag, Some(path))) => Err(Error::usage(
            format!("{flag} {}: is not there", path.display()),
            "give a file or folder that is there, seen from where you are now",
        )),
        _ => Ok(()),
    }
}

fn retrieval(options: &Init, console: &Console) -> Result<ExitCode, Error> {
    refuse_flags(
        "classifier",
        &[
            (options.data.is_some(), "--data"),
            (options.label.is_some(), "--label"),
        ],
    )?;
    refuse_flags("lm", &[(options.reference.is_some(), "--reference")])?;
    let path = |path: &Option<PathBuf>| path.as_deref().map(|path| seen_from(&options.out, path));
    let text = guestlist::kinds::rag::init::retrieval(
        path(&options.members).as_deref(),
        path(&options.nonmembers).as_deref(),
        options.target.as_deref(),
        options.preset.as_deref(),
        options.controls.map(|_| CONTROLS),
    )?;
    if let Some(count) = options.controls {
        write_controls(options, count, console)?;
    }
    let indexed = match options.controls {
        Some(_) => "index the controls in the service's store, ",
        None => "",
    };
    let next = format!(
        "{indexed}set documents and target in it, then guestlist probe, guestlist plan and guestlist run"
    );
    written(options, console, &text, &next)
}

/// Beside the configuration.
const CONTROLS: &str = "controls.jsonl";

/// The configuration is there already: it needs one more line.
fn controls_alone(options: &Init, count: usize, console: &Console) -> Result<ExitCode, Error> {
    write_controls(options, count, console)?;
    console.note(&format!(
        "{} is there already and stays as it is. Next: index the controls in the service's store, add \
         controls = \"{CONTROLS}\" under [documents], then guestlist run",
        options.out.display()
    ));
    Ok(ExitCode::Pass)
}

fn write_controls(options: &Init, count: usize, console: &Console) -> Result<(), Error> {
    let path = options.out.with_file_name(CONTROLS);
    if path.exists() && !options.overwrite {
        return Err(Error::usage(
            format!("{}: exists already", path.display()),
            "keep it if it is indexed, or replace it with --overwrite",
        ));
    }
    let project = std::path::absolute(&options.out).unwrap_or_else(|_| options.out.clone());
    let project = format!(
        "{} {}",
        project.display(),
        options.target.as_deref().unwrap_or_default()
    );
    formats::files::write(
        &path,
        guestlist::kinds::rag::invented_documents(count, &project)?.as_bytes(),
    )?;
    console.event(&json!({"event": "controls", "path": path, "documents": count}));
    console.note(&format!("wrote {}", path.display()));
    Ok(())
}

fn source(options: &Init, console: &Console) -> Result<ExitCode, Error> {
    refuse_flags(
        "classifier",
        &[
            (options.data.is_some(), "--data"),
            (options.label.is_some(), "--label"),
        ],
    )?;
    refuse_flags("lm", &[(options.reference.is_some(), "--reference")])?;
    let path = |path: &Option<PathBuf>| path.as_deref().map(|path| seen_from(&options.out, path));
    let (items, retrieved) = (path(&options.items), path(&options.members));
    let nonmembers = path(&options.nonmembers);
    let text = guestlist::kinds::source::init::source(&SourceStart {
        items: items.as_deref(),
        retrieved: retrieved.as_deref(),
        nonmembers: nonmembers.as_deref(),
        url: options.target.as_deref(),
        preset: options.preset.as_deref(),
        stand_in: options.stand_in.as_deref(),
        images: options.images.as_deref(),
    })?;
    written(
        options,
        console,
        &text,
        "set items and target in it, then guestlist probe, guestlist plan and guestlist run",
    )
}

fn few_shot(options: &Init, console: &Console) -> Result<ExitCode, Error> {
    refuse_flags("classifier", &[(options.label.is_some(), "--label")])?;
    refuse_flags(
        "lm or init rag",
        &[
            (options.nonmembers.is_some(), "--nonmembers"),
            (options.target.is_some(), "--target"),
        ],
    )?;
    refuse_flags("lm", &[(options.reference.is_some(), "--reference")])?;
    refuse_flags("rag", &[(options.preset.is_some(), "--preset")])?;
    let path = |path: &Option<PathBuf>| path.as_deref().map(|path| seen_from(&options.out, path));
    let is_run = options.data.as_deref().is_some_and(Path::is_dir);
    let text = guestlist::kinds::fewshot::init::few_shot(
        path(&options.data).as_deref(),
        is_run,
        path(&options.members).as_deref(),
    );
    let next = match options.data {
        Some(_) => "guestlist plan, then guestlist run",
        None => "set features.file or features.run in it, then guestlist plan and guestlist run",
    };
    written(options, console, &text, next)
}

/// Writes the configuration, and says what comes next.
fn written(options: &Init, console: &Console, text: &str, next: &str) -> Result<ExitCode, Error> {
    formats::files::write(&options.out, text.as_bytes())?;
    console.event(&json!({"event": "configuration", "path": options.out}));
    console.note(&format!("wrote {}. Next: {next}", options.out.display()));
    Ok(ExitCode::Pass)
}

/// Flags of another kind of audit.
fn refuse_flags(kind: &str, flags: &[(bool, &str)]) -> Result<(), Error> {
    refuse(flags, |flag| format!("{flag} is for init {kind}"))
}

/// The data's path as the configuration must name it: paths in it start from its own folder.
fn seen_from(configuration: &Path, data: &Path) -> PathBuf {
    let beside = configuration
        .parent()
        .is_none_or(|folder| folder.as_os_str().is_empty());
    match beside {
        true => data.to_owned(),
        false => std::path::absolute(data).unwrap_or_else(|_| data.to_owned()),
    }
}
