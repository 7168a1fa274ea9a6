//! A service over a file of documents, with everything that may be said about it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use crate::{
    Acted, ChunkSettings, Defences, Device, Document, Error, Index, Mode, Native, Result,
    RetrieveSettings, Running, Service, ServiceSettings, open_embedder, open_language_model, start,
};

/// What is served, where and how.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServeRequest {
    /// JSON Lines with id, text and title, Parquet, CSV, or a folder of texts, Markdown, HTML and PDF.
    pub documents: PathBuf,
    pub host: IpAddr,
    /// 0 takes any that is free.
    pub port: u16,
    /// bm25, dense or hybrid.
    pub retriever: Mode,
    pub embeddings: Option<PathBuf>,
    /// What writes the answers; sentences of the documents where there is none.
    pub model: Option<PathBuf>,
    /// Where the model runs: cpu, cuda or cuda:1.
    pub device: Device,
    pub top_k: usize,
    pub chunk_words: usize,
    pub chunk_overlap: usize,
    pub max_tokens: usize,
    pub defences: Vec<String>,
    /// What people usually ask, for detect-probing: a question a line, or JSON Lines with `question`.
    pub usual_questions: Option<PathBuf>,
    /// Whoever asks must send it.
    #[serde(skip)]
    pub key: Option<String>,
}

impl Default for ServeRequest {
    fn default() -> Self {
        let (chunks, service) = (ChunkSettings::default(), ServiceSettings::default());
        Self {
            documents: PathBuf::new(),
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            retriever: service.retrieve.mode,
            embeddings: None,
            model: None,
            device: Device::default(),
            top_k: service.retrieve.top_k,
            chunk_words: chunks.words,
            chunk_overlap: chunks.overlap,
            max_tokens: service.max_tokens,
            defences: Vec::new(),
            usual_questions: None,
            key: None,
        }
    }
}

/// A service at work, and what it serves. It stops when it is dropped.
pub struct Serving {
    pub running: Running,
    pub documents: usize,
    pub chunks: usize,
    /// What writes the answers.
    pub generator: String,
    service: Arc<Service>,
}

impl Serving {
    /// How often defences acted so far.
    pub fn acted(&self) -> Acted {
        self.service.acted()
    }
}

impl ServeRequest {
    /// The documents of this file, on this machine alone.
    pub fn new(documents: &Path) -> Self {
        Self {
            documents: documents.to_owned(),
            ..Self::default()
        }
    }

    /// Reads everything, and serves.
    pub fn start(self) -> Result<Serving> {
        let settings = self.settings()?;
        let service = Arc::new(self.open(settings)?);
        let index = service.index();
        let (documents, chunks) = (index.documents().len(), index.chunks().len());
        let generator = service.generator().to_owned();
        let address = SocketAddr::new(self.host, self.port);
        Ok(Serving {
            running: start(Arc::clone(&service), address, self.key)?,
            documents,
            chunks,
            generator,
            service,
        })
    }

    fn settings(&self) -> Result<ServiceSettings> {
        Ok(ServiceSettings {
            retrieve: RetrieveSettings {
                mode: self.retriever,
                top_k: self.top_k,
                minimum_score: None,
            },
            defences: Defences::parse(&self.defences)?,
            max_tokens: self.max_tokens,
        })
    }

    fn open(&self, settings: ServiceSettings) -> Result<Service> {
        let chunks = ChunkSettings {
            words: self.chunk_words,
            overlap: self.chunk_overlap,
        };
        chunks.check()?;
        if settings.retrieve.mode.needs_embeddings() && self.embeddings.is_none() {
            return Err(Error::usage(
                format!("the retriever {} needs embeddings", self.retriever),
                "name an embedder, or choose bm25",
            ));
        }
        let documents = read(&self.documents)?;
        let embedder = self.embeddings.as_deref().map(open_embedder).transpose()?;
        let index = Index::new(documents, chunks, embedder)?;
        let service = match &self.model {
            Some(model) => {
                let model = open_language_model(model, self.device)?;
                Service::new(index, Box::new(Native::new(model)), settings)?
            }
            None => Service::extractive(index, settings)?,
        };
        match &self.usual_questions {
            Some(path) => service.knows_usual(&questions(path)?),
            None => Ok(service),
        }
    }
}

/// The same files that an audit reads.
fn read(path: &Path) -> Result<Vec<Document>> {
    let documents = formats::texts::documents_of(path)?.into_iter();
    let documents = documents.map(|document| Document {
        id: document.id,
        title: document.title,
        text: document.text,
    });
    Ok(documents.collect())
}

/// A question a line, or JSON Lines with `question` (or `claim`).
fn questions(path: &Path) -> Result<Vec<String>> {
    let failed = |why: String| {
        Error::usage(
            format!("{}: {why}", path.display()),
            "give a text file with a question a line, or JSON Lines with `question`",
        )
    };
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let question = |(number, line): (usize, &str)| {
        if !line.trim_start().starts_with('{') {
            return Ok(line.trim().to_owned());
        }
        let row: serde_json::Value = serde_json::from_str(line)
            .map_err(|error| failed(format!("line {}: {error}", number + 1)))?;
        let said = row.get("question").or(row.get("claim"));
        let said = said.and_then(serde_json::Value::as_str);
        said.map(str::to_owned)
            .ok_or_else(|| failed(format!("line {} has no question", number + 1)))
    };
    lines.map(question).collect()
}
