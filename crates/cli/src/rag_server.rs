//! `guestlist rag-server`: a retrieval service on this machine, to rehearse audits and defences on.

use std::time::Duration;

use guestlist::{Error, ExitCode};
use rehearsal::{Defences, ServeRequest};
use serde_json::json;

use super::arguments::RagServer;
use super::console::Console;
use super::interrupt;

pub fn run(options: &RagServer, console: &Console) -> Result<ExitCode, Error> {
    if options.retriever.needs_embeddings() && options.embeddings.is_none() {
        return Err(Error::usage(
            format!("--retriever {} needs embeddings", options.retriever),
            "name an embedder with --embeddings, or choose bm25",
        ));
    }
    let defences = Defences::parse(&options.defences)?;
    let key = options.api_key_env.as_deref().map(read_key).transpose()?;
    if !options.host.is_loopback() {
        console.warn(&format!(
            "warning: {}:{} can be reached from other machines, and every answer shows what is in the documents",
            options.host, options.port
        ));
    }
    let serving = request(options, key).start()?;
    let (documents, chunks) = (serving.documents, serving.chunks);
    let address = format!("http://{}", serving.running.address());
    console.note(&format!(
        "serving {documents} documents in {chunks} chunks at {address}/v1/chat/completions; Ctrl-C stops it"
    ));
    console.event(&json!({
        "event": "listening", "address": address, "documents": documents, "chunks": chunks,
        "generator": serving.generator, "retriever": options.retriever.to_string(),
        "defences": defences.names(),
    }));
    while !interrupt::cancel().wait(Duration::from_secs(60)) {}
    let acted = serving.acted();
    serving.running.stop();
    if !defences.names().is_empty() {
        console.note(&format!(
            "of {} questions {} were suspected; {} answers were withheld, and words were taken out of {}",
            acted.asked, acted.suspected, acted.refused, acted.filtered
        ));
    }
    console.event(&json!({
        "event": "stopped", "asked": acted.asked, "suspected": acted.suspected,
        "refused": acted.refused, "filtered": acted.filtered,
    }));
    Ok(ExitCode::Pass)
}

fn request(options: &RagServer, key: Option<String>) -> ServeRequest {
    let RagServer {
        documents,
        port,
        host,
        retriever,
        embeddings,
        model,
        device,
        top_k,
        chunk_words,
        chunk_overlap,
        max_tokens,
        defences,
        usual_questions,
        api_key_env: _,
    } = options.clone();
    ServeRequest {
        documents,
        host,
        port,
        retriever,
        embeddings,
        model,
        device,
        top_k,
        chunk_words,
        chunk_overlap,
        max_tokens,
        defences,
        usual_questions,
        key,
    }
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
