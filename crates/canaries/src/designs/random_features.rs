//! Records that nobody has: every feature from another record, and a label drawn at random.

use formats::rows::Composed;
use stats::streams::{ChaCha8Rng, below};

use super::{Card, RecordDesign};
use crate::records::{Made, RecordSource};
use crate::{Error, Result};

pub(super) const DESIGN: RecordDesign = RecordDesign {
    card: Card {
        id: "random-features",
        summary: "a record whose every feature is drawn from the values that your records have there, with a \
                  label drawn at random",
        why: "such a record is far from all others, and its label follows from nothing: a model that gives \
              it has seen it",
        weak: "a model that smooths much (few parameters, strong regularisation) learns no such record",
        paper: "Steinke et al. 2023 (arXiv:2305.08846), out-of-distribution canaries",
    },
    make,
};

/// Draws for one canary before it is given up.
const TRIES: usize = 1000;

fn make(source: &mut RecordSource, count: usize, rng: &mut ChaCha8Rng) -> Result<Vec<Made>> {
    let mut made = Vec::with_capacity(count);
    for _ in 0..count {
        let fresh = (0..TRIES).find_map(|_| {
            let record = drawn(source, rng);
            source.is_fresh(&record).then_some(record)
        });
        let record = fresh.ok_or_else(|| repeats(source, made.len()))?;
        made.push(Made {
            record,
            original: None,
        });
    }
    Ok(made)
}

fn drawn(source: &RecordSource, rng: &mut ChaCha8Rng) -> Composed {
    let rows = source.table.len() as u32;
    let mut row = || below(rng, rows) as usize;
    let base = row();
    let features = (0..source.table.features()).map(|_| row()).collect();
    Composed {
        base,
        features: Some(features),
        label: source.any_class(rng),
    }
}

fn repeats(source: &RecordSource, made: usize) -> Error {
    Error::usage(
        format!(
            "after {made} canaries, every record that can be drawn from the values of {} is there already",
            source.table.path.display()
        ),
        "draw fewer with --count, or use the design random-label",
    )
}
