//! The retrieval room: a small question-answering service over a store of documents, to rehearse
//! membership audits on and to test defences with.
mod chunks;
mod documents;
mod error;
mod index;
mod retrieve;
mod sentences;
mod words;

pub use chunks::{Chunk, ChunkSettings};
pub use documents::{Document, read as read_documents};
pub use error::{Error, ErrorKind, Result};
pub use index::{Embed, Embedding, Index, Postings};
pub use retrieve::{Mode, RetrieveSettings};
