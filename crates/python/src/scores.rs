//! Scores that were made elsewhere: an audit of them, and their measures alone.

use attacks::scores::{Abstention, Scores};
use base::ErrorKind;
use formats::left_out::LeftOut;
use formats::scores::PrecomputedScores;
use guestlist::kinds::scores::Scores as ScoresKind;
use guestlist::kinds::scores::attack::{Given as Table, ScoresRequest};
use guestlist::pipeline::{PersonsWanted, SealedCanaries, digests};
use guestlist::{Error, Unit};
use judge::Truth;
use pyo3::prelude::*;

use crate::array::{NamedArray, held};
use crate::errors::{Outcome, Raised};
use crate::follow::{Listener, follow};
use crate::options::{self, NoOptions, Options, ScoresOptions};
use crate::outcome::Audit;

/// Values with a name, and where they are missing.
type Column<'py> = (NamedArray<'py>, Option<NamedArray<'py>>);

/// A column of texts of a table, by its name.
type TextColumn = (String, Vec<Option<String>>);

/// Columns with the truth, which canaries need not have, the records' names, and columns of texts.
type Given<'py> = (
    Vec<Column<'py>>,
    Option<NamedArray<'py>>,
    Option<Vec<String>>,
    Vec<TextColumn>,
);

/// Judges scores that another program made.
#[pyfunction]
pub fn audit_scores<'py>(
    py: Python<'py>,
    given: Given<'py>,
    options: &str,
    listener: Listener<'py>,
) -> Outcome<Audit> {
    let options: Options<ScoresOptions> = options::read(options)?;
    let resolved = options.options.resolve_columns::<ScoresKind>()?;
    let table = table(&given)?;
    let audit = follow(py, &listener, move |follower| {
        let Options {
            options,
            seed,
            command,
            own,
        } = options;
        let canaries = SealedCanaries::named(
            own.canaries.as_deref(),
            None,
            &options,
            guestlist::Kind::Scores,
        )?;
        let sealed = canaries.as_ref().map(SealedCanaries::files).transpose()?;
        let inputs = digests(sealed.into_iter().flatten(), None)?;
        let mut context = options.context(&resolved, table.members.len(), seed, command, inputs);
        let persons = PersonsWanted::given(&options, own.groups, None)?;
        context.set_persons(persons, table.members.len())?;
        let (columns, members) = (table.columns, table.members);
        let given = Table {
            columns,
            others: table.others,
            members: &members,
        };
        let scores = given.chosen(&mut context, &options)?;
        ScoresRequest {
            scores,
            members,
            ids: table.ids,
            canaries,
            context,
            format: table.format,
            input: None,
        }
        .run(follower)
    })?;
    Ok(audit.into())
}

fn table((columns, member, ids, texts): &Given<'_>) -> Outcome<PrecomputedScores> {
    let column = |column: &Column<'_>| Ok((column.0.0.clone(), scores(column)?));
    let columns: Vec<(String, Scores)> = columns.iter().map(column).collect::<Outcome<_>>()?;
    let records = columns.first().map_or(0, |(_, scores)| scores.len());
    Ok(PrecomputedScores {
        format: "arrays",
        columns,
        members: match member {
            Some(member) => held(member)?.known_flags()?,
            None => vec![None; records],
        },
        ids: ids.clone().map(Into::into),
        others: texts.iter().map(left_out).collect(),
        notes: Vec::new(),
        levels: None,
        untold: None,
    })
}

fn left_out((name, texts): &TextColumn) -> LeftOut {
    LeftOut::of_texts(name, texts.iter().map(Option::as_deref))
}

/// The measures of one score per record, as JSON.
#[pyfunction]
pub fn evaluate<'py>(
    py: Python<'py>,
    column: Column<'py>,
    member: NamedArray<'py>,
    options: &str,
    listener: Listener<'py>,
) -> Outcome<String> {
    let options: Options<NoOptions> = options::read(options)?;
    let scores = scores(&column)?;
    let member = held(&member)?.flags()?;
    follow(py, &listener, move |progress| {
        let gate = options.options.resolve_columns::<ScoresKind>()?.gate;
        let truth = Truth::new(member).map_err(|error| error.within("member"))?;
        let measuring = options.options.measuring(&gate, options.seed);
        progress.phase("measuring", truth.len(), Unit::Records);
        let cancel = progress.cancel();
        let mut measures = judge::measure_until(cancel, "scores", &scores, &truth, &measuring)?;
        progress.advance(truth.len());
        judge::correct_levels(std::slice::from_mut(&mut measures));
        serde_json::to_string(&measures).map_err(|error| {
            Error::usage(
                format!("the measures cannot be written as JSON: {error}"),
                "this is a fault of guestlist: please report it",
            )
        })
    })
}

/// One score per record; what is missing was abstained on, and NaN is refused.
fn scores((values, missing): &Column<'_>) -> Outcome<Scores> {
    let values = held(values)?;
    let numbers = values.numbers()?;
    let missing = match missing {
        Some(mask) => held(mask)?.flags()?,
        None => vec![false; numbers.len()],
    };
    let answer = |(record, (&number, &missing)): (usize, (&f64, &bool))| match missing {
        true => Ok(Err(Abstention::NotGiven)),
        false if number.is_nan() => Err(not_a_number(values.name(), record)),
        false => Ok(Ok(number)),
    };
    let pairs = numbers.iter().zip(&missing).enumerate();
    pairs.map(answer).collect()
}

fn not_a_number(name: &str, record: usize) -> Raised {
    let message = format!("{name}, record {record} is NaN");
    let error = base::Error::new(ErrorKind::Malformed, message);
    Raised::from(error.hint("a score is a number or infinite; mask what an attack abstained on"))
}
