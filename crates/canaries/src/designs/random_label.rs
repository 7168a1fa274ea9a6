//! A record of the user's own under a label that is not its own.

use formats::rows::Composed;
use stats::streams::{ChaCha8Rng, shuffle};

use super::{Card, RecordDesign};
use crate::records::{Made, RecordSource};
use crate::{Error, Result};

pub(super) const DESIGN: RecordDesign = RecordDesign {
    card: Card {
        id: "random-label",
        summary: "a record of your own under a label drawn at random from the others; the record itself \
                  is then left out of the training data",
        why: "nothing but memory makes a model give a record the wrong label",
        weak: "where labels are noisy anyway, a model is used to wrong ones and forgets them",
        paper: "Nasr et al. 2021 (arXiv:2101.04535) and Steinke et al. 2023 (arXiv:2305.08846), mislabelled \
                examples as canaries",
    },
    make,
};

fn make(source: &mut RecordSource, count: usize, rng: &mut ChaCha8Rng) -> Result<Vec<Made>> {
    let mut rows: Vec<usize> = (0..source.table.len()).collect();
    shuffle(rng, &mut rows);
    let mut made = Vec::with_capacity(count);
    for row in rows {
        if made.len() == count {
            break;
        }
        // Of records that are alike, one.
        if !source.take(row) {
            continue;
        }
        let record = Composed {
            label: source.other_class(row, rng),
            ..Composed::whole(row)
        };
        let original = Some(source.digests[row].clone());
        made.push(Made { record, original });
    }
    match made.len() == count && count < source.table.len() {
        true => Ok(made),
        false => Err(Error::usage(
            format!(
                "{} has {} different records, but {count} canaries of the design random-label want one \
                 each and leave it",
                source.table.path.display(),
                made.len()
            ),
            "draw fewer with --count, or use the design random-features, which takes none",
        )),
    }
}
