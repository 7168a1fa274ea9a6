//! What a trained model was made from. Two models with the same ingredients are the same model,
//! so that whatever differs says why one must be trained again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use formats::files;

/// How much of a value a message shows.
const SHOWN: usize = 40;
/// How many differences a message names before it counts the rest.
const MOST_NAMED: usize = 3;

/// Named facts, each as text: settings in the user's words, and digests of files and data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ingredients(BTreeMap<String, String>);

impl Ingredients {
    pub fn add(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.insert(name.into(), value.into());
    }

    /// These and more.
    pub fn with(&self, more: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        let mut all = self.clone();
        for (name, value) in more {
            all.add(name, value);
        }
        all
    }

    /// These less some.
    pub fn without(&self, names: &[&str]) -> Self {
        let kept = self
            .0
            .iter()
            .filter(|(name, _)| !names.contains(&name.as_str()));
        Self(
            kept.map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    }

    /// Every setting of a document under its own name, `training.epochs` and so on.
    pub fn add_settings(&mut self, prefix: &str, value: &serde_json::Value) {
        match value {
            serde_json::Value::Object(entries) => {
                for (name, value) in entries {
                    self.add_settings(&format!("{prefix}.{name}"), value);
                }
            }
            value => self.add(prefix, value.to_string()),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// What a user chose of the training: no data, seeds or versions of code.
    pub(crate) fn settings(&self) -> Vec<(String, String)> {
        let of_user = ["training.", "command.", "torch."];
        let chosen = |name: &str| of_user.iter().any(|prefix| name.starts_with(prefix));
        let chosen = self.0.iter().filter(|(name, _)| chosen(name));
        chosen
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// A short name for exactly these ingredients.
    pub fn key(&self) -> String {
        // A map of texts cannot fail to become JSON; its order is that of the names.
        let text = serde_json::to_string(&self.0).unwrap_or_default();
        files::sha256_of(text.as_bytes())
    }

    /// What changed from these to others, in words; nothing if nothing did.
    pub fn difference(&self, now: &Self) -> Option<String> {
        let mut names: Vec<&String> = self.0.keys().chain(now.0.keys()).collect();
        names.sort_unstable();
        names.dedup();
        names.retain(|name| self.0.get(*name) != now.0.get(*name));
        if names.is_empty() {
            return None;
        }
        let words: Vec<String> = names
            .iter()
            .take(MOST_NAMED)
            .map(|name| change(name, self.0.get(*name), now.0.get(*name)))
            .collect();
        let rest = match names.len().checked_sub(MOST_NAMED) {
            None | Some(0) => String::new(),
            Some(more) => format!(" and {more} more"),
        };
        Some(words.join(", ") + &rest)
    }
}

fn change(name: &str, before: Option<&String>, now: Option<&String>) -> String {
    match (before, now) {
        (Some(before), Some(now)) if is_digest(before) || is_digest(now) => {
            format!("{name} changed")
        }
        (Some(before), Some(now)) => {
            let (before, now) = apart(before, now);
            format!("{name} changed from {before} to {now}")
        }
        (None, Some(now)) if is_digest(now) => format!("{name} is new"),
        (None, Some(now)) => format!("{name} is now {}", cut(now)),
        (Some(_), None) => format!("{name} is gone"),
        (None, None) => String::new(),
    }
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Two texts, each from shortly before they differ.
fn apart(one: &str, other: &str) -> (String, String) {
    let same = one
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let first = match same + SHOWN / 2 > SHOWN {
        true => same.saturating_sub(SHOWN / 2),
        false => 0,
    };
    let from = |text: &str| {
        let rest: String = text.chars().skip(first).collect();
        let before = if first > 0 { "…" } else { "" };
        format!("{before}{}", cut(&rest))
    };
    (from(one), from(other))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_pairs(pairs: &[(&str, &str)]) -> Ingredients {
        let mut ingredients = Ingredients::default();
        for (name, value) in pairs {
            ingredients.add(*name, *value);
        }
        ingredients
    }

    #[test]
    fn differences_are_named_in_words() {
        let digest = "a".repeat(64);
        let before = from_pairs(&[("data", &digest), ("training.epochs", "30")]);
        let now = from_pairs(&[("data", &"b".repeat(64)), ("training.epochs", "50")]);
        assert_eq!(
            before.difference(&now).unwrap(),
            "data changed, training.epochs changed from 30 to 50"
        );
        assert_eq!(before.difference(&before), None);
        assert_ne!(before.key(), now.key());
        let gone = from_pairs(&[("data", &digest)]);
        assert_eq!(before.difference(&gone).unwrap(), "training.epochs is gone");
        assert_eq!(
            gone.difference(&before).unwrap(),
            "training.epochs is now 30"
        );
    }

    #[test]
    fn long_values_are_shown_where_they_differ() {
        let long = |rate: &str| {
            format!("Adam amsgrad=False, betas=(0.9, 0.999), eps=1e-08, lr={rate}, more")
        };
        let (one, other) = apart(&long("0.01"), &long("0.02"));
        assert!(
            one.contains("lr=0.01") && other.contains("lr=0.02"),
            "{one} {other}"
        );
        assert_eq!(apart("30", "50"), ("30".into(), "50".into()));
    }

    #[test]
    fn settings_are_taken_apart() {
        let mut ingredients = Ingredients::default();
        let value = serde_json::json!({"epochs": 3, "privacy": {"delta": 1e-5}});
        ingredients.add_settings("training", &value);
        let wanted = from_pairs(&[
            ("training.epochs", "3"),
            ("training.privacy.delta", "0.00001"),
        ]);
        assert_eq!(ingredients, wanted);
    }
}
