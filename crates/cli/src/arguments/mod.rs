//! What may be typed.

mod audit;
mod canaries;
mod evidence;
mod kinds;
mod retrieval;
mod serve;
mod study;
mod today;

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use guestlist::pipeline::RunOptions as RunRequest;

pub use self::audit::{Audit, MechanismName};
pub use self::canaries::{Canaries, CanariesCheck, CanariesClassifier, CanariesLm};
pub use self::evidence::{Render, RenderFormat, Sign, Verify};
pub use self::kinds::Configurable;
pub use self::retrieval::{Probe, RagServer};
pub use self::serve::Serve;
pub use self::study::{BavariaStudy, EzStudy, FewShotStudy, Study};

/// An address to listen on, in digits or by the one name that means the same everywhere.
fn address(text: &str) -> Result<IpAddr, String> {
    match text.eq_ignore_ascii_case("localhost") {
        true => Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        false => text.parse().map_err(|_| {
            "give an address in digits, such as 127.0.0.1 or 0.0.0.0, or localhost".to_owned()
        }),
    }
}

/// Finds out who was on the guest list: was a record in a model's training set?
#[derive(Parser)]
#[command(
    name = "guestlist",
    version,
    after_help = "Exit codes: 0 pass, 1 fail (leak), 2 error in usage or input, 3 inconclusive, \
                  130 interrupted.\n\nExamples:\n  \
                  guestlist demo                                  an audit of models trained on embedded data\n  \
                  guestlist demo lm                               an audit of a fine-tuned language model\n  \
                  guestlist demo rag                              an audit of a service that answers from documents\n  \
                  guestlist demo source                           what a service's model knows and what its store holds\n  \
                  guestlist demo fewshot                          an audit with a handful of known records\n  \
                  guestlist demo misleading                       how audits mislead: real cases, each reproduced\n  \
                  guestlist init classifier --data adult.csv      a configuration for your own data\n  \
                  guestlist init lm --target ./tuned              a configuration for a language model\n  \
                  guestlist init rag --target http://…            a configuration for a retrieval service\n  \
                  guestlist init source --target http://…         pretraining, retrieval or neither: where texts come from\n  \
                  guestlist probe                                 one question to the service, and what was read\n  \
                  guestlist run                                   train, score or ask; attack, judge, report\n  \
                  guestlist audit signals.npz --out audit         judge shadow signals\n  \
                  guestlist audit tokens.parquet                  judge token signals\n  \
                  guestlist audit transcript.jsonl                judge recorded exchanges with a service\n  \
                  guestlist audit features.npz --kind fewshot     judge by a few known records\n  \
                  guestlist serve audits                          look at a folder of audits in a browser\n  \
                  guestlist audit scores.csv --kind scores        judge scores that were made elsewhere\n  \
                  guestlist canaries lm --training train.jsonl    texts that prove in one training run what a model remembers\n  \
                  guestlist rag-server documents.jsonl            a retrieval service to rehearse on\n  \
                  guestlist init policy                           criteria that several audits share\n  \
                  guestlist report audit --format annex           what an assessor needs, in one document\n  \
                  guestlist verify audit                          are its files, and what it read, as they were?\n  \
                  guestlist explain bavaria-t                     what an attack asks and when it misleads\n  \
                  guestlist doctor                                whether guestlist can work here, with remedies"
)]
pub struct Arguments {
    #[command(flatten)]
    pub output: Output,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Args)]
pub struct Output {
    /// Write events as JSON Lines to stdout instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// Print nothing but the verdict's line, and errors
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print the whole report, and not one screen of it
    #[arg(long, short, global = true)]
    pub verbose: bool,
    /// Worker threads (default: all cores); results do not depend on it
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

#[derive(Subcommand)]
pub enum Command {
    /// An audit of models on embedded data, without a network
    Demo(Demo),
    /// Write a commented configuration to start from
    Init(Init),
    /// Say what a run would do, and how long it takes; nothing is trained or sent
    Plan(Plan),
    /// Train, score or ask what is missing, attack, judge, report; may be stopped at any time
    Run(RunOptions),
    /// Send one question to a retrieval service and show what was read from its answer, and where
    Probe(Probe),
    /// Train one model of a plan: what nodes of a cluster start
    Work(Work),
    /// Judge signals that exist already
    Audit(Box<Audit>),
    /// Draw canaries that prove in one training run what a model remembers, and check that training sees them
    #[command(subcommand)]
    Canaries(Canaries),
    /// List the attacks
    Attacks,
    /// Say in words what an attack, a measure or a guardrail means
    Explain(Explain),
    /// Convert shadow signals between file formats
    Convert(Convert),
    /// Compare two reports: fails on a significant rise, not on noise
    Diff(Diff),
    /// Judge stored reports by a policy
    #[command(subcommand)]
    Policy(Policy),
    /// Render a stored report again: pages, an annex for assessors, a model card, a bill of materials
    Report(Render),
    /// Say whether the files of an audit, and what it read, are as they were
    Verify(Verify),
    /// Sign the digests of an audit with an SSH key
    Sign(Sign),
    /// Show a folder of audits in a browser: list, trend, comparison, live progress, records
    Serve(Serve),
    /// Serve a small question-answering service over documents, to rehearse audits on
    RagServer(RagServer),
    /// Run the experiments of a paper again, with the published numbers beside
    #[command(subcommand)]
    Study(Study),
    /// Look whether guestlist can work here: what is there, what is missing for what, and what to do
    Doctor(Doctor),
    /// Print a completion script for a shell
    Completions(Completions),
}

#[derive(Args)]
#[command(
    after_help = "The demonstration always exits with 0 when it ran; its report says how an \
                        audit with the same verdict would exit."
)]
pub struct Demo {
    /// What to demonstrate
    #[arg(value_enum, default_value = "classifier")]
    pub kind: DemoKind,
    /// misleading: which case, or all; without one, the cases are listed
    #[arg(value_name = "CASE")]
    pub case: Option<String>,
    /// Folder for data, configuration, models and report [default: guestlist-demo, with the kind behind
    /// it for all but classifier]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// classifier: train with DP-SGD that spends this ε, to see a defence at work
    #[arg(long, value_name = "EPSILON")]
    pub epsilon: Option<f64>,
    /// rag: defences of the service, separated by commas: hide-citations, refuse-verbatim,
    /// detect-probing
    #[arg(long = "defence", value_name = "NAMES", value_delimiter = ',')]
    pub defences: Vec<String>,
    /// Judge by the criteria of this file
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// Also write figures for papers: figures/*.svg and *.png
    #[arg(long)]
    pub figures: bool,
    /// Root seed
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// The day that the report bears, as 2026-03-09 (default: today in UTC, or that of SOURCE_DATE_EPOCH)
    #[arg(long, value_name = "DAY", default_value_t = today::today(), hide_default_value = true)]
    pub date: String,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum DemoKind {
    /// Shadow attacks on a classifier of handwritten digits
    Classifier,
    /// Attacks on a small language model that was fine-tuned on speeches
    Lm,
    /// Questions to a service that answers from a store of speeches
    Rag,
    /// Whether a service's model knows a text, its store holds it, or neither
    Source,
    /// Few-shot attacks on a classifier of handwritten digits
    Fewshot,
    /// Mistakes found in published code, made again beside what guestlist says
    Misleading,
}

#[derive(Clone, Args)]
#[command(after_help = "Examples:\n  \
        guestlist init classifier --data adult.csv\n  \
        guestlist init classifier --data adult.csv --label income --out adult.toml\n  \
        guestlist init lm --members train.jsonl --nonmembers held-out.jsonl --target ./tuned --reference ./base\n  \
        guestlist init rag --members in.jsonl --nonmembers out.jsonl --target http://127.0.0.1:8080 --preset openai-chat\n  \
        guestlist init rag --controls                             documents with invented facts to index\n  \
        guestlist init source --items items.jsonl --target http://127.0.0.1:8080 --preset guestlist\n  \
        guestlist init source --items items.jsonl --target https://… --preset dify --stand-in https://… --images https://…\n  \
        guestlist init fewshot --data features.npz\n  \
        guestlist init policy --preset public-release              criteria that several audits share")]
pub struct Init {
    /// What will be audited
    #[arg(value_parser = kinds::configurable())]
    pub kind: Configurable,
    /// classifier: the data file; its columns are listed in the configuration. fewshot: the file of
    /// features, or the folder of a finished `guestlist run`
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// classifier: the column to predict, by name or by place such as #14
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// lm: texts that were trained on; rag, source: documents that the store holds (JSON Lines,
    /// Parquet, CSV, or a folder of texts, Markdown, HTML and PDF); fewshot: ids of members, one per line
    #[arg(long, value_name = "PATH")]
    pub members: Option<PathBuf>,
    /// lm: texts that were not; rag, source: documents that it does not hold
    #[arg(long, value_name = "PATH")]
    pub nonmembers: Option<PathBuf>,
    /// lm: the fine-tuned model: a Hugging Face folder, a .gguf file, or a server's address; rag,
    /// source: the service's address
    #[arg(long, value_name = "MODEL")]
    pub target: Option<String>,
    /// lm: the model that fine-tuning started from
    #[arg(long, value_name = "MODEL")]
    pub reference: Option<String>,
    /// rag, source: the kind of service, such as openai-chat, dify or ollama (rag: where it is left out, the address is
    /// looked at, and asked what it is, without a key); policy: research, internal-release or public-release
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// rag: also write so many documents with invented facts (5) to controls.jsonl beside the
    /// configuration, to be put into the store: the audit must find them again
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "5")]
    pub controls: Option<usize>,
    /// source: texts or pictures, with their source where it is known (JSON Lines or Parquet); or give
    /// the store's documents with --members and others with --nonmembers
    #[arg(long, value_name = "PATH")]
    pub items: Option<PathBuf>,
    /// source: the address of the base model's endpoint, for a service that cannot be asked without
    /// its store
    #[arg(long, value_name = "URL")]
    pub stand_in: Option<String>,
    /// source: the address of a vision chat that describes pictures
    #[arg(long, value_name = "URL")]
    pub images: Option<String>,
    /// The configuration to write [default: guestlist.toml; policy.toml for a policy]
    #[arg(long = "out", value_name = "FILE")]
    pub to: Option<PathBuf>,
    /// Replace a configuration that is there
    #[arg(long)]
    pub overwrite: bool,
}

impl Init {
    /// Where it goes.
    pub fn out(&self) -> PathBuf {
        let usual = match self.kind {
            Configurable::Policy => "policy.toml",
            Configurable::Audit(_) => "guestlist.toml",
        };
        self.to.clone().unwrap_or_else(|| usual.into())
    }
}

#[derive(Args)]
pub struct ConfigurationOptions {
    /// The configuration
    #[arg(value_name = "CONFIG", default_value = "guestlist.toml")]
    pub config: PathBuf,
    /// How many shadows, instead of models.shadows; more than before trains only the new ones
    #[arg(long, value_name = "K")]
    pub shadows: Option<usize>,
    /// Where models are trained: local, slurm or ray
    #[arg(long, value_name = "NAME")]
    pub executor: Option<String>,
    /// Models trained at once on this machine
    #[arg(long, value_name = "N")]
    pub workers: Option<usize>,
    /// rag: at most so many documents of each set, instead of documents.limit
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// rag: attacks by id, separated by commas, instead of audit.attacks
    #[arg(long, value_name = "IDS")]
    pub attacks: Option<String>,
    /// rag: root seed, instead of the configuration's
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
}

impl ConfigurationOptions {
    /// What goes before the configuration.
    pub fn asked(&self) -> RunRequest {
        RunRequest {
            shadows: self.shadows,
            executor: self.executor.clone(),
            workers: self.workers,
            limit: self.limit,
            attacks: self.attacks.clone(),
            seed: self.seed,
            ..RunRequest::default()
        }
    }
}

#[derive(Args)]
pub struct Plan {
    #[command(flatten)]
    pub configured: ConfigurationOptions,
    /// rag, source: the most requests, instead of transport.max_requests
    #[arg(long, value_name = "N")]
    pub max_requests: Option<u64>,
    /// classifier: ready the run's folder, and write a manifest of an Indexed Job that trains its models
    /// on Kubernetes, as [kubernetes] says; - is standard output
    #[arg(long, value_name = "FILE")]
    pub kubernetes: Option<PathBuf>,
    /// rag: write the questions as JSON Lines (id, question, retrieval), for others to ask; nothing in
    /// them tells who is a member. `guestlist audit answers.jsonl --config CONFIG` judges the answers
    #[arg(long, value_name = "FILE", conflicts_with_all = ["limit", "attacks", "seed"])]
    pub questions: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "Examples:\n  \
        guestlist run\n  \
        guestlist run adult.toml --shadows 128     trains only the models that are not there\n  \
        guestlist run --executor slurm             trains on a cluster; ray is another\n  \
        guestlist run --what-if dp-sgd             also measures what private training would cost\n  \
        guestlist run rag.toml --max-requests 5000 asks a service, within a budget\n  \
        guestlist run rag.toml --limit 50 --attacks facts,content   a first look, on some documents\n  \
        guestlist run rag.toml --replay            judges stored answers again\n  \
        guestlist run rag.toml --ask-again         the service has changed: asks everything anew\n  \
        guestlist run --policy policy.toml         judges by criteria that several audits share\n  \
        guestlist run source.toml                  asks perturbed texts with retrieval and without\n\n\
        Finished models are kept in the run's folder. Stop it whenever you like (Ctrl-C, kill, \
        power): the next run trains only what is missing. A change of data, recipe or code makes \
        trained models stale; they are set aside and come back if the change is undone.")]
pub struct RunOptions {
    #[command(flatten)]
    pub configured: ConfigurationOptions,
    /// rag, source: never send more than this many requests over the life of the run's folder
    #[arg(long, value_name = "N")]
    pub max_requests: Option<u64>,
    /// rag, source: judge the answers that are stored; ask nobody
    #[arg(long)]
    pub replay: bool,
    /// Judge by the criteria of this file, instead of the configuration's gate
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// lm, rag, source: discard the stored answers of services and servers, and ask anew
    #[arg(long, conflicts_with = "replay")]
    pub ask_again: bool,
    /// classifier: also train the audited model with a defence, to see what it costs in accuracy
    #[arg(long, value_name = "DEFENCE", value_delimiter = ',')]
    pub what_if: Vec<WhatIf>,
    /// The day that the report bears, as 2026-03-09 (default: today in UTC, or that of SOURCE_DATE_EPOCH)
    #[arg(long, value_name = "DAY", default_value_t = today::today(), hide_default_value = true)]
    pub date: String,
    /// Also write figures for papers to the run's folder: figures/*.svg and *.png
    #[arg(long)]
    pub figures: bool,
    /// Also write junit.xml to the run's folder, which has report.md in any case
    #[arg(long)]
    pub junit: bool,
    /// Also write results.sarif to the run's folder
    #[arg(long)]
    pub sarif: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum WhatIf {
    /// Private training of the same recipe, within ε = 8 and ε = 2
    DpSgd,
}

impl WhatIf {
    pub fn asked(self) -> guestlist::pipeline::WhatIf {
        match self {
            WhatIf::DpSgd => guestlist::pipeline::WhatIf::DpSgd,
        }
    }
}

#[derive(Args)]
pub struct Work {
    /// plan.json of a run, or the run's folder
    pub plan: PathBuf,
    /// Which model to train, from 0; a model that is there already is left as it is
    #[arg(long, value_name = "N")]
    pub job: usize,
    /// Jobs of so many models: job N trains models N × K to N × K + K − 1, at once on one device
    #[arg(long, value_name = "K", default_value = "1")]
    pub models_per_job: std::num::NonZero<usize>,
    /// Also print the finished models as text, for nodes that share no folder with the run
    #[arg(long)]
    pub hand_over: bool,
}

#[derive(Args)]
pub struct Explain {
    /// An attack, a measure, a guardrail or another word of a report, such as lira, tpr, gate or
    /// class-balance; without one, every word is listed
    #[arg(allow_hyphen_values = true)]
    pub id: Option<String>,
}

#[derive(Args)]
#[command(
    after_help = "Examples:\n  guestlist convert experiments/ signals.npz\n  \
                        guestlist convert signals.npz signals.parquet\n\nLogits and \
                        probabilities become φ on the way."
)]
pub struct Convert {
    /// File or folder to read
    pub input: PathBuf,
    /// File or folder to write
    pub output: PathBuf,
    /// The input's format, when looking at it is not enough
    #[arg(long, value_name = "NAME")]
    pub from: Option<String>,
    /// The output's format (default: by its ending; a name without one is a folder of .npy files)
    #[arg(long, value_name = "NAME")]
    pub to: Option<String>,
    /// Replace what is there
    #[arg(long)]
    pub overwrite: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:\n  \
        guestlist diff accepted/report.json ci\n  \
        guestlist diff accepted/report.json ci --markdown >> $GITHUB_STEP_SUMMARY\n\n\
        A rise is significant when its p-value, multiplied by the number of measures compared \
        (Bonferroni), is at most --level; falls are told by the same rule and never fail.\n\n\
        Exit codes: 0 no significant rise, 1 a significant rise, 2 error in usage or input, 3 \
        inconclusive: one of the audits is, or the attack that decided the baseline is missing.")]
pub struct Diff {
    /// report.json of the earlier audit, or its folder
    pub baseline: PathBuf,
    /// report.json of the later audit, or its folder
    pub current: PathBuf,
    /// A rise, or a fall, counts when chance explains it with at most this probability
    #[arg(long, default_value_t = 0.05)]
    pub level: f64,
    /// Write Markdown, for a pull request, instead of text
    #[arg(long)]
    pub markdown: bool,
}

#[derive(Subcommand)]
pub enum Policy {
    /// Judge a stored report by a policy, without its signals
    #[command(after_help = "Examples:\n  \
        guestlist policy check ci/report.json --policy policy.toml\n  \
        guestlist policy check ci                            by the policy that the report was made with\n\n\
        What the report does not hold, such as a rate that was not measured, is inconclusive: audit again \
        with --policy.\n\n\
        Exit codes: 0 pass, 1 fail (leak), 2 error in usage or input, 3 inconclusive.")]
    Check(PolicyCheck),
}

#[derive(Args)]
pub struct PolicyCheck {
    /// report.json of an audit, or its folder
    pub report: PathBuf,
    /// The policy (default: the one that the report was made with)
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "Examples:\n  \
        guestlist doctor\n  \
        guestlist doctor --out /data/audits --python venv/bin/python\n\n\
        ✔ is as it should be, – is not there and needed by some audits alone, ! will fail some audits, ✘ all. Nothing \
        is changed, nobody is asked but programs of this machine and the Ray that RAY_ADDRESS names (for its version), \
        and variables of the environment are named without their values.\n\n\
        Exit codes: 0 guestlist can work here, 2 it cannot.")]
pub struct Doctor {
    /// The folder that audits would be written to [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The Python to look at [default: the one that brought this command, or python3]
    #[arg(long, value_name = "PROGRAM")]
    pub python: Option<PathBuf>,
}

#[derive(Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}
