//! Services that answer from a store of documents: what is asked, of whom, and what the answers say
//! about who is in the store.
//!
//! `config.rs` is what is written and checked, `questions.rs` what is asked, in which order and at
//! what cost, `helper.rs` models that write questions, `controls.rs` documents with invented facts,
//! `quoting.rs` what of non-members is sent, `recheck.rs` whether it is still the same service,
//! `order.rs` and `sample.rs` whom a budget reaches, `rounds.rs` how much is needed, `probing.rs` all of them
//! together, `recorded.rs` reads transcripts, `elsewhere.rs` hands out questions and reads the answers of others, `function.rs` asks a function, `attack.rs` attacks and judges.

mod ahead;
pub mod attack;
mod config;
mod controls;
mod elsewhere;
mod estimate;
mod function;
mod handing_over;
mod helper;
mod init;
mod init_controls;
mod nulls;
mod order;
mod probing;
mod proposal;
mod questions;
mod quoting;
mod recheck;
mod recorded;
pub(crate) mod repeats;
mod rounds;
mod sample;

use std::path::{Path, PathBuf};

use asking::store::Store;
use attacks::Attack;
use attacks::rag::ProbeAttack;
use base::{Event, Progress, Unit};
use judge::guardrails::Finding;
use judge::rag::StoredAnswers;

use self::attack::ProbeRequest;
pub use self::config::{Config, HelperSettings, Plan, ProbeSettings};
pub use self::function::run_function;
pub use self::helper::Helped;
pub use self::nulls::{NullCounts, Nulls, count_nulls};
pub use self::probing::{Collected as Answers, Probing};
pub use self::questions::{AskingEstimate, StrategyEstimate};
pub use self::quoting::Quoting;
use super::source::Source;
use super::{Asks, Init, Kind};
use crate::pipeline::{Audit, AuditRequest, Collected, Estimate, Place, RunOptions};
use crate::{Error, Result};

pub struct Rag;

impl Kind for Rag {
    const KIND: report::Kind = report::Kind::Rag;
    const TITLE: &'static str = "Retrieval services, by their answers";
    const RUN_OPTIONS: &'static [&'static str] = &[
        "questions",
        "limit",
        "attacks",
        "seed",
        "max-requests",
        "replay",
        "ask-again",
    ];
    const AUDIT_OPTIONS: &'static [&'static str] =
        &["set", "documents", "config", "slice", "group", "join"];
    const INIT_OPTIONS: &'static [&'static str] =
        &["members", "nonmembers", "target", "preset", "controls"];
    const INIT: Option<Init> = Some(init::start);
    const PROBE: Option<Asks<Plan>> = Some(Plan::probed);
    const SUBJECT: &'static str =
        "A service that answers from a store of documents, by its answers";
    const INPUT: &'static str = "Exchanges with a retrieval service";

    type Config = Config;
    type Plan = Plan;
    type Signals = ProbeRequest;
    type Attack = &'static dyn ProbeAttack;

    fn attacks() -> Vec<Self::Attack> {
        let every = Self::Attack::every().iter().copied();
        every.filter(|attack| !attack.by_name_only()).collect()
    }

    fn template() -> String {
        init::retrieval(None, None, None, None, None).unwrap_or_default()
    }

    fn plan(mut config: Config, place: Place, options: &RunOptions) -> Result<Plan> {
        config.overrule(options);
        let plan = Plan::new(config, place, options.max_requests)?;
        Ok(Plan {
            hands_out: options.questions,
            ..plan
        })
    }

    fn folder(plan: &Plan) -> PathBuf {
        plan.folder()
    }

    fn findings(plan: &Plan) -> Vec<Finding> {
        plan.first_findings()
    }

    fn texts(plan: &Plan) -> Vec<PathBuf> {
        plan.config.documents.files(&plan.place.base)
    }

    fn estimate(plan: Plan, progress: Progress<'_>) -> Result<Estimate> {
        estimate::estimate(&plan, progress)
    }

    fn collect(
        plan: Plan,
        options: &RunOptions,
        progress: Progress<'_>,
    ) -> Result<Collected<ProbeRequest>> {
        let store = Store::open(&plan.folder())?;
        if options.ask_again {
            store.discard_answers()?;
        }
        progress.note(&plan.service.about());
        progress.phase("writing questions", plan.documents.len(), Unit::Questions);
        let helped = Helped::ask(&plan, &store, options.replay, progress)?;
        let mut probing = Probing::new(&plan, helped);
        let stored = match options.replay {
            true => probing.replayed(&store)?,
            false => before_asking(&probing, &store, progress)?,
        };
        let (doing, unit) = match options.replay {
            true => ("reading stored answers", Unit::Records),
            false => ("asking", Unit::Questions),
        };
        progress.phase(doing, probing.len(), unit);
        let mut answers = probing.collect(&store, options.replay, stored, progress)?;
        progress.tell(Event::Over);
        if options.replay {
            let read = answers.tally.from_store;
            progress.note(&format!(
                "{read} stored answers were read; nobody was asked"
            ));
        }
        let perplexity = probing.read_answers(&mut answers, &store, progress)?;
        progress.tell(Event::Over);
        progress.wrote(&probing.write(&answers)?);
        let command = options.command_for(&plan.place.path);
        Ok(probing.request(answers, perplexity, command)?.into())
    }

    fn interrupted(kept: usize) -> Error {
        Error::stopped(format!(
            "interrupted; {kept} answers are kept: run again to go on"
        ))
    }

    fn recognise(input: &Path) -> bool {
        let transcript = asking::rag::transcript::recognise(input) && !Source::recognise(input);
        transcript || elsewhere::recognise(input)
    }

    fn read(input: &Path, request: &AuditRequest, progress: Progress<'_>) -> Result<ProbeRequest> {
        match request.config.is_some() || elsewhere::recognise(input) {
            true => elsewhere::read(input, request, progress),
            false => recorded::read(input, request),
        }
    }

    fn attack(signals: ProbeRequest, progress: Progress<'_>) -> Result<Audit> {
        signals.run(progress)
    }
}

/// What asking costs and gives away, and whether stored answers still are those of this service.
fn before_asking(
    probing: &Probing,
    store: &Store,
    progress: Progress<'_>,
) -> Result<Option<StoredAnswers>> {
    let estimate = probing.estimate(Some(store))?;
    estimate::tell_cost(&estimate, progress);
    if estimate.to_ask() > estimate.recheck {
        estimate::tell_quoting(&probing.quoting(), progress);
    }
    let again = estimate.recheck;
    progress.phase("asking stored answers again", again, Unit::Questions);
    probing.recheck(store, progress)
}
