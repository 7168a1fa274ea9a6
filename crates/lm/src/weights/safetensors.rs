//! Weights in safetensors files: one, or shards listed by an index.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use half::{bf16, f16};
use memmap2::Mmap;
use rayon::prelude::*;
use safetensors::{Dtype, SafeTensors};

use super::Array;
use crate::config::Json;
use crate::{Error, Result};

pub(crate) struct SafetensorsFiles {
    files: Vec<(PathBuf, Mmap)>,
    tensors: HashMap<String, Stored>,
}

struct Stored {
    file: usize,
    kind: Dtype,
    shape: Vec<usize>,
    bytes: Range<usize>,
}

const SINGLE: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";

impl SafetensorsFiles {
    pub(crate) fn open_folder(folder: &Path) -> Result<Self> {
        if folder.join(SINGLE).exists() {
            Self::open(&[folder.join(SINGLE)])
        } else if folder.join(INDEX).exists() {
            Self::open(&shards(folder)?)
        } else if has_pickled_weights(folder) {
            Err(
                Error::unsupported("the weights are pickled (pytorch_model.bin)")
                    .within_file(folder)
                    .hint(
                        "convert them: load the model with transformers and call \
                         save_pretrained(folder, safe_serialization=True)",
                    ),
            )
        } else {
            Err(
                Error::missing(format!("there is neither {SINGLE} nor {INDEX}"))
                    .within_file(folder)
                    .hint("name the folder that holds the model's weights"),
            )
        }
    }

    pub(crate) fn open(paths: &[PathBuf]) -> Result<Self> {
        let mut files = Vec::new();
        let mut tensors = HashMap::new();
        for (file, path) in paths.iter().enumerate() {
            let map = map(path)?;
            list(&map, file, &mut tensors).map_err(|error| error.within_file(path))?;
            files.push((path.clone(), map));
        }
        Ok(Self { files, tensors })
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter().map(|(path, _)| path)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    pub(crate) fn names(&self) -> BTreeSet<&String> {
        self.tensors.keys().collect()
    }

    pub(crate) fn array(&self, name: &str) -> Result<Array> {
        let stored = self
            .tensors
            .get(name)
            .ok_or_else(|| Error::missing(format!("tensor {name:?} is missing")))?;
        let Some((path, map)) = self.files.get(stored.file) else {
            return Err(Error::missing(format!("tensor {name:?} has no file")));
        };
        let bytes = map.get(stored.bytes.clone()).unwrap_or_default();
        let data = decode(bytes, stored.kind).ok_or_else(|| {
            Error::unsupported(format!("tensor {name:?} is stored as {:?}", stored.kind))
                .within_file(path)
                .hint("supported are F32, F16 and BF16")
        })?;
        Array {
            shape: stored.shape.clone(),
            data,
        }
        .finite(name)
        .map_err(|error| error.within_file(path))
    }

    pub(crate) fn stored_type(&self) -> String {
        let mut bytes: BTreeMap<String, usize> = BTreeMap::new();
        for stored in self.tensors.values() {
            *bytes.entry(format!("{:?}", stored.kind)).or_default() += stored.bytes.len();
        }
        let most = bytes.into_iter().max_by_key(|(_, bytes)| *bytes);
        most.map(|(kind, _)| kind.to_lowercase())
            .unwrap_or_default()
    }
}

fn map(path: &Path) -> Result<Mmap> {
    let file = File::open(path).map_err(|error| Error::reading(path, &error))?;
    // Safety: the map is only read; a file that somebody else truncates meanwhile ends the
    // process, as for every reader of maps.
    unsafe { Mmap::map(&file) }.map_err(|error| Error::reading(path, &error))
}

fn list(map: &Mmap, file: usize, tensors: &mut HashMap<String, Stored>) -> Result<()> {
    let broken = |error| {
        Error::malformed(format!("is not a sound safetensors file: {error}"))
            .hint("it may be truncated, or a Git LFS pointer; download it again")
    };
    let begin = map.as_ptr() as usize;
    for (name, view) in SafeTensors::deserialize(map).map_err(broken)?.iter() {
        let data = view.data();
        let first = data.as_ptr() as usize - begin;
        tensors.insert(
            name.to_owned(),
            Stored {
                file,
                kind: view.dtype(),
                shape: view.shape().to_vec(),
                bytes: first..first + data.len(),
            },
        );
    }
    Ok(())
}

fn shards(folder: &Path) -> Result<Vec<PathBuf>> {
    let path = folder.join(INDEX);
    let index = Json::read(&path)?;
    let map = index
        .object("weight_map")
        .ok_or_else(|| Error::malformed("\"weight_map\" is missing").within_file(&path))?;
    let names: BTreeSet<&str> = map
        .entries()
        .filter_map(|(_, file)| file.as_str())
        .collect();
    let shards: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
    match shards.iter().find(|shard| !shard.exists()) {
        Some(shard) => Err(Error::missing(format!(
            "this shard of the weights is missing; {INDEX} lists it"
        ))
        .within_file(shard)
        .hint("download the model again, all of its files")),
        None => Ok(shards),
    }
}

fn has_pickled_weights(folder: &Path) -> bool {
    let names = ["pytorch_model.bin", "pytorch_model.bin.index.json"];
    names.iter().any(|name| folder.join(name).exists())
}

fn decode(bytes: &[u8], kind: Dtype) -> Option<Vec<f32>> {
    match kind {
        Dtype::F32 => Some(convert(bytes, f32::from_le_bytes)),
        Dtype::F16 => Some(convert(bytes, |b| f16::from_le_bytes(b).to_f32())),
        Dtype::BF16 => Some(convert(bytes, |b| bf16::from_le_bytes(b).to_f32())),
        _ => None,
    }
}

fn convert<const N: usize>(bytes: &[u8], one: impl Fn([u8; N]) -> f32 + Sync) -> Vec<f32> {
    let mut out = vec![0.0; bytes.len() / N];
    out.par_chunks_mut(1 << 14)
        .zip(bytes.par_chunks(N << 14))
        .for_each(|(out, bytes)| {
            let (numbers, _) = bytes.as_chunks::<N>();
            for (out, number) in out.iter_mut().zip(numbers) {
                *out = one(*number);
            }
        });
    out
}
