//! What may be typed after `guestlist audit`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use guestlist::kinds::fewshot::ThresholdName;
use judge::gate::Rule;

#[derive(Args)]
#[command(after_help = "Examples:\n  \
        guestlist audit signals.npz\n  \
        guestlist audit one.npz --attacker target-only\n  \
        guestlist audit experiments/ --target 0 --shadows 64 --attacks lira,bavaria-t,rmia\n  \
        guestlist audit signals.npz --replicates 8 --scaling 4,8,16,32 --out audit\n  \
        guestlist audit signals.npz --slice label,age,sex --records people.csv\n  \
        guestlist audit signals.npz --gate conservative --threshold 0.6 --holdout --junit --out ci\n  \
        guestlist audit tokens.parquet --training-file train.jsonl\n  \
        guestlist audit transcript.jsonl --documents documents.jsonl\n  \
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
        .npz: member (true or 1 for members), id where records have one, and every other column of \
        numbers is an attack's score, larger for members; an empty cell is an abstention. The \
        scores.parquet of an earlier audit needs no --kind.")]
pub struct Audit {
    /// File or folder with shadow signals, file with token signals of a language model, transcript
    /// of exchanges with a retrieval service, features of records, or scores made elsewhere
    pub signals: PathBuf,
    /// What the input is, where looking at it is not enough; features are never guessed
    #[arg(long, value_enum)]
    pub kind: Option<AuditKind>,
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
    /// What the language model was fine-tuned on: members must be in it, others must not
    #[arg(long, value_name = "FILE")]
    pub training_file: Option<PathBuf>,
    /// Exchanges: the documents' texts, where the transcript has none (JSON Lines, Parquet, folder)
    #[arg(long, value_name = "FILE")]
    pub documents: Option<PathBuf>,
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
    /// Signals of further records under the same models, for population, rmia and rmia-offline
    #[arg(long, value_name = "FILE")]
    pub population: Option<PathBuf>,
    /// Let each of the first R models be the target in turn
    #[arg(long, value_name = "R", default_value_t = 0)]
    pub replicates: usize,
    /// Repeat with these numbers of shadows, separated by commas
    #[arg(long, value_name = "K,K", value_delimiter = ',')]
    pub scaling: Vec<usize>,
    /// Cut the records by these columns and measure each slice: label, or columns of --records
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub slice: Vec<String>,
    /// Data set with one row per record of the signals, in the same order, for --slice
    #[arg(long, value_name = "FILE", requires = "slice")]
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
    /// The gated measure: auc, advantage, or tpr@ with a rate such as tpr@0.001
    #[arg(long, value_name = "MEASURE", default_value = "auc")]
    pub measure: String,
    /// The audit fails at or above this value (default for auc: 0.65)
    #[arg(long, value_name = "VALUE")]
    pub threshold: Option<f64>,
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
    /// Confidence of intervals
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95)]
    pub confidence: f64,
    /// δ of the epsilon lower bounds
    #[arg(long, default_value_t = 1e-5)]
    pub delta: f64,
    /// Bootstrap replicates (default: 1000 up to 200,000 records, none beyond)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub bootstrap: Option<u32>,
    /// Root seed
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Folder for report.json, report.html and scores.parquet (with --replicates also vulnerability.parquet)
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

/// What an input may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AuditKind {
    /// Outputs of a classifier and its shadow models
    #[value(alias = "shadow")]
    Classifier,
    /// Token signals of a language model
    Lm,
    /// Exchanges with a retrieval service
    Rag,
    /// Exchanges about perturbed texts, for where answers come from
    Source,
    /// Features of records, a few of them with known membership
    Fewshot,
    /// Scores that were made elsewhere
    Scores,
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

impl From<AuditKind> for report::Kind {
    fn from(kind: AuditKind) -> Self {
        match kind {
            AuditKind::Classifier => Self::Classifier,
            AuditKind::Lm => Self::Lm,
            AuditKind::Rag => Self::Rag,
            AuditKind::Source => Self::Source,
            AuditKind::Fewshot => Self::Fewshot,
            AuditKind::Scores => Self::Scores,
        }
    }
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
