//! Fine-tuned language models: texts are scored by the audited model and a reference, and attacks
//! try to tell from the scores which texts it was trained on.
//!
//! `config.rs` is what is written and checked, `scoring.rs` has the models score, `attack.rs` attacks
//! and judges.

pub mod attack;
mod config;
mod estimate;
mod features;
mod init;
mod same_tokens;
mod scoring;

use std::path::{Path, PathBuf};

use asking::store::Store;
use attacks::lm::TokenAttack;
use base::{Event, Progress};
use formats::records_file::RecordsFile;
use judge::guardrails::Finding;

use self::attack::{CheckpointFile, Members, TokenRequest, check_labels};
pub use self::config::{Config, Plan};
pub use self::scoring::{Scoring, ScoringEstimate, TIMED, TRIED};
use super::{Init, Kind};
use crate::pipeline::slicing::LENGTH;
use crate::pipeline::{
    Audit, AuditRequest, Collected, Estimate, PersonsWanted, Place, RunOptions, SealedCanaries,
    digests,
};
use crate::{Error, Result};

pub struct Lm;

impl Kind for Lm {
    const KIND: report::Kind = report::Kind::Lm;
    const TITLE: &'static str = "Language models, by token signals";
    const RUN_OPTIONS: &'static [&'static str] = &["ask-again"];
    const AUDIT_OPTIONS: &'static [&'static str] = &[
        "set",
        "members",
        "unknown",
        "canaries",
        "training-file",
        "shadow",
        "checkpoint",
        "label",
        "slice",
        "group",
        "join",
    ];
    const INIT_OPTIONS: &'static [&'static str] = &["members", "nonmembers", "target", "reference"];
    const INIT: Option<Init> = Some(init::start);
    const SUBJECT: &'static str = "A fine-tuned language model, by what it makes of texts";
    const INPUT: &'static str = "Token signals of a language model";

    type Config = Config;
    type Plan = Plan;
    type Signals = TokenRequest;
    type Attack = &'static dyn TokenAttack;

    fn template() -> String {
        init::language_model(None, None, None, None)
    }

    fn plan(mut config: Config, place: Place, options: &RunOptions) -> Result<Plan> {
        options.overrule(&mut config.audit);
        Plan::new(config, place)
    }

    fn folder(plan: &Plan) -> PathBuf {
        plan.folder()
    }

    fn findings(plan: &Plan) -> Vec<Finding> {
        plan.first_findings()
    }

    fn texts(plan: &Plan) -> Vec<PathBuf> {
        plan.config.texts.files(&plan.place.base)
    }

    fn estimate(plan: Plan, progress: Progress<'_>) -> Result<Estimate> {
        estimate::estimate(&plan, progress)
    }

    fn collect(
        plan: Plan,
        options: &RunOptions,
        progress: Progress<'_>,
    ) -> Result<Collected<TokenRequest>> {
        let store = Store::open(&plan.folder())?;
        let mut scoring = Scoring::open(&plan, TRIED, progress)?;
        // Not before every server has answered its probe: what is there may be all there is.
        if options.ask_again {
            store.discard_answers()?;
        }
        scoring.score(&store, progress)?;
        progress.tell(Event::Over);
        let files = scoring.write(&store)?;
        for file in &files {
            progress.wrote(&file.path);
        }
        if let Some(path) = scoring.write_features(&store)? {
            progress.wrote(&path);
        }
        let command = options.command_for(&plan.place.path);
        Ok(scoring.request(&store, files, command)?.into())
    }

    fn interrupted(kept: usize) -> Error {
        Error::stopped(format!(
            "interrupted; {kept} scored texts are kept: run again to go on"
        ))
    }

    fn recognise(input: &Path) -> bool {
        use asking::rag::transcript::{Answered, recognise};
        let exchanges = recognise(input) || Answered::recognise(input);
        !exchanges && formats::tokens::recognise(input)
    }

    fn read(input: &Path, request: &AuditRequest, _: Progress<'_>) -> Result<TokenRequest> {
        let resolved = request.options.resolve::<Lm>()?;
        let label = request.label.clone().unwrap_or_else(|| "target".into());
        let checkpoints: Vec<CheckpointFile> = request
            .checkpoints
            .iter()
            .map(|(label, path)| CheckpointFile {
                label: label.clone(),
                path: path.clone(),
            })
            .collect();
        check_labels(&label, &checkpoints)?;
        let members = request.members.as_deref().map(Members::read).transpose()?;
        let unknown = request.unknown.as_deref().map(Members::read).transpose()?;
        let canaries = SealedCanaries::of_request(request, Self::KIND)?;
        let sealed = canaries.as_ref().map(SealedCanaries::files).transpose()?;
        let named = [
            &request.members,
            &request.unknown,
            &request.training_file,
            &request.shadow,
        ];
        let files = std::iter::once(input.to_owned())
            .chain(named.into_iter().flatten().cloned())
            .chain(sealed.into_iter().flatten())
            .chain(checkpoints.iter().map(|file| file.path.clone()));
        let mut context = request.context(&resolved, 0, digests(files, None)?);
        context.measuring.calibrate = true;
        let file = RecordsFile::own(input);
        context.slicing = context.slicing.read_rows(&file, &[LENGTH])?;
        let join = request.options.join;
        let group = request.options.group.as_ref();
        let persons = group.map(|group| PersonsWanted::of_file(&file, group, join));
        context.belong_to(persons.transpose()?);
        Ok(TokenRequest {
            signals: input.to_owned(),
            rows: None,
            label,
            members,
            unknown,
            canaries,
            training_file: request.training_file.clone(),
            shadow: request.shadow.clone(),
            attacks: resolved.attacks,
            context,
            checkpoints,
            scoring: None,
        })
    }

    fn attack(signals: TokenRequest, progress: Progress<'_>) -> Result<Audit> {
        signals.run(progress)
    }
}
