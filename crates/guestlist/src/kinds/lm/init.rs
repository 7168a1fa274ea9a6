//! The configuration that `guestlist init lm` writes: every key there is, with what it means.

use std::path::Path;

use crate::Error;
use crate::init::{InitRequest, Start, is_server, quoted};

const NO_REFERENCE: &str = "It names no reference model: without the model that fine-tuning started \
                            from, the strongest attacks cannot run and a pass is inconclusive; add \
                            it as [reference]";

/// What a request comes to.
pub fn start(request: &InitRequest) -> Result<Start, Error> {
    check_paths(request)?;
    let model = |name: &Option<String>| {
        let name = name.as_ref()?;
        match is_server(name) {
            true => Some(name.clone()),
            false => Some(request.seen(Some(Path::new(name)))?.display().to_string()),
        }
    };
    let text = language_model(
        request.seen(request.members.as_deref()).as_deref(),
        request.seen(request.nonmembers.as_deref()).as_deref(),
        model(&request.target).as_deref(),
        model(&request.reference).as_deref(),
    );
    let texts = request.members.is_some() && request.nonmembers.is_some();
    let next = match texts && request.target.is_some() {
        true => "guestlist plan, then guestlist run",
        false => "set texts and models in it, then guestlist plan and guestlist run",
    };
    Ok(match request.reference {
        Some(_) => Start::new(text, next),
        None => Start::new(text, format!("{next}. {NO_REFERENCE}")),
    })
}

/// What is named must be there: else a run would be the first to say so.
fn check_paths(request: &InitRequest) -> Result<(), Error> {
    let files = [
        ("members", request.members.as_deref()),
        ("nonmembers", request.nonmembers.as_deref()),
    ];
    let models = [
        ("target", &request.target),
        ("reference", &request.reference),
    ];
    let models = models.map(|(option, name)| {
        let name = name.as_deref().filter(|name| !is_server(name));
        (option, name.map(Path::new))
    });
    let mut named = files.into_iter().chain(models);
    match named.find(|(_, path)| path.is_some_and(|path| !path.exists())) {
        Some((option, Some(path))) => Err(Error::usage(
            format!("{} {}: is not there", request.flag(option), path.display()),
            "give a file or folder that is there, seen from where you are now",
        )),
        _ => Ok(()),
    }
}

/// A commented configuration for an audit of a language model. Without a reference it names none:
/// the lines to add are there as a comment.
pub(super) fn language_model(
    members: Option<&Path>,
    nonmembers: Option<&Path>,
    target: Option<&str>,
    reference: Option<&str>,
) -> String {
    let path = |path: Option<&Path>, usual: &str| {
        quoted(&path.map_or(usual.into(), |path| path.display().to_string()))
    };
    let model = |name: &str| match is_server(name) {
        true => format!("server = {}", quoted(name)),
        false => format!("model = {}", quoted(name)),
    };
    let compared = match reference {
        Some(name) => format!("[reference]\n{}", model(name)),
        None => "# [reference]\n# model = \"base\"".to_owned(),
    };
    LANGUAGE_TEMPLATE
        .replace("{{members}}", &path(members, "members.jsonl"))
        .replace("{{nonmembers}}", &path(nonmembers, "held-out.jsonl"))
        .replace("{{target}}", &model(target.unwrap_or("fine-tuned")))
        .replace("{{reference}}", &compared)
}

const LANGUAGE_TEMPLATE: &str = r##"# An audit of a fine-tuned language model: attacks try to tell which texts it was trained on.
#
#   guestlist plan      texts, tokens, and how long it takes
#   guestlist run       score, attack, judge, report; may be stopped and started at any time

kind = "lm"
seed = 0                       # of everything that is random

# JSON Lines ({"id": …, "text": …, "date": …}; .gz too), Parquet or CSV with a column text, or a
# folder of texts, Markdown, HTML and PDF. Draw both sets at random from one pool: else the audit is void.
[texts]
members = {{members}}     # texts that were trained on
nonmembers = {{nonmembers}}     # texts that were not
# unknown = "mine.jsonl"         # texts of which nobody knows: they are called, not measured
# file = "texts.jsonl"          # one file in place of both, with "member" in every row
# canaries = "canaries/manifest.json" # in place of all of these: canaries that were drawn before training
# training_file = "train.jsonl" # what the model was trained on: members must be in it
# shadow = "shadow.parquet"      # token signals of a fine-tune of your own, with member: teaches understudy-lm

# The model that is audited: a folder in Hugging Face's layout (GPT-2, Llama, Mistral, Qwen2, Qwen3,
# GPT-NeoX, Gemma 2 and 3, Phi-3, OLMo, OLMo 2), a .gguf file, or a server.
[target]
{{target}}
# adapter = "lora"              # a LoRA adapter in PEFT's layout, merged into the model
# tokenizer = "tokenizer.json"  # in place of the model's own; with a server: texts go as token ids
# label = 3000                  # its step or name, beside checkpoints
# server = "http://localhost:8000"         # in place of a folder; model is then its name there
# dialect = "auto"              # vllm, sglang, openai, tgi
# api_key = "${API_KEY}"        # taken from the environment, written nowhere
# headers = { "X-Team" = "${TEAM}" }
# prefix = "<s>"                # put in front of every text, for servers that need it
# concurrency = 4               # requests at once
# requests_per_minute = 600
# timeout = 120                 # seconds for one request
# retries = 5

# The model that fine-tuning started from, with the same keys. Without it the strongest attacks
# cannot run, and what passes without them is inconclusive (see audit.attacker).
{{reference}}

# Further checkpoints, epochs or adapters: the report draws how the leak grows.
# [[checkpoints]]
# label = 1000
# model = "checkpoint-1000"

[scoring]
lowercase = true               # a second pass over the texts in lower case, for lm-lowercase
# features = "statistics"       # also write features.parquet for a few-shot audit: statistics or hidden
# tokens_per_batch = 1024       # what suits the device by default
# context = 1024                # read longer texts in windows of this many tokens
# device = "cuda:0"             # cpu by default; needs a build with --features cuda
# precision = "bf16"            # f32 by default; f16 and bf16 on a GPU

[run]
folder = "guestlist-run"       # scored texts and results
tokens = "parquet"             # or jsonl: how token signals are written

[audit]
attacks = "all"                # or a list such as ["ez", "ratio", "lm-loss"]
gate = "point"                 # point, conservative or proven
measure = "auc"                # auc, advantage, epsilon, or tpr@ with a rate such as tpr@0.001
threshold = 0.65               # the audit fails at or above it
#   policy = "policy.toml"      # instead of gate, measure and threshold: criteria in a file of their own
# attacker = "target-only"      # be safe from those alone who have no reference model; then a pass counts
# slices = ["length", "author"]  # by length in tokens, or by any field of the texts
# group = "author"              # the field of the texts that says whose each is: people are judged too
# join = "sum"                  # how a person's scores become one: sum, mean or max
# holdout = true                # choose the attack on one half of the texts, report on the other
# settings = { "ez.top" = 5, "ez.skip" = 0 }
# fpr = [0.1, 0.01, 0.001]      # rates for TPR at FPR and for calibrated thresholds
# confidence = 0.95             # of intervals
# delta = 1e-5                  # of the lower bounds on epsilon
# call_level = 0.05             # at which texts of unknown membership are called members
# log_mia_fp = "ceil"           # false positives of Log-MIA's regime B: ceil, floor or round of ln n, or a number
# bootstrap = 1000              # replicates, into report.json; none by default
# force = true                  # give a verdict even when a guardrail is violated
# show_records = true           # ids, texts and who is a member in the report
# subject = "spring release"    # what to call it where the report begins

# What is claimed of the target: the audit fails where an attack proves a larger ε.
# [claim]
# epsilon = 1.0
# delta = 1e-5
# mechanism = "gaussian"        # with texts.canaries alone: what the noise is; else nothing is assumed
# settings_tried = 3            # settings of private training that were tried on these data
"##;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init::is_setting;

    #[test]
    fn the_template_for_language_models_is_a_configuration_with_every_key() {
        use crate::kinds::lm::Config;
        let text = language_model(None, None, None, Some("http://localhost:1"));
        let config: Config = toml::from_str(&text).unwrap();
        assert_eq!(config.target.model.unwrap(), "fine-tuned");
        assert_eq!(
            config.reference.unwrap().server.unwrap(),
            "http://localhost:1"
        );
        let text = language_model(None, None, None, None);
        let config: Config = toml::from_str(&text).unwrap();
        assert!(config.reference.is_none(), "none that is not there");
        let opened: Vec<&str> = text
            .lines()
            .map(|line| {
                let open = line.strip_prefix("# ").filter(|rest| is_setting(rest));
                open.unwrap_or(line)
            })
            .collect();
        let config: Config = toml::from_str(&opened.join("\n")).unwrap();
        assert_eq!(config.checkpoints.len(), 1);
        assert_eq!(config.reference.unwrap().model.unwrap(), "base");
        assert_eq!(config.target.retries, Some(5));
        assert_eq!(config.scoring.precision, "bf16");
    }
}
