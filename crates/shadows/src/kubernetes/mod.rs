//! Kubernetes: an Indexed Job whose indexes are the models, written as a manifest. Nobody waits for it here:
//! pods put models into the run's folder, and the next run finds them.

mod manifest;
mod settings;
mod yaml;

use std::path::{Path, PathBuf};

pub use self::settings::KubernetesSettings;
use crate::cluster::jobs::Jobs;
use crate::cluster::name_of;
use crate::run::Run;
use crate::settings::Settings;
use crate::{Error, ErrorKind, Result};

/// The manifest that trains the models named, which are left to train.
pub fn manifest(run: &Run, open: &[usize], kubernetes: &KubernetesSettings) -> Result<String> {
    kubernetes.check()?;
    let Some(last) = open.last() else {
        return Err(Error::new(
            ErrorKind::Usage,
            format!("all {} models are there: no job is needed", run.models()),
        )
        .hint("`guestlist run` judges them"));
    };
    let base = run.base();
    let (here, mount) = kubernetes.volume(base)?;
    check_paths(run.settings(), base, run.store().path(), (&here, &mount))?;
    let jobs = Jobs::new(run.settings(), kubernetes.gpus > 0);
    Ok(manifest::write(
        kubernetes,
        &manifest::Job {
            name: name_of(run.store().path()),
            plan: within(&run.store().plan(), &here, &mount)?,
            mount,
            jobs,
            // Models that are there end at once, so only the last one counts.
            completions: jobs.of(*last) + 1,
        },
    ))
}

/// A path here, as pods have it.
fn within(path: &Path, here: &Path, mount: &Path) -> Result<PathBuf> {
    let inside = path.strip_prefix(here).map_err(|_| {
        Error::new(
            ErrorKind::Setting,
            format!(
                "{} is not on the volume, which is {}",
                path.display(),
                here.display()
            ),
        )
        .hint("set kubernetes.volume to the folder that the claim holds, or move it there")
    })?;
    Ok(mount.join(inside))
}

/// Paths must mean the same to pods: below the volume, and relative where they see it elsewhere.
fn check_paths(
    settings: &Settings,
    base: &Path,
    folder: &Path,
    (here, mount): (&Path, &Path),
) -> Result<()> {
    within(folder, here, mount)?;
    within(base, here, mount)?;
    let command = settings.command.as_ref();
    let data = [&settings.data.path, &settings.data.labels];
    let data = data.into_iter().flatten().map(PathBuf::as_path);
    let folder_of_command = command.and_then(|command| command.folder.as_deref());
    let torch = settings.torch.as_ref();
    let folder_of_torch = torch.and_then(|torch| torch.folder.as_deref());
    let code = command.map_or(&[][..], |command| &command.code);
    let code = code.iter().map(PathBuf::as_path);
    let outside = folder.strip_prefix(base).is_err();
    for path in data
        .chain(folder_of_command)
        .chain(folder_of_torch)
        .chain(code)
    {
        within(&base.join(path), here, mount)?;
        if path.is_absolute() && here != mount {
            return Err(elsewhere(path, mount));
        }
    }
    match outside && here != mount {
        true => Err(elsewhere(folder, mount)),
        false => Ok(()),
    }
}

fn elsewhere(path: &Path, mount: &Path) -> Error {
    Error::new(
        ErrorKind::Setting,
        format!(
            "{} is a path of this machine, but pods have the volume at {}",
            path.display(),
            mount.display()
        ),
    )
    .hint("write paths from the configuration's folder, with run.folder in it, or leave kubernetes.mount out")
}
