//! The audit of a function that answers questions, in the program that has it.

use std::path::PathBuf;
use std::sync::Arc;

use asking::rag::{Callee, Service};
use base::Progress;

use super::{Config, Plan, Rag};
use crate::Result;
use crate::pipeline::{Finished, Place, RunOptions, Source, run_plan, tell_findings};

/// From a function to a report, with the store, the budgets and the judge of every other service.
/// `off` answers without the store. The configuration's target is not looked at; its paths are seen
/// from where the program runs.
pub fn run_function(
    on: Arc<dyn Callee>,
    off: Option<Arc<dyn Callee>>,
    mut config: Config,
    options: &RunOptions,
    progress: Progress<'_>,
) -> Result<Finished> {
    config.audit.source = Source::Program;
    let service = Service::called(on, off, &config.transport)?;
    let place = Place {
        path: PathBuf::new(),
        base: PathBuf::new(),
        configuration: None,
    };
    let plan = Plan::of(config, place, service)?;
    tell_findings::<Rag>(&plan, progress);
    run_plan::<Rag>(plan, options, progress)
}
