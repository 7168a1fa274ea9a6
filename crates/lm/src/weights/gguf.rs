//! Weights in a GGUF file: dequantised, under the names and in the layout of Hugging Face.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::Array;
use crate::config::Architecture;
use crate::gguf::Content;
use crate::{Error, Result};

pub(crate) struct GgufFile {
    pub(crate) path: PathBuf,
    pub(crate) content: Content,
    map: Mmap,
}

impl GgufFile {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::reading(path, &error))?;
        // Safety: the map is only read; a file that somebody else truncates meanwhile ends the
        // process, as for every reader of maps.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| Error::reading(path, &error))?;
        let content = Content::read(&map).map_err(|why| {
            Error::malformed(format!("is not a sound GGUF file: {why}"))
                .within_file(path)
                .hint("it may be truncated, or of a newer version; download it again")
        })?;
        Ok(Self {
            path: path.to_owned(),
            content,
            map,
        })
    }

    pub(super) fn names(&self) -> BTreeSet<&String> {
        self.content.tensor_infos.keys().collect()
    }

    pub(super) fn stored_name(&self, architecture: Architecture, name: &str) -> Option<String> {
        let stored = translate(architecture, name)?;
        self.content
            .tensor_infos
            .contains_key(&stored)
            .then_some(stored)
    }

    pub(super) fn array(
        &self,
        architecture: Architecture,
        name: &str,
        stored: &str,
    ) -> Result<Array> {
        let array = self.dequantised(stored)?;
        Ok(match architecture {
            Architecture::Gpt2 if is_transposed(name) => array.transposed(),
            Architecture::Llama if name.contains("q_proj") => self.unpermuted(&array, "head_count"),
            Architecture::Llama if name.contains("k_proj") => {
                self.unpermuted(&array, "head_count_kv")
            }
            Architecture::GptNeox if name.contains("query_key_value") => {
                interleaved(&array, self.heads("head_count"))
            }
            _ => array,
        })
    }

    fn dequantised(&self, stored: &str) -> Result<Array> {
        let broken = |why: String| {
            Error::malformed(format!("tensor {stored:?} cannot be read: {why}"))
                .within_file(&self.path)
                .hint("the file may be truncated: download it again")
        };
        let info = self.content.tensor_infos.get(stored);
        let info = info.ok_or_else(|| broken("it is missing".into()))?;
        Array {
            shape: info.shape.clone(),
            data: self.content.tensor(&self.map, info).map_err(broken)?,
        }
        .finite(stored)
        .map_err(|error| error.within_file(&self.path))
    }

    pub(super) fn rope_factors(&self) -> Result<Option<Vec<f32>>> {
        let name = "rope_freqs.weight";
        if self.content.tensor_infos.contains_key(name) {
            Ok(Some(self.dequantised(name)?.data))
        } else {
            Ok(None)
        }
    }

    pub(super) fn stored_type(&self) -> String {
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        for info in self.content.tensor_infos.values() {
            *numbers.entry(info.kind.name).or_default() += info.numbers();
        }
        let most = numbers.into_iter().max_by_key(|(_, count)| *count);
        most.map(|(kind, _)| kind.to_owned()).unwrap_or_default()
    }

    fn heads(&self, key: &str) -> usize {
        let find = |key: &str| {
            let end = format!(".attention.{key}");
            let found = self
                .content
                .metadata
                .iter()
                .find(|(k, _)| k.ends_with(&end));
            found.and_then(|(_, value)| value.to_u64())
        };
        find(key).or_else(|| find("head_count")).unwrap_or(1) as usize
    }

    /// The converter of llama.cpp stores Llama's queries and keys so that rotated pairs are
    /// neighbours; here pairs are half a head apart.
    fn unpermuted(&self, array: &Array, heads: &str) -> Array {
        let head = array.rows() / self.heads(heads).max(1);
        let half = head / 2;
        if half == 0 {
            return array.clone();
        }
        array.with_rows((0..array.rows()).map(|row| {
            let (first, within) = (row / head * head, row % head);
            first + 2 * (within % half) + within / half
        }))
    }
}

/// The converter stores all queries, then all keys, then all values; Hugging Face stores the three
/// head by head.
fn interleaved(array: &Array, heads: usize) -> Array {
    let width = array.rows() / 3;
    let head = (width / heads.max(1)).max(1);
    array.with_rows((0..array.rows()).map(|row| {
        let (group, within) = (row / (3 * head), row % (3 * head));
        within / head * width + group * head + within % head
    }))
}

fn is_transposed(name: &str) -> bool {
    name.contains(".c_") && name.ends_with(".weight")
}

/// The name in GGUF files of a tensor of Hugging Face, both without prefixes of classes.
fn translate(architecture: Architecture, name: &str) -> Option<String> {
    let (module, kind) = name.rsplit_once('.')?;
    let parts: Vec<&str> = module.splitn(3, '.').collect();
    let stored = match parts.as_slice() {
        ["layers" | "h", layer, module] => {
            format!("blk.{layer}.{}", within_block(architecture, module)?)
        }
        ["wte" | "embed_tokens" | "embed_in"] => "token_embd".into(),
        ["wpe"] => "position_embd".into(),
        ["ln_f" | "norm" | "final_layer_norm"] => "output_norm".into(),
        ["lm_head" | "embed_out"] => "output".into(),
        _ => return None,
    };
    Some(format!("{stored}.{kind}"))
}

fn within_block(architecture: Architecture, module: &str) -> Option<&'static str> {
    Some(match module {
        "post_attention_layernorm" if architecture.is_gemma() => "post_attention_norm",
        "pre_feedforward_layernorm" => "ffn_norm",
        "post_feedforward_layernorm" => "post_ffw_norm",
        "self_attn.q_norm" => "attn_q_norm",
        "self_attn.k_norm" => "attn_k_norm",
        "input_layernorm" | "ln_1" => "attn_norm",
        "post_attention_layernorm" | "ln_2" => "ffn_norm",
        "self_attn.q_proj" => "attn_q",
        "self_attn.k_proj" => "attn_k",
        "self_attn.v_proj" => "attn_v",
        "attn.c_attn" | "attention.query_key_value" => "attn_qkv",
        "self_attn.o_proj" | "attn.c_proj" | "attention.dense" => "attn_output",
        "mlp.gate_proj" => "ffn_gate",
        "mlp.up_proj" | "mlp.c_fc" | "mlp.dense_h_to_4h" => "ffn_up",
        "mlp.down_proj" | "mlp.c_proj" | "mlp.dense_4h_to_h" => "ffn_down",
        _ => return None,
    })
}
