//! The folder of a draw: all of its files, or none.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use formats::files::{self, FileSet, MadeFolder, Overwrite};
use serde_json::Value;
use stats::streams::Seed;

use crate::manifest::{self, DesignCount, FAIR, SealedFile, TierCount};
use crate::{Canary, Error, Kind, Manifest, Result, Role, SealedTruth, roster, truth};

/// Files under temporary names, until all of them are whole. The manifest comes last: a folder that has
/// one is whole.
pub(crate) struct Folder {
    path: PathBuf,
    made: MadeFolder,
    set: FileSet,
    files: Vec<SealedFile>,
    names: Vec<PathBuf>,
}

impl Folder {
    /// `source` is the user's own file: a draw never replaces it.
    pub fn new(path: &Path, source: &Path, overwrite: bool) -> Result<Self> {
        refuse_own_folder(path, source)?;
        let overwrite = match overwrite {
            true => Overwrite::Replace,
            false => Overwrite::Refuse,
        };
        for name in [manifest::FILE_NAME, truth::FILE_NAME, roster::FILE_NAME] {
            let there = path.join(name);
            if overwrite == Overwrite::Refuse && there.exists() {
                return Err(files::exists(&there).hint(
                    "an earlier draw is there, and a model may be trained on it: choose another --out, or \
                     replace it with --overwrite",
                ));
            }
        }
        Ok(Self {
            made: MadeFolder::new(path).map_err(|error| Error::writing(path, &error))?,
            path: path.to_owned(),
            set: FileSet::new(overwrite),
            files: Vec::new(),
            names: Vec::new(),
        })
    }

    /// Writes a file and seals it with its digest.
    pub fn add(
        &mut self,
        role: Role,
        name: &str,
        rows: usize,
        write: impl FnOnce(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        let path = self.path.join(name);
        let mut failed = None;
        let mut sha256 = String::new();
        self.set
            .add(&path, |out: &mut BufWriter<&mut File>| {
                let mut sealing = files::Digesting::new(out);
                let written = write(&mut sealing);
                sha256 = sealing.finish();
                // The file's own error says more than that it could not be written.
                written.map_err(|error| {
                    failed = Some(error);
                    std::io::Error::other("the file could not be made")
                })
            })
            .map_err(|error| failed.take().unwrap_or(error))?;
        self.files.push(SealedFile {
            role,
            path: name.into(),
            sha256,
            rows,
        });
        self.names.push(path);
        Ok(())
    }

    fn bytes(&mut self, role: Role, name: &str, rows: usize, bytes: &[u8]) -> Result<()> {
        let path = self.path.join(name);
        self.add(role, name, rows, |out| {
            out.write_all(bytes)
                .map_err(|error| Error::writing(&path, &error))
        })
    }

    /// Notes the user's own file, which stays where it is.
    pub fn source(&mut self, path: &Path, rows: usize) -> Result<()> {
        self.files.push(SealedFile {
            role: Role::Source,
            path: path.file_name().unwrap_or(path.as_os_str()).into(),
            sha256: files::sha256(path)?,
            rows,
        });
        Ok(())
    }

    /// Every canary in its order.
    pub fn canaries(&mut self, canaries: &[Canary]) -> Result<()> {
        let mut bytes = Vec::new();
        for canary in canaries {
            serde_json::to_writer(&mut bytes, canary)
                .map_err(|error| Error::malformed(error.to_string()))?;
            bytes.push(b'\n');
        }
        self.bytes(Role::Canaries, roster::FILE_NAME, canaries.len(), &bytes)
    }

    /// The coins, for the judge alone.
    pub fn truth(&mut self, seed: Seed, coins: BTreeMap<String, bool>) -> Result<()> {
        let rows = coins.len();
        let bytes = SealedTruth::new(seed.0, coins).to_json()?;
        self.bytes(Role::Truth, truth::FILE_NAME, rows, &bytes)
    }

    /// Writes the manifest and lets all files appear.
    pub fn finish(
        mut self,
        kind: Kind,
        canaries: &[Canary],
        check: Value,
    ) -> Result<(Manifest, Vec<PathBuf>)> {
        let manifest = Manifest {
            schema: manifest::SCHEMA.to_owned(),
            kind,
            guestlist: env!("CARGO_PKG_VERSION").to_owned(),
            canaries: canaries.len(),
            designs: designs(canaries),
            tiers: tiers(canaries),
            coin: FAIR,
            files: std::mem::take(&mut self.files),
            check,
            path: self.path.join(manifest::FILE_NAME),
        };
        let bytes = manifest.to_json()?;
        self.set.add(&manifest.path, |out| out.write_all(&bytes))?;
        self.names.push(manifest.path.clone());
        self.set.commit()?;
        self.made.keep();
        Ok((manifest, self.names))
    }
}

/// A training file may be called as ours is.
fn refuse_own_folder(folder: &Path, source: &Path) -> Result<()> {
    let real = |path: &Path| path.canonicalize().ok();
    let own = real(source).and_then(|source| Some(source.parent()?.to_owned()));
    match own.is_some() && own == real(folder) {
        true => Err(Error::usage(
            format!(
                "{} lies in the folder that is to be written",
                source.display()
            ),
            "choose a folder of its own with --out",
        )),
        false => Ok(()),
    }
}

/// In the order of their names, so that nothing shows the order of the draw.
fn designs(canaries: &[Canary]) -> Vec<DesignCount> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    canaries
        .iter()
        .for_each(|canary| *counts.entry(&canary.design).or_default() += 1);
    let count = |(design, canaries): (&str, usize)| DesignCount {
        design: design.to_owned(),
        canaries,
    };
    counts.into_iter().map(count).collect()
}

fn tiers(canaries: &[Canary]) -> Vec<TierCount> {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    canaries
        .iter()
        .for_each(|canary| *counts.entry(canary.tier).or_default() += 1);
    let count = |(repetitions, canaries)| TierCount {
        repetitions,
        canaries,
    };
    counts.into_iter().map(count).collect()
}
