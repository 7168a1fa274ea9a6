//! Settings that attacks declare in their own files and users change with `--set key=value`.

use std::collections::BTreeMap;

use base::{Error, Result};

/// What a setting may hold, with its default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Number {
        default: f64,
        least: f64,
        most: f64,
    },
    Choice {
        default: &'static str,
        choices: &'static [&'static str],
    },
}

/// A named setting of one or more attacks.
#[derive(Debug, PartialEq)]
pub struct Setting {
    pub key: &'static str,
    pub kind: Kind,
    pub help: &'static str,
}

impl Setting {
    pub fn default_text(&self) -> String {
        match self.kind {
            Kind::Number { default, .. } => default.to_string(),
            Kind::Choice { default, .. } => default.to_string(),
        }
    }

    fn check(&self, text: &str) -> Result<()> {
        match self.kind {
            Kind::Number { least, most, .. } => match text.parse::<f64>() {
                Ok(value) if value >= least && value <= most => Ok(()),
                _ => Err(Error::setting(
                    format!(
                        "{}: {text} is not a number from {least} to {most}",
                        self.key
                    ),
                    format!("the default is {}", self.default_text()),
                )),
            },
            Kind::Choice { choices, .. } if choices.contains(&text) => Ok(()),
            Kind::Choice { choices, .. } => Err(Error::setting(
                format!("{}: {text} is not a choice", self.key),
                format!("choose one of {}", choices.join(", ")),
            )),
        }
    }
}

/// The values a user changed; everything else is at its default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    changed: BTreeMap<&'static str, String>,
}

impl Settings {
    /// Takes `key=value`, checked against the settings that exist.
    pub fn set(&mut self, known: &[&'static Setting], key: &str, value: &str) -> Result<()> {
        let Some(setting) = known.iter().find(|setting| setting.key == key) else {
            let keys: Vec<_> = known.iter().map(|setting| setting.key).collect();
            return Err(Error::setting(
                format!("no attack has a setting named {key}"),
                text::did_you_mean(&keys, key),
            ));
        };
        setting.check(value)?;
        self.changed.insert(setting.key, value.to_string());
        Ok(())
    }

    pub fn number(&self, setting: &Setting) -> f64 {
        match setting.kind {
            Kind::Number { default, .. } => self
                .changed
                .get(setting.key)
                .and_then(|text| text.parse().ok())
                .unwrap_or(default),
            Kind::Choice { .. } => f64::NAN,
        }
    }

    /// A number that the user chose; nothing where the default stands.
    pub fn chosen(&self, setting: &Setting) -> Option<f64> {
        self.changed.get(setting.key)?.parse().ok()
    }

    pub fn choice<'a>(&'a self, setting: &Setting) -> &'a str {
        match (self.changed.get(setting.key), setting.kind) {
            (Some(text), _) => text,
            (None, Kind::Choice { default, .. }) => default,
            (None, Kind::Number { .. }) => "",
        }
    }

    /// The value in force, as text.
    pub fn text(&self, setting: &Setting) -> String {
        self.changed
            .get(setting.key)
            .cloned()
            .unwrap_or_else(|| setting.default_text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static GAMMA: Setting = Setting {
        key: "rmia.gamma",
        kind: Kind::Number {
            default: 1.0,
            least: 1e-9,
            most: 1e9,
        },
        help: "",
    };
    static RULE: Setting = Setting {
        key: "rule",
        kind: Kind::Choice {
            default: "auto",
            choices: &["auto", "global"],
        },
        help: "",
    };

    #[test]
    fn defaults_hold_until_changed_and_bad_values_are_named() {
        let known = [&GAMMA, &RULE];
        let mut settings = Settings::default();
        assert_eq!(settings.number(&GAMMA), 1.0);
        assert_eq!(settings.chosen(&GAMMA), None);
        settings.set(&known, "rmia.gamma", "2").unwrap();
        settings.set(&known, "rule", "global").unwrap();
        assert_eq!(settings.number(&GAMMA), 2.0);
        assert_eq!(settings.chosen(&GAMMA), Some(2.0));
        assert_eq!(settings.choice(&RULE), "global");
        for (key, value) in [("rmia.gamma", "-1"), ("rule", "x"), ("rmia.gama", "1")] {
            let error = settings.set(&known, key, value).unwrap_err().to_string();
            assert!(error.contains(key) && error.contains("hint"), "{error}");
        }
        assert!(settings.set(&known, "rmia.gamma", "NaN").is_err());
    }
}
