//! The configuration that `guestlist init classifier` writes: every key there is, with what it means.

use std::path::Path;

use formats::data;

use crate::Error;
use crate::init::{InitRequest, Start, quoted};

/// How many columns the comment lists.
const MOST_COLUMNS: usize = 200;

/// What a request comes to.
pub fn start(request: &InitRequest) -> Result<Start, Error> {
    let (data, label) = (
        request.seen(request.data.as_deref()),
        request.label.as_deref(),
    );
    let text = classifier(data.as_deref(), label)?;
    let found = data.as_deref().map(labels_found).transpose()?;
    let known = label.is_some() || found == Some(true);
    let next = match (&data, known) {
        (Some(_), true) => "guestlist plan, then guestlist run",
        (Some(_), false) => "set data.label in it, then guestlist plan and guestlist run",
        (None, _) => "set data.path and data.label in it, then guestlist plan and guestlist run",
    };
    let doubts = data.as_deref().zip(label);
    Ok(Start {
        doubts: doubts
            .and_then(|(data, label)| doubts_about(data, label))
            .map(|error| error.to_string()),
        ..Start::new(text, next)
    })
}

/// A commented configuration for an audit of a classifier. With a data file its columns are
/// listed, so that the label can be chosen without opening it.
pub(super) fn classifier(file: Option<&Path>, label: Option<&str>) -> Result<String, Error> {
    if let (Some(path), Some(label)) = (file, label) {
        data::check_label(path, label)?;
    }
    let columns = match file {
        Some(path) => columns(path)?,
        None => String::new(),
    };
    let comment = match file.map(labels_found).transpose()? {
        Some(true) => "found beside the images; or an idx1-ubyte file of labels",
        _ => "the column to predict: this line is yours to fill in",
    };
    let path = file.map_or("data.csv".into(), |path| path.display().to_string());
    Ok(TEMPLATE
        .replace("{{path}}", &quoted(&path))
        .replace("{{label}}", &quoted(label.unwrap_or_default()))
        .replace("{{comment}}", comment)
        .replace("{{columns}}", &columns))
}

/// Why `plan` would refuse this data file with this label, before anybody has said more about its
/// columns.
fn doubts_about(file: &Path, label: &str) -> Option<Error> {
    let read = data::read(file, &data::Wanted::label(label));
    read.err()
}

/// Whether the labels of this data file are found without being named.
fn labels_found(file: &Path) -> Result<bool, Error> {
    Ok(data::finds_labels_itself(file)? && data::check_label(file, "").is_ok())
}

fn columns(path: &Path) -> Result<String, Error> {
    let names = data::columns(path)?;
    let values = data::first_record(path)?.unwrap_or_default();
    let mut text = String::from(
        "# Its columns, each by place or by name, and what its first record has there:\n",
    );
    if values.is_empty() {
        text = String::from("# Its columns, each by place or by name:\n");
    }
    for (place, name) in names.iter().enumerate().take(MOST_COLUMNS) {
        let name = if *name == format!("#{place}") {
            ""
        } else {
            name
        };
        let value = values.get(place).map_or("", |value| sort_of(value));
        let line = format!("#   #{place:<3} {:<20} {value}", shown(name));
        text += &format!("{}\n", line.trim_end());
    }
    if names.len() > MOST_COLUMNS {
        text += &format!("#   and {} more\n", names.len() - MOST_COLUMNS);
    }
    Ok(text)
}

/// What a cell holds, without showing it: configurations are committed, and people's names are not.
fn sort_of(value: &str) -> &'static str {
    match value.trim() {
        "" => "nothing",
        number if number.parse::<f64>().is_ok() => "a number",
        _ => "a text",
    }
}

/// Fit for one line of a comment.
fn shown(text: &str) -> String {
    let text: String = text.chars().take(40).collect();
    report::printable(&text)
}

const TEMPLATE: &str = r##"# An audit of a classifier: models are trained on random halves of your data, and attacks try
# to tell which records the first of them was trained on.
#
#   guestlist plan      what a run would do, and how long it takes
#   guestlist run       train, attack, judge, report; may be stopped and started at any time

kind = "classifier"
seed = 0                       # of splits, weights and everything else that is random

[data]
path = {{path}}     # CSV (.gz too), Parquet, npz or idx
label = {{label}}     # {{comment}}
{{columns}}# id = "customer"               # the column that names records; never learned from
# group = "person"              # the column that says whose a record is: people are in or out as a whole
# ignore = ["notes"]            # columns to leave out
# categories = ["zip"]          # columns to take as categories though they look like numbers; the label too
# numbers = []                  # columns to take as numbers
# missing = ["", "?", "NA"]     # what stands for a missing value
# header = true                 # whether the first row of a CSV names the columns; found by looking
# decimal = ","                 # what stands before the fraction of a number; a point by default
# duplicates = "together"       # copies of a record go into the same half; apart splits them like others
#   reference = 0.5             # with models.design = "offline": the share of records set aside for the shadows

[models]
shadows = 64                   # models beside the audited one; raising it trains only the new ones
# design = "online"             # offline: shadows train on reference records alone, never on audited ones

# How models are trained. Remove this table to train with a program of your own, below.
[training]
hidden = [128, 64]             # units of each hidden layer; [] for logistic regression
activation = "relu"            # relu, tanh or gelu
epochs = 30
batch_size = 64
optimiser = "adam"             # sgd, adam or adamw
learning_rate = 0.001
# momentum = 0.9                # of sgd
# nesterov = true               # of sgd
# beta1 = 0.9                   # of adam and adamw, and so are
# beta2 = 0.999
# epsilon = 1e-8
# weight_decay = 0.0
# dropout = 0.0
# label_smoothing = 0.0
# clip_norm = 1.0               # of the whole gradient
# class_weights = "balanced"    # none, balanced, or a list of one number per class
# schedule = { kind = "cosine" }                        # constant, cosine,
# schedule = { kind = "step", every = 10, factor = 0.1 }
# schedule = { kind = "warm-up-cosine", epochs = 3 }
# early_stop = { held_out = 0.1, patience = 5 }

# Differentially private training (DP-SGD), to see what it does to the leak.
# [training.privacy]
# epsilon = 1.0                 # or noise_multiplier = 1.1
# delta = 1e-5
# clip_norm = 1.0

# Your own program, run once per model. It reads the job file and writes a .npy.
# [command]
# run = ["python3", "train.py", "{job}"]   # also {rows}, {output}, {seed}, {model}
# output = "logits"             # [records, classes]; or probabilities, or phi
# folder = "."                  # where it runs
# timeout = 3600                # seconds for one model
# retries = 1
# gpus = ["0", "1"]             # each worker sees one in CUDA_VISIBLE_DEVICES
# models_per_gpu = 1
# serve = true                  # started once per worker, it reads jobs from its input; without {job}
# models_at_once = 64           # jobs that such a program has before it answers
# code = ["model.py", "lib"]    # files and folders whose change makes models stale
# environment = { TOKEN = "${TOKEN}" }     # taken from the environment, written nowhere
# parameters = { width = 64 }   # handed over in the job file

# A model of PyTorch: functions of your own modules, trained by guestlist.torch.
# [torch]
# model = "train:make_model"    # module:function that gives a fresh model
# dataset = "train:dataset"     # gives (inputs, labels) or a Dataset; without it, the records of data.path
# epochs = 24
# batch_size = 250
# optimizer = "train:make_optimizer"
# schedule = "cosine"           # constant, cosine, triangle, or a function
# augment = "train:augment"
# loss = "train:loss"
# train = "train:loop"          # a loop of your own, in place of the six above
# groups = "train:people"       # whose each record of the data set is
# queries = 2                   # ways to ask about a record: 2 are as it is and mirrored
# precision = "bf16"            # or float32
# devices = ["cuda:0"]          # all GPUs or all cores by default
# way = "plain"                 # plain, graph, compiled or ensemble; the fastest by default
# python = ".venv/bin/python"   # the Python that has guestlist and torch
# folder = "."                  # where modules are looked for
# models_per_job = 8            # on a cluster, one after another in one job
# environment = { TOKEN = "${TOKEN}" }
# retries = 1

[run]
folder = "guestlist-run"       # models and results
executor = "local"             # or slurm, or ray
# workers = 2                   # models at once on this machine; every core by default

# [slurm]
# partition = "cpu"
# account = "project"
# time = "00:30:00"             # for one model
# memory = "4G"
# cores = 1
# gpus = 1                      # command.models_per_gpu models share them, as one task
# at_once = 32                  # tasks at once, of each array of up to 1000
# options = ["--qos=low"]       # further options of sbatch
# setup = ["module load python"]
# retries = 2
# poll = 10                     # seconds between two looks at the queue

# [ray]
# address = "http://127.0.0.1:8265"        # Ray's dashboard; that of RAY_ADDRESS by default
# token = "${RAY_AUTH_TOKEN}"   # taken from the environment, written nowhere
# cores = 1                     # for one model
# gpus = 0.5                    # command.models_per_gpu models share them, as one job
# memory = "4G"
# resources = { licence = 1 }   # what the cluster's owner named
# at_once = 32                  # jobs at once; as Ray has room by default
# setup = [". /opt/venv/bin/activate"]
# environment = { NAME = "value" }         # for everybody to see
# runtime_env = { pip = ["numpy"] }        # as Ray has it
# files = "shared"              # by a folder that all nodes have; or upload, where they have none
# program = "/opt/guestlist"    # on the nodes; this one by default
# retries = 2
# poll = 2                      # seconds between two looks at the jobs

# For `guestlist plan --kubernetes job.yaml`.
# [kubernetes]
# image = "registry.example/audit:1"       # has guestlist and what your program needs
# program = "guestlist"         # in the image
# namespace = "audits"
# claim = "shared"              # a claim that is there; without it one is written, of this
# size = "10Gi"
# storage_class = "nfs"
# volume = "."                  # the folder here that the claim holds
# mount = "/audit"              # where pods have it; as here by default
# cores = 1                     # of one pod
# memory = "4Gi"
# gpus = 1                      # command.models_per_gpu models share them, as one pod
# at_once = 32                  # pods at once; all by default
# retries = 2
# max_failed = 5                # failed models that end the job; a tenth by default
# setup = ["ulimit -c 0"]
# secrets = ["tokens"]          # whose keys become variables

[audit]
attacks = "all"                # or a list such as ["lira", "rmia", "understudy"]
gate = "point"                 # point, conservative or proven
measure = "auc"                # auc, advantage, epsilon, or tpr@ with a rate such as tpr@0.001
threshold = 0.65               # the audit fails at or above it
#   policy = "policy.toml"      # instead of gate, measure and threshold: criteria in a file of their own
# replicates = 8                # let each of the first models be the target in turn
# scaling = [4, 8, 16, 32]      # repeat with fewer shadows
# slices = ["label", "town"]    # by class and by any column of the data
# join = "sum"                  # how a person's scores become one, with data.group: sum, mean or max
# holdout = true                # choose the attack on one half of the records, report on the other
# settings = { "rmia.gamma" = 2 }
# fpr = [0.1, 0.01, 0.001]      # rates for TPR at FPR
# confidence = 0.95             # of intervals
# delta = 1e-5                  # of the lower bounds on epsilon
# log_mia_fp = "ceil"           # false positives of Log-MIA's regime B: ceil, floor or round of ln n, or a number
# bootstrap = 1000              # replicates, into report.json; none by default
# force = true                  # give a verdict even when a guardrail is violated
# show_records = true           # ids, texts and who is a member in the report
# subject = "spring release"    # what to call it where the report begins

# What is claimed of the audited model: the audit fails where an attack proves a larger ε.
# [claim]
# epsilon = 1.0
# delta = 1e-5
# settings_tried = 3            # settings of private training that were tried on these data
"##;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init::is_setting;
    use crate::kinds::classifier::Config;

    #[test]
    fn the_template_is_a_configuration() {
        let text = classifier(None, Some("y \"quoted\" \\")).unwrap();
        let config: Config = toml::from_str(&text).unwrap();
        assert_eq!(config.data.label.unwrap(), "y \"quoted\" \\");
        assert_eq!(config.models.shadows, 64);
        assert!(config.training.is_some() && config.command.is_none());
    }

    /// Every commented key is real: uncommented, the file still parses.
    #[test]
    fn every_comment_that_looks_like_a_setting_is_one() {
        let text = classifier(None, Some("y")).unwrap();
        let mut seen_schedule = false;
        let opened: Vec<String> = text
            .lines()
            .map(|line| {
                let open = line.strip_prefix("# ").filter(|rest| is_setting(rest));
                open.unwrap_or(line).to_owned()
            })
            .filter(|line| {
                // Of the three ways to write a schedule, the first is enough.
                !(line.starts_with("schedule") && std::mem::replace(&mut seen_schedule, true))
            })
            .collect();
        let config: Config = toml::from_str(&opened.join("\n")).unwrap();
        assert!(config.command.is_some() && config.training.unwrap().privacy.is_some());
        assert_eq!((config.slurm.cores, config.ray.gpus), (1, 0.5));
        assert!(config.kubernetes.check().is_ok() && config.ray.check().is_ok());
        assert_eq!(config.audit.replicates, 8);
    }
}
