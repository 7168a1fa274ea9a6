//! The training file is no longer the one that was drawn.

use super::finding::{Found, Trap};
use super::look::Look;
use crate::{ErrorKind, Result, Role};

pub(super) const TRAP: Trap = Trap {
    id: "changed-training-file",
    summary: "the training file is not there or not the one that was drawn, and may lack chosen canaries",
    remedy: "keep the training file beside its manifest and train on it as it was drawn; make what else is needed \
             of it while training",
    look,
};

fn look(look: &Look<'_>) -> Result<Option<Found>> {
    let Some(manifest) = look.manifest else {
        return Ok(None);
    };
    if look.lacks_training() {
        let place = manifest.place(Role::Training)?;
        let detail = format!(
            "{} is not there: nobody can tell whether what is trained on has the canaries",
            place.display()
        );
        return Ok(Found::warn(Vec::new(), detail));
    }
    match manifest.verified(Role::Training) {
        Ok(_) => Ok(Found::ok("the training file is as it was drawn")),
        Err(error) if error.kind == ErrorKind::Mismatch => {
            let all = (0..look.canaries.len()).collect();
            Ok(Found::violated(all, error.message))
        }
        Err(error) => Err(error),
    }
}
