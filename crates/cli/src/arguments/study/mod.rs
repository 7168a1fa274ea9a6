//! Studies: experiments of papers, run again.

mod bavaria;
mod few_shot;

use clap::Subcommand;

pub use self::bavaria::BavariaStudy;
pub use self::few_shot::FewShotStudy;

#[derive(Subcommand)]
pub enum Study {
    /// Exponential-family attacks with few shadows and many: tables of the BaVarIA paper
    Bavaria(BavariaStudy),
    /// Few-shot attacks and Log-MIA: what is published, what chance gives, what they reach on your data
    FewShot(FewShotStudy),
}
