//! `guestlist.toml`: read once, known by its kind, and turned into that kind's configuration.

use std::path::{Path, PathBuf};

use formats::files::sha256_of;
use report::Inputs;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, Deserializer};

use super::{digests, misspelt};
use crate::Error;
use crate::init::{configurable, listed};
use crate::kinds::Kind;

/// A configuration as it lies on the disk.
pub struct Document<'t> {
    path: &'t Path,
    text: &'t str,
    table: Spanned<DeTable<'t>>,
}

/// Where a configuration lies.
#[derive(Clone, Debug)]
pub struct Place {
    pub path: PathBuf,
    /// The folder that paths in it start from.
    pub base: PathBuf,
    /// The file by the digest of what was read of it; nothing where a program says everything itself.
    pub configuration: Option<Inputs>,
}

impl Place {
    /// These files, then the configuration, as seen from its folder: what has no other name is called after the first.
    pub fn inputs(&self, files: impl IntoIterator<Item = PathBuf>) -> Result<Vec<Inputs>, Error> {
        let mut inputs = digests(files, Some(&self.base))?;
        inputs.extend(self.configuration.clone());
        Ok(inputs)
    }
}

/// The text of a configuration.
pub fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|error| {
        Error::usage(
            format!("{}: cannot be read: {error}", path.display()),
            format!(
                "`guestlist init KIND` writes a configuration; KIND is {}",
                listed(&configurable())
            ),
        )
    })
}

impl<'t> Document<'t> {
    pub fn new(path: &'t Path, text: &'t str) -> Result<Self, Error> {
        let refused = |error| refused(path, text, &error, "");
        let table = DeTable::parse(text).map_err(refused)?;
        Ok(Self { path, text, table })
    }

    pub fn place(&self) -> Place {
        let parent = self.path.parent().filter(|p| !p.as_os_str().is_empty());
        Place {
            base: parent.unwrap_or(Path::new(".")).to_owned(),
            path: self.path.to_owned(),
            configuration: self.input(),
        }
    }

    /// Of the text as it was read: the file may be another one by the time that the report is written. What came
    /// through a pipe is nowhere to be found again.
    fn input(&self) -> Option<Inputs> {
        let name = self.path.file_name().filter(|_| self.path.is_file())?;
        Some(Inputs {
            path: name.to_string_lossy().into_owned(),
            sha256: sha256_of(self.text.as_bytes()),
            ..Inputs::default()
        })
    }

    /// What it is about.
    pub fn kind(&self) -> Result<report::Kind, Error> {
        #[derive(Deserialize)]
        struct Head {
            kind: report::Kind,
        }
        Ok(self.read::<Head>("")?.kind)
    }

    /// The configuration of a kind. What is wrong with it is named with its line, and a key that
    /// nothing knows with what may have been meant.
    pub fn config<K: Kind>(&self) -> Result<K::Config, Error> {
        self.read(&K::template())
    }

    /// Any other document.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, Error> {
        self.read("")
    }

    fn read<T: DeserializeOwned>(&self, template: &str) -> Result<T, Error> {
        let parsed = T::deserialize(Deserializer::from(self.table.clone()));
        parsed.map_err(|error| refused(self.path, self.text, &error, template))
    }
}

fn refused(path: &Path, text: &str, error: &toml::de::Error, template: &str) -> Error {
    let message = error.message();
    let meant = misspelt::meant(message).or_else(|| misspelt::belongs(message, template));
    let every = "`guestlist init KIND --out all-keys.toml` shows every key that there is";
    let hint = meant.map(|meant| format!("{meant} {every}"));
    Error::usage(
        format!("{}: {}", path.display(), located(error, text)),
        hint.unwrap_or_else(|| every.to_owned()),
    )
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

    use crate::kinds::classifier::{Classifier, Config};

    fn parse(text: &str) -> Result<Config, String> {
        let table = DeTable::parse(text).map_err(|error| located(&error, text))?;
        Config::deserialize(Deserializer::from(table)).map_err(|error| located(&error, text))
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
        assert!(config.audit.resolve::<Classifier>().is_ok());
    }
}
