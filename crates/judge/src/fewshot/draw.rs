//! Who is in which episode. Run r takes the same records for every attack, and for every number
//! of shots the same validation and query sets and a longer piece of the same row of known records:
//! what other numbers of shots are asked for changes nothing.

use attacks::fewshot::Labelled;
use stats::streams::{Rng, Seed, below, shuffle};

use super::Design;
use crate::Truth;

/// The records of one run, drawn without replacement.
pub(super) struct Episode {
    /// As many known records of each kind as the most shots take.
    members: Vec<usize>,
    nonmembers: Vec<usize>,
    pub(super) validation: Vec<Labelled>,
    /// In an order that says nothing of membership, as ties may be broken by it.
    pub(super) asked: Vec<usize>,
    /// The truth about those asked about.
    pub(super) asked_member: Vec<bool>,
}

impl Episode {
    /// The known records: members, then non-members.
    pub(super) fn support(&self, shots: usize) -> Vec<Labelled> {
        labelled(&self.members[..shots], &self.nonmembers[..shots])
    }
}

/// The episodes of the audit itself.
pub(super) fn episodes(design: &Design, truth: &Truth, runs: usize) -> Vec<Episode> {
    let of_kind = |kind: bool| -> Vec<usize> {
        let rows = truth.known();
        rows.filter_map(|(row, member)| (member == kind).then_some(row))
            .collect()
    };
    let (members, nonmembers) = (of_kind(true), of_kind(false));
    let needed = design.records_needed();
    let draw_one = |run| {
        let of_kind =
            |name: &str, pool: &[usize]| draw(&mut numbered(design.seed, name, run), pool, needed);
        let members = of_kind("few-shot members", &members);
        let nonmembers = of_kind("few-shot non-members", &nonmembers);
        deal(run, design, members, nonmembers)
    };
    (0..runs).map(draw_one).collect()
}

/// The same with membership shuffled over all records, anew in every run.
pub(super) fn controls(design: &Design, truth: &Truth, runs: usize) -> Vec<Episode> {
    let all: Vec<usize> = (0..truth.len()).collect();
    let needed = design.records_needed();
    let draw_one = |run| {
        let mut rng = numbered(design.seed, "few-shot controls", run);
        let drawn = draw(&mut rng, &all, 2 * needed);
        let every_other = |from: usize| drawn.iter().copied().skip(from).step_by(2).collect();
        deal(run, design, every_other(0), every_other(1))
    };
    (0..runs).map(draw_one).collect()
}

fn numbered(seed: Seed, name: &str, run: usize) -> impl Rng + use<> {
    seed.numbered(name, run as u64)
}

/// The first `count` of a random order.
fn draw(rng: &mut impl Rng, pool: &[usize], count: usize) -> Vec<usize> {
    let mut pool = pool.to_vec();
    for place in 0..count {
        let left = u32::try_from(pool.len() - place).unwrap_or(u32::MAX);
        pool.swap(place, place + below(rng, left) as usize);
    }
    pool.truncate(count);
    pool
}

/// The first are asked about, the next validate, and the others are known.
fn deal(
    run: usize,
    design: &Design,
    mut members: Vec<usize>,
    mut nonmembers: Vec<usize>,
) -> Episode {
    let mut rng = numbered(design.seed, "few-shot order", run);
    let mut take = |count: usize| -> Vec<Labelled> {
        let (members, nonmembers) = (members.drain(..count), nonmembers.drain(..count));
        labelled(members.as_slice(), nonmembers.as_slice())
    };
    let (mut asked, mut validation) = (take(design.query), take(design.validation));
    shuffle(&mut rng, &mut validation);
    shuffle(&mut rng, &mut asked);
    Episode {
        members,
        nonmembers,
        validation,
        asked: asked.iter().map(|one| one.row).collect(),
        asked_member: asked.iter().map(|one| one.member).collect(),
    }
}

fn labelled(members: &[usize], nonmembers: &[usize]) -> Vec<Labelled> {
    let label = |member| move |&row: &usize| Labelled { row, member };
    let members = members.iter().map(label(true));
    members.chain(nonmembers.iter().map(label(false))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn truth() -> Truth {
        Truth::new((0..100).map(|row| row % 2 == 0)).unwrap()
    }

    #[test]
    fn nobody_is_drawn_twice_and_labels_are_true() {
        let design = Design::default();
        for (episodes, honest) in [
            (episodes(&design, &truth(), 20), true),
            (controls(&design, &truth(), 20), false),
        ] {
            for episode in &episodes {
                let known = episode.support(10);
                let all: Vec<Labelled> = known
                    .iter()
                    .chain(&episode.validation)
                    .copied()
                    .chain(
                        episode
                            .asked
                            .iter()
                            .zip(&episode.asked_member)
                            .map(|(&row, &member)| Labelled { row, member }),
                    )
                    .collect();
                let rows: HashSet<usize> = all.iter().map(|one| one.row).collect();
                assert_eq!((all.len(), rows.len()), (80, 80));
                assert_eq!(all.iter().filter(|one| one.member).count(), 40);
                let right = all.iter().filter(|one| one.member == (one.row % 2 == 0));
                assert_eq!(right.count() == 80, honest);
            }
        }
    }

    #[test]
    fn fewer_shots_are_a_part_of_more() {
        let few = Design {
            shots: vec![1, 5, 10],
            ..Design::default()
        };
        let episode = &episodes(&few, &truth(), 1)[0];
        let (one, five) = (episode.support(1), episode.support(5));
        assert_eq!((one[0], one[1]), (five[0], five[5]));
    }

    #[test]
    fn other_numbers_of_shots_change_nothing() {
        let of = |shots: &[usize]| Design {
            shots: shots.to_vec(),
            ..Design::default()
        };
        let same = |alone: Vec<Episode>, among: Vec<Episode>| {
            for (alone, among) in alone.iter().zip(&among) {
                assert_eq!(alone.asked, among.asked);
                assert_eq!(alone.validation, among.validation);
                assert_eq!(alone.support(5), among.support(5));
            }
        };
        let (five, more) = (of(&[5]), of(&[1, 5, 20]));
        same(episodes(&five, &truth(), 3), episodes(&more, &truth(), 3));
        same(controls(&five, &truth(), 3), controls(&more, &truth(), 3));
    }

    #[test]
    fn every_record_is_asked_about_as_often_as_any_other() {
        let (design, runs) = (Design::default(), 4000);
        let mut counts = [0u32; 100];
        for episode in episodes(&design, &truth(), runs) {
            for row in episode.asked {
                counts[row] += 1;
            }
        }
        // 15 of 50 in each run: 1200 expected, standard deviation 29.
        assert!(counts.iter().all(|&count| (1050..1350).contains(&count)));
    }
}
