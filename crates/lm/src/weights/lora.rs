//! LoRA adapters in the layout of PEFT, merged into the weights as they are read:
//! W + (alpha / r) B A (Hu et al. 2021), or alpha / sqrt(r) when rank-stabilised.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{Array, SafetensorsFiles, prefix};
use crate::config::{Architecture, Json};
use crate::cpu::{Matrix, accumulate_scaled};
use crate::{Error, Result};

pub(crate) struct Adapter {
    files: SafetensorsFiles,
    path: PathBuf,
    /// Short name of a module, and what the file calls it.
    modules: BTreeMap<String, String>,
    alpha: f64,
    alphas: Vec<(String, f64)>,
    rank_stabilised: bool,
    /// GPT-2 stores its weights [in, out].
    transposed: bool,
}

const FROM: &str = ".lora_A.weight";
const TO: &str = ".lora_B.weight";

impl Adapter {
    pub(crate) fn open(folder: &Path, architecture: Architecture) -> Result<Self> {
        let config = folder.join("adapter_config.json");
        let json = Json::read(&config)?;
        refuse_unsupported(&json).map_err(|error| error.within_file(&config))?;
        let path = folder.join("adapter_model.safetensors");
        let files = SafetensorsFiles::open(std::slice::from_ref(&path))?;
        let modules = modules(&files.names(), prefix(architecture))
            .map_err(|error| error.within_file(&path))?;
        Ok(Self {
            files,
            path,
            modules,
            alpha: json
                .number("lora_alpha")
                .map_err(|e| e.within_file(&config))?,
            alphas: alphas(&json).map_err(|error| error.within_file(&config))?,
            rank_stabilised: json.flag("use_rslora", false)?,
            transposed: architecture == Architecture::Gpt2,
        })
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.paths()
    }

    pub(super) fn check_targets(&self, exists: impl Fn(&str) -> bool) -> Result<()> {
        let lost = |module: &&String| !exists(&format!("{module}.weight"));
        match self.modules.keys().find(lost) {
            None => Ok(()),
            Some(module) => Err(Error::mismatch(format!(
                "the adapter changes {module:?}, which the model does not have"
            ))
            .within_file(&self.path)
            .hint("use the adapter with the model it was trained on")),
        }
    }

    pub(super) fn merge(&self, name: &str, mut weight: Array) -> Result<Array> {
        let module = name.strip_suffix(".weight").unwrap_or_default();
        let Some(stored) = self.modules.get(module) else {
            return Ok(weight);
        };
        let from = self.files.array(&format!("{stored}{FROM}"))?;
        let to = self.files.array(&format!("{stored}{TO}"))?;
        self.check_shapes(stored, &weight, &from, &to)?;
        let rank = from.rows();
        let scale = self.scale(module, rank) as f32;
        let from = Matrix::new(&from.data, rank, from.columns());
        let to = Matrix::new(&to.data, to.rows(), rank);
        let (left, right) = if self.transposed {
            (from.transposed(), to.transposed())
        } else {
            (to, from)
        };
        accumulate_scaled(&mut weight.data, left, right, scale);
        Ok(weight)
    }

    fn scale(&self, module: &str, rank: usize) -> f64 {
        let own = self.alphas.iter().find(|(key, _)| {
            module == key
                || module.ends_with(key) && module[..module.len() - key.len()].ends_with('.')
        });
        let alpha = own.map_or(self.alpha, |(_, alpha)| *alpha);
        if self.rank_stabilised {
            alpha / (rank as f64).sqrt()
        } else {
            alpha / rank as f64
        }
    }

    fn check_shapes(&self, stored: &str, weight: &Array, from: &Array, to: &Array) -> Result<()> {
        let (mut out, mut input) = (weight.rows(), weight.columns());
        if self.transposed {
            (out, input) = (input, out);
        }
        let rank = from.rows();
        if from.shape == [rank, input] && to.shape == [out, rank] && rank > 0 {
            return Ok(());
        }
        Err(Error::mismatch(format!(
            "the adapter's {stored:?} has shapes {:?} and {:?}, but the weight maps {input} to {out}",
            from.shape, to.shape
        ))
        .within_file(&self.path)
        .hint("use the adapter with the model it was trained on"))
    }
}

fn refuse_unsupported(json: &Json) -> Result<()> {
    let kind = json.text("peft_type")?.unwrap_or_else(|| "LORA".into());
    if kind != "LORA" {
        return Err(
            Error::unsupported(format!("adapters of type {kind} are not supported"))
                .hint("merge the adapter into the model with PEFT's merge_and_unload"),
        );
    }
    let refused = |what: &str| {
        Err(
            Error::unsupported(format!("adapters with {what} are not supported"))
                .hint("merge the adapter into the model with PEFT's merge_and_unload"),
        )
    };
    for flag in ["use_dora", "lora_bias", "use_qalora"] {
        if json.flag(flag, false)? {
            return refused(flag);
        }
    }
    let keys = [
        "modules_to_save",
        "layer_replication",
        "target_parameters",
        "trainable_token_indices",
    ];
    for key in keys {
        let value = json.get(key);
        if value.is_some_and(|value| value.as_array().is_none_or(|list| !list.is_empty())) {
            return refused(key);
        }
    }
    match json.text("bias")?.as_deref() {
        None | Some("none") => Ok(()),
        Some(bias) => refused(&format!("bias {bias:?}")),
    }
}

/// Modules by their short names; anything else in the file is refused.
fn modules(names: &BTreeSet<&String>, prefix: &str) -> Result<BTreeMap<String, String>> {
    let mut modules = BTreeMap::new();
    for name in names {
        let Some(stored) = name.strip_suffix(FROM).or_else(|| name.strip_suffix(TO)) else {
            return Err(Error::unsupported(format!(
                "the adapter's tensor {name:?} is not part of a plain LoRA"
            ))
            .hint("merge the adapter into the model with PEFT's merge_and_unload"));
        };
        let whole = stored.strip_prefix("base_model.model.").unwrap_or(stored);
        let short = whole.strip_prefix(prefix).unwrap_or(whole);
        modules.insert(short.to_owned(), stored.to_owned());
    }
    Ok(modules)
}

/// Modules with an alpha of their own, by the end of their names.
fn alphas(json: &Json) -> Result<Vec<(String, f64)>> {
    let Some(pattern) = json.object("alpha_pattern") else {
        return Ok(Vec::new());
    };
    pattern
        .entries()
        .map(|(key, _)| {
            let plain = key.chars().all(|c| c.is_alphanumeric() || "._".contains(c));
            if plain {
                Ok((key.clone(), pattern.number(key)?))
            } else {
                Err(
                    Error::unsupported(format!("alpha_pattern {key:?} is a regular expression"))
                        .hint("merge the adapter into the model with PEFT's merge_and_unload"),
                )
            }
        })
        .collect()
}
