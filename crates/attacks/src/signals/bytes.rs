//! Bytes that outlive the code that fetched them: a vector, or a mapped file.

use std::sync::Arc;

/// Shared, read-only bytes. The room that collects decides what holds them.
#[derive(Clone)]
pub struct Bytes(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl Bytes {
    pub fn new(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self(Arc::new(owner))
    }

    pub fn as_slice(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bytes({})", self.as_slice().len())
    }
}
