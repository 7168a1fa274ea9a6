//! What may be typed about canaries.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use guestlist::canaries::{
    CheckSettings, ClassifierRequest, Deduplication as Filter, DrawOptions, LmRequest,
};

#[derive(Subcommand)]
pub enum Canaries {
    /// Draw texts for a language model, and mix the chosen ones into its training texts
    #[command(after_help = "Designs:\n  \
        random-tokens  tokens drawn at random, in a fixed sentence (the usual one)\n  \
        new-token      the beginning of a text of yours, and a token that no training text has; the\n                 \
        strongest where embeddings are trained; needs --tokenizer\n  \
        rare-tokens    strings of the rarest tokens of the training texts, in a fixed sentence\n  \
        swapped        texts of your own with other names and numbers\n\n\
        Examples:\n  \
        guestlist canaries lm --training train.jsonl --tokenizer ./base\n  \
        guestlist canaries lm --training train.jsonl --tokenizer ./base --design new-token,random-tokens --tiers 1,4,16\n  \
        guestlist canaries lm --training chats.jsonl --tokenizer ./base --max-length 512 --prompt-masked\n\n\
        Then train on canaries/training.jsonl, score canaries/canaries.jsonl, and judge with guestlist audit \
        --canaries canaries/manifest.json.\n\n\
        Exit codes: 0 drawn, 2 error in usage or input, 3 drawn, but training as described would not see \
        all canaries.")]
    Lm(Box<CanariesLm>),
    /// Draw records for a classifier, and mix the chosen ones into its training data
    #[command(after_help = "Designs:\n  \
        random-label     records of your own under another label, drawn at random (the usual one)\n  \
        random-features  records whose features are drawn one by one from yours, with a random label\n\n\
        Examples:\n  \
        guestlist canaries classifier --data data.npz\n  \
        guestlist canaries classifier --data adult.csv --label income --count 500 --design random-label,random-features\n\n\
        Then train on canaries/training.csv (or .npz, .parquet, as the data are), score \
        canaries/canaries.csv, and judge with guestlist audit --canaries canaries/manifest.json.")]
    Classifier(CanariesClassifier),
    /// Look for what would make canaries invisible in training: masks, cuts, copies, frozen embeddings
    #[command(after_help = "Examples:\n  \
        guestlist canaries check canaries/manifest.json --tokenizer ./base --max-length 512\n  \
        guestlist canaries check canaries --tokenizer ./base --max-length 1024 --packing --prompt-masked\n\n\
        Exit codes: 0 every canary would be seen, 2 error in usage or input, 3 some would not, or \
        nobody can tell without --tokenizer.")]
    Check(CanariesCheck),
}

#[derive(Args)]
pub struct DrawArguments {
    /// How many canaries; a fair coin chooses about half of them
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub count: usize,
    /// How they are made, separated by commas; designs share the canaries equally
    #[arg(long = "design", value_name = "NAMES", value_delimiter = ',')]
    pub designs: Vec<String>,
    /// How often a chosen canary is in the training data, separated by commas; tiers share the canaries
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1")]
    pub tiers: Vec<u32>,
    /// Folder for training file, canaries, manifest and truth
    #[arg(long, value_name = "DIR", default_value = "canaries")]
    pub out: PathBuf,
    /// Root seed (default: from the system's randomness). Whoever knows it knows who was chosen
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Replace an earlier draw
    #[arg(long, alias = "force")]
    pub overwrite: bool,
}

impl DrawArguments {
    fn asked(&self) -> DrawOptions {
        DrawOptions {
            count: self.count,
            designs: self.designs.clone(),
            tiers: self.tiers.clone(),
            out: self.out.clone(),
            seed: self.seed,
            overwrite: self.overwrite,
        }
    }
}

#[derive(Args)]
pub struct TreatmentArguments {
    /// The tokenizer of the training: the base model's folder, a tokenizer.json or a .gguf file
    #[arg(long, value_name = "PATH")]
    pub tokenizer: Option<PathBuf>,
    /// Tokens of a text that training keeps, or of a block (default: as the tokenizer says)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_length: Option<u32>,
    /// The loss leaves prompts out
    #[arg(long)]
    pub prompt_masked: bool,
    /// Where one text holds prompt and answer: what stands before the answer, such as "### Response:"
    #[arg(long, value_name = "TEXT")]
    pub response_template: Option<String>,
    /// Texts are joined and cut into blocks
    #[arg(long)]
    pub packing: bool,
    /// A filter drops copies before training
    #[arg(long, value_name = "WHICH")]
    pub deduplicate: Option<Deduplication>,
    /// Embeddings stay as they were (LoRA that leaves them out)
    #[arg(long)]
    pub frozen_embeddings: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Deduplication {
    /// Rows that are the same
    Exact,
    /// Rows that are nearly the same, too
    Near,
}

impl TreatmentArguments {
    pub fn asked(&self) -> CheckSettings {
        CheckSettings {
            tokenizer: self.tokenizer.clone(),
            max_length: self.max_length.map(|length| length as usize),
            prompt_masked: self.prompt_masked,
            response_template: self.response_template.clone(),
            packing: self.packing,
            deduplicate: self.deduplicate.map(|which| match which {
                Deduplication::Exact => Filter::Exact,
                Deduplication::Near => Filter::Near,
            }),
            frozen_embeddings: self.frozen_embeddings,
        }
    }
}

#[derive(Args)]
pub struct CanariesLm {
    /// The training texts: JSON Lines with text, with prompt and completion, or with messages; the file
    /// stays as it is
    #[arg(long, value_name = "FILE")]
    pub training: PathBuf,
    #[command(flatten)]
    pub draw: DrawArguments,
    /// swapped, new-token: take from these texts, which are not trained on, and not from the training texts
    #[arg(long, value_name = "FILE")]
    pub texts: Option<PathBuf>,
    /// random-tokens, rare-tokens: how many tokens are drawn for a canary
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub length: usize,
    #[command(flatten)]
    pub treatment: TreatmentArguments,
}

impl CanariesLm {
    pub fn asked(&self) -> LmRequest {
        LmRequest {
            training: self.training.clone(),
            draw: self.draw.asked(),
            texts: self.texts.clone(),
            length: self.length,
            check: self.treatment.asked(),
        }
    }
}

#[derive(Args)]
pub struct CanariesClassifier {
    /// The training data: npz with x and y, CSV or Parquet; the file stays as it is
    #[arg(long, value_name = "FILE")]
    pub data: PathBuf,
    /// The column to predict, by name or by place such as #14 (default: y, label, target or class)
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// Columns that are no features, such as ids, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub ignore: Vec<String>,
    #[command(flatten)]
    pub draw: DrawArguments,
}

impl CanariesClassifier {
    pub fn asked(&self) -> ClassifierRequest {
        ClassifierRequest {
            data: self.data.clone(),
            label: self.label.clone(),
            ignore: self.ignore.clone(),
            draw: self.draw.asked(),
        }
    }
}

#[derive(Args)]
pub struct CanariesCheck {
    /// The manifest of a draw, or its folder
    #[arg(default_value = "canaries/manifest.json")]
    pub manifest: PathBuf,
    #[command(flatten)]
    pub treatment: TreatmentArguments,
}
