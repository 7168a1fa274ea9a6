//! Streams are pinned: a stored seed must mean the same draws for ever. The
//! integers were computed by a separate ChaCha8 written from RFC 8439 (with
//! four double rounds, a 64-bit counter and a 64-bit stream number).

use guestlist_stats::streams::{Rng, Seed, below, shuffle, standard_normal, uniform};
use proptest::prelude::*;

fn first_three(mut rng: impl Rng) -> [u64; 3] {
    [(); 3].map(|()| rng.next_u64())
}

#[test]
fn first_draws_are_pinned() {
    assert_eq!(
        first_three(Seed(0).stream("")),
        [0x12ea6867b29d78ad, 0xc7b7d8660be5daff, 0x79f4b07610b6cee1]
    );
    assert_eq!(
        first_three(Seed(42).stream("bootstrap")),
        [0x0e73289675a30266, 0x35c7bd02cd9b1f20, 0x2c83e3fd254903c7]
    );
    assert_eq!(
        first_three(Seed(42).numbered("bootstrap", 7)),
        [0x6d59561638e772de, 0x9fa370395109fbdc, 0xacb2d424781405e3]
    );
}

#[test]
fn derived_draws_are_pinned() {
    let mut rng = Seed(42).stream("draws");
    assert_eq!(uniform(&mut rng), 0.12121944589391753);
    assert_eq!(below(&mut rng, 1000), 34);
    assert_eq!(standard_normal(&mut rng), 0.3552942855696097);
    let mut items = [0, 1, 2, 3, 4, 5, 6, 7];
    shuffle(&mut rng, &mut items);
    assert_eq!(items, [4, 0, 3, 5, 7, 1, 6, 2]);
}

#[test]
fn different_names_numbers_and_seeds_differ() {
    let streams = [
        Seed(1).stream("a"),
        Seed(1).stream("b"),
        Seed(2).stream("a"),
        Seed(1).numbered("a", 0),
        Seed(1).numbered("a", 1),
    ];
    let mut firsts = streams.map(first_three).to_vec();
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 5);
}

#[test]
fn below_is_even_and_in_range() {
    let mut rng = Seed(5).stream("below");
    let mut counts = [0u32; 6];
    for _ in 0..60_000 {
        counts[below(&mut rng, 6) as usize] += 1;
    }
    assert!(
        counts.iter().all(|&c| (9_600..10_400).contains(&c)),
        "{counts:?}"
    );
    assert_eq!(below(&mut rng, 0), 0);
    assert_eq!(below(&mut rng, 1), 0);
}

#[test]
fn normals_have_unit_moments() {
    let mut rng = Seed(6).stream("normal");
    let values: Vec<f64> = (0..100_000).map(|_| standard_normal(&mut rng)).collect();
    let moment = |power| values.iter().map(|v: &f64| v.powi(power)).sum::<f64>() / 1e5;
    assert!(moment(1).abs() < 0.015, "{}", moment(1));
    assert!((moment(2) - 1.0).abs() < 0.02, "{}", moment(2));
    assert!((moment(4) - 3.0).abs() < 0.15, "{}", moment(4));
}

proptest! {
    #[test]
    fn the_same_seed_and_name_repeat(seed in any::<u64>(), name in ".{0,20}", index in any::<u64>()) {
        let seed = Seed(seed);
        prop_assert_eq!(first_three(seed.stream(&name)), first_three(seed.stream(&name)));
        let numbered = || first_three(seed.numbered(&name, index));
        prop_assert_eq!(numbered(), numbered());
    }

    #[test]
    fn shuffling_permutes(seed in any::<u64>(), length in 0usize..50) {
        let mut items: Vec<usize> = (0..length).collect();
        shuffle(&mut Seed(seed).stream("shuffle"), &mut items);
        items.sort_unstable();
        prop_assert_eq!(items, (0..length).collect::<Vec<_>>());
    }
}
