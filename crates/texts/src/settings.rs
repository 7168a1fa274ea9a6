//! Which models to ask, as a configuration says it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::{Error, ErrorKind, Result};
use asking::lm::{Endpoint, Secret};
use formats::environment;

/// One model: files here, or a server.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelSettings {
    /// The name or training step in tables and curves.
    pub label: Option<Label>,
    /// A folder in Hugging Face's layout or a GGUF file; with a server, the model's name there.
    pub model: Option<String>,
    /// A LoRA adapter in PEFT's layout, merged into the weights.
    pub adapter: Option<PathBuf>,
    /// A tokenizer.json in place of the model's own.
    pub tokenizer: Option<PathBuf>,
    /// The address of a server.
    pub server: Option<String>,
    pub dialect: Option<String>,
    pub api_key: Option<String>,
    pub headers: BTreeMap<String, String>,
    pub prefix: Option<String>,
    pub concurrency: Option<usize>,
    pub requests_per_minute: Option<u32>,
    /// Seconds for one request.
    pub timeout: Option<f64>,
    pub retries: Option<usize>,
    /// So many requests over the life of the audit's folder, and no more.
    pub max_requests: Option<u64>,
}

/// A step or a name.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "label must be a number or a text in quotes")]
pub enum Label {
    Step(i64),
    Number(f64),
    Name(String),
}

impl Label {
    pub fn text(&self) -> String {
        match self {
            Label::Step(step) => step.to_string(),
            Label::Number(number) => number.to_string(),
            Label::Name(name) => name.clone(),
        }
    }
}

/// How to score, for all models alike.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScoringSettings {
    /// `cpu`, `cuda` or `cuda:1`.
    pub device: String,
    /// `f32`, `f16` or `bf16`; the CPU computes in f32.
    pub precision: String,
    /// The most tokens read at once, where the model's own context is longer.
    pub context: Option<usize>,
    /// Tokens scored at once; by default what suits the device.
    pub tokens_per_batch: Option<usize>,
    /// Also score every text in lower case, for `lm-lowercase`.
    pub lowercase: bool,
    /// Also write a vector per text, for a few-shot audit.
    pub features: Option<TextFeatures>,
}

/// What a text's vector is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextFeatures {
    /// The mean state of the target's last layer.
    Hidden,
    /// Means, deviations and quantiles of the token signals.
    Statistics,
}

impl Default for ScoringSettings {
    fn default() -> Self {
        Self {
            device: "cpu".into(),
            precision: "f32".into(),
            context: None,
            tokens_per_batch: None,
            lowercase: true,
            features: None,
        }
    }
}

impl ScoringSettings {
    /// A GPU is idle between small batches; a CPU's caches are full with large ones.
    pub(super) fn tokens_per_batch(&self) -> usize {
        let usual = if self.device == "cpu" { 1024 } else { 8192 };
        self.tokens_per_batch.unwrap_or(usual)
    }

    pub(super) fn device(&self) -> Result<lm::DeviceChoice> {
        let number = match self.device.split_once(':') {
            Some(("cuda", number)) => number.parse().ok(),
            None if self.device == "cuda" => Some(0),
            None if self.device == "cpu" => return Ok(lm::DeviceChoice::Cpu),
            _ => None,
        };
        number.map(lm::DeviceChoice::Cuda).ok_or_else(|| {
            let message = format!("scoring.device is {:?}", self.device);
            Error::new(ErrorKind::Setting, message).hint("give cpu, cuda, or cuda:1")
        })
    }

    pub(super) fn precision(&self) -> Result<lm::Precision> {
        Ok(match self.precision.as_str() {
            "f32" => lm::Precision::F32,
            "f16" => lm::Precision::F16,
            "bf16" => lm::Precision::Bf16,
            other => {
                let message = format!("scoring.precision is {other:?}");
                return Err(Error::new(ErrorKind::Setting, message).hint("give f32, f16 or bf16"));
            }
        })
    }

    /// What can be refused before anything is read.
    pub fn check(&self) -> Result<()> {
        if self.features == Some(TextFeatures::Hidden) && self.device()? != lm::DeviceChoice::Cpu {
            let message = "scoring.features = \"hidden\" is read on the CPU only";
            return Err(Error::new(ErrorKind::Setting, message)
                .hint("leave scoring.device out, or set features to \"statistics\""));
        }
        self.device()?;
        self.precision()?;
        let least = |name: &str, value: usize, least: usize| match value < least {
            false => Ok(()),
            true => {
                let message = format!("scoring.{name} is {value}");
                Err(Error::new(ErrorKind::Setting, message).hint(format!("give at least {least}")))
            }
        };
        let batch = self.tokens_per_batch;
        batch.map_or(Ok(()), |tokens| least("tokens_per_batch", tokens, 1))?;
        self.context
            .map_or(Ok(()), |context| least("context", context, 2))
    }
}

impl ModelSettings {
    /// Refuses what does not go together. `role` is the table's name.
    pub fn check(&self, role: &str) -> Result<()> {
        let wrong = |message: String, hint: &str| {
            Err(Error::new(ErrorKind::Setting, format!("{role} {message}")).hint(hint))
        };
        let for_servers = [
            (self.dialect.is_some(), "dialect"),
            (self.api_key.is_some(), "api_key"),
            (!self.headers.is_empty(), "headers"),
            (self.prefix.is_some(), "prefix"),
            (self.concurrency.is_some(), "concurrency"),
            (self.requests_per_minute.is_some(), "requests_per_minute"),
            (self.timeout.is_some(), "timeout"),
            (self.retries.is_some(), "retries"),
            (self.max_requests.is_some(), "max_requests"),
        ];
        match (&self.server, &self.model) {
            (None, None) => wrong(
                "names neither a model nor a server".into(),
                "set model to a folder or a .gguf file, or server to an address",
            ),
            (None, Some(_)) => match for_servers.iter().find(|(set, _)| *set) {
                Some((_, key)) => wrong(
                    format!("has {key} but no server"),
                    "leave it out, or set server",
                ),
                None => Ok(()),
            },
            (Some(_), _) if self.adapter.is_some() => wrong(
                "has an adapter and a server".into(),
                "load the adapter in the server, and name it with model",
            ),
            (Some(_), _)
                if self
                    .timeout
                    .is_some_and(|seconds| !(seconds > 0.0 && seconds < 1e7)) =>
            {
                wrong(
                    "has a timeout that is no number of seconds".into(),
                    "give seconds, such as 120",
                )
            }
            (Some(_), _) => Ok(()),
        }
    }

    /// The model's files, seen from a folder.
    pub(super) fn source(&self, base: &Path) -> lm::Source {
        let under = |path: &PathBuf| base.join(path);
        lm::Source {
            path: base.join(self.model.as_deref().unwrap_or_default()),
            adapter: self.adapter.as_ref().map(under),
            tokenizer: self.tokenizer.as_ref().map(under),
        }
    }

    /// Where the server is; `${NAME}` in keys and headers is taken from the environment now.
    pub(super) fn endpoint(&self, url: &str, role: &str) -> Result<Endpoint> {
        let secret = |key: &str, text: &String| {
            let value = environment::value(&format!("{role}.{key}"), text)?;
            Ok::<Secret, Error>(Secret::new(value))
        };
        let usual = Endpoint::new(url);
        let headers = self.headers.iter().map(|(name, text)| {
            let value = secret(&format!("headers.{name}"), text)?;
            Ok((name.clone(), value))
        });
        let timeout = self.timeout.map(Duration::from_secs_f64);
        Ok(Endpoint {
            dialect: self.dialect.clone().unwrap_or(usual.dialect),
            model: self.model.clone(),
            key: self
                .api_key
                .as_ref()
                .map(|key| secret("api_key", key))
                .transpose()?,
            headers: headers.collect::<Result<_>>()?,
            prefix: self.prefix.clone(),
            concurrency: self.concurrency.unwrap_or(usual.concurrency),
            per_minute: self.requests_per_minute,
            timeout: timeout.unwrap_or(usual.timeout),
            retries: self.retries.unwrap_or(usual.retries),
            max_requests: self.max_requests,
            url: usual.url,
        })
    }
}
