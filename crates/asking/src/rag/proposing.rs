//! Which preset fits an address: by its path, its host, or what it says to a few harmless questions.
//!
//! Nothing is sent but GET without a key, to addresses that cost nothing and change nothing.

use std::time::Duration;

use base::Cancel;
use serde_json::Value;

use crate::http::Service;
use crate::http::secret::is_sensitive;

/// A service that takes longer for a list of its models is not waited for.
const PATIENCE: Duration = Duration::from_secs(3);
const LARGEST: usize = 4 << 20;

/// What fits, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Nothing where no preset fits.
    pub preset: Option<&'static str>,
    /// For people.
    pub why: String,
    /// The models that it says it serves, in its order.
    pub models: Vec<String>,
}

/// Something by which a service is known.
struct Sign {
    preset: &'static str,
    path: &'static str,
    shows: fn(&Answer) -> bool,
    words: &'static str,
}

struct Answer {
    status: u16,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    fn ok(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// The narrow ones first: many services also speak as OpenAI does.
static SIGNS: [Sign; 8] = [
    Sign {
        preset: "guestlist",
        path: "health",
        shows: |answer| {
            let json = answer.json();
            answer.ok() && json["documents"].is_number() && json["generator"].is_string()
        },
        words: "/health answers as the service to rehearse on does",
    },
    Sign {
        preset: "open-webui",
        path: "api/config",
        shows: |answer| {
            answer.ok()
                && answer.json()["name"].is_string()
                && answer.json()["features"].is_object()
        },
        words: "/api/config answers as Open WebUI does",
    },
    Sign {
        preset: "ollama",
        path: "api/tags",
        shows: |answer| answer.ok() && answer.json()["models"].is_array(),
        words: "/api/tags lists models as Ollama does",
    },
    Sign {
        preset: "anythingllm",
        path: "api/ping",
        shows: |answer| answer.ok() && answer.json()["online"] == Value::Bool(true),
        words: "/api/ping answers as AnythingLLM does",
    },
    Sign {
        preset: "dify",
        path: "v1/parameters",
        shows: |answer| {
            let json = answer.json();
            let asks_for_key = answer.status == 401 && json["code"] == "unauthorized";
            asks_for_key || (answer.ok() && json["user_input_form"].is_array())
        },
        words: "/v1/parameters answers as an app of Dify does",
    },
    Sign {
        preset: "ragflow",
        path: "api/v1/datasets",
        shows: |answer| {
            let json = answer.json();
            json["code"].is_number() && (json["message"].is_string() || json["data"].is_array())
        },
        words: "/api/v1/datasets answers as RAGFlow does",
    },
    Sign {
        preset: "langserve",
        path: "openapi.json",
        shows: |answer| {
            let json = answer.json();
            let paths = json["paths"].as_object();
            paths.is_some_and(|paths| paths.keys().any(|path| path.ends_with("/invoke")))
        },
        words: "/openapi.json has a path that ends in /invoke",
    },
    Sign {
        preset: "openai-chat",
        path: "v1/models",
        shows: |answer| {
            let json = answer.json();
            let lists = answer.ok() && json["data"].is_array();
            lists || (matches!(answer.status, 401 | 403) && json["error"].is_object())
        },
        words: "/v1/models answers as OpenAI's does",
    },
];

/// Whose answer is a list of models.
const LISTS_MODELS: [&str; 2] = ["ollama", "openai-chat"];

/// Ends of paths that belong to one preset alone.
const PATHS: [(&str, &str); 8] = [
    ("/api/v1/chats/*/completions", "ragflow"),
    ("/v1/chat-messages", "dify"),
    ("/v1/responses", "openai-responses"),
    ("/api/chat/completions", "open-webui"),
    ("/v1/chat/completions", "openai-chat"),
    ("/api/chat", "ollama"),
    ("/invoke", "langserve"),
    ("/api/v1/workspace/*/chat", "anythingllm"),
];

/// Hosts that belong to one preset alone.
const HOSTS: [(&str, &str); 2] = [
    ("api.openai.com", "openai-responses"),
    (".openai.azure.com", "azure-on-your-data"),
];

/// Looks at an address, and asks there where it does not say enough by itself.
pub fn propose(url: &str) -> Proposal {
    by_address(url).unwrap_or_else(|| by_asking(url))
}

/// The address as it may be written down, with `${NAME}` in place of user, password and whatever else may
/// be a secret; and these names, which say whose address it is.
pub fn with_variables(url: &str, whose: &str) -> (String, Vec<String>) {
    let mut names = Vec::new();
    let mut hide = |name: &str, value: &str| {
        // Nothing to hide, or hidden already.
        if value.is_empty() || value.contains("${") {
            return value.to_owned();
        }
        let name = variable(whose, name);
        let hole = format!("${{{name}}}");
        names.push(name);
        hole
    };
    let (address, query) = match url.split_once('?') {
        Some((address, query)) => (address, Some(query)),
        None => (url, None),
    };
    let mut written = match user(address) {
        Some((scheme, user, rest)) => {
            let user = match user.split_once(':') {
                Some((name, word)) => format!("{}:{}", hide("user", name), hide("password", word)),
                None => hide("user", user),
            };
            format!("{scheme}://{user}@{rest}")
        }
        None => address.to_owned(),
    };
    let pairs = query.map(|query| query.split('&'));
    for (place, pair) in pairs.into_iter().flatten().enumerate() {
        written.push(if place == 0 { '?' } else { '&' });
        match pair.split_once('=') {
            Some((name, value)) if is_sensitive(name) => {
                written += &format!("{name}={}", hide(name, value));
            }
            _ => written += pair,
        }
    }
    (written, names)
}

/// Scheme, user with password, and the rest of an address that has a user.
fn user(address: &str) -> Option<(&str, &str, &str)> {
    let (scheme, rest) = address.split_once("://")?;
    let end = rest.find(['/', '#']).unwrap_or(rest.len());
    let at = rest[..end].rfind('@')?;
    Some((scheme, &rest[..at], &rest[at + 1..]))
}

fn variable(whose: &str, name: &str) -> String {
    let upper = |letter: char| match letter.is_ascii_alphanumeric() {
        true => letter.to_ascii_uppercase(),
        false => '_',
    };
    format!(
        "GUESTLIST_{whose}_{}",
        name.chars().map(upper).collect::<String>()
    )
}

fn by_address(url: &str) -> Option<Proposal> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = format!("/{}", path.trim_end_matches('/'));
    let proposed = |preset, why: String| Proposal {
        preset: Some(preset),
        why,
        models: Vec::new(),
    };
    let mut known = PATHS
        .iter()
        .filter(|(pattern, _)| ends_like(&path, pattern));
    if let Some((pattern, preset)) = known.next() {
        return Some(proposed(preset, format!("its path ends in {pattern}")));
    }
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = host.split(':').next().unwrap_or(host).to_lowercase();
    let (end, preset) = HOSTS.iter().find(|(end, _)| host.ends_with(end))?;
    Some(proposed(
        preset,
        format!("its host is {}", end.trim_start_matches('.')),
    ))
}

/// A star stands for a name.
fn ends_like(path: &str, pattern: &str) -> bool {
    let (path, pattern) = (path.split('/').rev(), pattern.split('/').skip(1));
    let pattern: Vec<&str> = pattern.collect();
    let wanted = pattern.iter().rev();
    let found: Vec<&str> = path.take(pattern.len()).collect();
    found.len() == pattern.len()
        && wanted
            .zip(found)
            .all(|(wanted, found)| *wanted == "*" || *wanted == found)
}

fn by_asking(url: &str) -> Proposal {
    let service = match Service::new(url, None, PATIENCE, LARGEST) {
        Ok(service) => service,
        Err(error) => return unknown(error.to_string()),
    };
    for sign in &SIGNS {
        let answer = match service.get(sign.path, &Cancel::new()) {
            Ok(body) => Answer { status: 200, body },
            Err(refusal) => match refusal.status {
                Some(status) => Answer {
                    status,
                    body: refusal.said.into_bytes(),
                },
                // Nobody is there: the others would only take as long again.
                None => return unknown(refusal.error.message.clone()),
            },
        };
        if (sign.shows)(&answer) {
            return Proposal {
                preset: Some(sign.preset),
                why: sign.words.to_owned(),
                models: match LISTS_MODELS.contains(&sign.preset) {
                    true => models(&answer.json()),
                    false => Vec::new(),
                },
            };
        }
    }
    unknown("it answers as none of the known services does".to_owned())
}

fn unknown(why: String) -> Proposal {
    Proposal {
        preset: None,
        why,
        models: Vec::new(),
    }
}

/// As OpenAI lists them, and as Ollama does.
fn models(answer: &Value) -> Vec<String> {
    let named = |list: &str, name: &str| {
        let listed = answer[list].as_array().into_iter().flatten();
        let names = listed.filter_map(|model| model[name].as_str());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    [named("data", "id"), named("models", "name")].concat()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_address_may_say_enough() {
        for (url, preset) in [
            ("http://h/v1/chat-messages", "dify"),
            ("http://h:3000/api/chat/completions?x=1", "open-webui"),
            ("https://h/v1/chat/completions/", "openai-chat"),
            ("http://h/api/chat", "ollama"),
            ("http://h/app/invoke", "langserve"),
            ("http://h/api/v1/chats/7/completions", "ragflow"),
            ("http://h/api/v1/workspace/w/chat", "anythingllm"),
            ("https://api.openai.com", "openai-responses"),
            ("https://mine.openai.azure.com:443/", "azure-on-your-data"),
        ] {
            let found = by_address(url).and_then(|proposal| proposal.preset);
            assert_eq!(found, Some(preset), "{url}");
        }
        for url in [
            "http://127.0.0.1:8080",
            "http://h/ask",
            "http://api.openai.com.example",
        ] {
            assert_eq!(by_address(url), None, "{url}");
        }
    }

    #[test]
    fn models_are_read_from_both_kinds_of_lists() {
        let openai = json!({"data": [{"id": "one"}, {"id": "two"}, {"no": 1}]});
        assert_eq!(models(&openai), ["one", "two"]);
        let ollama = json!({"models": [{"name": "llama3:8b"}]});
        assert_eq!(models(&ollama), ["llama3:8b"]);
        assert!(models(&json!({"data": 3})).is_empty());
    }

    #[test]
    fn secrets_of_an_address_become_variables() {
        let (url, names) = with_variables(
            "http://me:hunter2@h:80/ask?a=1&api-key=SECRET&q={{query}}",
            "TARGET",
        );
        assert_eq!(
            url,
            "http://${GUESTLIST_TARGET_USER}:${GUESTLIST_TARGET_PASSWORD}@h:80/ask?a=1\
             &api-key=${GUESTLIST_TARGET_API_KEY}&q={{query}}"
        );
        let named = ["USER", "PASSWORD", "API_KEY"].map(|name| format!("GUESTLIST_TARGET_{name}"));
        assert_eq!(names, named);
        for plain in [
            "http://h/a@b?c=d",
            "http://${USER}:${WORD}@h/?key=${KEY}",
            "h",
            "",
        ] {
            assert_eq!(
                with_variables(plain, "TARGET"),
                (plain.to_owned(), Vec::new())
            );
        }
    }

    #[test]
    fn every_preset_that_is_proposed_is_there() {
        let known = crate::rag::presets();
        let named = SIGNS.iter().map(|sign| sign.preset);
        let named = named.chain(PATHS.map(|(_, preset)| preset));
        for preset in named.chain(HOSTS.map(|(_, preset)| preset)) {
            assert!(known.contains(&preset), "{preset}");
        }
    }
}
