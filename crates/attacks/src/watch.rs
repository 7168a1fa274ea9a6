//! How long work tells of its progress and hears that it should stop.

/// Told of finished records; asked whether to go on.
pub trait Watch: Sync {
    fn advance(&self, records: usize);
    fn cancelled(&self) -> bool;
}

/// Nobody watches: for tests and for callers without a terminal.
pub struct Unwatched;

impl Watch for Unwatched {
    fn advance(&self, _records: usize) {}

    fn cancelled(&self) -> bool {
        false
    }
}
