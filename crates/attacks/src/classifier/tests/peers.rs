//! The published codes' own outputs on the same inputs.

use serde_json::Value;

use super::*;
use crate::signals::shadow::Rescale;

fn file() -> Value {
    serde_json::from_str(include_str!("../../../tests/data/peers.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap()],
    }
}

const MODELS: usize = 9;
const RECORDS: usize = 60;
const AUGMENTATIONS: usize = 2;
const CLASSES: usize = 5;

/// Nine models' logits; the published code audits the last.
fn lira_signals(file: &Value) -> ShadowSignals {
    let logits: Vec<u8> = numbers(&file["logits"])
        .iter()
        .flat_map(|x| (*x as f32).to_le_bytes())
        .collect();
    let bytes = Bytes::new(logits);
    let labels: Vec<u32> = numbers(&file["labels"]).iter().map(|x| *x as u32).collect();
    let keep = numbers(&file["keep"]);
    let planes = (0..MODELS)
        .map(|model| Plane {
            bytes: bytes.clone(),
            number: Number::F32,
            big_endian: false,
            offset: model * RECORDS * AUGMENTATIONS * CLASSES * 4,
            record_stride: AUGMENTATIONS * CLASSES * 4,
            augmentation_stride: CLASSES * 4,
            class_stride: 4,
        })
        .collect();
    ShadowSignals {
        outputs: Arc::new(ModelOutputs {
            planes,
            meaning: Meaning::Logits {
                labels: labels.into(),
                classes: CLASSES,
            },
            records: RECORDS,
            augmentations: AUGMENTATIONS,
            labels: None,
            levels: None,
            right: None,
        }),
        target: MODELS - 1,
        shadows: (0..MODELS - 1).collect(),
        members: (0..MODELS - 1)
            .map(|model| MemberRow::from_fn(RECORDS, |i| keep[model * RECORDS + i] == 1.0))
            .collect(),
    }
}

fn run_one(
    id: &str,
    signals: &ShadowSignals,
    population: Option<&ShadowSignals>,
    settings: &Settings,
) -> Vec<f64> {
    let request = Request {
        signals,
        population,
        settings,
        seed: Seed(0),
        progress: Progress::unwatched(),
    };
    let outcome = run(&[find(id).unwrap()], &request).unwrap().remove(0);
    outcome
        .scores
        .unwrap()
        .iter()
        .map(|score| score.unwrap())
        .collect()
}

fn assert_close(got: &[f64], want: &[f64], tolerance: f64, name: &str) {
    assert_eq!(got.len(), want.len());
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let error = (got - want).abs() / want.abs().max(1.0);
        assert!(error < tolerance, "{name}[{i}]: {got} instead of {want}");
    }
}

#[test]
fn the_rescaled_logits_are_the_published_ones() {
    let file = file();
    let signals = lira_signals(&file);
    let want = numbers(&file["lira_scores"]);
    for model in 0..MODELS {
        for augmentation in 0..AUGMENTATIONS {
            let mut got = vec![0.0; RECORDS];
            signals.outputs.phi(
                model,
                0..RECORDS,
                augmentation,
                Rescale::Published,
                &mut got,
            );
            for (record, got) in got.iter().enumerate() {
                let want = want[(model * RECORDS + record) * AUGMENTATIONS + augmentation];
                assert!(
                    (got - want).abs() < 1e-6 * want.abs().max(1.0),
                    "{got} {want}"
                );
            }
        }
    }
}

#[test]
fn lira_reference_is_the_published_code() {
    let file = file();
    let signals = lira_signals(&file);
    assert_published(&file, &signals, 1e-5);
}

/// The same from the published φ: the single-precision exponential differs between machines, so
/// this is where every digit can be asked for.
#[test]
fn lira_reference_is_the_published_code_to_the_digit() {
    let file = file();
    let mut signals = lira_signals(&file);
    let phi = numbers(&file["lira_scores"]);
    let bytes = Bytes::new(
        phi.iter()
            .flat_map(|x| x.to_le_bytes())
            .collect::<Vec<u8>>(),
    );
    let planes = (0..MODELS)
        .map(|model| Plane {
            bytes: bytes.clone(),
            offset: model * RECORDS * AUGMENTATIONS * 8,
            record_stride: AUGMENTATIONS * 8,
            augmentation_stride: 8,
            ..plane(&[])
        })
        .collect();
    signals.outputs = Arc::new(ModelOutputs {
        planes,
        meaning: Meaning::Phi,
        records: RECORDS,
        augmentations: AUGMENTATIONS,
        labels: None,
        levels: None,
        right: None,
    });
    assert_published(&file, &signals, 1e-12);
}

/// The published predictions are low for members; ours are high.
fn assert_published(file: &Value, signals: &ShadowSignals, tolerance: f64) {
    for (name, access, variance) in [
        ("ref_online", "online", "plain"),
        ("ref_online_fixed", "online", "fixed"),
        ("ref_offline", "offline", "plain"),
        ("ref_offline_fixed", "offline", "fixed"),
    ] {
        let settings = settings(&[
            ("lira-reference.access", access),
            ("lira-reference.variance", variance),
        ]);
        let got = run_one("lira-reference", signals, None, &settings);
        let want: Vec<f64> = numbers(&file[name]).iter().map(|x| -x).collect();
        assert_close(&got, &want, tolerance, name);
    }
}

/// ML Privacy Meter: ten models in pairs, the first audited, its pair left out, p(z) the mean of
/// the upper half of the references.
#[test]
fn rmia_offline_is_privacy_meters_under_its_convention() {
    let file = file();
    let shadows: Vec<usize> = (2..10).collect();
    let matrix = |key: &str| -> Vec<Vec<f64>> {
        file[key].as_array().unwrap().iter().map(numbers).collect()
    };
    let keep = matrix("pm_keep");
    let build = |samples: &[Vec<f64>], inside: &dyn Fn(usize, usize) -> bool| ShadowSignals {
        outputs: Arc::new(ModelOutputs {
            planes: (0..10)
                .map(|model| plane(&samples.iter().map(|row| row[model]).collect::<Vec<_>>()))
                .collect(),
            meaning: Meaning::Probability,
            records: samples.len(),
            augmentations: 1,
            labels: None,
            levels: None,
            right: None,
        }),
        target: 0,
        shadows: shadows.clone(),
        members: shadows
            .iter()
            .map(|&model| MemberRow::from_fn(samples.len(), |record| inside(record, model)))
            .collect(),
    };
    let records = matrix("pm_signals");
    let signals = build(&records, &|record, model| keep[record][model] == 1.0);
    let population = matrix("pm_population");
    // Marking the lower half as IN leaves the upper half as OUT: their convention, in our terms.
    let in_lower_half = |record: usize, model: usize| {
        let row = &population[record];
        let above = shadows
            .iter()
            .filter(|&&other| row[other] > row[model])
            .count();
        above >= 4
    };
    let population = build(&population, &in_lower_half);
    for a in ["0.0", "0.3", "1.0"] {
        let got = run_one(
            "rmia-offline",
            &signals,
            Some(&population),
            &settings(&[("rmia.a", a)]),
        );
        assert_close(&got, &numbers(&file[format!("pm_rmia_a{a}")]), 1e-12, a);
    }
}
