//! `guestlist rag-server`: a retrieval service on this machine, to rehearse audits and defences on.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use formats::texts::documents_of;
use guestlist::{Error, ExitCode};
use rehearsal::{
    ChunkSettings, Defences, Document, Index, Native, RetrieveSettings, Running, Service,
    ServiceSettings,
};
use serde_json::json;

use super::arguments::RagServer;
use super::console::Console;
use super::interrupt;

pub fn run(options: &RagServer, console: &Console) -> Result<ExitCode, Error> {
    let settings = settings(options)?;
    let key = options.api_key_env.as_deref().map(read_key).transpose()?;
    let service = open(options, settings)?;
    let (documents, chunks) = (
        service.index().documents().len(),
        service.index().chunks().len(),
    );
    let generator = service.generator().to_owned();
    let address = SocketAddr::new(options.host, options.port);
    if !options.host.is_loopback() {
        console.warn(&format!(
            "warning: {address} can be reached from other machines, and every answer shows what is in the documents"
        ));
    }
    let running = rehearsal::start(Arc::new(service), address, key)?;
    let address = format!("http://{}", running.address());
    console.note(&format!(
        "serving {documents} documents in {chunks} chunks at {address}/v1/chat/completions; Ctrl-C stops it"
    ));
    console.event(&json!({
        "event": "listening", "address": address, "documents": documents, "chunks": chunks,
        "generator": generator, "retriever": settings.retrieve.mode.to_string(), "defences": settings.defences.names(),
    }));
    while !interrupt::asked() {
        std::thread::sleep(Duration::from_millis(50));
    }
    running.stop();
    Ok(ExitCode::Pass)
}

/// A service with the customary settings, on this machine alone; port 0 takes any that is free.
/// Without a model, answers are sentences of the documents.
pub fn serve(
    documents: &Path,
    model: Option<&Path>,
    defences: Defences,
    port: u16,
) -> Result<Running, Error> {
    let settings = ServiceSettings {
        defences,
        ..ServiceSettings::default()
    };
    let documents = read(documents)?;
    let index = Index::new(documents, ChunkSettings::default(), None)?;
    let service = with_model(index, model, settings)?;
    let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
    rehearsal::start(Arc::new(service), address, None)
}

fn with_model(
    index: Index,
    model: Option<&Path>,
    settings: ServiceSettings,
) -> Result<Service, Error> {
    Ok(match model {
        Some(model) => {
            let model = rehearsal::open_language_model(model)?;
            Service::new(index, Box::new(Native::new(model)), settings)?
        }
        None => Service::extractive(index, settings)?,
    })
}

/// The same files that an audit reads.
fn read(path: &Path) -> Result<Vec<Document>, Error> {
    let documents = documents_of(path)?.into_iter();
    let documents = documents.map(|document| Document {
        id: document.id,
        title: document.title,
        text: document.text,
    });
    Ok(documents.collect())
}

fn settings(options: &RagServer) -> Result<ServiceSettings, Error> {
    Ok(ServiceSettings {
        retrieve: RetrieveSettings {
            mode: options.retriever,
            top_k: options.top_k,
            minimum_score: None,
        },
        defences: Defences::parse(&options.defences)?,
        max_tokens: options.max_tokens,
    })
}

fn open(options: &RagServer, settings: ServiceSettings) -> Result<Service, Error> {
    let chunks = ChunkSettings {
        words: options.chunk_words,
        overlap: options.chunk_overlap,
    };
    chunks.check()?;
    if settings.retrieve.mode.needs_embeddings() && options.embeddings.is_none() {
        return Err(Error::usage(
            format!("--retriever {} needs embeddings", options.retriever),
            "name an embedder with --embeddings, or choose bm25",
        ));
    }
    let documents = read(&options.documents)?;
    let embedder = options
        .embeddings
        .as_deref()
        .map(rehearsal::open_embedder)
        .transpose()?;
    let index = Index::new(documents, chunks, embedder)?;
    with_model(index, options.model.as_deref(), settings)
}

fn read_key(name: &str) -> Result<String, Error> {
    let key = std::env::var(name).ok().filter(|key| !key.is_empty());
    key.ok_or_else(|| {
        Error::usage(
            format!("--api-key-env names {name}, which is not set or empty"),
            format!("export {name} with the key that clients must send"),
        )
    })
}
