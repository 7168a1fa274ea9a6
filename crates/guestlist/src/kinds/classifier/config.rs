//! `guestlist.toml`: what a user writes, and nothing that could run yet.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use shadows::SlurmSettings;
use shadows::settings::{CommandSettings, DataSettings, Settings, TrainingSettings};

use crate::Error;
use crate::pipeline::Wishes;

/// The configuration of an audit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub kind: Kind,
    #[serde(default)]
    pub seed: u64,
    pub data: DataSettings,
    #[serde(default)]
    pub models: ModelSettings,
    pub training: Option<TrainingSettings>,
    pub command: Option<CommandSettings>,
    #[serde(default)]
    pub run: RunSettings,
    #[serde(default)]
    pub slurm: SlurmSettings,
    #[serde(default)]
    pub audit: Wishes,
}

/// What is audited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Classifier,
    Lm,
    Rag,
    Source,
    Fewshot,
}

/// What a configuration is about.
pub fn kind(path: &Path) -> Result<Kind, Error> {
    #[derive(Deserialize)]
    struct Head {
        kind: Kind,
    }
    let head: Head = parse(path)?;
    Ok(head.kind)
}

/// Reads a configuration; what is wrong with it is named with its line.
pub(crate) fn parse<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| {
        Error::usage(
            format!("{name}: cannot be read: {error}"),
            "`guestlist init KIND` writes a configuration; KIND is classifier, lm, rag, source or fewshot",
        )
    })?;
    toml::from_str(&text).map_err(|error| {
        Error::usage(
            format!("{name}: {}", located(&error, &text)),
            "`guestlist init KIND --out all-keys.toml` shows every key that there is",
        )
    })
}

/// The folder that paths in a configuration start from.
pub(crate) fn base(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).to_owned()
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelSettings {
    pub shadows: usize,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self { shadows: 64 }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunSettings {
    /// Where models and results go.
    pub folder: PathBuf,
    pub executor: String,
    /// Models trained at once on this machine.
    pub workers: Option<usize>,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            folder: "guestlist-run".into(),
            executor: "local".into(),
            workers: None,
        }
    }
}

/// Where results go, of audits that have nothing else to say about their run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunFolder {
    pub folder: PathBuf,
}

impl Default for RunFolder {
    fn default() -> Self {
        Self {
            folder: "guestlist-run".into(),
        }
    }
}

/// A folder of a configuration, without the dots that a person would not write.
pub(crate) fn seen_from(base: &Path, folder: &Path) -> PathBuf {
    base.join(folder).components().collect()
}

/// A configuration and the folder that paths in it start from.
pub struct Configured {
    pub config: Config,
    pub base: PathBuf,
    pub path: PathBuf,
}

impl Configured {
    pub fn read(path: &Path) -> Result<Self, Error> {
        Ok(Self {
            config: parse(path)?,
            base: base(path),
            path: path.to_owned(),
        })
    }

    /// The run's folder.
    pub fn folder(&self) -> PathBuf {
        seen_from(&self.base, &self.config.run.folder)
    }

    /// What decides the models. Our own trainer trains where no other is named.
    pub fn settings(&self) -> Settings {
        let Config {
            seed,
            data,
            models,
            training,
            command,
            ..
        } = &self.config;
        let training = match (training, command) {
            (None, None) => Some(TrainingSettings::default()),
            _ => training.clone(),
        };
        Settings {
            seed: *seed,
            shadows: models.shadows,
            data: data.clone(),
            training,
            command: command.clone(),
        }
    }
}

/// The line, and what is wrong with it, without the drawing.
fn located(error: &toml::de::Error, text: &str) -> String {
    let line = error
        .span()
        .map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    let message = plainly(&error.message().replace('\n', ", "));
    match line {
        Some(line) => format!("line {line}: {message}"),
        None => message,
    }
}

/// What was expected, in the words of people rather than of Rust.
fn plainly(message: &str) -> String {
    const WORDS: [(&str, &str); 8] = [
        ("usize", "a whole number, 0 or more"),
        ("u64", "a whole number, 0 or more"),
        ("u32", "a whole number, 0 or more"),
        ("f64", "a number"),
        ("f32", "a number"),
        ("a sequence", "a list such as [1, 2]"),
        ("a boolean", "true or false"),
        ("a string", "a text in quotes"),
    ];
    let Some((found, wanted)) = message.rsplit_once("expected ") else {
        return message.to_owned();
    };
    let known = WORDS.iter().find(|(rust, _)| *rust == wanted);
    known.map_or(message.to_owned(), |(_, words)| {
        format!("{found}expected {words}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, String> {
        toml::from_str(text).map_err(|error| located(&error, text))
    }

    #[test]
    fn the_least_configuration_names_kind_and_data() {
        let config = parse("kind = \"classifier\"\n[data]\npath = \"a.csv\"\nlabel = \"y\"\n");
        let config = config.unwrap();
        assert_eq!(config.models.shadows, 64);
        assert_eq!(config.run.executor, "local");
        assert!(config.training.is_none() && config.command.is_none());
    }

    #[test]
    fn a_slip_of_the_keyboard_is_named_with_its_line() {
        let error = parse("kind = \"classifier\"\n[data]\npath = \"a\"\n[training]\nepoch = 3\n");
        let error = error.unwrap_err();
        assert!(
            error.contains("line 5") && error.contains("epoch"),
            "{error}"
        );
        let error = parse("kind = \"oracle\"\n[data]\n").unwrap_err();
        assert!(
            error.contains("line 1") && error.contains("classifier"),
            "{error}"
        );
    }

    #[test]
    fn what_a_key_wants_is_said_in_words() {
        let told = |models: &str| {
            let text = format!("kind = \"classifier\"\n[data]\n[models]\n{models}\n");
            parse(&text).unwrap_err()
        };
        let whole = "expected a whole number, 0 or more";
        assert!(told("shadows = -4").ends_with(whole));
        assert!(told("shadows = \"x\"").ends_with(whole));
        let error = parse("kind = \"classifier\"\n[data]\n[training]\nhidden = 3\n").unwrap_err();
        assert!(error.ends_with("expected a list such as [1, 2]"), "{error}");
    }

    #[test]
    fn attacks_may_be_a_list_and_settings_numbers() {
        let text = "kind = \"classifier\"\n[data]\n[audit]\nattacks = [\"lira\", \"rmia\"]\n\
                    gate = \"conservative\"\n[audit.settings]\n\"rmia.gamma\" = 2\n";
        let config = parse(text).unwrap();
        assert_eq!(config.audit.attacks, "lira,rmia");
        assert_eq!(config.audit.settings["rmia.gamma"], "2");
        assert!(config.audit.grant().is_ok());
    }
}
