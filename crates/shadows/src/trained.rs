//! A finished model of the native trainer, for audits that look inside it.

use std::path::{Path, PathBuf};

use safetensors::{Dtype, SafeTensors};
use train::Model;

use super::native;
use super::run::Run;
use super::store::State;
use crate::{Error, ErrorKind, Result};
use formats::npy;
use formats::shadow::keep;

/// Weights, and which records they were trained on.
pub struct TrainedModel {
    pub model: Model,
    pub members: Vec<bool>,
    /// The files that say so.
    pub files: Vec<PathBuf>,
}

impl Run<'_> {
    /// The weights of a model that is there and whole.
    pub fn trained(&self, model: usize) -> Result<TrainedModel> {
        let place = self.store().model(model);
        self.check_there(model, &place)?;
        let (Some(settings), Some(records)) =
            (&self.training.settings().training, &self.subject().data)
        else {
            return Err(
                Error::unsupported("the models were trained by a program of your own")
                    .at(self.store().path())
                    .hint("store its logits as features.npz and audit those"),
            );
        };
        let files = ["weights.safetensors", "keep.npy"].map(|name| place.join(name));
        let row = keep::row(&npy::open(&files[1])?)?;
        Ok(TrainedModel {
            model: weights(&files[0], &native::network(settings, records))?,
            members: (0..row.len()).map(|record| row.get(record)).collect(),
            files: files.to_vec(),
        })
    }

    fn check_there(&self, model: usize, place: &Path) -> Result<()> {
        if model >= self.models() {
            return Err(Error::new(
                ErrorKind::OutOfRange,
                format!("there is no model {model}: the run has {}", self.models()),
            )
            .at(self.store().path())
            .hint(format!("give a target from 0 to {}", self.models() - 1)));
        }
        let what = match self.state(model) {
            State::Done => return Ok(()),
            State::Open => format!("model {model} is not trained yet"),
            State::Stale(why) => format!("model {model} no longer fits: {why}"),
        };
        Err(Error::missing(what)
            .at(place)
            .hint("`guestlist run` of the classifier's configuration trains it"))
    }
}

fn weights(path: &Path, network: &train::Network) -> Result<Model> {
    let bytes = std::fs::read(path).map_err(|e| Error::reading(path, &e))?;
    let damaged = |why: String| {
        Error::malformed(format!("the weights cannot be read: {why}"))
            .at(path)
            .hint("remove the model's folder and `guestlist run` trains it again")
    };
    let file = SafeTensors::deserialize(&bytes).map_err(|error| damaged(error.to_string()))?;
    let mut tensors: Vec<(String, Vec<usize>, Vec<f32>)> = Vec::new();
    for (name, view) in file.tensors() {
        if view.dtype() != Dtype::F32 {
            return Err(damaged(format!("{name} holds {:?} values", view.dtype())));
        }
        let (numbers, _) = view.data().as_chunks::<4>();
        let values = numbers.iter().map(|number| f32::from_le_bytes(*number));
        tensors.push((name, view.shape().to_vec(), values.collect()));
    }
    let borrowed = tensors
        .iter()
        .map(|(name, shape, values)| (name.as_str(), shape.as_slice(), values.as_slice()));
    Model::from_tensors(network, borrowed).map_err(|error| damaged(error.message))
}
