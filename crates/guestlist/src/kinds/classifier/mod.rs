//! Classifiers: models are trained on random halves of the data, and attacks try to tell which
//! records the first of them was trained on. Or such models exist already, and their outputs are read.
//!
//! `config.rs` is what is written, `plan.rs` what is checked, `training.rs` trains what is missing,
//! `signals.rs` reads outputs that exist already, `outside.rs` takes models from a program that trains them
//! itself, `attack.rs` attacks and judges.

mod aside;
pub mod attack;
mod claim;
mod config;
mod estimate;
mod first_model;
mod init;
mod outside;
mod plan;
mod signals;
mod training;

use std::path::{Path, PathBuf};

use attacks::classifier::ShadowAttack;
use base::Progress;
use judge::guardrails::Finding;

use self::attack::ShadowRequest;
pub use self::config::{Config, ModelSettings, RunSettings};
pub use self::outside::{Begun, OutsideRequest, OutsideSession};
pub use self::plan::Plan;
use super::{Init, Kind};
use crate::pipeline::{Audit, AuditRequest, Collected, Estimate, Place, RunOptions};
use crate::{Error, Result};

pub struct Classifier;

impl Kind for Classifier {
    const KIND: report::Kind = report::Kind::Classifier;
    const ALIASES: &'static [&'static str] = &["shadow"];
    const TITLE: &'static str = "Classifiers, by shadow models";
    const RUN_OPTIONS: &'static [&'static str] =
        &["shadows", "executor", "workers", "what-if", "kubernetes"];
    const AUDIT_OPTIONS: &'static [&'static str] = &[
        "format",
        "target",
        "shadows",
        "set",
        "members",
        "unknown",
        "canaries",
        "population",
        "records",
        "replicates",
        "scaling",
        "slice",
        "group",
        "join",
    ];
    const INIT_OPTIONS: &'static [&'static str] = &["data", "label"];
    const INIT: Option<Init> = Some(init::start);
    const SUBJECT: &'static str = "A classifier, by shadow models";
    const INPUT: &'static str = "Outputs of a classifier and its shadow models";

    type Config = Config;
    type Plan = Plan;
    type Signals = ShadowRequest;
    type Attack = &'static dyn ShadowAttack;

    fn template() -> String {
        init::classifier(None, None).unwrap_or_default()
    }

    fn plan(config: Config, place: Place, options: &RunOptions) -> Result<Plan> {
        Plan::new(config, place, options)
    }

    fn folder(plan: &Plan) -> PathBuf {
        plan.folder()
    }

    fn findings(plan: &Plan) -> Vec<Finding> {
        plan.first_findings()
    }

    fn estimate(plan: Plan, progress: Progress<'_>) -> Result<Estimate> {
        estimate::estimate(&plan, progress)
    }

    fn collect(
        plan: Plan,
        options: &RunOptions,
        progress: Progress<'_>,
    ) -> Result<Collected<ShadowRequest>> {
        training::collect(&plan, options, progress)
    }

    fn interrupted(kept: usize) -> Error {
        Error::stopped(format!(
            "interrupted; all {kept} models are kept: run again for the report"
        ))
    }

    fn read(input: &Path, request: &AuditRequest, _: Progress<'_>) -> Result<ShadowRequest> {
        signals::read(input, request)
    }

    fn attack(signals: ShadowRequest, progress: Progress<'_>) -> Result<Audit> {
        signals.run(progress)
    }
}
