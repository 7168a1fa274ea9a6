//! `{{source.path | how}}` in a template: a value of `source.json`, shown in one of the ways of `format.rs`.
//! `{{one / other | times}}` is their ratio.

use std::path::Path;

use serde_json::Value;

use super::{format, source};
use crate::Failed;

pub fn fill(words: &str, folder: &Path) -> Result<String, Failed> {
    let mut out = String::new();
    let mut rest = words;
    while let Some((before, after)) = rest.split_once("{{") {
        let (asked, after) = after
            .split_once("}}")
            .ok_or_else(|| Failed("{{ without }}".into()))?;
        out.push_str(before);
        let shown = shown(asked, folder)
            .map_err(|Failed(why)| Failed(format!("{{{{{asked}}}}}: {why}")))?;
        out.push_str(&shown);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

fn shown(asked: &str, folder: &Path) -> Result<String, Failed> {
    let (what, how) = match asked.split_once('|') {
        Some((what, how)) => (what.trim(), how.trim()),
        None => (asked.trim(), ""),
    };
    let Some((one, other)) = what.split_once(" / ") else {
        return format::show(&value(what, folder)?, how);
    };
    let number = |path: &str| {
        let value = value(path.trim(), folder)?;
        let number = value.as_f64();
        number.ok_or_else(|| Failed(format!("{path} is no number")))
    };
    format::show(&Value::from(number(one)? / number(other)?), how)
}

fn value(path: &str, folder: &Path) -> Result<Value, Failed> {
    let mut steps = path.split('.');
    let name = steps.next().unwrap_or_default();
    let mut found = &source::read(folder, name)?;
    for step in steps {
        let next = match step.parse::<usize>() {
            Ok(place) if found.is_array() => found.get(place),
            _ => found.get(step),
        };
        found = next.ok_or_else(|| Failed(format!("{name}.json has no {step}")))?;
    }
    Ok(found.clone())
}
