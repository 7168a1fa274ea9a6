//! Audits whose shadows never trained on an audited record: what comes from reference records, against
//! slow twins, and what is refused without them.

use stats::normal::ln_normal_pdf;
use stats::special::ln_sigmoid;
use stats::streams::shuffle;
use stats::student::ln_student_t_pdf;

use super::*;
use crate::card::Access;
use crate::scores::Abstention;
use base::ErrorKind;

/// Audited records that no shadow trained on, and reference records that the target did not.
struct Offline {
    audited: Data,
    references: Data,
}

/// Records that differ in how hard they are and in how much of them leaks: hard ones leak more.
fn offline(records: usize, references: usize, shadows: usize, leak: f64, seed: u64) -> Offline {
    let mut rng = Seed(seed).stream("offline signals");
    let mut data = |count: usize, trains: &dyn Fn(usize) -> bool| {
        let hard: Vec<(f64, f64)> = (0..count)
            .map(|_| (standard_normal(&mut rng), standard_normal(&mut rng)))
            .collect();
        let mut data = Data {
            phi: Vec::new(),
            keep: Vec::new(),
        };
        for model in 0..=shadows {
            let keep: Vec<bool> = (0..count)
                .map(|_| uniform(&mut rng) < 0.5 && trains(model))
                .collect();
            let phi = hard.iter().zip(&keep).map(|((difficulty, gain), &kept)| {
                let gain = leak * (0.3 * gain - 0.4 * difficulty).exp();
                2.0 + 2.0 * difficulty
                    + gain * f64::from(u8::from(kept))
                    + standard_normal(&mut rng)
            });
            data.phi.push(phi.collect());
            data.keep.push(keep);
        }
        data
    };
    Offline {
        audited: data(records, &|model| model == 0),
        references: data(references, &|model| model > 0),
    }
}

impl Offline {
    fn outcome(&self, id: &str, settings: &Settings, given: bool) -> base::Result<Scores> {
        let (signals, population) = (self.audited.signals(), self.references.signals());
        let request = Request {
            signals: &signals,
            population: given.then_some(&population),
            settings,
            seed: Seed(0),
            progress: Progress::unwatched(),
        };
        run(&[find(id)?], &request)?.remove(0).scores
    }

    fn scores(&self, id: &str) -> Vec<f64> {
        let scores = self.outcome(id, &Settings::default(), true).unwrap();
        scores.iter().map(|score| score.unwrap()).collect()
    }

    fn auc(&self, id: &str) -> f64 {
        naive_auc(&self.scores(id), &self.audited.keep[0])
    }

    /// All observations of reference records by shadows that did or did not train on them.
    fn observed(&self, inside: bool) -> Vec<f64> {
        let records = 0..self.references.phi[0].len();
        let columns = records.map(|record| self.references.column(record));
        columns
            .flat_map(|column| column.class(inside).collect::<Vec<f64>>())
            .collect()
    }
}

fn mean_and_variance(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    (mean, variance)
}

fn close(fast: &[f64], slow: &[f64]) {
    for (record, (fast, slow)) in fast.iter().zip(slow).enumerate() {
        let apart = (fast - slow).abs();
        assert!(
            apart < 1e-9 * slow.abs().max(1.0),
            "{record}: {fast} {slow}"
        );
    }
}

#[test]
fn bavarias_priors_are_those_of_the_reference_records() {
    let data = offline(60, 90, 6, 2.0, 1);
    let (in_mean, in_variance) = mean_and_variance(&data.observed(true));
    let (out_mean, out_variance) = mean_and_variance(&data.observed(false));
    // κ = 1, α = 2, β = variance · (α − 1); nothing was seen IN, so that side is the prior.
    let record = |record: usize| {
        let column = data.audited.column(record);
        let n = column.phi.len() as f64;
        let (mean, variance) = mean_and_variance(&column.phi);
        let beta = out_variance + 0.5 * (n * variance + n / (1.0 + n) * (mean - out_mean).powi(2));
        (column.target, n, mean, beta)
    };
    let records = 0..60;
    let normal: Vec<f64> = records
        .clone()
        .map(|place| {
            let (phi, n, mean, beta) = record(place);
            let variance = beta / (2.0 + n / 2.0 - 1.0);
            ln_normal_pdf(phi, in_mean, in_variance) - ln_normal_pdf(phi, mean, variance)
        })
        .collect();
    let student: Vec<f64> = records
        .map(|place| {
            let (phi, n, mean, beta) = record(place);
            let (kappa, alpha) = (1.0 + n, 2.0 + n / 2.0);
            let centre = (out_mean + n * mean) / kappa;
            let scale = beta * (kappa + 1.0) / (alpha * kappa);
            ln_student_t_pdf(phi, 4.0, in_mean, in_variance * 2.0 / 2.0)
                - ln_student_t_pdf(phi, 2.0 * alpha, centre, scale)
        })
        .collect();
    close(&data.scores("bavaria-n-offline"), &normal);
    close(&data.scores("bavaria-t-offline"), &student);
}

#[test]
fn base2_and_base3_are_those_of_equation_20() {
    let data = offline(60, 90, 6, 2.0, 2);
    let gains = (0..90).filter_map(|record| {
        let column = data.references.column(record);
        let class = |inside| column.class(inside).collect::<Vec<f64>>();
        let (inside, outside) = (class(true), class(false));
        let both = !inside.is_empty() && !outside.is_empty();
        both.then(|| mean_and_variance(&inside).0 - mean_and_variance(&outside).0)
    });
    let shift = mean_and_variance(&gains.collect::<Vec<f64>>()).0;
    let scored = |score: &dyn Fn(f64, f64, f64) -> f64| -> Vec<f64> {
        let columns = (0..60).map(|record| data.audited.column(record));
        columns
            .map(|column| {
                let (mean, variance) = mean_and_variance(&column.phi);
                score(column.target, mean, variance)
            })
            .collect()
    };
    let third = scored(&|phi, mean, variance| shift / variance * (phi - mean - shift / 2.0));
    close(&data.scores("base3-offline"), &third);
    let second = scored(&|phi, mean, variance| (phi - mean) / variance);
    close(&data.scores("base2-offline"), &second);
    // Where all shadows are OUT, the pool is theirs.
    close(&data.scores("base2"), &second);
    // The same test of another statistic, with that one's shift.
    let settings = settings(&[("base.statistic", "loss")]);
    let losses = Offline {
        audited: mapped(&data.audited, ln_sigmoid),
        references: mapped(&data.references, ln_sigmoid),
    };
    let found = data.outcome("base3-offline", &settings, true).unwrap();
    let found: Vec<f64> = found.iter().map(|score| score.unwrap()).collect();
    close(&found, &losses.scores("base3-offline"));
}

fn mapped(data: &Data, of: fn(f64) -> f64) -> Data {
    let row = |row: &Vec<f64>| row.iter().map(|&phi| of(phi)).collect();
    Data {
        phi: data.phi.iter().map(row).collect(),
        keep: data.keep.clone(),
    }
}

#[test]
fn rmias_slope_is_the_best_for_shadows_in_the_targets_place() {
    for (leak, seed) in [(0.5, 3), (2.5, 4), (6.0, 5)] {
        let data = offline(80, 150, 6, leak, seed);
        let p = |phi: f64| 1.0 / (1.0 + (-phi).exp());
        let auc = |shadow: usize, slope: f64| {
            let (mut scores, mut member) = (Vec::new(), Vec::new());
            for record in 0..150 {
                let column = data.references.column(record);
                let others = (0..6).filter(|&k| k != shadow && !column.inside[k]);
                let others: Vec<f64> = others.map(|k| p(column.phi[k])).collect();
                if others.is_empty() {
                    continue;
                }
                let mean = others.iter().sum::<f64>() / others.len() as f64;
                let guessed = (1.0 + slope) / 2.0 * mean + (1.0 - slope) / 2.0;
                scores.push((p(column.phi[shadow]) / guessed).ln());
                member.push(column.inside[shadow]);
            }
            naive_auc(&scores, &member)
        };
        let (mut best, mut most) = (0.0, 0.0);
        for tenth in 0..=10 {
            let slope = f64::from(tenth) / 10.0;
            let sum: f64 = (0..6).map(|shadow| auc(shadow, slope)).sum();
            if sum > most + 1e-12 {
                (best, most) = (slope, sum);
            }
        }
        let told = settings(&[("rmia.a", &best.to_string())]);
        let told = data.outcome("rmia-offline", &told, true).unwrap();
        let told: Vec<f64> = told.iter().map(|score| score.unwrap()).collect();
        assert_eq!(data.scores("rmia-offline"), told, "{best}");
    }
}

/// BaVarIA whose IN prior is the OUT one: all that could be had without reference records.
fn without_references(data: &Offline) -> f64 {
    let all: Vec<f64> = data.audited.phi[1..].concat();
    let (prior_mean, prior) = mean_and_variance(&all);
    let score = |record: usize| {
        let column = data.audited.column(record);
        let n = column.phi.len() as f64;
        let (mean, variance) = mean_and_variance(&column.phi);
        let beta = prior + 0.5 * (n * variance + n / (1.0 + n) * (mean - prior_mean).powi(2));
        let variance = beta / (1.0 + n / 2.0);
        ln_normal_pdf(column.target, prior_mean, prior)
            - ln_normal_pdf(column.target, mean, variance)
    };
    let scores: Vec<f64> = (0..data.audited.phi[0].len()).map(score).collect();
    naive_auc(&scores, &data.audited.keep[0])
}

#[test]
fn reference_records_make_the_offline_attacks_better() {
    for seed in 10..14 {
        let data = offline(1500, 1500, 8, 2.0, seed);
        let with = data.auc("bavaria-n-offline");
        let without = without_references(&data);
        assert!(with > without + 0.02, "{with} with, {without} without");
        let (ours, simple) = (data.auc("understudy-offline"), data.auc("base1-offline"));
        assert!(ours > simple, "{ours} against {simple}");
    }
}

#[test]
fn no_leak_gives_chance() {
    for seed in 20..23 {
        let silent = offline(1500, 1500, 8, 0.0, seed);
        // Shadows learn and the target does not: what shadows teach finds nothing in it.
        let mut untaught = offline(1500, 1500, 8, 3.0, seed);
        let mut rng = Seed(seed).stream("other truth");
        shuffle(&mut rng, &mut untaught.audited.keep[0]);
        for data in [&silent, &untaught] {
            for &attack in ATTACKS.iter().filter(|attack| runs(**attack)) {
                let id = attack.card().id;
                let auc = data.auc(id);
                assert!((auc - 0.5).abs() < 0.065, "{id}: {auc}");
            }
        }
    }
}

/// Whether an attack is for audits without IN shadows.
fn runs(attack: &'static dyn ShadowAttack) -> bool {
    // One logit of two classes tells all that these look at, and labels are all the same.
    let target_alone = attack.card().access == Access::TargetOnly;
    !attack.needs_inside(&Settings::default()) && !target_alone
}

#[test]
fn what_needs_in_shadows_is_left_out_with_words_and_the_rest_judges_every_record() {
    let data = offline(120, 150, 6, 2.0, 30);
    for &attack in ATTACKS {
        let id = attack.card().id;
        let found = data.outcome(id, &Settings::default(), true);
        match attack.needs_inside(&Settings::default()) {
            true => {
                let error = found.unwrap_err();
                assert_eq!(error.kind, ErrorKind::MissingAccess, "{id}");
                assert!(error.message.contains("offline audit"), "{id}: {error}");
                assert!(error.hint.is_some(), "{id}");
            }
            false => assert_eq!(found.unwrap().abstained(), 0, "{id}"),
        }
    }
    let published = settings(&[("lira-reference.access", "offline")]);
    assert!(data.outcome("lira-reference", &published, false).is_ok());
}

#[test]
fn without_reference_records_nothing_is_made_up() {
    let data = offline(120, 150, 6, 2.0, 31);
    let mut never = offline(120, 150, 6, 2.0, 31);
    never.references.keep[1..]
        .iter_mut()
        .for_each(|row| row.fill(false));
    let usual = Settings::default();
    for id in [
        "bavaria-n-offline",
        "bavaria-t-offline",
        "base3-offline",
        "understudy-offline",
    ] {
        for (data, given) in [(&data, false), (&never, true)] {
            let error = data.outcome(id, &usual, given).unwrap_err();
            assert_eq!(error.kind, ErrorKind::MissingAccess, "{id}");
            assert!(error.hint.unwrap().contains("--population"), "{id}");
        }
    }
    // The published number stands where nothing tells a better one.
    let told = data.outcome("rmia-offline", &settings(&[("rmia.a", "0.3")]), false);
    let usual = data.outcome("rmia-offline", &usual, false);
    assert!(told.unwrap().iter().eq(usual.unwrap().iter()));
}

#[test]
fn records_in_shadows_teach_themselves_and_references_stay_a_population() {
    let online = random_signals(200, 8, 32);
    let mut others = random_signals(150, 8, 33).signals();
    others.target = 0;
    let signals = online.signals();
    for id in [
        "bavaria-t",
        "bavaria-n-offline",
        "base3-offline",
        "understudy-offline",
    ] {
        let usual = Settings::default();
        let request = |population| Request {
            signals: &signals,
            population,
            settings: &usual,
            seed: Seed(0),
            progress: Progress::unwatched(),
        };
        let score = |population| {
            let mut found = run(&[find(id).unwrap()], &request(population)).unwrap();
            found.remove(0).scores.unwrap()
        };
        assert!(score(None).iter().eq(score(Some(&others)).iter()), "{id}");
    }
}

#[test]
fn order_and_threads_change_nothing_offline() {
    let data = offline(700, 800, 8, 2.0, 34);
    let order: Vec<usize> = (0..700).map(|i| i * 37 % 700).collect();
    let permuted = Offline {
        audited: data.audited.permuted(&order),
        references: data.references.clone(),
    };
    let with_threads = |threads: usize, id: &str| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| data.scores(id))
    };
    for &attack in ATTACKS.iter().filter(|attack| runs(**attack)) {
        let id = attack.card().id;
        let plain = with_threads(1, id);
        assert_eq!(plain, with_threads(3, id), "{id}");
        let moved = permuted.scores(id);
        let back: Vec<f64> = order.iter().map(|&record| plain[record]).collect();
        close(&moved, &back);
    }
}

#[test]
fn a_record_without_out_shadows_is_no_reference_of_what_is_out() {
    let mut data = offline(80, 120, 5, 2.0, 35);
    data.references.keep[1..]
        .iter_mut()
        .for_each(|row| row[7] = true);
    for id in ["rmia-offline", "base3-offline", "understudy-offline"] {
        assert!(
            data.scores(id).iter().all(|score| score.is_finite()),
            "{id}"
        );
    }
    let usual = Settings::default();
    let answer = data
        .outcome("lira-offline", &usual, true)
        .unwrap()
        .answer(0);
    assert_ne!(answer, Err(Abstention::NoOutShadow));
}
