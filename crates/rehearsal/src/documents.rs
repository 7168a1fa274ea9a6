//! What is indexed.

/// A document of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    pub id: String,
    pub title: Option<String>,
    pub text: String,
}
