//! What may be typed after `guestlist probe` and `guestlist rag-server`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

use super::address;

#[derive(Args)]
#[command(after_help = "Examples:\n  \
        guestlist probe\n  \
        guestlist probe rag.toml --query \"What do you know about mitochondria?\"\n  \
        guestlist probe rag.toml --without-retrieval\n\n\
        One request is sent, and nothing is stored. Use it to get target.body and target.extract \
        right before a run.")]
pub struct Probe {
    /// The configuration, of kind rag or source
    #[arg(value_name = "CONFIG", default_value = "guestlist.toml")]
    pub config: PathBuf,
    /// What to ask (default: what a run would ask first)
    #[arg(long, value_name = "TEXT")]
    pub query: Option<String>,
    /// Ask as [target.off] says; in an audit of sources, the stand-in where there is one
    #[arg(long)]
    pub without_retrieval: bool,
}

#[derive(Clone, Args)]
#[command(after_help = "Examples:\n  \
        guestlist rag-server documents.jsonl\n  \
        guestlist rag-server notes/ --port 0 --json\n  \
        guestlist rag-server documents.jsonl --retriever hybrid --embeddings all-MiniLM-L6-v2/ --model tiny.gguf\n  \
        guestlist rag-server documents.jsonl --defence refuse-verbatim,hide-citations\n\n\
        Ask it as any server that speaks OpenAI's chat completions:\n  \
        curl -s http://127.0.0.1:8080/v1/chat/completions -d '{\"messages\":[{\"role\":\"user\",\"content\":\"…\"}]}'\n\n\
        \"retrieval\": false in a request, or a model name that ends in -plain, answers without the documents.")]
pub struct RagServer {
    /// Documents: JSON Lines (.jsonl, .jsonl.gz) with id, text and title, Parquet, CSV, or a folder of
    /// texts, Markdown, HTML and PDF
    pub documents: PathBuf,
    /// The port; 0 takes any that is free
    #[arg(long, default_value_t = 8080)]
    pub port: u16,
    /// The address to listen on; any other than this machine's own lets others in
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = address)]
    pub host: IpAddr,
    /// How documents are found: bm25, dense or hybrid
    #[arg(long, value_name = "NAME", default_value_t = rehearsal::Mode::Bm25)]
    pub retriever: rehearsal::Mode,
    /// Embedder for dense, hybrid and detect-probing: a folder of all-MiniLM-L6-v2, or WordLlama's weights
    #[arg(long, value_name = "PATH")]
    pub embeddings: Option<PathBuf>,
    /// Language model that writes the answers, a .gguf file or a folder (default: sentences of the documents)
    #[arg(long, value_name = "PATH")]
    pub model: Option<PathBuf>,
    /// Where the model runs: cpu, cuda or cuda:1; CUDA needs a build with the feature cuda
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    pub device: rehearsal::Device,
    /// Chunks an answer rests on
    #[arg(long, value_name = "K", default_value_t = 4)]
    pub top_k: usize,
    /// Words in a chunk
    #[arg(long, value_name = "N", default_value_t = 120)]
    pub chunk_words: usize,
    /// Words that a chunk repeats from the one before
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub chunk_overlap: usize,
    /// How long answers are where a request does not say
    #[arg(long, value_name = "N", default_value_t = 128)]
    pub max_tokens: usize,
    /// Defences, separated by commas: refuse-verbatim, filter-output, paraphrase, hide-citations,
    /// detect-probing, one-refusal, refuse-by-status
    #[arg(long = "defence", value_name = "NAMES", value_delimiter = ',')]
    pub defences: Vec<String>,
    /// What people usually ask (a question a line, or JSON Lines with question): detect-probing then suspects at
    /// most one in twenty of these, instead of nearly all
    #[arg(long, value_name = "FILE")]
    pub usual_questions: Option<PathBuf>,
    /// Let in only those who send the key that is in this variable of the environment
    #[arg(long, value_name = "NAME")]
    pub api_key_env: Option<String>,
}
