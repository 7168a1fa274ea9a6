//! A configuration to start from: what is asked of it, and what the configurations of all kinds have in
//! common. Each kind writes its own.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::kinds;
use crate::pipeline::Source;
use crate::policy::Preset;
use crate::{Error, Kind, Result};

/// What is known of an audit before its configuration is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InitRequest {
    /// `classifier`: the data file; `fewshot`: features, or the folder of a finished run.
    pub data: Option<PathBuf>,
    /// `classifier`: the column to predict.
    pub label: Option<String>,
    /// `lm`: texts that were trained on; `rag`, `source`: documents of the store; `fewshot`: a list of ids.
    pub members: Option<PathBuf>,
    /// Texts or documents that are none.
    pub nonmembers: Option<PathBuf>,
    /// `lm`: the audited model; `rag`, `source`: the service's address.
    pub target: Option<String>,
    /// `lm`: the model that fine-tuning started from.
    pub reference: Option<String>,
    /// `rag`, `source`: the kind of service.
    pub preset: Option<String>,
    /// `rag`: how many documents with invented facts to write beside the configuration.
    pub controls: Option<usize>,
    /// `source`: texts or pictures, with their source where it is known.
    pub items: Option<PathBuf>,
    /// `source`: the address of the base model.
    pub stand_in: Option<String>,
    /// `source`: the address of a vision chat.
    pub images: Option<String>,
    /// The configuration to write.
    pub out: PathBuf,
    /// Whether one that is there may be replaced.
    pub overwrite: bool,
    /// Who asks, for messages.
    #[serde(skip)]
    pub source: Source,
}

impl Default for InitRequest {
    fn default() -> Self {
        Self {
            data: None,
            label: None,
            members: None,
            nonmembers: None,
            target: None,
            reference: None,
            preset: None,
            controls: None,
            items: None,
            stand_in: None,
            images: None,
            out: "guestlist.toml".into(),
            overwrite: false,
            source: Source::Program,
        }
    }
}

/// What a kind makes of a request.
pub struct Start {
    /// The commented configuration.
    pub text: String,
    /// What its user does next.
    pub next: String,
    /// What a plan would refuse as things are.
    pub doubts: Option<String>,
    /// A further file, by its name beside the configuration, and how many documents it has.
    pub controls: Option<Controls>,
}

impl Start {
    /// A configuration, and what to do next.
    pub fn new(text: String, next: impl Into<String>) -> Self {
        Self {
            text,
            next: next.into(),
            doubts: None,
            controls: None,
        }
    }
}

/// What was in addresses and goes into the environment, for others may read the configuration.
#[derive(Default)]
pub(crate) struct Secrets {
    names: Vec<String>,
}

impl Secrets {
    /// The address as the configuration has it; `whose` it is stands in the names of its variables.
    pub fn hidden(&mut self, url: Option<&str>, whose: &str) -> Option<String> {
        let (url, names) = asking::rag::with_variables(url?, whose);
        self.names.extend(names);
        Some(url)
    }

    /// What to do about them, where there are any.
    pub fn in_environment(&self) -> Option<String> {
        let names = self.names.join(", ");
        (!names.is_empty()).then(|| {
            format!("set {names} in the environment (secrets stay out of the configuration)")
        })
    }
}

/// Documents with invented facts, to be put into a store.
pub struct Controls {
    /// The file's name.
    pub name: &'static str,
    /// The documents, as JSON Lines.
    pub text: String,
    /// How many there are.
    pub documents: usize,
}

/// What was written.
#[derive(Clone, Debug)]
pub struct Initialised {
    /// The configuration, unless it was there and stays as it is.
    pub config: Option<PathBuf>,
    /// Documents for a store, and how many.
    pub controls: Option<(PathBuf, usize)>,
    /// What to do next.
    pub next: String,
    /// What a plan would refuse as things are.
    pub doubts: Option<String>,
}

/// Writes a commented configuration of this kind.
///
/// ```
/// use guestlist::Kind;
/// use guestlist::init::{InitRequest, init};
///
/// let folder = tempfile::tempdir().unwrap();
/// let out = folder.path().join("guestlist.toml");
/// let request = InitRequest { target: Some("http://127.0.0.1:8080".into()), out: out.clone(), ..Default::default() };
/// init(Kind::Rag, &request)?;
/// assert!(std::fs::read_to_string(out).unwrap().contains("kind = \"rag\""));
/// # Ok::<(), guestlist::Error>(())
/// ```
pub fn init(kind: Kind, request: &InitRequest) -> Result<Initialised> {
    let entry = kinds::find(kind);
    let Some(start) = entry.init else {
        return Err(Error::usage(
            format!("an audit of kind {} has no configuration", kind.name()),
            format!("there is one for {}", listed(&configurable())),
        ));
    };
    request.refuse_beyond(entry.init_options)?;
    let there = request.out.exists() && !request.overwrite;
    if there && request.controls.is_none() {
        return Err(request.in_the_way());
    }
    let start = start(request)?;
    let controls = match start.controls {
        Some(controls) => Some(write_controls(&controls, request)?),
        None => None,
    };
    if let (true, Some((path, _))) = (there, &controls) {
        return Ok(Initialised {
            config: None,
            next: format!(
                "index the controls in the service's store, add controls = {} under [documents], then \
                 guestlist run",
                quoted(&path.file_name().unwrap_or_default().to_string_lossy())
            ),
            controls,
            doubts: None,
        });
    }
    formats::files::write(&request.out, start.text.as_bytes())?;
    Ok(Initialised {
        config: Some(request.out.clone()),
        controls,
        next: start.next,
        doubts: start.doubts,
    })
}

/// Writes a policy to start from: `preset` names one of [`Preset`]; everything else is for audits.
pub fn init_policy(request: &InitRequest) -> Result<Initialised> {
    request.refuse_beyond(&["preset"])?;
    let out = &request.out;
    if out.exists() && !request.overwrite {
        return Err(request.in_the_way());
    }
    let named = |name: &str| Preset::ALL.into_iter().find(|preset| preset.name() == name);
    let preset = match request.preset.as_deref() {
        None => Preset::default(),
        Some(name) => named(name).ok_or_else(|| {
            Error::usage(
                format!("{} {name} is no policy", request.flag("preset")),
                format!("choose among {}", Preset::ALL.map(Preset::name).join(", ")),
            )
        })?,
    };
    formats::files::write(out, crate::policy::policy(preset).as_bytes())?;
    Ok(Initialised {
        config: Some(out.clone()),
        controls: None,
        next: format!(
            "read it and change it, then --policy {0} with guestlist audit, or policy = \"{0}\" under [audit]",
            out.display()
        ),
        doubts: None,
    })
}

/// The kinds that take this option, by name.
fn owners(option: &str) -> Vec<&'static str> {
    let takes = kinds::KINDS.iter();
    let takes = takes.filter(|entry| entry.init_options.contains(&option));
    takes.map(|entry| entry.kind.name()).collect()
}

fn write_controls(controls: &Controls, request: &InitRequest) -> Result<(PathBuf, usize)> {
    let path = request.out.with_file_name(controls.name);
    if path.exists() && !request.overwrite {
        return Err(exists(&path, "keep it if it is indexed, or", request));
    }
    formats::files::write(&path, controls.text.as_bytes())?;
    Ok((path, controls.documents))
}

fn exists(path: &Path, otherwise: &str, request: &InitRequest) -> Error {
    Error::usage(
        format!("{}: exists already", path.display()),
        format!("{otherwise} replace it with {}", request.flag("overwrite")),
    )
}

/// The kinds that have a configuration, by name.
pub fn configurable() -> Vec<&'static str> {
    let with = kinds::KINDS.iter().filter(|entry| entry.init.is_some());
    with.map(|entry| entry.kind.name()).collect()
}

/// `a, b or c`.
pub(crate) fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

impl InitRequest {
    /// An option as whoever asks writes it.
    pub fn flag(&self, option: &str) -> String {
        match self.source {
            Source::Program => option.replace('-', "_"),
            _ => format!("--{option}"),
        }
    }

    /// A file's path as the configuration must name it: paths in it start from its own folder.
    pub fn seen(&self, path: Option<&Path>) -> Option<PathBuf> {
        let folder = self.out.parent();
        let beside = folder.is_none_or(|folder| folder.as_os_str().is_empty());
        path.map(|path| match beside {
            true => path.to_owned(),
            false => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
        })
    }

    /// The target, where it must be a service's address.
    pub(crate) fn address(&self) -> Result<Option<&str>> {
        let Some(target) = self.target.as_deref() else {
            return Ok(None);
        };
        // A variable may hold the whole of it.
        if is_server(target) || target.starts_with("${") {
            return Ok(Some(target));
        }
        Err(Error::usage(
            format!(
                "{} {:?} is no address of a service",
                self.flag("target"),
                report::printable(target)
            ),
            "write it like http://127.0.0.1:8000 or https://host/prefix/v1",
        ))
    }

    /// What was there before it.
    fn in_the_way(&self) -> Error {
        let otherwise = format!("choose another name with {}, or", self.flag("out"));
        exists(&self.out, &otherwise, self)
    }

    /// The options that were given.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            (self.data.is_some(), "data"),
            (self.label.is_some(), "label"),
            (self.members.is_some(), "members"),
            (self.nonmembers.is_some(), "nonmembers"),
            (self.target.is_some(), "target"),
            (self.reference.is_some(), "reference"),
            (self.preset.is_some(), "preset"),
            (self.controls.is_some(), "controls"),
            (self.items.is_some(), "items"),
            (self.stand_in.is_some(), "stand-in"),
            (self.images.is_some(), "images"),
        ];
        let given = given.into_iter().filter(|(given, _)| *given);
        given.map(|(_, option)| option)
    }

    /// Refuses the first option that is none of these.
    fn refuse_beyond(&self, takes: &[&str]) -> Result<()> {
        let mut given = self.given();
        match given.find(|option| !takes.contains(option)) {
            None => Ok(()),
            Some(option) => {
                let owners = listed(&owners(option));
                let message = format!("{} is for init {owners}", self.flag(option));
                Err(Error::usage(message, "leave it out"))
            }
        }
    }
}

/// Whether a model's name is the address of a server.
pub fn is_server(name: &str) -> bool {
    name.starts_with("http://") || name.starts_with("https://")
}

/// A TOML string, whatever is in it.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            c if c.is_control() => out += &format!("\\u{:04X}", u32::from(c)),
            c => out.push(c),
        }
    }
    out + "\""
}

/// Whether a comment holds a setting.
#[cfg(test)]
pub fn is_setting(text: &str) -> bool {
    let key = text.split([' ', '=']).next().unwrap_or_default();
    let word = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    (word && text.contains(" = ")) || (text.starts_with('[') && text.ends_with(']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_of_another_kind_is_refused_in_the_words_of_who_asks() {
        let mut request = InitRequest {
            stand_in: Some("http://127.0.0.1:1".into()),
            ..InitRequest::default()
        };
        let refused = init(Kind::Lm, &request).unwrap_err();
        assert_eq!(refused.message, "stand_in is for init source");
        request.source = Source::CommandLine;
        let refused = init(Kind::Lm, &request).unwrap_err();
        assert_eq!(refused.message, "--stand-in is for init source");
    }

    #[test]
    fn scores_have_no_configuration() {
        let refused = init(Kind::Scores, &InitRequest::default()).unwrap_err();
        let hint = refused.hint.unwrap();
        assert_eq!(
            hint,
            "there is one for classifier, lm, rag, source or fewshot"
        );
    }
}
