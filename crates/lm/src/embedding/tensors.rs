//! The tensors of a model that makes vectors, checked as they are read.

use std::path::{Path, PathBuf};

use crate::decoder::{Linear, Norm, side_by_side};
use crate::weights::{Array, SafetensorsFiles};
use crate::{Error, Result};

pub(super) struct Tensors {
    files: SafetensorsFiles,
    path: PathBuf,
    /// What all names begin with.
    prefix: String,
}

impl Tensors {
    pub(super) fn new(files: SafetensorsFiles, path: &Path, prefix: &str) -> Self {
        Self {
            files,
            path: path.to_owned(),
            prefix: prefix.to_owned(),
        }
    }

    pub(super) fn array(&self, name: &str, shape: &[usize]) -> Result<Array> {
        let stored = format!("{}{name}", self.prefix);
        if !self.files.has(&stored) {
            return Err(Error::missing(format!("tensor {stored:?} is missing"))
                .within_file(&self.path)
                .hint("the weights are not those that the model's description promises"));
        }
        let array = self.files.array(&stored)?;
        array
            .shaped(&stored, shape)
            .map_err(|e| e.within_file(&self.path))
    }

    fn vector(&self, name: &str, length: usize) -> Result<Vec<f32>> {
        self.array(name, &[length]).map(|array| array.data)
    }

    pub(super) fn norm(&self, module: &str, width: usize) -> Result<Norm> {
        Ok(Norm {
            weight: self.vector(&format!("{module}.weight"), width)?,
            bias: Some(self.vector(&format!("{module}.bias"), width)?),
        })
    }

    /// Stored [out, in].
    pub(super) fn linear(&self, module: &str, out: usize, input: usize) -> Result<Linear> {
        let weight = self.array(&format!("{module}.weight"), &[out, input])?;
        Ok(Linear {
            weight: weight.transposed(),
            bias: Some(self.vector(&format!("{module}.bias"), out)?),
        })
    }

    /// Several maps of the same input, as one.
    pub(super) fn linears(&self, modules: &[String], out: usize, input: usize) -> Result<Linear> {
        let maps = modules.iter().map(|module| self.linear(module, out, input));
        Ok(side_by_side(maps.collect::<Result<Vec<_>>>()?))
    }
}
