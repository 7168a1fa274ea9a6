//! The types that carry what was collected. No truth lives here: an attack cannot cheat.

pub mod bytes;
pub mod membership;
pub mod plane;
pub mod rescale;
pub mod shadow;
pub mod tokens;
