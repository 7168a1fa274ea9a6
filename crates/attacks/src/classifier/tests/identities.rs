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
