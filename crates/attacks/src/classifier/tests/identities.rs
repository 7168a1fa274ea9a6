//! What the mathematics says must be equal.

use super::*;

/// Ranks with ties sharing a rank: two scores with equal ranks have equal ROC curves.
fn ranks(scores: &[f64]) -> Vec<usize> {
    scores
        .iter()
        .map(|a| scores.iter().filter(|b| *b < a).count())
        .collect()
}

#[test]
fn rmia_at_gamma_one_has_the_roc_of_base1() {
    let data = random_signals(500, 8, 1);
    assert_eq!(
        ranks(&score_id("rmia", &data)),
        ranks(&score_id("base1", &data))
    );
}

#[test]
fn population_has_the_roc_of_loss() {
    let data = random_signals(500, 4, 2);
    assert_eq!(
        ranks(&score_id("population", &data)),
        ranks(&score_id("loss", &data))
    );
}

#[test]
fn base4_is_lira_from_the_switch_on() {
    let data = random_signals(200, 64, 3);
    assert_eq!(score_id("base4", &data), score_id("lira", &data));
    let fewer = random_signals(200, 63, 3);
    assert_ne!(score_id("base4", &fewer), score_id("lira", &fewer));
}

#[test]
fn bavaria_converges_to_lira_as_shadows_grow() {
    let distance = |shadows: usize, id: &str| {
        let data = random_signals(100, shadows, 4);
        let (bayes, plain) = (score_id(id, &data), score_id("lira", &data));
        let apart = bayes
            .iter()
            .zip(&plain)
            .map(|(a, b)| (a - b).abs() / (1.0 + b.abs()));
        apart.sum::<f64>() / 100.0
    };
    for id in ["bavaria-n", "bavaria-t"] {
        let (few, many) = (distance(64, id), distance(4096, id));
        assert!(many < few / 10.0 && many < 0.02, "{id}: {few} then {many}");
    }
}

#[test]
fn offline_attacks_do_not_look_at_in_shadows() {
    let data = random_signals(300, 12, 5);
    let mut blinded = data.clone();
    for (phi, keep) in blinded.phi.iter_mut().zip(&blinded.keep).skip(1) {
        for (value, inside) in phi.iter_mut().zip(keep) {
            if *inside {
                *value = 3.25;
            }
        }
    }
    for id in ["reference", "lira-offline", "rmia-offline", "base1-offline"] {
        assert_eq!(score_id(id, &data), score_id(id, &blinded), "{id}");
    }
}

#[test]
fn rmia_equals_the_matrix_of_all_pairs() {
    let data = random_signals(150, 6, 6);
    for gamma in [0.5f64, 1.0, 2.0] {
        let text = gamma.to_string();
        let fast = score_with(
            find("rmia").unwrap(),
            &data,
            &settings(&[("rmia.gamma", &text)]),
        );
        let p = |phi: f64| 1.0 / (1.0 + (-phi).exp());
        let ratio = |record: usize| {
            let column = data.column(record);
            let mean = column.phi.iter().map(|phi| p(*phi)).sum::<f64>() / 6.0;
            p(column.target) / mean
        };
        for x in 0..150 {
            let wins = (0..150)
                .filter(|&z| ratio(x) / ratio(z) > gamma && x != z)
                .count()
                + usize::from(gamma < 1.0);
            assert_eq!(fast.get(x), Some(wins as f64 / 150.0));
        }
    }
}

/// base1 to base4 by their formulas, on any statistic, one record at a time.
fn naive_base(id: &str, column: &Column, of: impl Fn(f64) -> f64) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let scatter = |values: &[f64]| {
        values
            .iter()
            .map(|x| (x - mean(values)).powi(2))
            .sum::<f64>()
    };
    let target = of(column.target);
    let inside: Vec<f64> = column.class(true).map(&of).collect();
    let outside: Vec<f64> = column.class(false).map(&of).collect();
    let all: Vec<f64> = column.phi.iter().map(|&phi| of(phi)).collect();
    let variance = |values: &[f64]| scatter(values) / values.len() as f64;
    let density =
        |values: &[f64]| stats::normal::ln_normal_pdf(target, mean(values), variance(values));
    match id {
        "base1" => target - mean(&all),
        "base1-offline" => target - 0.33 * mean(&outside),
        "base2" => (target - mean(&all)) / variance(&all),
        "base3" => {
            let pooled = (scatter(&inside) + scatter(&outside)) / all.len() as f64;
            let (one, zero) = (mean(&inside), mean(&outside));
            (one - zero) / pooled * (target - (one + zero) / 2.0)
        }
        _ => density(&inside) - density(&outside),
    }
}

#[test]
fn the_hierarchy_works_on_any_statistic() {
    let data = random_signals(200, 16, 11);
    let ln_p = |phi: f64| -(-phi).exp().ln_1p();
    let p = |phi: f64| 1.0 / (1.0 + (-phi).exp());
    let phi = |phi: f64| phi;
    let of: [(&str, &dyn Fn(f64) -> f64); 3] =
        [("loss", &ln_p), ("log-odds", &phi), ("confidence", &p)];
    for id in ["base1", "base1-offline", "base2", "base3", "base4"] {
        let usual = score_id(id, &data);
        for (name, of) in of {
            let chosen = settings(&[("base.statistic", name)]);
            let found = score_with(find(id).unwrap(), &data, &chosen);
            let found: Vec<f64> = found.iter().map(|score| score.unwrap()).collect();
            let own = if id.starts_with("base1") {
                "loss"
            } else {
                "log-odds"
            };
            if name == own {
                assert_eq!(found, usual, "{id} {name}");
                // base1 on the loss centres by the logarithm of a mean, not by a mean of logarithms.
                continue;
            }
            assert_ne!(found, usual, "{id} {name}");
            for (record, found) in found.iter().enumerate() {
                let slow = naive_base(id, &data.column(record), of);
                let close = (found - slow).abs() <= 1e-6 * slow.abs().max(1e-6);
                assert!(close, "{id} {name} {record}: {found} and {slow}");
            }
        }
    }
}

#[test]
fn confidences_near_one_keep_their_digits() {
    let phi = |value: f64| [value, value + 1.0];
    let data = signals_of(
        &phi(40.0),
        &[&phi(39.0), &phi(38.0)],
        &[&[true; 2], &[false; 2]],
    );
    let chosen = settings(&[("base.statistic", "confidence")]);
    let found = score_with(find("base1").unwrap(), &data, &chosen);
    for (record, found) in found.iter().enumerate() {
        let q = |phi: f64| (-(phi + record as f64)).exp();
        let exact = (q(39.0) + q(38.0)) / 2.0 - q(40.0);
        assert!((found.unwrap() - exact).abs() < 1e-9 * exact, "{found:?}");
    }
}

#[test]
fn records_given_as_population_are_as_their_own() {
    let mut data = random_signals(700, 8, 12);
    // Some are abstained on, in both places.
    for row in &mut data.keep[1..] {
        row[5] = true;
        row[699] = true;
    }
    let signals = data.signals();
    for id in ["population", "rmia", "rmia-offline"] {
        for pairs in [
            &[][..],
            &[("rmia.gamma", "0.5")],
            &[("rmia.gamma", "1.5")],
            &[("rmia.a", "0")],
            &[("rmia.a", "1")],
        ] {
            let settings = settings(pairs);
            let with = |population| {
                let request = Request {
                    signals: &signals,
                    population,
                    settings: &settings,
                    seed: Seed(0),
                    progress: Progress::unwatched(),
                };
                let found = run(&[find(id).unwrap()], &request).unwrap().remove(0);
                found.scores.unwrap()
            };
            let (own, given) = (with(None), with(Some(&signals)));
            assert!(own.iter().eq(given.iter()), "{id} {pairs:?}");
            let left_out = if id == "rmia-offline" { 2 } else { 0 };
            assert_eq!((own.abstained(), given.abstained()), (left_out, left_out));
        }
    }
}
