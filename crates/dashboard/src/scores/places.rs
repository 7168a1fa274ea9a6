//! Where one record's scores stand among those of non-members.

use rayon::prelude::*;

use super::table::{Row, Table};

pub struct Place {
    pub attack: String,
    pub score: Option<f64>,
    /// The share of other non-members with a smaller score, and how many others there are; nothing
    /// where the attack abstained or no truth is known.
    pub below: Option<(f64, u64)>,
}

/// One pass over every attack's column; columns are read side by side.
pub fn places(table: &Table, row: &Row) -> Result<Vec<Place>, String> {
    let attacks: Vec<(&str, Option<f64>)> =
        table.attacks().zip(row.scores.iter().copied()).collect();
    attacks
        .into_par_iter()
        .map(|(attack, score)| {
            let below = match score {
                Some(score) => share_below(table, attack, score, row.row)?,
                None => None,
            };
            Ok(Place {
                attack: attack.to_owned(),
                score,
                below,
            })
        })
        .collect()
}

fn share_below(
    table: &Table,
    attack: &str,
    score: f64,
    own: usize,
) -> Result<Option<(f64, u64)>, String> {
    let (mut all, mut below) = (0u64, 0u64);
    table.stream_scores(attack, |first, at, rows| {
        for offset in 0..rows {
            if let (Some(false), Some(other)) = at(offset)
                && first + offset != own
            {
                all += 1;
                below += u64::from(other < score);
            }
        }
    })?;
    Ok((all > 0).then(|| (below as f64 / all as f64, all)))
}
