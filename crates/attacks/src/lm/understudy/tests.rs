//! The network against its formula and against PyTorch; what is read of a text.

use serde_json::Value;
use stats::streams::{Seed, uniform};

use super::features::{Sheet, VARIANTS, Variant, windows};
use super::network::{Layout, Network, TAPS, WIDTH};
use super::*;

pub fn drawn_network(variant: Variant, seed: u64) -> Network {
    let mut rng = Seed(seed).stream("network");
    let layout = Layout::new(variant);
    let mut numbers: Vec<f32> = (0..layout.len())
        .map(|_| (uniform(&mut rng) - 0.5) as f32 * 0.4)
        .collect();
    for part in [layout.spread(), layout.known_spread()] {
        numbers[part].fill(1.5);
    }
    Network { variant, numbers }
}

pub fn drawn_sheet(variant: Variant, positions: usize, seed: u64) -> Sheet {
    let mut rng = Seed(seed).stream("sheet");
    let mut draw = |count: usize| -> Vec<f32> {
        (0..count)
            .map(|_| (uniform(&mut rng) * 6.0 - 3.0) as f32)
            .collect()
    };
    Sheet {
        rows: draw(positions * variant.inputs()),
        known: draw(variant.known()),
        positions,
        ez: None,
    }
}

/// The formula as one would first write it down, in double precision.
fn slow(network: &Network, sheet: &Sheet) -> f64 {
    let layout = network.layout();
    let all: Vec<f64> = network.numbers.iter().map(|n| f64::from(*n)).collect();
    let standard = |value: f32, centre: f64, spread: f64| {
        ((f64::from(value) - centre) / spread).clamp(-6.0, 6.0)
    };
    let at = |part: std::ops::Range<usize>, place: usize| all[part.start + place];
    let relu = |value: f64| value.max(0.0);
    let (n, width) = (sheet.positions, layout.inputs);
    let x = |r: usize, k: usize| {
        standard(
            sheet.rows[r * width + k],
            at(layout.centre(), k),
            at(layout.spread(), k),
        )
    };
    let first: Vec<Vec<f64>> = (0..n)
        .map(|r| {
            let sum = |j: usize| {
                (0..width)
                    .map(|k| x(r, k) * at(layout.first(), k * WIDTH + j))
                    .sum::<f64>()
            };
            (0..WIDTH)
                .map(|j| relu(sum(j) + at(layout.first_bias(), j)))
                .collect()
        })
        .collect();
    let second: Vec<Vec<f64>> = (0..n)
        .map(|r| {
            let sum = |j: usize| {
                (0..WIDTH)
                    .map(|k| first[r][k] * at(layout.second(), k * WIDTH + j))
                    .sum::<f64>()
            };
            (0..WIDTH)
                .map(|j| relu(sum(j) + at(layout.second_bias(), j)))
                .collect()
        })
        .collect();
    let across = |r: usize, j: usize| {
        let mut sum = at(layout.across_bias(), j);
        for tap in 0..TAPS {
            let place = r as i64 + tap as i64 - 2;
            if (0..n as i64).contains(&place) {
                for (k, value) in second[place as usize].iter().enumerate() {
                    sum += value * at(layout.across(), (tap * WIDTH + k) * WIDTH + j);
                }
            }
        }
        relu(sum)
    };
    let state: Vec<Vec<f64>> = (0..n)
        .map(|r| (0..WIDTH).map(|j| second[r][j] + across(r, j)).collect())
        .collect();
    let gate: Vec<f64> = state
        .iter()
        .map(|row| {
            let sum: f64 = row
                .iter()
                .enumerate()
                .map(|(j, v)| v * at(layout.gate(), j))
                .sum();
            (sum + at(layout.gate_bias(), 0)).exp()
        })
        .collect();
    let total: f64 = gate.iter().sum();
    let column = |j: usize| state.iter().map(move |row| row[j]);
    let mut pooled: Vec<f64> = (0..WIDTH)
        .map(|j| column(j).sum::<f64>() / n as f64)
        .collect();
    pooled.extend((0..WIDTH).map(|j| {
        column(j)
            .zip(&gate)
            .map(|(v, g)| v * g / total)
            .sum::<f64>()
    }));
    pooled.extend((0..WIDTH).map(|j| column(j).fold(f64::NEG_INFINITY, f64::max)));
    pooled.extend((0..layout.known).map(|k| {
        standard(
            sheet.known[k],
            at(layout.known_centre(), k),
            at(layout.known_spread(), k),
        )
    }));
    let joined = |j: usize| {
        let sum: f64 = pooled
            .iter()
            .enumerate()
            .map(|(k, v)| v * at(layout.joined(), k * WIDTH + j))
            .sum();
        relu(sum + at(layout.joined_bias(), j))
    };
    (0..WIDTH)
        .map(|j| joined(j) * at(layout.last(), j))
        .sum::<f64>()
        + at(layout.last_bias(), 0)
}

#[test]
fn the_fast_network_is_the_formula() {
    for (number, variant) in VARIANTS.into_iter().enumerate() {
        for positions in [1, 2, 5, 33] {
            let network = drawn_network(variant, number as u64);
            let sheet = drawn_sheet(variant, positions, positions as u64);
            let (fast, slow) = (f64::from(network.score(&sheet)), slow(&network, &sheet));
            assert!(
                (fast - slow).abs() <= 1e-4 * slow.abs().max(1.0),
                "{fast} {slow}"
            );
        }
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

fn ranks(value: &Value) -> Vec<u32> {
    numbers(value).into_iter().map(|rank| rank as u32).collect()
}

fn text(value: &Value, variant: Variant) -> TextSignals {
    let some = |name: &str, from: Variant| (variant >= from).then(|| numbers(&value[name]));
    TextSignals {
        logprob: numbers(&value["logprob"]),
        rank: (variant >= Variant::Ranks).then(|| ranks(&value["rank"])),
        rank_cap: (variant == Variant::Ranks).then_some(5),
        mean: some("mean", Variant::Moments),
        variance: some("variance", Variant::Moments),
        max_logprob: some("max_logprob", Variant::Full),
        reference: Some(numbers(&value["ref_logprob"])),
        ref_rank: (variant == Variant::Full).then(|| ranks(&value["ref_rank"])),
        ref_mean: some("ref_mean", Variant::Full),
        ref_variance: some("ref_variance", Variant::Full),
        ref_max_logprob: some("ref_max_logprob", Variant::Full),
        ..TextSignals::default()
    }
}

/// What PyTorch says of made texts with the same weights.
#[test]
fn scores_are_those_of_pytorch() {
    let file = include_str!("../../../tests/data/understudy_lm.json");
    let file: Value = serde_json::from_str(file).unwrap();
    let names = ["bare", "ranks", "moments", "full"];
    for made in file["texts"].as_array().unwrap() {
        for (variant, name) in VARIANTS.into_iter().zip(names) {
            let text = text(made, variant);
            assert_eq!(Variant::of(&text), variant);
            let score = UnderstudyLm.score(&text, &Settings::default()).unwrap();
            let wanted = made["scores"][name].as_f64().unwrap();
            assert!(
                (score - wanted).abs() <= 2e-3 * wanted.abs().max(1.0),
                "{name}: {score} {wanted}"
            );
        }
    }
}

/// However wrong the networks are about a text, `ez` decides between it and one that is far enough from it.
#[test]
fn networks_move_ez_within_bounds() {
    let most = 2.0 * BOUND / WEIGHT;
    for said in [-1e6, -3.0, 0.0, 0.5, 4.0, 1e6] {
        assert!(
            anchored(said, 0.3) >= anchored(-1e6, 0.3) && anchored(said, 0.3) <= anchored(1e6, 0.3)
        );
        assert!(anchored(-said, 0.3 + most + 1e-6) > anchored(said, 0.3));
        assert!(anchored(said, 0.4) > anchored(said, 0.3));
    }
    assert!(anchored(1.0, 0.3) > anchored(0.5, 0.3));
}

fn gains_at(gains: &[f64], ranks: &[u32]) -> Sheet {
    let text = TextSignals {
        logprob: gains.iter().map(|gain| gain - 5.0).collect(),
        reference: Some(vec![-5.0; gains.len()]),
        rank: Some(ranks.to_vec()),
        ..TextSignals::default()
    };
    Sheet::new(&text, Variant::Ranks, 0, gains.len())
}

/// ln of rises over falls where the model errs; what is infinite in `ez` is the bound.
#[test]
fn the_anchor_is_ez() {
    let close = |sheet: Sheet, wanted: f32| {
        let found = sheet.ez.unwrap();
        assert!((found - wanted).abs() < 1e-5, "{found} {wanted}");
    };
    close(
        gains_at(&[0.5, -0.25, 0.1, -3.0], &[2, 9, 4, 1]),
        (0.6f32 / 0.25).ln(),
    );
    // The size of a fine-tune's changes does not move it.
    close(
        gains_at(&[0.005, -0.0025, 0.001, -0.03], &[2, 9, 4, 1]),
        (0.6f32 / 0.25).ln(),
    );
    close(gains_at(&[0.5, -0.25], &[1, 1]), 4.0);
    close(gains_at(&[0.5, 0.25], &[2, 2]), 4.0);
    close(gains_at(&[-0.5, -0.25], &[2, 2]), -4.0);
    close(gains_at(&[0.0, 0.0], &[2, 1]), 0.0);
}

/// What is in units of the text's own mean change is the same for a fine-tune a hundred times as gentle.
#[test]
fn relative_numbers_do_not_depend_on_how_much_was_learnt() {
    let gains = [0.4, -0.2, 0.1, 0.3, -0.6];
    let gentle = gains.map(|gain| gain / 100.0);
    let (strong, gentle) = (
        gains_at(&gains, &[2, 3, 1, 5, 2]),
        gains_at(&gentle, &[2, 3, 1, 5, 2]),
    );
    let relative = |sheet: &Sheet| -> Vec<f32> {
        sheet
            .rows
            .chunks_exact(Variant::Ranks.inputs())
            .map(|row| row[6])
            .collect()
    };
    let pairs = relative(&strong).into_iter().zip(relative(&gentle));
    // Balances and ez, the mean in sizes, shares and windows; not the mean gain and the size.
    let whole = [1, 2, 3, 5, 6, 7, 8, 9].map(|k| (strong.known[k], gentle.known[k]));
    for (a, b) in pairs.chain(whole) {
        assert!((a - b).abs() < 1e-4, "{a} {b}");
    }
}

#[test]
fn longer_texts_are_read_in_windows_that_leave_nothing_out() {
    for count in [2, 3, 512, 513, 2000] {
        let text = TextSignals {
            logprob: vec![-1.0; count],
            ..TextSignals::default()
        };
        let cut = windows(&text, LONGEST).unwrap();
        assert_eq!((cut[0].0, cut[cut.len() - 1].1), (1, count));
        assert!(cut.windows(2).all(|pair| pair[0].1 == pair[1].0));
        assert!(
            cut.iter()
                .all(|(from, to)| (1..=LONGEST).contains(&(to - from)))
        );
    }
    let none = TextSignals {
        logprob: vec![-1.0],
        ..TextSignals::default()
    };
    assert!(windows(&none, LONGEST).is_err());
}

#[test]
fn infinite_and_missing_numbers_leave_a_score() {
    let mut signals = TextSignals {
        logprob: vec![-1.0, f64::NEG_INFINITY, -2.0],
        reference: Some(vec![-1.0, f64::NEG_INFINITY, f64::NEG_INFINITY]),
        rank: Some(vec![1, 900, 2]),
        ..TextSignals::default()
    };
    assert!(
        UnderstudyLm
            .score(&signals, &Settings::default())
            .unwrap()
            .is_finite()
    );
    signals.mean = Some(vec![-1.0; 3]);
    signals.variance = Some(vec![0.0; 3]);
    assert!(
        UnderstudyLm
            .score(&signals, &Settings::default())
            .unwrap()
            .is_finite()
    );
}

#[test]
fn a_shadow_with_too_few_texts_is_refused() {
    let text = TextSignals {
        logprob: vec![-1.0; 8],
        reference: Some(vec![-1.5; 8]),
        ..TextSignals::default()
    };
    let shadow: Vec<(TextSignals, bool)> = (0..60).map(|i| (text.clone(), i < 55)).collect();
    let error = teach(&shadow, Seed(0), Progress::unwatched())
        .err()
        .unwrap();
    assert!(
        error.to_string().contains("55 members and 5 non-members"),
        "{error}"
    );
}
