//! What a design says of itself.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card {
    pub id: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Why a model that saw it gives that away.
    pub why: &'static str,
    /// When it shows less than there is.
    pub weak: &'static str,
    pub paper: &'static str,
}
