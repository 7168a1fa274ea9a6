//! Options of `guestlist study bavaria`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
#[command(after_help = "\
DATA is shadow signals in any layout that audit reads, or the folder of a `guestlist run`; `digits` trains models on\n\
the handwritten digits that guestlist carries, into OUT/digits, and goes on where it stopped. A name of the paper's tables\n\
before it (Loc-3, C10-WRN, …) puts the paper's row beside ours.\n\n\
Examples:\n  \
guestlist study bavaria                                        on digits, 67 models\n  \
guestlist study bavaria digits Loc-3=location.npz --out study   on two data sets\n  \
guestlist study bavaria run/ --targets 8 --shadows 4,8,16       smaller\n\n\
The page (OUT/study-bavaria.md) names the command that makes it again; OUT/study-bavaria.json has every number.\n\
Exit codes: 0 it ran, 2 error in usage or input, 130 interrupted.")]
pub struct BavariaStudy {
    /// What to study, each as DATA or NAME=DATA [default: digits]
    #[arg(value_name = "DATA")]
    pub data: Vec<String>,
    /// How many models take the target's place in turn; all where there are fewer
    #[arg(long, value_name = "N", default_value_t = guestlist::study::bavaria::TARGETS)]
    pub targets: usize,
    /// Numbers of shadows; those that a data set has not are left out for it
    #[arg(long, value_name = "K,…", value_delimiter = ',', default_values_t = guestlist::study::bavaria::BUDGETS)]
    pub shadows: Vec<usize>,
    /// digits: how many models to train
    #[arg(long, value_name = "N", default_value_t = 67, value_parser = clap::value_parser!(u16).range(6..))]
    pub models: u16,
    /// Measure understudy too, which the paper does not have: trees for every target take long
    #[arg(long)]
    pub understudy: bool,
    /// Root of all random choices
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Folder for the page and its numbers
    #[arg(long, value_name = "DIR", default_value = "guestlist-study")]
    pub out: PathBuf,
}
