//! Finding out what a server gives before anything costs money.

use std::fmt;

use serde_json::Value;

use super::dialect::{AUTO, Dialect, candidates};
use super::exchange::Exchange;
use super::reading::{at, explained};
use super::{Endpoint, Prompt, Scored};
use crate::campaign::{Attempt, FailureKind, Fault, RetryPolicy};
use crate::http::printable::printable;
use crate::{Error, ErrorKind, Result};

/// Long and foreseeable enough to tell rows that stand in the wrong place.
const TEXT: &str = "Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday. January, \
                    February, March, April, May, June, July, August, September, October";

/// What a server gives for a text. Mean and variance of log p it never gives: those need the whole
/// distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gives {
    /// Log-probabilities of the text's tokens: without them there is no server at all.
    pub logprobs: bool,
    /// Whether each token was the model's first choice.
    pub first_choice: bool,
    /// Each token's place in the vocabulary.
    pub exact_rank: bool,
    pub token_ids: bool,
    /// Whether a prompt may be token ids.
    pub takes_ids: bool,
    /// What the server calls itself.
    pub server: Option<String>,
}

impl fmt::Display for Gives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("log-probabilities of given texts")?;
        f.write_str(match (self.exact_rank, self.first_choice) {
            (true, _) => ", ranks",
            (false, true) => ", whether a token was the first choice",
            (false, false) => ", but not whether a token was the first choice",
        })?;
        f.write_str(if self.token_ids { ", token ids" } else { "" })
    }
}

/// What the probe found.
pub(super) struct Found {
    pub dialect: &'static dyn Dialect,
    pub gives: Gives,
    /// The name to put into requests.
    pub model: Option<String>,
    /// Which model it really is, as far as the server tells.
    pub served: Option<String>,
    /// What the model makes of the probe's text.
    pub scored: Scored,
}

pub(super) async fn probe(
    endpoint: &Endpoint,
    exchange: &Exchange,
    policy: &RetryPolicy<'_>,
) -> Result<Found> {
    let mut failures = Vec::new();
    for dialect in candidates(&endpoint.dialect)? {
        match try_one(endpoint, exchange, policy, dialect).await {
            Ok(found) => return Ok(found),
            // Another dialect would fare no better.
            Err(fault) if endpoint.dialect != AUTO || everyone_fails(&fault) => {
                return Err(*fault.error);
            }
            Err(fault) => failures.push((dialect.name(), fault)),
        }
    }
    Err(none_fits(exchange, failures))
}

async fn try_one(
    endpoint: &Endpoint,
    exchange: &Exchange,
    policy: &RetryPolicy<'_>,
    dialect: &'static dyn Dialect,
) -> Attempt<Found> {
    let listed = policy.ask(|| exchange.get_json(dialect.models())).await;
    let (model, served) = match listed {
        Ok(listed) => choose_model(endpoint, &listed).map_err(lasting)?,
        Err(fault) if everyone_fails(&fault) => return Err(fault),
        // A server need not list its models.
        Err(_) => (endpoint.model.clone(), endpoint.model.clone()),
    };
    let text = format!("{}{TEXT}", endpoint.prefix.as_deref().unwrap_or_default());
    let body = dialect.request(&Prompt::Text(text), model.as_deref());
    let body = body.map_err(|error| lasting(Error::malformed(error.to_string())))?;
    let asked = policy
        .ask(|| exchange.post_json(dialect.path(), body.clone()))
        .await;
    let (answer, server) = match asked {
        Ok(answered) => answered,
        Err(mut fault) => {
            with_models(&mut fault, exchange, policy).await;
            return Err(fault);
        }
    };
    let scored = match dialect.read(&Prompt::Text(TEXT.into()), &answer) {
        Ok(scored) => scored,
        Err(error) => {
            return Err(lasting(
                name_it(explained(error, &answer), server, exchange, policy).await,
            ));
        }
    };
    if scored.logprob.len() < 3 {
        let message = "the server scored hardly any token of the probe's text";
        return Err(lasting(Error::malformed(message)));
    }
    Ok(Found {
        dialect,
        gives: gives(dialect, &scored, server),
        model,
        served,
        scored,
    })
}

fn gives(dialect: &dyn Dialect, scored: &Scored, server: Option<String>) -> Gives {
    Gives {
        logprobs: true,
        first_choice: scored.rank.is_some(),
        exact_rank: scored.rank.is_some() && scored.rank_cap.is_none(),
        token_ids: scored.token_ids.is_some(),
        // One that names tokens by text alone may take texts alone: llama-cpp-python does.
        takes_ids: dialect.takes_ids() && scored.token_ids.is_some(),
        server,
    }
}

/// The model's name for requests, and what it really is: many servers call any model the same, and
/// answers of another one must not be taken for its.
fn choose_model(endpoint: &Endpoint, listed: &Value) -> Result<(Option<String>, Option<String>)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let Some(models) = at(listed, "/data").as_array() else {
        let path = text(at(listed, "/model_path")).or(text(at(listed, "/model_id")));
        let version = text(at(listed, "/model_sha")).or(text(at(listed, "/weight_version")));
        let served: Vec<String> = path.into_iter().chain(version).collect();
        let served = (!served.is_empty()).then(|| served.join(" "));
        return Ok((endpoint.model.clone(), served.or(endpoint.model.clone())));
    };
    let name = |model: &Value| text(at(model, "/id"));
    let chosen = match &endpoint.model {
        Some(wanted) => models
            .iter()
            .find(|model| name(model).as_ref() == Some(wanted)),
        None if models.len() > 1 => return Err(which_model(listed)),
        None => models.first(),
    };
    let Some(chosen) = chosen else {
        // Some answer to names that they do not list.
        return Ok((endpoint.model.clone(), endpoint.model.clone()));
    };
    let model = name(chosen);
    let root = text(at(chosen, "/root")).filter(|root| Some(root) != model.as_ref());
    let served: Vec<String> = model.clone().into_iter().chain(root).collect();
    Ok((model, Some(served.join(" "))))
}

fn which_model(listed: &Value) -> Error {
    Error::new(ErrorKind::Setting, "the server has several models")
        .hint(format!("set model to one of {}", model_names(listed)))
}

fn model_names(listed: &Value) -> String {
    let models = at(listed, "/data").as_array().into_iter().flatten();
    let names = models.filter_map(|model| at(model, "/id").as_str());
    let names: Vec<String> = names.take(8).map(|name| printable(name, 80)).collect();
    names.join(", ")
}

/// Knows some servers that cannot do it by what they say of themselves.
async fn name_it(
    error: Error,
    server: Option<String>,
    exchange: &Exchange,
    policy: &RetryPolicy<'_>,
) -> Error {
    if error.kind != ErrorKind::Unsupported {
        return error;
    }
    if server.is_some_and(|name| name.contains("llama.cpp")) {
        return error.hint(
            "this is llama.cpp's server: score the GGUF file itself, or serve it with \
             llama-cpp-python and --logits_all true",
        );
    }
    match policy.ask(|| exchange.get_json("api/version")).await {
        Ok(version) if version.get("version").is_some() => error.hint(
            "this is Ollama, which scores generated tokens only: score its GGUF file itself, or \
             serve the model with vLLM or SGLang",
        ),
        _ => error,
    }
}

/// Adds the names of the server's models to a failure that may come from a wrong one.
pub(super) async fn with_models(fault: &mut Fault, exchange: &Exchange, policy: &RetryPolicy<'_>) {
    if fault.status != Some(404) {
        return;
    }
    if let Ok(listed) = policy.ask(|| exchange.get_json("v1/models")).await {
        let names = model_names(&listed);
        if !names.is_empty() {
            let hint = format!("check the model's name: the server has {names}");
            fault.error.hint = Some(hint);
        }
    }
}

/// Not there, or not for us: whatever the dialect.
fn everyone_fails(fault: &Fault) -> bool {
    let unreachable = fault.status.is_none() && fault.error.kind == ErrorKind::Server;
    unreachable
        || matches!(fault.status, Some(401 | 403 | 429))
        || matches!(
            fault.error.kind,
            ErrorKind::Setting | ErrorKind::Interrupted
        )
}

fn lasting(error: Error) -> Fault {
    Fault::new(FailureKind::Schema, error, false)
}

/// The most telling failure leads: one of a server that answered but cannot do it.
fn none_fits(exchange: &Exchange, mut failures: Vec<(&'static str, Fault)>) -> Error {
    let telling = failures
        .iter()
        .position(|(_, fault)| fault.error.kind == ErrorKind::Unsupported);
    if let Some(telling) = telling {
        return *failures.swap_remove(telling).1.error;
    }
    let each: Vec<String> = failures
        .iter()
        .map(|(name, fault)| format!("{name}: {}", fault.error.message))
        .collect();
    let message = format!(
        "{} speaks no dialect that gives log-probabilities of texts ({})",
        exchange.address.base(),
        each.join("; ")
    );
    let hint = failures
        .into_iter()
        .rev()
        .find_map(|(_, fault)| fault.error.hint);
    let hint = hint.unwrap_or_else(|| "check the url's path".into());
    Error::new(ErrorKind::Unsupported, message).hint(hint)
}
