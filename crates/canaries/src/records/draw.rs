//! From the user's records to the folder of a draw.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use base::Progress;
use formats::rows::{Composed, RowTable};
use serde::Deserialize;
use serde_json::{Map, Value};
use stats::streams::Seed;

use super::{Made, RecordSource};
use crate::coins::Names;
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
    let names = Names::new(options.seed, made.len())?;
    let canaries = canaries(&designs, made.len(), options, &names);
    let tiers: Vec<u32> = canaries.iter().map(|canary| canary.tier).collect();
    let own = own(&source, &made);
    let slots = mix::slots(seed, own.len(), mix::copies(&coins, &tiers));
    train(&mut folder, &table, (&own, &made), &slots)?;
    folder.source(&request.data, table.len())?;
    let ids = canaries.iter().map(|canary| canary.id.clone());
    let truth: BTreeMap<String, bool> = ids.zip(coins).collect();
    let order = coins::order(seed, made.len());
    let roster: Vec<Canary> = order.iter().map(|n| canaries[*n].clone()).collect();
    let records: Vec<&Composed> = order.iter().map(|n| &made[*n].record).collect();
    score(&mut folder, &table, &roster, &records)?;
    folder.truth(seed, truth)?;
    let (manifest, files) = folder.finish(Kind::Classifier, &roster, Value::Null)?;
    let notes = [seed_note(options.seed), left_out(table.len(), own.len())];
    Ok(Drawn {
        manifest,
        files,
        notes: notes.into_iter().flatten().collect(),
        check: None,
    })
}

/// The data with the chosen canaries among them.
fn train(
    folder: &mut Folder,
    table: &RowTable,
    (own, made): (&[Composed], &[Made]),
    slots: &[Slot],
) -> Result<()> {
    let bytes = table.encode(&mixed(slots, own, made), None)?;
    let name = format!("training.{}", table.ending);
    folder.bytes(Role::Training, &name, own.len(), &bytes)
}

/// All canaries, as data and by name.
fn score(
    folder: &mut Folder,
    table: &RowTable,
    roster: &[Canary],
    records: &[&Composed],
) -> Result<()> {
    let ids: Vec<String> = roster.iter().map(|canary| canary.id.clone()).collect();
    let bytes = table.encode(records, Some(&ids))?;
    let name = format!("canaries.{}", table.ending);
    folder.bytes(Role::Records, &name, ids.len(), &bytes)?;
    folder.canaries(roster)
}

fn left_out(records: usize, kept: usize) -> Option<String> {
    let left_out = records - kept;
    (left_out > 0).then(|| {
        format!(
            "{left_out} of {records} records are left out of the training data: canaries are made of them or \
             of their copies, and beside themselves they would prove nothing"
        )
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

fn canaries(
    designs: &[&RecordDesign],
    count: usize,
    options: &DrawOptions,
    names: &Names,
) -> Vec<Canary> {
    let canary = |number: usize| {
        let (design, tier) = coins::allotted(number, designs.len(), options.tiers.len());
        Canary {
            id: names.id(number),
            text: None,
            secret: Vec::new(),
            tier: options.tiers[tier],
            design: designs[design].card.id.to_owned(),
            row: Map::new(),
        }
    };
    (0..count).map(canary).collect()
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
