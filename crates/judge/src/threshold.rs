//! A cut of the score: a record is called a member when its score is at or above it.
//!
//! JSON has no infinities, so a cut is written as a number where it is finite, as the words
//! `"inf"` and `"-inf"` where the score itself is infinite, and as `null` where the cut lies above
//! every score and nothing is called a member.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Nothing inside means: above every score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold(pub Option<f64>);

impl From<Option<f64>> for Threshold {
    fn from(cut: Option<f64>) -> Self {
        Threshold(cut)
    }
}

impl JsonSchema for Threshold {
    fn schema_name() -> Cow<'static, str> {
        "Threshold".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A record is called a member when its score is at or above it; null: none is.",
            "anyOf": [{"type": ["number", "null"]}, {"enum": ["inf", "-inf"]}],
        })
    }
}

impl Serialize for Threshold {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            None => serializer.serialize_none(),
            Some(f64::INFINITY) => serializer.serialize_str("inf"),
            Some(f64::NEG_INFINITY) => serializer.serialize_str("-inf"),
            Some(cut) => serializer.serialize_f64(cut),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Word(String),
}

impl<'de> Deserialize<'de> for Threshold {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Option::<Written>::deserialize(deserializer)? {
            None => Ok(Threshold(None)),
            Some(Written::Number(cut)) => Ok(Threshold(Some(cut))),
            Some(Written::Word(word)) => from_word(&word),
        }
    }
}

fn from_word<E: de::Error>(word: &str) -> Result<Threshold, E> {
    match word {
        "inf" => Ok(Threshold(Some(f64::INFINITY))),
        "-inf" => Ok(Threshold(Some(f64::NEG_INFINITY))),
        other => Err(E::custom(format!(
            "a threshold is a number, null, \"inf\" or \"-inf\", not {other:?}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_json() {
        for (cut, written) in [
            (None, "null"),
            (Some(f64::INFINITY), "\"inf\""),
            (Some(f64::NEG_INFINITY), "\"-inf\""),
            (Some(-0.1), "-0.1"),
        ] {
            let text = serde_json::to_string(&Threshold(cut)).unwrap();
            assert_eq!(text, written);
            let back: Threshold = serde_json::from_str(&text).unwrap();
            assert_eq!(back, Threshold(cut));
        }
        assert!(serde_json::from_str::<Threshold>("\"high\"").is_err());
    }
}
