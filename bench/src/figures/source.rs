//! What a command measured, with the conditions it measured under.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{folder, is_name};
use crate::Failed;

/// A file of measured values: `command` regenerates it, `made` says where and when that was.
pub struct Source<'a> {
    pub name: &'a str,
    pub command: &'a str,
    pub values: Value,
}

impl Source<'_> {
    /// Refuses what has no name or no values: a page would fail to show them.
    pub fn write(&self) -> Result<(), Failed> {
        if !is_name(self.name) || !self.values.is_object() {
            let name = self.name;
            return Err(Failed(format!(
                "{name}: a name in lower case, and a JSON object"
            )));
        }
        let mut all = Map::new();
        all.insert("command".into(), self.command.into());
        all.insert("made".into(), conditions());
        all.extend(self.values.as_object().cloned().unwrap_or_default());
        let path = folder().join(format!("{}.json", self.name));
        let mut text = serde_json::to_string_pretty(&Value::Object(all))
            .map_err(|error| Failed(error.to_string()))?;
        text.push('\n');
        std::fs::write(&path, text).map_err(|error| Failed(format!("{}: {error}", path.display())))
    }
}

pub(super) fn read(folder: &Path, name: &str) -> Result<Value, Failed> {
    let path = folder.join(format!("{name}.json"));
    let failed = |why: String| Failed(format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(&path).map_err(|error| failed(error.to_string()))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    // Whoever doubts a number wants to know how to have it again.
    match value["command"].is_string() {
        true => Ok(value),
        false => Err(failed(
            "it does not say which `command` regenerates it".into(),
        )),
    }
}

/// The machine and the day.
pub fn conditions() -> Value {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    json!({
        "cpu": cpu(),
        "cores": cores,
        "date": day(),
        "system": std::env::consts::OS,
        // What others did meanwhile; a busy machine's numbers are not to be published.
        "load_before": load(),
    })
}

fn cpu() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(':'));
    name.map_or(std::env::consts::ARCH.into(), |(_, name)| {
        name.trim().into()
    })
}

fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// Today, by the clock of the machine (UTC).
fn day() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let days = now.map_or(0, |now| now.as_secs() / 86_400);
    date(days as i64)
}

/// The civil calendar from days since 1970, by counting years that begin in March.
fn date(days: i64) -> String {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_have_their_dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(11_017), "2000-03-01");
        assert_eq!(date(20_775), "2026-11-18");
    }
}
