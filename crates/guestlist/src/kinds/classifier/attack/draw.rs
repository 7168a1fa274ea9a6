//! Which shadows a target is attacked with where there are more than are asked for.

use attacks::signals::membership::MemberRow;
use attacks::signals::shadow::ShadowSignals;
use formats::shadow::ShadowTable;
use stats::streams::{Rng, Seed, shuffle};

use crate::Error;

/// What an attack on the target may see with so many shadows, drawn for this target: over several
/// targets a standard error then holds the luck of the draw too. Fewer shadows are the first of more.
/// Two models that trained on opposite halves come together, as a run trains them, so that each
/// record keeps as many shadows with it as without.
pub fn signals(
    table: &ShadowTable,
    target: usize,
    shadows: usize,
    seed: Seed,
) -> Result<(ShadowSignals, MemberRow), Error> {
    let (first, truth) = table.signals(target, table.models() - 1)?;
    table.signals(target, shadows)?;
    let opposite = |one: usize, other: usize| table.are_opposites(one, other);
    let mut chosen = order(
        first.shadows,
        opposite,
        seed.numbered("scaling", target as u64),
    );
    chosen.truncate(shadows);
    // In the order of the models, so that all of them are what they are without a draw.
    chosen.sort_unstable();
    Ok((table.seen_from(target, &chosen), truth))
}

fn order(
    mut shadows: Vec<usize>,
    opposite: impl Fn(usize, usize) -> bool,
    mut stream: impl Rng,
) -> Vec<usize> {
    shuffle(&mut stream, &mut shadows);
    let mut order = Vec::with_capacity(shadows.len());
    while let Some(next) = shadows.pop() {
        order.push(next);
        let partner = shadows.iter().position(|&other| opposite(next, other));
        order.extend(partner.map(|place| shadows.remove(place)));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(opposite: impl Fn(usize, usize) -> bool, target: u64) -> Vec<usize> {
        let stream = Seed(3).numbered("scaling", target);
        order((1..21).collect(), opposite, stream)
    }

    #[test]
    fn every_target_has_its_own_draw_of_all_shadows() {
        let alone = |_: usize, _: usize| false;
        let (one, other) = (drawn(alone, 0), drawn(alone, 1));
        assert_ne!(one, other);
        assert_eq!(one, drawn(alone, 0));
        for mut order in [one, other] {
            order.sort_unstable();
            assert!(order.into_iter().eq(1..21));
        }
    }

    #[test]
    fn opposites_come_together() {
        // 1 and 2, 3 and 4, and so on; the opposite of 19 is the target, and 20 is alone.
        let opposite = |one: usize, other: usize| {
            one.div_ceil(2) == other.div_ceil(2) && one != other && one.max(other) < 19
        };
        for target in 0..20 {
            let order = drawn(opposite, target);
            for (place, &shadow) in order.iter().enumerate().filter(|(_, one)| **one < 19) {
                let partner = if shadow.is_multiple_of(2) {
                    shadow - 1
                } else {
                    shadow + 1
                };
                let there = order.iter().position(|&one| one == partner);
                assert_eq!(
                    there.map(|there| there.abs_diff(place)),
                    Some(1),
                    "{order:?}"
                );
            }
        }
    }
}
