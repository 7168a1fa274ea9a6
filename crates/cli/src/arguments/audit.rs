//! What may be typed after `guestlist audit`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use guestlist::kinds::fewshot::ThresholdName;
use judge::gate::Rule;

use super::kinds;

/// What a configuration says, and a command line beside it would say again.
const CONFIGURED: [&str; 27] = [
    "attacks",
    "settings",
    "members",
    "unknown",
    "documents",
    "slice",
    "group",
    "join",
    "fpr",
    "gate",
    "measure",
    "threshold",
    "policy",
    "claim_epsilon",
    "claim_delta",
    "claim_mechanism",
    "holdout",
    "attacker",
    "force",
    "show_records",
    "confidence",
    "delta",
    "call_level",
    "log_mia_fp",
    "bootstrap",
    "subject",
    "seed",
];

#[derive(Args)]
#[command(group(ArgGroup::new("columns").multiple(true)))]
#[command(after_help = "Examples:\n  \
        guestlist audit signals.npz\n  \
        guestlist audit one.npz --attacker target-only\n  \
        guestlist audit experiments/ --target 0 --shadows 64 --attacks lira,bavaria-t,rmia\n  \
        guestlist audit signals.npz --replicates 8 --scaling 4,8,16,32 --out audit\n  \
        guestlist audit signals.npz --slice label,age,sex --records people.csv\n  \
        guestlist audit signals.npz --group patient --records visits.csv\n  \
        guestlist audit signals.npz --gate conservative --threshold 0.6 --holdout --junit --out ci\n  \
        guestlist audit signals.npz --policy policy.toml --out ci\n  \
        guestlist audit signals.npz --claim-epsilon 1 --claim-delta 1e-5\n  \
        guestlist audit tokens.parquet --training-file train.jsonl\n  \
        guestlist audit tokens.parquet --canaries canaries/manifest.json --claim-epsilon 4 --claim-delta 1e-5\n  \
        guestlist audit transcript.jsonl --documents documents.jsonl\n  \
        guestlist audit answers.jsonl --config guestlist.toml     answers to questions that others asked\n  \
        guestlist audit features.npz --kind fewshot --shots 1,5,10 --out audit\n  \
        guestlist audit scores.parquet --kind scores --threshold 0.6 --out audit\n  \
        guestlist audit last.parquet --label 3000 --checkpoint 1000=a.parquet --checkpoint 2000=b.parquet\n\n\
        Shadow signals are read as .npz (phi, logits or probabilities, and keep), .npy pairs, LiRA experiment \
        folders, lira-pytorch, lira-analysis and ML Privacy Meter folders, safetensors and \
        Parquet. The audited model is row --target; its keep row is the truth. One model alone is \
        audited without shadows, which only the weakest attacker does.\n\n\
        Token signals of language models are read as Parquet and JSON Lines, one row per text \
        with lists such as logprob, rank and ref_logprob; member is the truth. A file with texts \
        alone is looked at for what the texts give away without a model.\n\n\
        Exchanges with a retrieval service are read as JSON Lines, one row per exchange with \
        document, member, strategy, query and answer; those of a run of kind source with the \
        source.json that lies beside them.\n\n\
        Features for few-shot audits (--kind fewshot) are read as .npz (features, logits or \
        penultimate [records, width] or [models, records, width], and member or keep), .npy with \
        --members, Parquet (a list column or numbers, and member), or from the folder of a \
        finished `guestlist run` of a classifier, whose weights fes-tt then changes.\n\n\
        Scores that were made elsewhere (--kind scores) are read as Parquet, CSV, JSON Lines and \
        .npz: member (true or 1 for members, empty where nobody knows), id where records have one, and every other column of \
        numbers is an attack's score, larger for members; an empty cell is an abstention. The \
        scores.parquet of an earlier audit needs no --kind.\n\n\
        Records of unknown membership (member null or empty, keep -1, or listed with --unknown) enter no \
        measure: each is held against the known non-members, and calls.parquet says with which p-value it \
        was called. n non-members reach no p-value below 1 / (n + 1).")]
pub struct Audit {
    /// File or folder with shadow signals, file with token signals of a language model, transcript
    /// of exchanges with a retrieval service, features of records, or scores made elsewhere
    pub signals: PathBuf,
    /// What the input is, where looking at it is not enough; features are never guessed
    #[arg(long, value_name = "KIND", value_parser = kinds::audited())]
    pub kind: Option<report::Kind>,
    /// The format, when looking at the input is not enough
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Which model is audited
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub target: usize,
    /// How many of the other models to use (default: all; 0: the target alone)
    #[arg(long, value_name = "K")]
    pub shadows: Option<usize>,
    /// Attacks by id, separated by commas
    #[arg(long, value_name = "IDS", default_value = "all")]
    pub attacks: String,
    /// An attack setting as key=value; `guestlist explain ID` lists them
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Members of the target, one id (or row number) per line, instead of its keep row
    #[arg(long, value_name = "FILE")]
    pub members: Option<PathBuf>,
    /// Records of unknown membership, one id (or row number) per line: they are called, not measured
    #[arg(long, value_name = "FILE")]
    pub unknown: Option<PathBuf>,
    /// The manifest.json of canaries that were scored (lm, classifier, scores): their truth is opened when
    /// scores are there, bounds on ε rest on their coins, and --claim-epsilon decides where it is given
    #[arg(long, value_name = "FILE")]
    pub canaries: Option<PathBuf>,
    /// What the language model was fine-tuned on: members must be in it, others must not
    #[arg(long, value_name = "FILE")]
    pub training_file: Option<PathBuf>,
    /// Token signals of a fine-tune of your own whose members are known (lm): understudy-lm learns from it
    #[arg(long, value_name = "FILE")]
    pub shadow: Option<PathBuf>,
    /// Exchanges: the documents' texts, where the transcript has none (JSON Lines, Parquet, folder)
    #[arg(long, value_name = "FILE")]
    pub documents: Option<PathBuf>,
    /// Answers to questions that `guestlist plan --questions` wrote: the configuration that they were made
    /// of, which says who is a member, what to attack with and how to judge
    #[arg(long, value_name = "FILE", conflicts_with_all = CONFIGURED)]
    pub config: Option<PathBuf>,
    /// Token signals of another checkpoint on the same texts, as its step or name = file
    #[arg(long = "checkpoint", value_name = "LABEL=FILE")]
    pub checkpoints: Vec<String>,
    /// The audited checkpoint's own step or name, beside --checkpoint (default: target)
    #[arg(long, value_name = "LABEL")]
    pub label: Option<String>,
    /// fewshot: known members and known non-members per episode, separated by commas
    #[arg(long, value_name = "K,K", value_delimiter = ',')]
    pub shots: Vec<usize>,
    /// fewshot: episodes per number of shots (default: 500)
    #[arg(long, value_name = "N")]
    pub runs: Option<usize>,
    /// fewshot: members and non-members of each validation set (default: 15)
    #[arg(long, value_name = "N")]
    pub validation: Option<usize>,
    /// fewshot: members and non-members of each query set (default: 15)
    #[arg(long, value_name = "N")]
    pub query: Option<usize>,
    /// fewshot: where thresholds come from (default: validation)
    #[arg(long, value_enum)]
    pub thresholds: Option<ThresholdRule>,
    /// fewshot: the array or column with the features (of a run's folder: logits or penultimate), or
    /// sorted-probabilities, which are made of logits
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
    /// Signals of further records under the same models, for population, rmia and rmia-offline; where no
    /// shadow trained on any audited record and their keep says which of these each trained on, the offline
    /// attacks learn from them
    #[arg(long, value_name = "FILE")]
    pub population: Option<PathBuf>,
    /// Let each of the first R models be the target in turn
    #[arg(long, value_name = "R", default_value_t = 0)]
    pub replicates: usize,
    /// Repeat with these numbers of shadows, separated by commas
    #[arg(long, value_name = "K,K", value_delimiter = ',')]
    pub scaling: Vec<usize>,
    /// Cut the records by these and measure each slice: label or columns of --records (classifier),
    /// length or a field (lm), topic, length or a field of --documents (rag), a column (scores), arrays of
    /// the features or columns of --records (fewshot), length or topic (source)
    #[arg(long, value_name = "NAMES", value_delimiter = ',', group = "columns")]
    pub slice: Vec<String>,
    /// Whose a record is: a column of --records or of scores, an array of the signals, or a field such as
    /// author of texts and owner of documents. People are then judged too, and intervals count people
    #[arg(long, value_name = "NAME", group = "columns")]
    pub group: Option<String>,
    /// How the scores of a person's records become one (default: sum)
    #[arg(long, value_enum, value_name = "HOW")]
    pub join: Option<JoinRule>,
    /// Data set with one row per record of the signals, for --slice and --group: matched by id where both
    /// have ids, in the same order otherwise
    #[arg(long, value_name = "FILE", requires = "columns")]
    pub records: Option<PathBuf>,
    /// False-positive rates for TPR at FPR, separated by commas
    #[arg(
        long,
        value_name = "RATES",
        value_delimiter = ',',
        default_value = "0.1,0.01,0.001"
    )]
    pub fpr: Vec<f64>,
    /// How the interval of the gated measure counts
    #[arg(long, value_enum, default_value = "point")]
    pub gate: GateRule,
    /// The gated measure: auc, advantage, tpr@ with a rate such as tpr@0.001, or epsilon, the lower bound
    /// at --delta
    #[arg(long, value_name = "MEASURE", default_value = "auc")]
    pub measure: String,
    /// The audit fails at or above this value (default for auc: 0.65)
    #[arg(long, value_name = "VALUE")]
    pub threshold: Option<f64>,
    /// A file of criteria instead of --gate, --measure and --threshold: `guestlist init policy` writes one
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// The ε that is claimed of the audited model: the audit fails where an attack proves more
    #[arg(long, value_name = "EPSILON")]
    pub claim_epsilon: Option<f64>,
    /// The δ of --claim-epsilon
    #[arg(long, value_name = "DELTA")]
    pub claim_delta: Option<f64>,
    /// What the mechanism behind --claim-epsilon is, where --canaries test it (default: any)
    #[arg(long, value_enum, value_name = "NAME")]
    pub claim_mechanism: Option<MechanismName>,
    /// Choose the best attack on one half of the records, report on the other
    #[arg(long)]
    pub holdout: bool,
    /// Whom to be safe from: a pass against a weaker attacker counts only where it is named
    #[arg(long, value_enum, default_value = "strongest")]
    pub attacker: AttackerWanted,
    /// Give a verdict even when a guardrail is violated
    #[arg(long)]
    pub force: bool,
    /// Let report.json, report.html and the terminal show ids, texts and who is a member; what is
    /// made to be posted (Markdown, SARIF, JUnit) never does
    #[arg(long)]
    pub show_records: bool,
    /// Confidence of intervals and bounds, 0.5 at the least
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95)]
    pub confidence: f64,
    /// δ of the epsilon lower bounds
    #[arg(long, default_value_t = 1e-5)]
    pub delta: f64,
    /// Level at which records of unknown membership are called members
    #[arg(long, value_name = "LEVEL", default_value_t = 0.05)]
    pub call_level: f64,
    /// False positives that regime B of Log-MIA allows: ceil (the paper's formula), floor or round of
    /// the logarithm of the records, or a number (the paper's cells have 3, 10 and 14)
    #[arg(long, value_name = "RULE", default_value = "ceil")]
    pub log_mia_fp: String,
    /// Bootstrap replicates, beside the intervals that are shown (default: none; 1000 up to 200,000 records
    /// where records belong to persons, and of retrieval services)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub bootstrap: Option<u32>,
    /// What to call what is audited, where the report begins
    #[arg(long, value_name = "TEXT")]
    pub subject: Option<String>,
    /// The day that the report bears, as 2026-03-09 (default: today in UTC, or that of SOURCE_DATE_EPOCH)
    #[arg(long, value_name = "DAY", default_value_t = super::today::today(), hide_default_value = true)]
    pub date: String,
    /// Root seed
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Folder for report.json, report.html and scores.parquet (with --replicates also
    /// vulnerability.parquet, with records of unknown membership also calls.parquet)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Also write figures for papers to --out: figures/*.svg and *.png
    #[arg(long, requires = "out")]
    pub figures: bool,
    /// Also write junit.xml to --out
    #[arg(long, requires = "out")]
    pub junit: bool,
    /// Also write report.md to --out
    #[arg(long, requires = "out")]
    pub markdown: bool,
    /// Also write results.sarif, for code scanning, to --out
    #[arg(long, requires = "out")]
    pub sarif: bool,
}

/// Where few-shot thresholds come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ThresholdRule {
    /// The validation set, whose membership the attacker knows
    Validation,
    /// The query set itself, in hindsight
    Query,
    /// The same, and hyper-parameters chosen as in the published code
    Published,
}

/// The attacker to be safe from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AttackerWanted {
    /// Whoever has all that an auditor can have: shadow models, a reference model
    Strongest,
    /// Somebody who asks the audited model and has nothing to compare its answers with
    TargetOnly,
    /// Somebody who knows a few members and non-members, and guesses about the others from these
    FewShot,
}

impl From<ThresholdRule> for ThresholdName {
    fn from(rule: ThresholdRule) -> Self {
        match rule {
            ThresholdRule::Validation => Self::Validation,
            ThresholdRule::Query => Self::Query,
            ThresholdRule::Published => Self::Published,
        }
    }
}

impl From<GateRule> for Rule {
    fn from(rule: GateRule) -> Self {
        match rule {
            GateRule::Point => Self::Point,
            GateRule::Conservative => Self::Conservative,
            GateRule::Proven => Self::Proven,
        }
    }
}

impl From<AttackerWanted> for judge::attacker::Wanted {
    fn from(wanted: AttackerWanted) -> Self {
        match wanted {
            AttackerWanted::Strongest => Self::Strongest,
            AttackerWanted::TargetOnly => Self::TargetOnly,
            AttackerWanted::FewShot => Self::FewShot,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub enum GateRule {
    /// Fails when the value is at or above the threshold
    Point,
    /// Passes only when the whole interval lies below
    Conservative,
    /// Fails only when the whole interval lies at or above
    Proven,
}

/// How the scores of a person's records become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum JoinRule {
    /// The sum of calibrated log-likelihood ratios: faint signs add up
    Sum,
    /// Their mean, which does not grow with the number of records
    Mean,
    /// The largest score: the most exposed record
    Max,
}

/// What a claim is about.
#[derive(Clone, Copy, ValueEnum)]
pub enum MechanismName {
    /// Any (ε, δ)-private mechanism: nothing is assumed
    Any,
    /// A Gaussian one, as DP-SGD's is taken to be: its whole curve is tested, and more is proven
    Gaussian,
}

impl From<MechanismName> for judge::epsilon::Mechanism {
    fn from(name: MechanismName) -> Self {
        match name {
            MechanismName::Any => Self::Any,
            MechanismName::Gaussian => Self::Gaussian,
        }
    }
}

impl From<JoinRule> for judge::persons::Join {
    fn from(rule: JoinRule) -> Self {
        match rule {
            JoinRule::Sum => Self::Sum,
            JoinRule::Mean => Self::Mean,
            JoinRule::Max => Self::Max,
        }
    }
}
