//! The configuration of an audit of sources.

use std::path::Path;

use crate::Error;
use crate::init::{InitRequest, Secrets, Start, quoted};

/// What a request comes to.
pub fn start(request: &InitRequest) -> Result<Start, Error> {
    let mut secrets = Secrets::default();
    let url = secrets.hidden(request.address()?, "TARGET");
    let stand_in = secrets.hidden(request.stand_in.as_deref(), "STAND_IN");
    let images = secrets.hidden(request.images.as_deref(), "IMAGES");
    let text = source(&SourceStart {
        items: request.seen(request.items.as_deref()).as_deref(),
        retrieved: request.seen(request.members.as_deref()).as_deref(),
        nonmembers: request.seen(request.nonmembers.as_deref()).as_deref(),
        url: url.as_deref(),
        preset: request.preset.as_deref(),
        stand_in: stand_in.as_deref(),
        images: images.as_deref(),
    })?;
    let next = "set items and target in it, then guestlist probe, guestlist plan and guestlist run";
    Ok(Start::new(
        text,
        match secrets.in_environment() {
            Some(first) => format!("{first}, {next}"),
            None => next.to_owned(),
        },
    ))
}

/// What is known of an audit before its configuration is written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SourceStart<'a> {
    items: Option<&'a Path>,
    retrieved: Option<&'a Path>,
    nonmembers: Option<&'a Path>,
    url: Option<&'a str>,
    preset: Option<&'a str>,
    /// The base model's endpoint.
    stand_in: Option<&'a str>,
    /// A vision chat's.
    images: Option<&'a str>,
}

/// A commented configuration; every preset is named in it.
pub(super) fn source(start: &SourceStart) -> Result<String, Error> {
    let known = asking::rag::presets();
    if let Some(preset) = start.preset.filter(|preset| !known.contains(preset)) {
        return Err(Error::usage(
            format!("there is no preset {preset}"),
            text::did_you_mean(&known, preset),
        ));
    }
    let by_source = start.retrieved.is_some() || start.nonmembers.is_some();
    if start.items.is_some() && by_source {
        return Err(Error::usage(
            "--items and --members or --nonmembers are both given",
            "items come from one file, or from one for each source",
        ));
    }
    let path = |path: Option<&Path>, usual: &str| {
        quoted(&path.map_or(usual.into(), |path| path.display().to_string()))
    };
    // What is not given is a comment.
    let open = |given: bool| if given { "" } else { "# " };
    let preset = start.preset.unwrap_or("guestlist");
    let asks_for_model = ["openai-chat", "openai-responses", "open-webui", "ollama"];
    Ok(TEMPLATE
        .replace("<one>", open(!by_source))
        .replace("<items>", &path(start.items, "items.jsonl"))
        .replace("<held>", open(start.retrieved.is_some()))
        .replace("<retrieved>", &path(start.retrieved, "store.jsonl"))
        .replace("<fresh>", open(start.nonmembers.is_some()))
        .replace("<nonmembers>", &path(start.nonmembers, "fresh.jsonl"))
        .replace(
            "<url>",
            &quoted(start.url.unwrap_or("http://127.0.0.1:8080")),
        )
        .replace("<preset>", &quoted(preset))
        .replace("<presets>", &known.join(", "))
        .replace("<values>", open(asks_for_model.contains(&preset)))
        .replace("<stand>", open(start.stand_in.is_some()))
        .replace(
            "<stand_in>",
            &quoted(start.stand_in.unwrap_or("https://api.openai.com")),
        )
        .replace("<seen>", open(start.images.is_some()))
        .replace(
            "<images>",
            &quoted(start.images.unwrap_or("https://api.openai.com")),
        ))
}

const TEMPLATE: &str = r##"# An audit of where a service has its answers from: texts are perturbed, asked about with retrieval
# and without, and each text and word is attributed to the model's training, to retrieval, or to
# neither.
#
#   guestlist probe     one question: what is sent, what comes back, what is read from it
#   guestlist plan      how many requests a run would send; nothing is sent
#   guestlist run       ask, attribute, judge, report; may be stopped and started at any time

kind = "source"
seed = 0                       # of masks, order and everything else that is random

[items]                        # JSON Lines {"id", "text" or "image", "source"?, "prompt"?, "topic"?},
                               # Parquet, CSV, or a folder of texts, Markdown, HTML and PDF
<one>path = <items>         # source: pretrained, retrieved or non-member; where none is known, labels are
                               # reported and nothing is judged
# pretrained = "training.jsonl"  # or a file for each source that is known
<held>retrieved = <retrieved>
<fresh>nonmembers = <nonmembers>
# limit = 100                   # at most so many of each source, chosen at random

[target]                       # the service, as it is
preset = <preset>           # <presets>
url = <url>
# api_key = "${SERVICE_KEY}"    # sent as a bearer token; ${NAME} is read from the environment
<values>values = { model = "gpt-4o-mini" }    # what the preset's body asks for

# The same service with retrieval off: only what differs. Some presets know it already.
# [target.off]
# body = { retrieval = false }

# A service without a switch: the endpoint of its base model answers in its place. What the service's
# own model learnt beyond it will look like retrieval.
<stand>[stand_in]
<stand>preset = "openai-chat"
<stand>url = <stand_in>
<stand>values = { model = "gpt-4o-mini" }

[transport]
concurrency = 4                # requests at once
# requests_per_minute = 60
# timeout = 60                  # seconds for one request
# retries = 4
# max_requests = 50000          # never exceeded over the life of the run's folder
# max_tokens = 20000000

[source]
perturbations = 64             # perturbed inputs of each text, each asked in both arms
perturbation = "mask"          # replace, homoglyph, delete
keep = 0.5                     # the share of words that an input keeps
question = "{text}"            # what is asked; {text} is the perturbed input
reference = "perturbed-input"  # what answers are compared with; or input, output
mode = "calibrated"            # thresholds from permutations; paper: the published constants
level = 0.05                   # how often a word or a document may be called by chance
# tau = 0.1                     # fixed thresholds in place of those of the mode
# band = 0.1
penalty = 1.0                  # of the ridge regression
length_weight = 0.5            # of an answer's length
similarity_weight = 0.5        # of its likeness to the reference
early_stopping = true          # leave texts alone whose labels are settled
checked = 0.2                  # this share is asked in full all the same, to see whether labels stay
repeats = 20                   # questions asked twice, to see whether answers differ
# similarity = { model = "all-MiniLM-L6-v2" }    # or WordLlama's weights; by common words without it

# Pictures are described by a vision chat, through noise; then their captions are texts like others.
<seen>[images]
<seen>noise = 50                     # standard deviation on each colour, of 255
# sweep = [10, 20, 30, 40, 50, 60]   # also through these; each takes as many requests again
<seen>[images.endpoint]
<seen>preset = "openai-vision"
<seen>url = <images>
<seen>values = { model = "gpt-4o-mini" }    # and prompt = "…", to ask for other descriptions

[run]
folder = "guestlist-run"       # where answers and results go

[audit]
attacks = "all"                # sma-retrieved, sma-pretrained, words-retrieved, words-pretrained
gate = "point"                 # conservative: pass only if the whole interval is below; proven
threshold = 0.65               # the audit fails at or above this AUC
#   policy = "policy.toml"      # instead of gate, measure and threshold: criteria in a file of their own
# measure = "auc"               # advantage, epsilon, or tpr@0.01
# fpr = [0.1, 0.01]
# show_records = true           # ids, texts, exchanges and who is a member in the report
# subject = "spring release"    # what to call it where the report begins
"##;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::source::Config;

    #[test]
    fn what_is_written_can_be_read_with_and_without_its_comments() {
        let bare = source(&SourceStart::default()).unwrap();
        let config: Config = toml::from_str(&bare).unwrap();
        assert!(config.stand_in.is_none() && config.images.is_none());
        assert!(config.source == crate::kinds::source::SourceSettings::default());
        assert!(
            config
                .audit
                .resolve::<crate::kinds::source::Source>()
                .is_ok()
        );
        let open = bare.lines().map(|line| match line.strip_prefix("# ") {
            Some(key) if key.contains(" = ") || key.starts_with('[') => key,
            _ => line,
        });
        // Every key in a comment is a key that there is.
        let config: Config = toml::from_str(&open.collect::<Vec<_>>().join("\n")).unwrap();
        assert!(config.stand_in.is_some() && config.target.off.is_some());
        assert_eq!(config.images.unwrap().deviations().len(), 6);
    }

    #[test]
    fn no_secret_is_written_and_each_address_has_its_own_names() {
        let request = InitRequest {
            target: Some("http://127.0.0.1:1/?key=HUNTER".into()),
            stand_in: Some("http://me:hunter2@127.0.0.1:2".into()),
            images: Some("http://127.0.0.1:3/?token=hunter3".into()),
            ..InitRequest::default()
        };
        let started = start(&request).unwrap();
        assert!(!started.text.to_lowercase().contains("hunter"));
        let names = "set GUESTLIST_TARGET_KEY, GUESTLIST_STAND_IN_USER, GUESTLIST_STAND_IN_PASSWORD, \
                     GUESTLIST_IMAGES_TOKEN in the environment";
        assert!(started.next.starts_with(names), "{}", started.next);
    }

    #[test]
    fn what_is_given_is_no_comment() {
        let text = source(&SourceStart {
            retrieved: Some(Path::new("in \"x\".jsonl")),
            nonmembers: Some(Path::new("out.jsonl")),
            url: Some("http://127.0.0.1:1"),
            preset: Some("dify"),
            stand_in: Some("http://127.0.0.1:2"),
            images: Some("http://127.0.0.1:3"),
            ..SourceStart::default()
        });
        let config: Config = toml::from_str(&text.unwrap()).unwrap();
        assert!(config.items.path.is_none() && config.items.nonmembers.is_some());
        assert_eq!(
            config.stand_in.unwrap().url.as_deref(),
            Some("http://127.0.0.1:2")
        );
        assert_eq!(config.images.unwrap().noise, 50.0);
        let both = SourceStart {
            items: Some(Path::new("a")),
            retrieved: Some(Path::new("b")),
            ..SourceStart::default()
        };
        assert!(source(&both).is_err());
        let unknown = SourceStart {
            preset: Some("nothing"),
            ..SourceStart::default()
        };
        assert!(source(&unknown).is_err());
    }
}
