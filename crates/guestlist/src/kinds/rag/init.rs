//! The configuration of an audit of a retrieval service.

use std::path::Path;

use asking::rag::{Proposal, propose};

use super::init_controls::controls;
use crate::Error;
use crate::init::{Controls, InitRequest, Secrets, Start, quoted};

/// The preset where nothing is known.
const USUAL: &str = "openai-chat";
/// The model that the template names.
const USUAL_MODEL: &str = "gpt-4o-mini";
const INDEX: &str = "index the controls in the service's store";
const AFTERWARDS: &str = "guestlist probe, guestlist plan and guestlist run";
/// Beside the configuration.
const CONTROLS: &str = "controls.jsonl";

/// What a request comes to.
pub fn start(request: &InitRequest) -> Result<Start, Error> {
    let target = request.address()?;
    let proposal = match (&request.preset, target) {
        (None, Some(url)) => Some(propose(url)),
        _ => None,
    };
    let proposed = proposal.as_ref().and_then(|proposal| proposal.preset);
    let served = proposal
        .as_ref()
        .map_or(&[][..], |proposal| &proposal.models);
    let mut secrets = Secrets::default();
    let url = secrets.hidden(target, "TARGET");
    let text = retrieval(
        request.seen(request.members.as_deref()).as_deref(),
        request.seen(request.nonmembers.as_deref()).as_deref(),
        url.as_deref(),
        request.preset.as_deref().or(proposed),
        request.controls.map(|_| CONTROLS),
    )?;
    let text = match served.first() {
        Some(model) => text.replace(&with_model(USUAL_MODEL), &with_model(model)),
        None => text,
    };
    let several = first_of(served);
    let steps = [
        proposal.map(said),
        several,
        request.controls.map(|_| INDEX.to_owned()),
        secrets.in_environment(),
        missing(request).map(str::to_owned),
    ];
    let steps: Vec<String> = steps.into_iter().flatten().collect();
    let next = match steps.is_empty() {
        true => AFTERWARDS.to_owned(),
        false => format!("{}, then {AFTERWARDS}", steps.join(", ")),
    };
    Ok(Start {
        controls: request
            .controls
            .map(|count| invented(count, request))
            .transpose()?,
        ..Start::new(text, next)
    })
}

/// What the preset's body asks for.
fn with_model(model: &str) -> String {
    format!("values = {{ model = {} }}    # what", quoted(model))
}

/// Which of several models the configuration names.
fn first_of(served: &[String]) -> Option<String> {
    let (first, others) = served.split_first()?;
    (!others.is_empty()).then(|| {
        format!(
            "look whether model {} is right (the first of {} that are served)",
            report::printable(first),
            served.len()
        )
    })
}

/// What the configuration has an example of only.
fn missing(request: &InitRequest) -> Option<&'static str> {
    let documents = request.members.is_some() && request.nonmembers.is_some();
    match (documents, request.target.is_some()) {
        (true, true) => None,
        (false, true) => Some("set documents in it"),
        (true, false) => Some("set target in it"),
        (false, false) => Some("set documents and target in it"),
    }
}

/// Why this preset stands in the configuration.
fn said(proposal: Proposal) -> String {
    let why = report::printable(&proposal.why);
    match proposal.preset {
        Some(preset) => format!("look whether preset {preset} is right ({why})"),
        None => format!("choose the preset, of which {USUAL} is a guess ({why})"),
    }
}

/// The same project gets the same documents again.
fn invented(count: usize, request: &InitRequest) -> Result<Controls, Error> {
    let project = std::path::absolute(&request.out).unwrap_or_else(|_| request.out.clone());
    let target = request.target.as_deref().unwrap_or_default();
    let project = format!("{} {target}", project.display());
    Ok(Controls {
        name: CONTROLS,
        text: controls(count, &project)?,
        documents: count,
    })
}

/// A commented configuration; every preset is named in it.
pub(super) fn retrieval(
    members: Option<&Path>,
    nonmembers: Option<&Path>,
    url: Option<&str>,
    preset: Option<&str>,
    controls: Option<&str>,
) -> Result<String, Error> {
    let known = asking::rag::presets();
    if let Some(preset) = preset.filter(|preset| !known.contains(preset)) {
        return Err(Error::usage(
            format!("there is no preset {preset}"),
            text::did_you_mean(&known, preset),
        ));
    }
    let path = |path: Option<&Path>, usual: &str| {
        quoted(&path.map_or(usual.into(), |path| path.display().to_string()))
    };
    // A hole that the preset leaves open must not be in a comment.
    let values = match preset.unwrap_or(USUAL) {
        "openai-chat" | "openai-responses" | "open-webui" | "ollama" => "",
        _ => "# ",
    };
    Ok(TEMPLATE
        .replace("<members>", &path(members, "members.jsonl"))
        .replace("<nonmembers>", &path(nonmembers, "non-members.jsonl"))
        .replace("<controls>", &controls_line(controls))
        .replace("<url>", &quoted(url.unwrap_or("http://127.0.0.1:8080")))
        .replace("<preset>", &quoted(preset.unwrap_or(USUAL)))
        .replace("<presets>", &known.join(", "))
        .replace("<values>", values))
}

fn controls_line(file: Option<&str>) -> String {
    match file {
        Some(file) => format!("controls = {}", quoted(file)),
        None => "# controls = \"controls.jsonl\"".to_owned(),
    }
}

const TEMPLATE: &str = r##"# An audit of a service that answers from a store of documents: questions about documents that the
# store holds (members) and about others like them (non-members), and whether the answers tell
# which is which.
#
#   guestlist probe     one question: what is sent, what comes back, what is read from it
#   guestlist plan      how many requests a run would send; nothing is sent
#   guestlist run       ask, attack, judge, report; may be stopped and started at any time

kind = "rag"
seed = 0                       # of the order of questions and everything else that is random

[documents]                    # JSON Lines {"id", "text", "title"?, "topic"?, "date"?}, Parquet, CSV, or
members = <members>        # a folder of texts, Markdown, HTML and PDF
nonmembers = <nonmembers>    # drawn from the same pool, on the same topics
# unknown = "mine.jsonl"         # of which nobody knows: they are called, not measured
# file = "documents.jsonl"      # or one file, with "member" in every row
# limit = 200                   # at most so many of each, chosen at random; a larger one keeps them
# language = "de"               # ask in en, de, fr, es or zh; by default in each document's own
<controls>    # documents with invented facts that you put into the store, as
#   `guestlist init rag --controls` writes them: the audit must find them again. A pass needs them where
#   answers and sources show nothing.
#
# Questions quote the documents: whole texts (yes-no, s2, mba, dcmi) or phrases (content, citation, facts).
# `guestlist plan` says how many characters of non-members go to which host.

[target]                       # the service, as it is
preset = <preset>        # <presets>
url = <url>
# api_key = "${SERVICE_KEY}"    # sent as a bearer token; ${NAME} is read from the environment
<values>values = { model = "gpt-4o-mini" }    # what the preset's body asks for

# Without a server, in place of preset and url: a program that answers JSON Lines, or questions that
# others ask (`guestlist plan --questions`).
# command = ["python3", "answer.py"]
# elsewhere = true

# Without a preset, or to change one: any JSON with {{query}} in it.
# method = "POST"
# headers = { "X-Tenant" = "audit" }
# body = { question = "{{query}}", session = "{{session}}" }
# stream = "none"               # sse or ndjson
# refused_status = [403, 422]   # statuses that mean a refusal, not a failure
# [target.extract]              # JSONPath (RFC 9535)
# answer = "$.answer"
# citations = "$.sources"       # what the service shows as its sources
# retrieved = "$.chunks"        # what it looked up, if visible: for the hit rate alone

# The same service with retrieval off: only what differs. Some presets know it already. What a model
# says without its store is no leak of the store.
# [target.off]
# body = { retrieval = false }
# remove = ["tools"]            # keys of the body that are left out

# What asking costs, for `guestlist plan`.
# [target.price]
# input = 0.15                  # a million tokens in
# output = 0.60                 # a million tokens out
# request = 0.0                 # a request by itself
# context = 1200                # tokens that the service adds to each question
# currency = "USD"

[transport]
concurrency = 4                # requests at once
# requests_per_minute = 60
# timeout = 60                  # seconds for one request
# retries = 4
# max_requests = 5000           # never exceeded over the life of the run's folder; what it reached is judged
# max_tokens = 2000000

[probes]
without_retrieval = true       # also ask with retrieval off, where [target.off] says how
repeats = 20                   # questions asked twice, to see whether answers differ
recheck = 16                   # stored answers that a later run asks again: is it still the same service?
adaptive = true                # ask no more about documents that the first answers settle

# Helper models: none is needed.
# [helper]
# questions_model = "SmolLM2.gguf"      # writes the questions of ia, on this machine
# [helper.questions]                    # or a chat service that does
# preset = "openai-chat"
# url = "https://api.openai.com"
# api_key = "${OPENAI_API_KEY}"
# values = { model = "gpt-4o-mini" }
# [helper.perplexity]                   # reads answers for s2-fitted: a model as in an audit of kind lm
# model = "SmolLM2.gguf"

[run]
folder = "guestlist-run"       # where answers and results go

[audit]
attacks = "all"                # or a list: `guestlist attacks`
gate = "point"                 # conservative: pass only if the whole interval is below; proven
threshold = 0.65               # the audit fails at or above this AUC
#   policy = "policy.toml"      # instead of gate, measure and threshold: criteria in a file of their own
# measure = "auc"               # advantage, epsilon, or tpr@0.01
# slices = ["topic", "length"]   # by topic, by length in words, or by any field of the documents
# group = "owner"               # the field of the documents that says whose each is: people are judged too
# join = "sum"                  # how a person's scores become one: sum, mean or max
# holdout = true                # choose the best attack on one half, report on the other
# fpr = [0.1, 0.01]
# show_records = true           # ids, texts, exchanges and who is a member in the report
# call_level = 0.05             # at which documents of unknown membership are called members
# subject = "spring release"    # what to call it where the report begins

[audit.settings]
variations = 3                 # wordings of content, citation, facts and yes-no
"ia.questions" = 10            # the paper asks 30
"##;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::rag::Config;

    #[test]
    fn no_secret_is_written_and_only_what_is_missing_is_asked_for() {
        let mut request = InitRequest {
            target: Some("http://me:hunter2@127.0.0.1:1/ask?key=SECRET".into()),
            preset: Some("guestlist".into()),
            ..InitRequest::default()
        };
        let started = start(&request).unwrap();
        assert!(!started.text.contains("hunter2") && !started.text.contains("SECRET"));
        assert!(started.text.contains("?key=${GUESTLIST_TARGET_KEY}"));
        let words = "set GUESTLIST_TARGET_USER, GUESTLIST_TARGET_PASSWORD, GUESTLIST_TARGET_KEY in";
        assert!(started.next.starts_with(words), "{}", started.next);
        assert!(started.next.contains("set documents in it"));
        request.target = Some("http://127.0.0.1:1/ask".into());
        request.members = Some("in.jsonl".into());
        request.nonmembers = Some("out.jsonl".into());
        assert_eq!(start(&request).unwrap().next, AFTERWARDS);
    }

    #[test]
    fn what_is_written_can_be_read_with_and_without_its_comments() {
        let url = Some("http://127.0.0.1:1/\"x");
        let text = retrieval(None, None, url, Some("dify"), None).unwrap();
        let config: Config = toml::from_str(&text).unwrap();
        assert_eq!(config.target.preset.as_deref(), Some("dify"));
        assert!(config.audit.resolve::<crate::kinds::rag::Rag>().is_ok());
        assert_eq!(config.documents.controls, None);
        let controlled = retrieval(None, None, url, None, Some("c.jsonl")).unwrap();
        let controlled: Config = toml::from_str(&controlled).unwrap();
        assert_eq!(
            controlled.documents.controls.as_deref(),
            Some(Path::new("c.jsonl"))
        );
        assert!(retrieval(None, None, None, Some("nothing"), None).is_err());
        let keys = text.lines().map(|line| match line.strip_prefix("# ") {
            Some(key) if key.contains(" = ") || key.starts_with('[') => key,
            _ => line,
        });
        // Every key in a comment is a key that there is.
        let open: Vec<&str> = keys.filter(|line| !line.starts_with("file = ")).collect();
        let config: Config = toml::from_str(&open.join("\n")).unwrap();
        assert!(config.target.off.is_some() && config.helper.perplexity.is_some());
    }
}
