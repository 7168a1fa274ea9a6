//! Python's way in: as thin as the command line. Arrays and tables are read where Python holds them,
//! the work runs on threads of its own while Python goes on, and errors keep their words.
//!
//! Everything that is documented for users is in `python/guestlist`; what is here it calls.

mod array;
mod audits;
mod canaries;
mod command_line;
mod episodes;
mod errors;
mod follow;
mod function;
mod options;
mod outcome;
mod pipeline;
mod rehearsing;
mod scores;
mod stored;
mod table;
mod training;
mod words;

use pyo3::prelude::*;

/// The part of guestlist that is not Python.
#[pymodule]
mod _guestlist {
    #[pymodule_export]
    use super::audits::{audit_shadow, audit_tokens};
    #[pymodule_export]
    use super::canaries::{
        canaries_check, canaries_draw, canaries_note, canaries_read, canaries_truth, canaries_words,
    };
    #[pymodule_export]
    use super::command_line::{command_line, doctor};
    #[pymodule_export]
    use super::episodes::audit_episodes;
    #[pymodule_export]
    use super::function::Desk;
    #[pymodule_export]
    use super::outcome::Audit;
    #[pymodule_export]
    use super::pipeline::{audit_path, init, plan, probe, run};
    #[pymodule_export]
    use super::rehearsing::{RagServer, demo, misleading, rag_server};
    #[pymodule_export]
    use super::scores::{audit_scores, evaluate};
    #[pymodule_export]
    use super::stored::{convert, diff, load, policy_check, sign, verify};
    #[pymodule_export]
    use super::training::{Training, begin_training};
    #[pymodule_export]
    use super::words::{attacks, explain, shadow_splits};
    use super::*;

    #[pymodule_init]
    fn begin(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("SOURCE_FIELDS", asking::rag::SOURCE_FIELDS.to_vec())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
