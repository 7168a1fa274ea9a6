//! The training file is no longer the one that was drawn.

use super::finding::{Found, Trap};
use super::look::Look;
use crate::{ErrorKind, Result, Role};

pub(super) const TRAP: Trap = Trap {
    id: "changed-training-file",
    summary: "the training file is not the one that was drawn, and may lack chosen canaries",
    remedy: "train on the training file as it was drawn; make what else is needed of it while training",
    look,
};

fn look(look: &Look<'_>) -> Result<Option<Found>> {
    let Some(manifest) = look.manifest else {
        return Ok(None);
    };
    match manifest.verified(Role::Training) {
        Ok(_) => Ok(Found::ok("the training file is as it was drawn")),
        // It may lie where the training is.
        Err(error) if error.kind == ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind == ErrorKind::Mismatch => {
            let all = (0..look.canaries.len()).collect();
            Ok(Found::violated(all, error.message))
        }
        Err(error) => Err(error),
    }
}
