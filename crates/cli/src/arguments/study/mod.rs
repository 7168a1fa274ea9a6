//! Studies: experiments of papers, run again.

mod bavaria;
mod ez;
mod few_shot;

use clap::Subcommand;

pub use self::bavaria::BavariaStudy;
pub use self::ez::EzStudy;
pub use self::few_shot::FewShotStudy;

#[derive(Subcommand)]
pub enum Study {
    /// Exponential-family attacks with few shadows and many: tables of the BaVarIA paper
    Bavaria(BavariaStudy),
    /// EZ-MIA on fine-tuned language models: the attack, its parts, LoRA and references beside one another
    Ez(EzStudy),
    /// Few-shot attacks and Log-MIA: what is published, what chance gives, what they reach on your data
    FewShot(FewShotStudy),
}
