//! WordLlama (Miller 2024): a vector for each token, trained so that their mean stands for a text.
//! There is nothing to compute but sums.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::{Embedder, last_part, mean, to_unit_length};
use crate::tokenizer::Tokenizer;
use crate::weights::{Array, SafetensorsFiles};
use crate::{Error, Result};

const TENSOR: &str = "embedding.weight";

pub(super) struct WordLlama {
    name: String,
    tokenizer: Tokenizer,
    rows: Array,
}

impl WordLlama {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let weights = find_weights(path)?;
        let rows = read_rows(&weights)?;
        let tokenizer = Tokenizer::open(&find_tokenizer(&weights)?)?;
        if tokenizer.vocabulary_size() > rows.rows() {
            return Err(Error::mismatch(format!(
                "the tokenizer has {} tokens but {} has vectors for {}",
                tokenizer.vocabulary_size(),
                weights.display(),
                rows.rows()
            ))
            .within_file(tokenizer.path())
            .hint("use the tokenizer that was published with the vectors"));
        }
        Ok(Self {
            name: last_part(&weights),
            tokenizer,
            rows,
        })
    }

    fn vector(&self, text: &str) -> Result<Vec<f32>> {
        let tokens = self.tokenizer.encode_bare(text)?;
        let rows = tokens.iter().map(|token| self.rows.row(*token as usize));
        let mut vector = mean(rows, self.dimension());
        to_unit_length(&mut vector);
        Ok(vector)
    }
}

impl Embedder for WordLlama {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        texts.par_iter().map(|text| self.vector(text)).collect()
    }

    fn dimension(&self) -> usize {
        self.rows.columns()
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

/// The file itself, or the only one in a folder or in the folder `weights` of the Python package.
fn find_weights(path: &Path) -> Result<PathBuf> {
    if path.is_file() {
        return Ok(path.to_owned());
    }
    let is_weights = |name: &str| name.ends_with(".safetensors");
    let mut found = list(path, is_weights)?;
    let inner = path.join("weights");
    if found.is_empty() && inner.is_dir() {
        found = list(&inner, is_weights)?;
    }
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(
            Error::missing("there is neither a config.json nor a .safetensors file")
                .within_file(path)
                .hint("name the folder of all-MiniLM-L6-v2, or WordLlama's .safetensors file"),
        ),
        several => Err(
            Error::mismatch(format!("there are {} .safetensors files", several.len()))
                .within_file(path)
                .hint("name the one to use"),
        ),
    }
}

/// Beside the weights, or in the folder `tokenizers` of the Python package.
fn find_tokenizer(weights: &Path) -> Result<PathBuf> {
    let folder = weights.parent().unwrap_or(Path::new(""));
    let beside = folder.join("tokenizer.json");
    if beside.exists() {
        return Ok(beside);
    }
    let is_tokenizer = |name: &str| name.ends_with(".json") && name.contains("tokenizer");
    let package = folder.join("..").join("tokenizers");
    let mut found = list(folder, is_tokenizer)?;
    if found.is_empty() && package.is_dir() {
        found = list(&package, is_tokenizer)?;
    }
    match found.as_slice() {
        [one] => Ok(one.clone()),
        _ => Err(Error::missing(format!(
            "{} files beside it look like its tokenizer",
            found.len()
        ))
        .within_file(weights)
        .hint("put the tokenizer that belongs to it beside it, as tokenizer.json")),
    }
}

/// Files whose names are wanted, in the order of their names.
fn list(folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>> {
    // A bare file name lies in the folder we are in.
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let entries = std::fs::read_dir(folder).map_err(|error| Error::reading(folder, &error))?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| Error::reading(folder, &error))?;
        if wanted(&entry.file_name().to_string_lossy()) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

fn read_rows(path: &Path) -> Result<Array> {
    let files = SafetensorsFiles::open(&[path.to_owned()])?;
    if !files.has(TENSOR) {
        return Err(Error::unsupported(format!(
            "there is no tensor {TENSOR:?}, so this is not WordLlama's"
        ))
        .within_file(path)
        .hint("name WordLlama's .safetensors file, or the folder of a BERT with its config.json"));
    }
    let rows = files.array(TENSOR)?;
    match *rows.shape.as_slice() {
        [tokens, width] if tokens > 0 && width > 0 => Ok(rows),
        _ => Err(Error::malformed(format!(
            "tensor {TENSOR:?} has shape {:?}, not [tokens, width]",
            rows.shape
        ))
        .within_file(path)
        .hint("the file is damaged; download it again")),
    }
}
