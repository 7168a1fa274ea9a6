//! How training tells of its progress and hears that it should stop.

use crate::training::Epoch;

/// Told of each finished epoch; asked before every batch whether to go on.
pub trait Watch: Sync {
    fn epoch(&self, _done: &Epoch) {}
    fn cancelled(&self) -> bool;
}

/// Nobody watches.
pub struct Unwatched;

impl Watch for Unwatched {
    fn epoch(&self, _done: &Epoch) {}

    fn cancelled(&self) -> bool {
        false
    }
}
