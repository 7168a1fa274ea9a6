//! The store of the service: documents, their chunks, and how well each chunk fits a question.

mod bm25;
mod dense;
mod postings;
mod ranking;
mod tfidf;

use std::ops::Range;
use std::sync::Arc;

use lm::Embedder;
use rayon::prelude::*;
use text::content_stems;

pub use postings::Postings;
pub(crate) use ranking::{Hit, best};

use crate::chunks::{self, Chunk, ChunkSettings};
use crate::documents::Document;
use crate::{Error, ErrorKind, Result};

use self::dense::Dense;

/// Documents that can be searched.
pub struct Index {
    documents: Vec<Document>,
    chunks: Vec<Chunk>,
    /// The chunks of each document, which lie side by side.
    extents: Vec<Range<usize>>,
    postings: Arc<Postings>,
    dense: Option<Dense>,
}

impl Index {
    /// Indexes words, and meanings too where an embedder is given.
    pub fn new(
        documents: Vec<Document>,
        settings: ChunkSettings,
        embedder: Option<Box<dyn Embedder>>,
    ) -> Result<Self> {
        settings.check()?;
        let chunks = chunks::split(&documents, settings);
        if u32::try_from(chunks.len()).is_err() {
            let message = format!("{} chunks are more than one index holds", chunks.len());
            return Err(Error::new(ErrorKind::Setting, message).hint("make chunks longer"));
        }
        let postings = Arc::new(index_words(&documents, &chunks));
        let texts: Vec<&str> = chunks.iter().map(|chunk| text(&documents, chunk)).collect();
        let dense = embedder
            .map(|embedder| Dense::new(embedder, &texts))
            .transpose()?;
        Ok(Self {
            extents: extents(&chunks, documents.len()),
            documents,
            chunks,
            postings,
            dense,
        })
    }

    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    pub fn document_of(&self, chunk: usize) -> &Document {
        &self.documents[self.chunks[chunk].document]
    }

    pub fn text_of(&self, chunk: usize) -> &str {
        text(&self.documents, &self.chunks[chunk])
    }

    /// The chunks of a document.
    pub fn extent(&self, document: usize) -> Range<usize> {
        self.extents[document].clone()
    }

    pub fn postings(&self) -> &Arc<Postings> {
        &self.postings
    }

    pub fn has_embeddings(&self) -> bool {
        self.dense.is_some()
    }

    /// BM25 of every chunk.
    pub(crate) fn word_scores(&self, question: &str) -> Vec<f32> {
        bm25::scores(&self.postings, &content_stems(question))
    }

    /// Cosine of every chunk's embedding with the question's, where there are embeddings.
    pub(crate) fn meaning_scores(&self, question: &str) -> Option<Result<Vec<f32>>> {
        self.dense.as_ref().map(|dense| dense.scores(question))
    }

    /// Cosine of every chunk's TF-IDF vector with the question's.
    pub(crate) fn tfidf_scores(&self, question: &str) -> Vec<f32> {
        tfidf::scores(&self.postings, &content_stems(question))
    }
}

fn text<'a>(documents: &'a [Document], chunk: &Chunk) -> &'a str {
    &documents[chunk.document].text[chunk.range.clone()]
}

/// How many chunks are cut into words at a time: words take more memory than their counts.
const BLOCK: usize = 4096;

fn index_words(documents: &[Document], chunks: &[Chunk]) -> Postings {
    let cut = |block: &[Chunk]| -> Vec<Vec<String>> {
        let words = |chunk| chunk_words(documents, chunk);
        block.par_iter().map(words).collect()
    };
    Postings::new(chunks.chunks(BLOCK).flat_map(cut))
}

/// A chunk is found by its own words and by its document's title.
fn chunk_words(documents: &[Document], chunk: &Chunk) -> Vec<String> {
    let mut found = content_stems(text(documents, chunk));
    if let Some(title) = &documents[chunk.document].title {
        found.extend(content_stems(title));
    }
    found
}

fn extents(chunks: &[Chunk], documents: usize) -> Vec<Range<usize>> {
    let border = |document| chunks.partition_point(|chunk| chunk.document < document);
    (0..documents)
        .map(|document| border(document)..border(document + 1))
        .collect()
}
