//! Pairs of simulated audits: how often a comparison finds a change.

use attacks::scores::Scores;
use guestlist_judge::compare::{Change, compare};
use guestlist_judge::{AttackMeasures, Options, Truth, measure};
use stats::streams::{Seed, standard_normal};

pub const LEVEL: f64 = 0.05;

/// What the two audits of a pair look like.
#[derive(Clone, Copy, Debug)]
pub struct World {
    pub records: usize,
    pub attacks: usize,
    /// Distance of members from non-members, in deviations.
    pub leak: f64,
    /// So many members stand out by far.
    pub memorised: usize,
    /// Scores are cut into so many values; none leaves them as they are.
    pub values: Option<f64>,
}

fn audit(world: World, number: u64) -> Vec<AttackMeasures> {
    let mut stream = Seed(7).numbered(&format!("{world:?}"), number);
    let member = |record: usize| record.is_multiple_of(2);
    let truth = Truth::new((0..world.records).map(member)).unwrap();
    let options = Options {
        bootstrap_replicates: 0,
        ..Options::default()
    };
    // Attacks on the same records see much the same.
    let shared: Vec<f64> = (0..world.records)
        .map(|_| standard_normal(&mut stream))
        .collect();
    let attack = |id: usize| {
        let mut score = |record: usize| {
            let noise = (shared[record] + standard_normal(&mut stream)) / 2.0_f64.sqrt();
            let score = match member(record) {
                true if record < 2 * world.memorised => noise + 6.0,
                true => noise + world.leak,
                false => noise,
            };
            match world.values {
                None => score,
                Some(values) => (score.clamp(-2.0, 2.0) * values / 4.0).round(),
            }
        };
        let scores: Scores = (0..world.records).map(|record| Ok(score(record))).collect();
        measure(&format!("attack-{id}"), &scores, &truth, &options).unwrap()
    };
    (0..world.attacks).map(attack).collect()
}

/// The share of pairs in which any of the measures that are asked for changed so.
pub fn share(
    before: World,
    after: World,
    pairs: u64,
    asked: &str,
    changed: fn(&Change, f64) -> bool,
) -> f64 {
    shares(before, after, pairs, asked, [changed])[0]
}

/// The same of several kinds of change, found in the same pairs.
pub fn shares<const KINDS: usize>(
    before: World,
    after: World,
    pairs: u64,
    asked: &str,
    kinds: [fn(&Change, f64) -> bool; KINDS],
) -> [f64; KINDS] {
    let mut found = [0_u64; KINDS];
    for pair in 0..pairs {
        let (old, new) = (audit(before, 2 * pair), audit(after, 2 * pair + 1));
        let mut changes = compare(&old.as_slice().into(), &new.as_slice().into());
        changes.retain(|one| one.measure.starts_with(asked));
        for (count, changed) in found.iter_mut().zip(kinds) {
            *count += u64::from(changes.iter().any(|change| changed(change, LEVEL)));
        }
    }
    found.map(|count| count as f64 / pairs as f64)
}
