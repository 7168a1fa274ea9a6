//! Where a service has its answers from: texts or pictures are perturbed, asked about with retrieval
//! and without, and attributed to pretraining, to retrieval or to neither.
//!
//! `settings.rs` and `config.rs` say what is asked; `captions.rs` turns pictures into texts,
//! `perturbed.rs` texts into perturbed inputs; `rounds.rs` asks them in rounds and leaves alone what
//! is settled; `cost.rs` says before what that costs, `spent.rs` afterwards; `services.rs` is who
//! answers, `recorded.rs` a transcript that answers in their place, with what `basis.rs` kept beside it;
//! `attributing.rs` strings them together, and `attack.rs` labels and judges what was heard.

mod again;
pub mod attack;
mod attributing;
mod basis;
mod captions;
mod config;
mod cost;
mod embedded;
mod estimate;
mod init;
mod perturbed;
mod recorded;
mod rounds;
mod services;
mod settings;
mod slices;
mod spent;

use std::path::{Path, PathBuf};

use asking::store::Store;
use attacks::source::attacks::SourceAttack;
use base::{Event, Progress};
use judge::guardrails::Finding;

use self::attack::SourceRequest;
pub use self::attributing::Attributing;
pub use self::config::{Config, Plan};
pub use self::cost::AttributionEstimate;
pub use self::perturbed::PerturbedText;
pub use self::rounds::AskedText;
pub use self::settings::{ImageSettings, Mode, SimilaritySettings, SourceSettings, fixed};
use super::{Asks, Init, Kind};
use crate::pipeline::{Audit, AuditRequest, Collected, Estimate, Place, RunOptions};
use crate::{Error, Result};

pub struct Source;

impl Kind for Source {
    const KIND: report::Kind = report::Kind::Source;
    const TITLE: &'static str = "Sources of a service's answers, by perturbed texts";
    const RUN_OPTIONS: &'static [&'static str] = &["max-requests", "replay", "ask-again"];
    const AUDIT_OPTIONS: &'static [&'static str] = &["slice"];
    const INIT_OPTIONS: &'static [&'static str] = &[
        "members",
        "nonmembers",
        "target",
        "preset",
        "items",
        "stand-in",
        "images",
    ];
    const INIT: Option<Init> = Some(init::start);
    const PROBE: Option<Asks<Plan>> = Some(Plan::probed);
    const SUBJECT: &'static str =
        "Where a service has its answers from: pretraining, retrieval or neither";
    const INPUT: &'static str = "Exchanges about perturbed texts, for where answers come from";

    type Config = Config;
    type Plan = Plan;
    type Signals = SourceRequest;
    type Attack = &'static SourceAttack;

    fn template() -> String {
        init::source(&init::SourceStart::default()).unwrap_or_default()
    }

    fn plan(mut config: Config, place: Place, options: &RunOptions) -> Result<Plan> {
        options.overrule(&mut config.audit);
        Plan::new(config, place, options.max_requests)
    }

    fn folder(plan: &Plan) -> PathBuf {
        plan.folder()
    }

    fn findings(plan: &Plan) -> Vec<Finding> {
        plan.first_findings()
    }

    fn texts(plan: &Plan) -> Vec<PathBuf> {
        plan.config.items.files(&plan.place.base)
    }

    fn estimate(plan: Plan, _: Progress<'_>) -> Result<Estimate> {
        estimate::estimate(&plan)
    }

    fn collect(
        plan: Plan,
        options: &RunOptions,
        progress: Progress<'_>,
    ) -> Result<Collected<SourceRequest>> {
        let folder = plan.folder();
        let store = Store::open(&folder)?;
        if options.ask_again {
            store.discard_answers()?;
        }
        progress.note(&plan.service.about());
        if let Some(stand_in) = &plan.stand_in {
            progress.note(&format!("without retrieval: {}", stand_in.endpoint()));
        }
        if !options.replay {
            progress.note(&estimate::cost(&AttributionEstimate::new(&plan)));
        }
        let command = options.command_for(&plan.place.path);
        let heard = Attributing::collect(plan, &store, options.replay, progress)?;
        progress.tell(Event::Over);
        for file in heard.write(&folder)? {
            progress.wrote(&file);
        }
        Ok(heard.request(command)?.into())
    }

    fn interrupted(kept: usize) -> Error {
        Error::stopped(format!(
            "interrupted; {kept} answers are kept: run again to go on"
        ))
    }

    fn recognise(input: &Path) -> bool {
        recorded::recognise(input)
    }

    fn read(input: &Path, request: &AuditRequest, progress: Progress<'_>) -> Result<SourceRequest> {
        recorded::read(input, request, progress)
    }

    fn attack(signals: SourceRequest, progress: Progress<'_>) -> Result<Audit> {
        signals.run(progress)
    }
}
