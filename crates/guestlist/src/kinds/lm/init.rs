//! The configuration that `guestlist init lm` writes: every key there is, with what it means.

use std::path::Path;

use crate::init::{is_server, quoted};

/// A commented configuration for an audit of a language model. Without a reference it names none:
/// the lines to add are there as a comment.
pub fn language_model(
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

# JSON Lines ({"id": …, "text": …, "date": …}; .gz too), Parquet with a column text, or a folder
# of .txt and .md files. Draw both sets at random from one pool: else the audit is void.
[texts]
members = {{members}}     # texts that were trained on
nonmembers = {{nonmembers}}     # texts that were not
# file = "texts.jsonl"          # one file in place of both, with "member" in every row
# training_file = "train.jsonl" # what the model was trained on: members must be in it

# The model that is audited: a folder in Hugging Face's layout (GPT-2, Llama, Qwen2, GPT-NeoX), a
# .gguf file, or a server.
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
measure = "auc"                # auc, advantage, or tpr@ with a rate such as tpr@0.001
threshold = 0.65               # the audit fails at or above it
# attacker = "target-only"      # be safe from those alone who have no reference model; then a pass counts
# holdout = true                # choose the attack on one half of the texts, report on the other
# settings = { "ez.top" = 5, "ez.skip" = 0 }
# fpr = [0.1, 0.01, 0.001]      # rates for TPR at FPR and for calibrated thresholds
# confidence = 0.95             # of intervals
# delta = 1e-5                  # of the lower bounds on epsilon
# bootstrap = 1000              # replicates
# force = true                  # give a verdict even when a guardrail is violated
# show_records = true           # ids, texts and who is a member in the report
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
