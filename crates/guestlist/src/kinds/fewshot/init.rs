//! The configuration of a few-shot audit.

use std::path::Path;

use crate::Error;
use crate::init::{InitRequest, Start, quoted};

/// What a request comes to.
pub fn start(request: &InitRequest) -> Result<Start, Error> {
    let text = few_shot(
        request.seen(request.data.as_deref()).as_deref(),
        request.data.as_deref().is_some_and(Path::is_dir),
        request.seen(request.members.as_deref()).as_deref(),
    );
    let next = match request.data {
        Some(_) => "guestlist plan, then guestlist run",
        None => "set features.file or features.run in it, then guestlist plan and guestlist run",
    };
    Ok(Start::new(text, next))
}

/// A commented configuration; `data` is a file of features, or the folder of a run.
pub(super) fn few_shot(data: Option<&Path>, is_run: bool, members: Option<&Path>) -> String {
    let shown = |path: &Path| quoted(&path.display().to_string());
    let data = data.map(shown);
    let (file, run) = match (data, is_run) {
        (Some(run), true) => (
            "# file = \"features.npz\"".to_owned(),
            format!("run = {run}"),
        ),
        (data, _) => (
            format!("file = {}", data.unwrap_or(quoted("features.npz"))),
            "# run = \"guestlist-run\"".to_owned(),
        ),
    };
    let members = match members {
        Some(path) => format!("members = {}", shown(path)),
        None => "# members = \"members.txt\"".to_owned(),
    };
    TEMPLATE
        .replace("{{file}}", &file)
        .replace("{{run}}", &run)
        .replace("{{members}}", &members)
}

const TEMPLATE: &str = r##"# A few-shot audit of a classifier: an attacker who knows for sure of a handful of records whether
# they were trained on tells about others, from what the model makes of them.
#
#   guestlist plan      records, episodes, and how long it takes
#   guestlist run       attack, judge, report

kind = "fewshot"
seed = 0                       # of the episodes and everything else that is random

[features]                     # one vector per record, from a file or from a model trained here
{{file}}
                               # npz with features, logits or penultimate, and member; npy; Parquet
{{run}}
                               # the folder of a finished run of kind classifier: fes-tt then
                               # changes the model's own weights
# layer = "logits"              # the array or column (of a run: logits or penultimate), or
                               # sorted-probabilities, made of logits: how sure the model is
# target = 0                    # which model, where there are several
{{members}}
                               # ids of members, one per line, where the file does not say

[episodes]
shots = [1, 5, 10]             # known members and known non-members per episode
validation = 15                # of each, to choose hyper-parameters and thresholds by
query = 15                     # of each, to be told apart
runs = 500                     # episodes per number of shots
thresholds = "validation"      # or query (its own, in hindsight), or published (as that code had it)

[run]
folder = "guestlist-run"       # results

[audit]
attacks = "all"                # or a list such as ["fes-ss", "fes-ls"]
gate = "point"                 # point, conservative or proven
measure = "auc"                # auc, advantage, epsilon, or tpr@ with a rate such as tpr@0.001
threshold = 0.65               # the audit fails at or above it
#   policy = "policy.toml"      # instead of gate, measure and threshold: criteria in a file of their own
# holdout = true                # choose the attack on one half of the records, report on the other
# settings = { "fes.normalise" = "cl2n" }
# fpr = [0.1, 0.01, 0.001]      # rates for TPR at FPR
# confidence = 0.95             # of intervals
# delta = 1e-5                  # of the lower bounds on epsilon
# log_mia_fp = "ceil"           # false positives of Log-MIA's regime B: ceil, floor or round of ln n, or a number
# bootstrap = 1000              # replicates, into report.json; none by default
# attacker = "few-shot"         # a pass counts for this attacker alone, and only where it is named
# force = true                  # give a verdict even when a guardrail is violated
# show_records = true           # ids, texts and who is a member in the report
# subject = "spring release"    # what to call it where the report begins
"##;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::fewshot::Config;

    #[test]
    fn the_template_is_a_configuration_with_every_key() {
        let text = few_shot(None, false, None);
        let config: Config = toml::from_str(&text).unwrap();
        assert_eq!(config.features.file.unwrap(), Path::new("features.npz"));
        assert_eq!(config.episodes.runs, 500);
        let text = few_shot(Some(Path::new("a \"run\"")), true, Some(Path::new("m.txt")));
        let config: Config = toml::from_str(&text).unwrap();
        assert_eq!(config.features.run.unwrap(), Path::new("a \"run\""));
        assert_eq!(config.features.members.unwrap(), Path::new("m.txt"));
        let opened: Vec<&str> = text
            .lines()
            .map(|line| match line.strip_prefix("# ") {
                Some(rest) if crate::init::is_setting(rest) => rest,
                _ => line,
            })
            .collect();
        let config: Config = toml::from_str(&opened.join("\n")).unwrap();
        assert_eq!(config.features.layer.unwrap(), "logits");
        assert!(
            config.audit.force
                && config
                    .audit
                    .resolve::<crate::kinds::fewshot::Fewshot>()
                    .is_ok()
        );
    }
}
