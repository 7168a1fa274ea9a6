//! Few-shot audits: features of records, from a file or from a model that was trained here, and
//! an attacker who knows the membership of a handful of them.
//!
//! `settings.rs` and `config.rs` are what is written, `records.rs` the records, `white_box.rs` lets
//! attacks tune the model, `outside.rs` takes features and model from a program that holds them, `attack.rs`
//! attacks and judges.

pub mod attack;
mod config;
mod estimate;
mod init;
mod outside;
mod records;
mod settings;
mod white_box;

use self::config::plainly;
use std::path::{Path, PathBuf};

use attacks::fewshot::EpisodeAttack;
use base::Progress;
use formats::features::Wanted;
use formats::records_file::RecordsFile;

use self::attack::EpisodeRequest;
pub use self::config::{Config, FeatureSettings, Plan};
pub use self::outside::{EpisodesGiven, OutsideEpisodes};
pub use self::records::KnownRecords;
pub use self::settings::{EpisodeSettings, ThresholdName};
pub use self::white_box::{AtHand, Tunable};
use super::{Init, Kind};
use crate::Result;
use crate::pipeline::{Audit, AuditRequest, Collected, Estimate, Place, RunOptions, digests};

pub struct Fewshot;

impl Kind for Fewshot {
    const KIND: report::Kind = report::Kind::Fewshot;
    const TITLE: &'static str = "Classifiers, by a few records with known membership";
    const RUN_OPTIONS: &'static [&'static str] = &[];
    const AUDIT_OPTIONS: &'static [&'static str] = &[
        "target",
        "set",
        "members",
        "shots",
        "runs",
        "validation",
        "query",
        "thresholds",
        "layer",
        "slice",
        "records",
    ];
    const INIT_OPTIONS: &'static [&'static str] = &["data", "members"];
    const INIT: Option<Init> = Some(init::start);
    const SUBJECT: &'static str = "A classifier, by a few records with known membership";
    const INPUT: &'static str = "Features of records, a few of them with known membership";

    type Config = Config;
    type Plan = Plan;
    type Signals = EpisodeRequest;
    type Attack = &'static dyn EpisodeAttack;

    fn template() -> String {
        init::few_shot(None, false, None)
    }

    fn plan(mut config: Config, place: Place, options: &RunOptions) -> Result<Plan> {
        options.overrule(&mut config.audit);
        Plan::new(config, place)
    }

    fn folder(plan: &Plan) -> PathBuf {
        plan.folder()
    }

    fn estimate(plan: Plan, progress: Progress<'_>) -> Result<Estimate> {
        let folder = plan.folder();
        estimate::estimate(&plan.request(String::new())?, &folder, progress)
    }

    fn collect(
        plan: Plan,
        options: &RunOptions,
        progress: Progress<'_>,
    ) -> Result<Collected<EpisodeRequest>> {
        let command = options.command_for(&plan.place.path);
        let request = plan.request(command)?;
        estimate::tell_cost(&request, progress)?;
        Ok(request.into())
    }

    fn read(
        input: &Path,
        request: &AuditRequest,
        progress: Progress<'_>,
    ) -> Result<EpisodeRequest> {
        let resolved = request.options.resolve::<Fewshot>()?;
        let wanted = Wanted {
            layer: request.layer.clone(),
            target: request.target,
        };
        let subject = KnownRecords::open(input, &wanted, request.members.as_deref())?;
        let records = request.records.as_deref();
        let here = Path::new("");
        let files = subject.sources.iter().map(|path| plainly(here, path));
        let files = files.chain(records.map(Path::to_owned));
        let mut context = request.context(&resolved, subject.truth.len(), digests(files, None)?);
        let file = match records {
            Some(path) => RecordsFile::beside(path, subject.table.ids.as_deref())?,
            None => RecordsFile::own(input),
        };
        context.slicing = context.slicing.read_table(&file)?;
        context.notes.extend(file.note().cloned());
        subject
            .tell_left_out(&mut context)
            .map_err(|error| error.within_file(input))?;
        let asked = EpisodeRequest {
            design: EpisodeSettings::asked(request)
                .design(request.options.false_positive_rule()?, request.seed),
            context,
            attacks: resolved.attacks,
            subject,
        };
        estimate::tell_cost(&asked, progress)?;
        Ok(asked)
    }

    fn attack(signals: EpisodeRequest, progress: Progress<'_>) -> Result<Audit> {
        signals.run(progress)
    }
}
