//! The types that carry what was collected. No truth lives here: an attack cannot cheat.

pub mod bytes;
pub mod episodes;
pub mod membership;
mod metadata;
pub mod outputs;
pub mod plane;
pub mod probes;
pub mod rescale;
pub mod shadow;
mod shared_text;
pub mod tokens;
