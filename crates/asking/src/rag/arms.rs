//! One target, two arms: the settings of each, complete.

use super::called::usual_settings;
use super::presets::{self, Preset};
use super::settings::TargetSettings;
use crate::{Error, ErrorKind, Result};

/// What to send with retrieval, and without it where that can be done.
pub(super) struct Arms {
    pub on: TargetSettings,
    pub off: Option<TargetSettings>,
    /// How to come by the second where there is none.
    pub off_hint: String,
}

impl Arms {
    /// `table` is the target's name in the configuration.
    pub fn new(table: &str, settings: &TargetSettings) -> Result<Self> {
        let preset = settings.preset.as_deref();
        let preset = preset.map(|name| presets::find(table, name)).transpose()?;
        let usual = match preset {
            Some(preset) => preset.settings()?,
            None if is_called(settings) => usual_settings(),
            None => TargetSettings::default(),
        };
        check_called(table, settings, settings)?;
        let usual_off = usual.off.clone();
        let on = with_path(table, usual.with(settings), preset)?;
        let overlays = [usual_off.as_deref(), settings.off.as_deref()];
        let mut overlays = overlays.into_iter().flatten().peekable();
        let there = overlays.peek().is_some();
        let off = overlays.try_fold(on.clone(), |under, over| {
            check_overlay(table, over)?;
            check_called(&format!("{table}.off"), over, settings)?;
            with_path(table, under.with(over), preset)
        })?;
        // Whoever answers elsewhere is told on every line which arm is meant.
        if there && off == on && on.elsewhere != Some(true) {
            let message = format!("[{table}.off] changes nothing: both arms would be the same");
            return Err(Error::new(ErrorKind::Setting, message).hint(off_hint(table, preset)));
        }
        Ok(Self {
            on,
            off: there.then_some(off),
            off_hint: off_hint(table, preset),
        })
    }
}

fn off_hint(table: &str, preset: Option<&Preset>) -> String {
    let usual = || {
        format!(
            "say in [{table}.off] what differs when the same service is asked without its store"
        )
    };
    preset.map_or_else(usual, |preset| preset.off_hint(table))
}

fn check_overlay(table: &str, over: &TargetSettings) -> Result<()> {
    let key = match (&over.preset, &over.off) {
        (Some(_), _) => "preset",
        (_, Some(_)) => "off",
        (None, None) => return Ok(()),
    };
    let message = format!("[{table}.off] has {key} of its own");
    Err(Error::new(ErrorKind::Setting, message).hint(format!(
        "it holds only what differs from [{table}]: url, headers, body, remove, …"
    )))
}

/// Whether there is no address, and none is wanted.
pub(super) fn is_called(settings: &TargetSettings) -> bool {
    settings.command.is_some() || settings.elsewhere == Some(true)
}

/// A program and an address are two targets, and one part of this configuration would be ignored.
/// `given` is the target or its other arm.
fn check_called(table: &str, given: &TargetSettings, target: &TargetSettings) -> Result<()> {
    let wrong = |message: String, hint: &str| {
        Err(Error::new(ErrorKind::Setting, format!("{table}.{message}")).hint(hint))
    };
    if !is_called(target) {
        return match is_called(given) {
            true => wrong(
                "command and elsewhere are for targets that have no url".to_owned(),
                "both arms are asked in one way: over HTTP, by a program, or elsewhere",
            ),
            false => Ok(()),
        };
    }
    if target.command.is_some() && target.elsewhere == Some(true) {
        return wrong(
            "command and elsewhere are both given".to_owned(),
            "leave out one of them",
        );
    }
    let foreign = [
        (given.preset.is_some(), "preset"),
        (given.url.is_some(), "url"),
        (given.method.is_some(), "method"),
        (!given.headers.is_empty(), "headers"),
        (given.api_key.is_some(), "api_key"),
        (given.body.is_some(), "body"),
        (given.body_text.is_some(), "body_text"),
        (given.form.is_some(), "form"),
        (!given.values.is_empty(), "values"),
        (!given.remove.is_empty(), "remove"),
        (given.stream.is_some(), "stream"),
        (given.stream_text.is_some(), "stream_text"),
        (given.refused_status.is_some(), "refused_status"),
    ];
    match foreign.into_iter().find(|(given, _)| *given) {
        None => Ok(()),
        Some((_, key)) => wrong(
            format!("{key} means nothing for a target that is asked without HTTP"),
            "leave it out, or leave out command and elsewhere",
        ),
    }
}

/// An url without a path gets the preset's.
fn with_path(
    table: &str,
    mut settings: TargetSettings,
    preset: Option<&Preset>,
) -> Result<TargetSettings> {
    // They are two arms of one target, and neither has arms of its own.
    settings.off = None;
    if is_called(&settings) {
        return Ok(settings);
    }
    let path = preset.map_or("", |preset| preset.path);
    let Some(url) = &mut settings.url else {
        let example = format!("http://127.0.0.1:8000{path}");
        return Err(
            Error::new(ErrorKind::Setting, format!("{table}.url is missing")).hint(format!(
                "give the service's address, such as url = \"{example}\""
            )),
        );
    };
    let bare = url.trim().trim_end_matches('/');
    let host = bare.split_once("://").map_or(bare, |(_, rest)| rest);
    if !host.contains(['/', '?']) {
        *url = format!("{bare}{path}");
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn arms(json: Value) -> Result<Arms> {
        Arms::new("target", &serde_json::from_value(json).unwrap())
    }

    #[test]
    fn a_preset_fills_what_is_not_said() {
        let arms = arms(json!({"preset": "guestlist", "url": "http://h:1/"})).unwrap();
        assert_eq!(
            arms.on.url.as_deref(),
            Some("http://h:1/v1/chat/completions")
        );
        assert_eq!(arms.off.unwrap().body.unwrap()["retrieval"], false);
        assert!(arms.on.body.unwrap().get("retrieval").is_none());
    }

    #[test]
    fn the_users_word_goes_before_the_presets() {
        let arms = arms(json!({
            "preset": "open-webui", "url": "http://h/own/path",
            "body": {"temperature": 0}, "off": {"body": {"temperature": 1}},
        }))
        .unwrap();
        assert_eq!(arms.on.url.as_deref(), Some("http://h/own/path"));
        assert_eq!(arms.on.body.as_ref().unwrap()["temperature"], 0);
        let off = arms.off.unwrap().body.unwrap();
        assert_eq!(off["temperature"], 1);
        assert!(off.get("files").is_none() && arms.on.body.unwrap().get("files").is_some());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let error = |json| arms(json).err().unwrap().to_string();
        assert!(error(json!({"preset": "nope"})).contains("open-webui"));
        assert!(error(json!({"preset": "dify"})).contains("target.url"));
        let same = json!({"preset": "dify", "url": "http://h", "off": {}});
        assert!(error(same).contains("changes nothing"));
        let nested = json!({"url": "http://h", "off": {"off": {}}});
        assert!(error(nested).contains("of its own"));
        let none = arms(json!({"preset": "dify", "url": "http://h"})).unwrap();
        assert!(none.off.is_none() && none.off_hint.contains("second app"));
    }
}
