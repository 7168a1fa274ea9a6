//! Classifiers: models are trained on random halves of the data, and attacks try to tell which
//! records the first of them was trained on. Or such models exist already, and their outputs are read.
//!
//! `config.rs` is what is written, `plan.rs` what is checked, `training.rs` trains what is missing,
//! `signals.rs` reads outputs that exist already, `attack.rs` attacks and judges.

pub mod attack;
mod config;
mod estimate;
pub mod init;
mod plan;
mod signals;
mod training;

use std::path::{Path, PathBuf};

use attacks::card::Card;
use attacks::classifier::{self as attacking, ShadowAttack};
use attacks::settings::Setting;
use base::Progress;

use self::attack::ShadowRequest;
pub use self::config::{Config, ModelSettings, RunSettings};
pub use self::plan::Plan;
use super::Kind;
use crate::pipeline::{Audit, AuditRequest, Collected, Estimate, Place, RunOptions};
use crate::{Error, Result};

pub struct Classifier;

impl Kind for Classifier {
    const KIND: report::Kind = report::Kind::Classifier;
    const TITLE: &'static str = "Classifiers, by shadow models";
    const RUN_OPTIONS: &'static [&'static str] = &["shadows", "executor", "workers"];
    const AUDIT_OPTIONS: &'static [&'static str] = &[
        "format",
        "target",
        "shadows",
        "set",
        "members",
        "population",
        "records",
        "replicates",
        "scaling",
        "slice",
    ];

    type Config = Config;
    type Plan = Plan;
    type Signals = ShadowRequest;
    type Attack = &'static dyn ShadowAttack;

    fn every() -> Vec<Self::Attack> {
        attacking::ATTACKS.to_vec()
    }

    fn find(id: &str) -> Result<Self::Attack> {
        attacking::find(id)
    }

    fn card(attack: Self::Attack) -> &'static Card {
        attack.card()
    }

    fn settings() -> Vec<&'static Setting> {
        attacking::settings()
    }

    fn plan(config: Config, place: Place, options: &RunOptions) -> Result<Plan> {
        Plan::new(config, place, options)
    }

    fn folder(plan: &Plan) -> PathBuf {
        plan.folder()
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
