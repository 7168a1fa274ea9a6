//! Scores that were made elsewhere: nothing is collected or attacked, only judged.

pub mod attack;

use std::path::{Path, PathBuf};

use attacks::card::Card;
use attacks::settings::Setting;
use base::Progress;

use self::attack::{ScoresRequest, chosen};
use super::Kind;
use crate::pipeline::{Audit, AuditRequest, Collected, Estimate, Place, RunOptions, digests};
use crate::{Error, Result};

pub struct Scores;

/// There is nothing to configure.
#[derive(serde::Deserialize)]
pub struct Config {}

/// A plan that nobody can make.
pub enum Plan {}

impl Kind for Scores {
    const KIND: report::Kind = report::Kind::Scores;
    const TITLE: &'static str = "Scores that were made elsewhere";
    const RUN_OPTIONS: &'static [&'static str] = &[];
    const AUDIT_OPTIONS: &'static [&'static str] = &[];

    type Config = Config;
    type Plan = Plan;
    type Signals = ScoresRequest;
    /// Columns take the place of attacks.
    type Attack = &'static Card;

    fn every() -> Vec<Self::Attack> {
        Vec::new()
    }

    fn find(id: &str) -> Result<Self::Attack> {
        Err(Error::usage(
            format!("{id} is no attack here"),
            "name columns of the file",
        ))
    }

    fn card(attack: Self::Attack) -> &'static Card {
        attack
    }

    fn settings() -> Vec<&'static Setting> {
        Vec::new()
    }

    fn plan(_: Config, place: Place, _: &RunOptions) -> Result<Plan> {
        Err(Error::usage(
            format!("{}: scores have no configuration", place.path.display()),
            "judge a file of scores with `guestlist audit FILE --kind scores`",
        ))
    }

    fn folder(plan: &Plan) -> PathBuf {
        match *plan {}
    }

    fn estimate(plan: Plan, _: Progress<'_>) -> Result<Estimate> {
        match plan {}
    }

    fn collect(plan: Plan, _: &RunOptions, _: Progress<'_>) -> Result<Collected<ScoresRequest>> {
        match plan {}
    }

    fn recognise(input: &Path) -> bool {
        formats::scores::recognise(input)
    }

    fn read(input: &Path, request: &AuditRequest, _: Progress<'_>) -> Result<ScoresRequest> {
        let resolved = request.options.resolve_columns::<Scores>()?;
        let table = formats::scores::read(input)?;
        let inputs = digests([input.to_owned()], None)?;
        let mut context = request.context(&resolved, table.members.len(), inputs);
        let chosen = chosen(table.columns, &table.members, &request.options);
        let (scores, notes) = chosen.map_err(|error| error.within_file(input))?;
        context.notes = [table.notes, notes].concat();
        Ok(ScoresRequest {
            scores,
            members: table.members,
            ids: table.ids,
            context,
            format: table.format,
            input: Some(input.to_owned()),
        })
    }

    fn attack(signals: ScoresRequest, progress: Progress<'_>) -> Result<Audit> {
        let input = signals.input.clone();
        signals.run(progress).map_err(|error| match input {
            Some(input) if !error.is_interruption() => error.within_file(&input),
            _ => error,
        })
    }
}
