//! Studies: experiments of papers, run again.

mod bavaria;
mod ez;

use clap::Subcommand;

pub use self::bavaria::BavariaStudy;
pub use self::ez::EzStudy;

#[derive(Subcommand)]
pub enum Study {
    /// Exponential-family attacks with few shadows and many: tables of the BaVarIA paper
    Bavaria(BavariaStudy),
    /// EZ-MIA on fine-tuned language models: the attack, its parts, LoRA and references beside one another
    Ez(EzStudy),
}
