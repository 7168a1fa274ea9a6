//! Typed access to a JSON object, with messages that name the key.

use std::path::Path;

use serde_json::Value;

use crate::{Error, Result};

#[derive(Clone, Debug)]
pub(crate) struct Json {
    value: Value,
}

impl Json {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read(path).map_err(|error| Error::reading(path, &error))?;
        let value: Value = serde_json::from_slice(&text)
            .map_err(|error| Error::malformed(format!("is not JSON: {error}")).within_file(path))?;
        if value.is_object() {
            Ok(Self { value })
        } else {
            Err(Error::malformed("is not a JSON object").within_file(path))
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.value.get(key).filter(|value| !value.is_null())
    }

    pub(crate) fn object(&self, key: &str) -> Option<Self> {
        let value = self.get(key)?.clone();
        value.is_object().then_some(Self { value })
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.value.as_object().into_iter().flatten()
    }

    pub(crate) fn size(&self, key: &str) -> Result<usize> {
        self.optional_size(key)?.ok_or_else(|| absent(key))
    }

    pub(crate) fn optional_size(&self, key: &str) -> Result<Option<usize>> {
        self.typed(key, "a whole number", |value| {
            value.as_u64().map(|size| size as usize)
        })
    }

    pub(crate) fn number(&self, key: &str) -> Result<f64> {
        self.optional_number(key)?.ok_or_else(|| absent(key))
    }

    pub(crate) fn optional_number(&self, key: &str) -> Result<Option<f64>> {
        self.typed(key, "a number", Value::as_f64)
    }

    /// Whether a key is there, though it may be null.
    pub(crate) fn mentions(&self, key: &str) -> bool {
        self.value.get(key).is_some()
    }

    pub(crate) fn texts(&self, key: &str) -> Result<Option<Vec<String>>> {
        self.typed(key, "a list of strings", |value| {
            let texts = value.as_array()?.iter();
            texts.map(|text| text.as_str().map(str::to_owned)).collect()
        })
    }

    pub(crate) fn numbers(&self, key: &str) -> Result<Option<Vec<f64>>> {
        self.typed(key, "a list of numbers", |value| {
            value.as_array()?.iter().map(Value::as_f64).collect()
        })
    }

    pub(crate) fn flag(&self, key: &str, default: bool) -> Result<bool> {
        Ok(self
            .typed(key, "true or false", Value::as_bool)?
            .unwrap_or(default))
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<String>> {
        self.typed(key, "a string", |value| value.as_str().map(str::to_owned))
    }

    fn typed<T>(
        &self,
        key: &str,
        wanted: &str,
        convert: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>> {
        match self.get(key) {
            None => Ok(None),
            Some(value) => convert(value).map(Some).ok_or_else(|| {
                Error::malformed(format!("{key:?} is {value}, which is not {wanted}"))
            }),
        }
    }
}

fn absent(key: &str) -> Error {
    Error::malformed(format!("{key:?} is missing"))
}
