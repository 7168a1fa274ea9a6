//! Options of `guestlist study ez`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
#[command(after_help = "\
DATA is token signals in any layout that audit reads, with ranks and a reference's log-probabilities, or the folder of a\n\
`guestlist run` of kind lm; `speeches` has the small language model that guestlist carries read its texts, into OUT/speeches. Of\n\
names that differ in one word, full and lora are held against one another, and so are distilled and base.\n\n\
Examples:\n  \
guestlist study ez                                                     on speeches\n  \
guestlist study ez full-3=full.parquet lora-3=lora.parquet --out study  full fine-tuning beside LoRA\n  \
guestlist study ez run/ --about \"GPT-2, three epochs on AG News\"       on a run of your own\n\n\
The page (OUT/study-ez.md) names the command that makes it again; OUT/study-ez.json has every number.\n\
Exit codes: 0 it ran, 2 error in usage or input, 130 interrupted.")]
pub struct EzStudy {
    /// What to study, each as DATA or NAME=DATA [default: speeches]
    #[arg(value_name = "DATA")]
    pub data: Vec<String>,
    /// Where the signals are from, for the page: models, texts, how they were trained
    #[arg(long, value_name = "TEXT")]
    pub about: Option<String>,
    /// Folder for the page and its numbers
    #[arg(long, value_name = "DIR", default_value = "guestlist-study")]
    pub out: PathBuf,
}
