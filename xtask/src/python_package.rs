//! The Python package: what its tests need.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::installing::Lack;
use crate::needy::Need;
use crate::python::Modules;
use crate::shell::{Failed, root};

const SOURCES: &str = "crates/python/python/guestlist";

/// What the package is tested with.
const TESTED_WITH: Modules = Modules {
    name: "package",
    imports: "numpy, pyarrow, pandas, polars, sklearn, pytest, mypy, nbclient, ipykernel, tqdm, \
              yaml",
    requirements: "crates/python/tests/requirements.txt",
    size: "about 250 MB",
};

/// What it is tested with as well, where there is room.
const TORCH: Modules = Modules {
    name: "torch",
    imports: "torch, transformers, accelerate, peft, opacus",
    requirements: "crates/python/tests/requirements-torch.txt",
    size: "up to 6 GB: PyPI's PyTorch brings CUDA",
};

/// Pipelines that the package's adapters are tested with.
const PIPELINES: Modules = Modules {
    name: "pipelines",
    imports: "haystack, langchain_core, llama_index.core",
    requirements: "crates/python/tests/requirements-pipelines.txt",
    size: "about 360 MB once unpacked",
};

/// Trackers of experiments that reports are logged to.
const TRACKERS: Modules = Modules {
    name: "trackers",
    imports: "mlflow, wandb, tensorboard.summary",
    requirements: "crates/python/tests/requirements-trackers.txt",
    size: "about 60 MB",
};

/// What the tests import: the package, put together once it is built, and what it is tested with.
pub fn need() -> Result<Need, Lack> {
    Ok(Need {
        missing: TESTED_WITH.missing()?.into_iter().collect(),
        variables: Box::new(|| {
            let places = [
                assembled().into_os_string(),
                TESTED_WITH.path()?,
                TORCH.path()?,
                PIPELINES.path()?,
                TRACKERS.path()?,
            ];
            Ok(vec![("GUESTLIST_PYTHON_PACKAGE", joined(&places))])
        }),
    })
}

/// Tests of the package find out for themselves whether PyTorch is there.
pub fn torch() -> Result<Need, Lack> {
    Ok(Need {
        missing: TORCH.missing()?.into_iter().collect(),
        variables: Box::new(|| Ok(Vec::new())),
    })
}

/// The same of LangChain, LlamaIndex and Haystack.
pub fn pipelines() -> Result<Need, Lack> {
    Ok(Need {
        missing: PIPELINES.missing()?.into_iter().collect(),
        variables: Box::new(|| Ok(Vec::new())),
    })
}

/// The same of MLflow, Weights & Biases and TensorBoard.
pub fn trackers() -> Result<Need, Lack> {
    Ok(Need {
        missing: TRACKERS.missing()?.into_iter().collect(),
        variables: Box::new(|| Ok(Vec::new())),
    })
}

fn joined(places: &[OsString]) -> OsString {
    let all = places.iter().flat_map(std::env::split_paths);
    // Paths that were split can be joined again.
    std::env::join_paths(all).unwrap_or_default()
}

pub fn assembled() -> PathBuf {
    root().join("target/python-guestlist")
}

/// Puts the extension that was built with all else and the package's sources together.
pub fn assemble_for_tests() -> Result<(), Failed> {
    let package = assembled().join("guestlist");
    let failed = |error: std::io::Error| Failed(format!("{}: {error}", package.display()));
    if package.exists() {
        fs::remove_dir_all(&package).map_err(failed)?;
    }
    copy(&root().join(SOURCES), &package).map_err(failed)?;
    fs::copy(built()?, package.join("_guestlist.abi3.so")).map_err(failed)?;
    Ok(())
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &place)?;
        } else {
            fs::copy(entry.path(), &place)?;
        }
    }
    Ok(())
}

/// The extension, beside this program.
fn built() -> Result<PathBuf, Failed> {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
    let here = std::env::current_exe().map_err(|error| Failed(error.to_string()))?;
    Ok(here.with_file_name(format!("{DLL_PREFIX}_guestlist{DLL_SUFFIX}")))
}
