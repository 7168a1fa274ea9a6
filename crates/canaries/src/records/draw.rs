//! From the user's records to the folder of a draw.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use base::Progress;
use formats::rows::{Composed, RowTable};
use serde::Deserialize;
use serde_json::{Map, Value};
use stats::streams::Seed;

use super::{Made, RecordSource};
use crate::designs::{RECORD_DESIGNS, RecordDesign, chosen};
use crate::drawn::{DrawOptions, Drawn, seed_note};
use crate::folder::Folder;
use crate::mix::{self, Slot};
use crate::{Canary, Error, Kind, Result, Role, coins};

/// What is asked of a draw of records.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClassifierRequest {
    /// The user's records: npz, CSV or Parquet.
    pub data: PathBuf,
    /// The column to predict; a usual name where nothing is said.
    pub label: Option<String>,
    /// Columns that are no features, such as ids: copied with their record.
    pub ignore: Vec<String>,
    pub draw: DrawOptions,
}

/// Draws canaries, mixes the chosen ones into the records, and seals the truth.
pub fn draw(request: &ClassifierRequest, progress: Progress<'_>) -> Result<Drawn> {
    let options = &request.draw;
    options.check()?;
    let designs = chosen(&RECORD_DESIGNS, |design| &design.card, &options.designs)?;
    let mut folder = Folder::new(&options.out, &request.data, options.overwrite)?;
    let seed = coins::seed(options.seed)?;
    let table = RowTable::open(&request.data, request.label.as_deref(), &request.ignore)?;
    progress.check()?;
    let mut source = RecordSource::new(&table)?;
    let made = made(&mut source, &designs, options.count, seed)?;
    progress.check()?;
    let coins = coins::coins(seed, made.len());
    let canaries = canaries(&designs, &made, options);
    let tiers: Vec<u32> = canaries.iter().map(|canary| canary.tier).collect();
    let own = own(&source, &made);
    let slots = mix::slots(seed, own.len(), mix::copies(&coins, &tiers));
    let training = mixed(&slots, &own, &made);
    let name = |stem: &str| format!("{stem}.{}", table.ending);
    add(
        &mut folder,
        Role::Training,
        &name("training"),
        own.len(),
        &table,
        &training,
        None,
    )?;
    folder.source(&request.data, table.len())?;
    let order = coins::order(seed, made.len());
    let roster: Vec<Canary> = order.iter().map(|n| canaries[*n].clone()).collect();
    let records: Vec<&Composed> = order.iter().map(|n| &made[*n].record).collect();
    let ids: Vec<String> = roster.iter().map(|canary| canary.id.clone()).collect();
    add(
        &mut folder,
        Role::Records,
        &name("canaries"),
        ids.len(),
        &table,
        &records,
        Some(&ids),
    )?;
    folder.canaries(&roster)?;
    let names = canaries.iter().map(|canary| canary.id.clone());
    folder.truth(seed, names.zip(coins).collect::<BTreeMap<_, _>>())?;
    let (manifest, files) = folder.finish(Kind::Classifier, &roster, Value::Null)?;
    let left_out = table.len() - own.len();
    let left_out = (left_out > 0).then(|| {
        format!(
            "{left_out} of {} records are left out of the training data: canaries are made of them or of \
             their copies, and beside themselves they would prove nothing",
            table.len()
        )
    });
    Ok(Drawn {
        manifest,
        files,
        notes: [seed_note(options.seed), left_out]
            .into_iter()
            .flatten()
            .collect(),
        check: None,
    })
}

/// So many canaries; designs take turns.
fn made(
    source: &mut RecordSource,
    designs: &[&RecordDesign],
    count: usize,
    seed: Seed,
) -> Result<Vec<Made>> {
    let mut by_design = Vec::new();
    for (place, design) in designs.iter().enumerate() {
        let own = (0..count).filter(|n| n % designs.len() == place).count();
        let mut rng = seed.stream(&format!("canary design {}", design.card.id));
        by_design.push((design.make)(source, own, &mut rng)?.into_iter());
    }
    let next = |number: usize| by_design[number % designs.len()].next();
    let made: Option<Vec<Made>> = (0..count).map(next).collect();
    made.ok_or_else(|| Error::usage("a design made too few canaries", "draw fewer with --count"))
}

fn canaries(designs: &[&RecordDesign], made: &[Made], options: &DrawOptions) -> Vec<Canary> {
    let canary = |number: usize| {
        let (design, tier) = coins::allotted(number, designs.len(), options.tiers.len());
        Canary {
            id: coins::id(number, made.len()),
            text: None,
            secret: Vec::new(),
            tier: options.tiers[tier],
            design: designs[design].card.id.to_owned(),
            row: Map::new(),
        }
    };
    (0..made.len()).map(canary).collect()
}

/// The user's records that are trained on: all but those that canaries are made of, and their copies.
fn own(source: &RecordSource, made: &[Made]) -> Vec<Composed> {
    let originals: HashSet<&String> = made
        .iter()
        .filter_map(|made| made.original.as_ref())
        .collect();
    let rows = source.digests.iter().enumerate();
    let kept = rows.filter(|(_, digest)| !originals.contains(digest));
    kept.map(|(row, _)| Composed::whole(row)).collect()
}

fn mixed<'a>(slots: &[Slot], own: &'a [Composed], made: &'a [Made]) -> Vec<&'a Composed> {
    let mut own = own.iter();
    let record = |slot: &Slot| match slot {
        Slot::Canary(number) => Some(&made[*number].record),
        Slot::Own => own.next(),
    };
    slots.iter().filter_map(record).collect()
}

fn add(
    folder: &mut Folder,
    role: Role,
    name: &str,
    rows: usize,
    table: &RowTable,
    records: &[&Composed],
    ids: Option<&[String]>,
) -> Result<()> {
    let bytes = table.encode(records, ids)?;
    folder.add(role, name, rows, |out| {
        out.write_all(&bytes)
            .map_err(|error| Error::writing(&table.path, &error))
    })
}
