//! Options of `guestlist study few-shot`.

use std::path::PathBuf;

use clap::Args;
use guestlist::study::few_shot;

#[derive(Args)]
#[command(after_help = "\
DATA is what `guestlist audit --kind fewshot` reads: features or logits of records with their membership (.npz, .npy with \
--members, Parquet), or the folder of a `guestlist run`; `digits` trains models on the handwritten digits that guestlist \
carries, into OUT/digits-few-shot, and goes on where it stopped. Every layer is attacked that is there: features, logits, \
penultimate, and sorted-probabilities where there are logits or probabilities.\n\n\
Attacks that see all records, loss and understudy, stand beside where data are shadow signals too (a run's folder, or \
logits with labels) or --shadows names some: of the same records in the same order, model N of one file being \
model N of the other. What is published about few-shot attacks needs no data and is always on the page.\n\n\
Examples:\n  \
guestlist study few-shot                                          on digits\n  \
guestlist study few-shot features.npz --shots 1,5 --runs 200      on features of yours\n  \
guestlist study few-shot guestlist-run --target 2                 on a model that was trained here\n  \
guestlist study few-shot logits.npz --shadows signals.npz         with attacks that see all beside\n  \
guestlist study few-shot digits Mine=logits.npz --target Mine=0,1 --shadows Mine=signals.npz\n\n\
The page (OUT/study-few-shot.md) names the command that makes it again; OUT/study-few-shot.json has every number.\n\
Exit codes: 0 it ran, 2 error in usage or input, 130 interrupted.")]
pub struct FewShotStudy {
    /// What to study, each as DATA or NAME=DATA [default: digits]
    #[arg(value_name = "DATA")]
    pub data: Vec<String>,
    /// Which models of the data, counted from 0; of all data where no NAME stands before [default: 0]
    #[arg(long = "target", value_name = "[NAME=]N,…")]
    pub targets: Vec<String>,
    /// Shadow signals of the data of that name, for attacks that see all; one file alone needs no NAME
    #[arg(long, value_name = "[NAME=]FILE")]
    pub shadows: Vec<String>,
    /// Members of the data of that name, one id (or row number) per line, where the data do not say who is one
    #[arg(long, value_name = "[NAME=]FILE")]
    pub members: Vec<String>,
    /// Known members and known non-members per episode
    #[arg(long, value_name = "K,…", value_delimiter = ',', default_values_t = few_shot::SHOTS)]
    pub shots: Vec<usize>,
    /// Episodes per number of shots
    #[arg(long, value_name = "N", default_value_t = few_shot::RUNS)]
    pub runs: usize,
    /// Root of all random choices
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Folder for the page and its numbers
    #[arg(long, value_name = "DIR", default_value = "guestlist-study")]
    pub out: PathBuf,
}
