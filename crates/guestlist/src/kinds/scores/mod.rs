//! Scores that were made elsewhere: nothing is collected or attacked, only judged.

pub mod attack;

use std::path::{Path, PathBuf};

use attacks::card::Card;
use base::Progress;
use formats::records_file::RecordsFile;
use formats::scores::Levels;
use judge::guardrails::EarlierLevels;

use self::attack::{Given, ScoresRequest};
use super::Kind;
use crate::pipeline::slicing::Slicing;
use crate::pipeline::{
    Audit, AuditOptions, AuditRequest, Collected, Estimate, PersonsWanted, Place, RunOptions,
    SealedCanaries, digests,
};
use crate::{Error, Result};

pub struct Scores;

/// There is nothing to configure.
#[derive(serde::Deserialize)]
pub struct Config {}

/// A plan that nobody can make.
pub enum Plan {}

/// Columns take the place of attacks, and none is known before there is a file.
#[derive(Clone, Copy)]
pub enum Column {}

impl attacks::Attack for Column {
    const ON: &'static str = " on scores";

    fn every() -> &'static [Self] {
        &[]
    }

    fn card(column: Self) -> &'static Card {
        match column {}
    }
}

impl Kind for Scores {
    const KIND: report::Kind = report::Kind::Scores;
    const TITLE: &'static str = "Scores that were made elsewhere";
    const RUN_OPTIONS: &'static [&'static str] = &[];
    const AUDIT_OPTIONS: &'static [&'static str] = &["canaries", "slice", "group", "join"];
    const SUBJECT: &'static str = "Scores that were made elsewhere";
    const INPUT: &'static str = "Scores that were made elsewhere";

    type Config = Config;
    type Plan = Plan;
    type Signals = ScoresRequest;
    type Attack = Column;

    fn template() -> String {
        String::new()
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
        let canaries = SealedCanaries::of_request(request, Self::KIND)?;
        // The truth of canaries is not in the file.
        let table = match canaries {
            Some(_) => formats::scores::read_without_truth(input)?,
            None => formats::scores::read(input)?,
        };
        let sealed = canaries.as_ref().map(SealedCanaries::files).transpose()?;
        let files = std::iter::once(input.to_owned()).chain(sealed.into_iter().flatten());
        let inputs = digests(files, None)?;
        let mut context = request.context(&resolved, table.members.len(), inputs);
        let slicing = Slicing::new(&request.options.slices);
        context.slicing = slicing.read_table(&RecordsFile::own(input))?;
        let persons = persons(input, &table, &request.options)?;
        context.set_persons(persons, table.members.len())?;
        let (scores, members) = (table.columns, table.members);
        let given = Given {
            columns: scores,
            others: table.others,
            members: &members,
        };
        let chosen = given.chosen(&mut context, &request.options);
        let scores = chosen.map_err(|error| error.within_file(input))?;
        context.notes = [table.notes, std::mem::take(&mut context.notes)].concat();
        context.earlier = table.levels.map(earlier);
        Ok(ScoresRequest {
            scores,
            members,
            canaries,
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

fn earlier(levels: Levels) -> EarlierLevels {
    EarlierLevels {
        persons: levels.persons,
        slices: levels.slices,
        violated: levels.violated,
    }
}

/// Whose the records are: a column of the file, its ids among them.
pub fn persons(
    input: &Path,
    table: &formats::scores::PrecomputedScores,
    options: &AuditOptions,
) -> Result<Option<PersonsWanted>> {
    let Some(group) = &options.group else {
        return Ok(None);
    };
    match (group.as_str(), &table.ids) {
        ("id" | "ids", Some(ids)) => {
            let people = ids.iter().map(Some);
            Ok(Some(PersonsWanted::new(group, options.join, people)))
        }
        _ => PersonsWanted::of_file(&RecordsFile::own(input), group, options.join).map(Some),
    }
}
