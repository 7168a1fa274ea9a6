//! Whether code and data are still those that a run began with.

use super::super::arrays;
use super::super::watched::Watched;
use super::Run;
use crate::{Error, ErrorKind, Result};

impl Run<'_> {
    /// Refuses to go on once code or data are not those that the run began with: a model's card
    /// must name what the model was made from.
    pub(in super::super) fn check_unchanged(&self) -> Result<()> {
        let mut files = self.sources.iter().chain(self.arrays()?);
        let change = self.trainer.change();
        match change.or_else(|| files.find_map(Watched::change)) {
            None => Ok(()),
            Some(change) => Err(Error::new(
                ErrorKind::Changed,
                format!("{change} while models were being trained"),
            )
            .hint(
                "run again to train all models from what is there now, or undo the change first \
                 to go on; hand paths that your program writes to over in command.parameters, \
                 not in command.run",
            )),
        }
    }

    /// The arrays as they must lie on the disk: what a program reads is what we read.
    fn arrays(&self) -> Result<&[Watched]> {
        if let Some(arrays) = self.arrays.get() {
            return Ok(arrays);
        }
        let mut arrays = Vec::new();
        let subject = self.subject();
        if let Some(data) = subject
            .data
            .as_ref()
            .filter(|_| self.training.settings.by_program())
        {
            let labels = subject.signed_labels().unwrap_or_default();
            for (name, digest) in [
                ("data/features.npy", arrays::features_digest(data)?),
                ("data/labels.npy", arrays::labels_digest(&labels)?),
            ] {
                let path = self.store.path().join(name);
                arrays.push(Watched::expecting(name, path, digest));
            }
        }
        Ok(self.arrays.get_or_init(|| arrays))
    }
}
