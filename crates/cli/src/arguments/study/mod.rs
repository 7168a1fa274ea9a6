//! Studies: experiments of papers, run again.

mod bavaria;

use clap::Subcommand;

pub use self::bavaria::BavariaStudy;

#[derive(Subcommand)]
pub enum Study {
    /// Exponential-family attacks with few shadows and many: tables of the BaVarIA paper
    Bavaria(BavariaStudy),
}
