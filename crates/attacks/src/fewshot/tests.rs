//! Published test vectors, slow twins, and what every few-shot attack must bear.

use super::laplacian::Graph;
use super::ls::{graph, member_shares};
use super::prototypes::{Normalise, Points, Prototypes};
use super::*;

const POINTS: [f64; 16] = [
    1.0, 0.0, 0.8, 0.2, 0.0, 1.0, 0.2, 0.6, 0.9, 0.1, 0.5, 0.45, 0.15, 0.8, 0.6, 0.3,
];
const CENTRE: [f64; 2] = [0.1, 0.05];

fn features() -> Features {
    Features::new(2, POINTS.to_vec()).unwrap()
}

fn known(rows: &[usize], members: usize) -> Vec<Labelled> {
    let one = |(place, &row): (usize, &usize)| Labelled {
        row,
        member: place < members,
    };
    rows.iter().enumerate().map(one).collect()
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-8, "{found} {expected}");
    }
}

fn set(pairs: &[(&str, &str)]) -> Settings {
    let mut chosen = Settings::default();
    for (key, value) in pairs {
        chosen
            .set(&<&dyn EpisodeAttack>::settings(), key, value)
            .unwrap();
    }
    chosen
}

/// Scores of the four asked about under the candidate written so.
fn scores(id: &str, chosen: &Settings, candidate: &str) -> Vec<f64> {
    let (features, support) = (features(), known(&[0, 1, 2, 3], 2));
    let task = Task::new(&features, &support, &[], &[4, 5, 6, 7], &CENTRE).unwrap();
    let attack = find(id).unwrap();
    // The vectors have K = 2 and try k = 5 too.
    let candidates = attack.candidates(2, chosen);
    let place = candidates
        .iter()
        .position(|one| one.to_string() == candidate);
    attack.fit(&task, chosen).unwrap().asked(place.unwrap())
}

#[test]
fn simple_shot_as_coded_reproduces_its_vectors() {
    let coded = set(&[("fes.normalise", "as-coded"), ("fes.ss.neighbours", "all")]);
    close(&scores("fes-ss", &coded, "k = 1"), &[1.0, 1.0, 0.0, 1.0]);
    close(
        &scores("fes-ss", &coded, "k = 3"),
        &[1.0, 0.37119068, 0.0, 1.0],
    );
    close(
        &scores("fes-ss", &coded, "k = 5"),
        &[0.99503197, 0.55452418, 0.00588758, 0.89214311],
    );
}

#[test]
fn simple_shot_normalised_on_both_sides_reproduces_its_vectors() {
    let all = set(&[("fes.ss.neighbours", "all")]);
    close(
        &scores("fes-ss", &all, "k = 3"),
        &[1.0, 0.64979331, 0.0, 1.0],
    );
    close(
        &scores("fes-ss", &all, "k = 5"),
        &[0.99963205, 0.58815634, 0.00108498, 0.92240455],
    );
}

/// The paper's text: the members' share of the inverse distances of the k nearest, straight from there.
#[test]
fn simple_shot_weighs_by_distance_where_asked() {
    let unit = |x: f64, y: f64| {
        let (x, y) = (x - CENTRE[0], y - CENTRE[1]);
        let length = x.hypot(y);
        [x / length, y / length]
    };
    let point = |row: usize| unit(POINTS[2 * row], POINTS[2 * row + 1]);
    let middle = |a: [f64; 2], b: [f64; 2]| [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0];
    let mut known: Vec<([f64; 2], bool)> = (0..4).map(|row| (point(row), row < 2)).collect();
    known.push((middle(point(2), point(3)), false));
    known.push((middle(point(0), point(1)), true));
    let slow = |row: usize, number: usize| {
        let at = point(row);
        let mut near: Vec<(f64, bool)> = known
            .iter()
            .map(|(other, member)| ((at[0] - other[0]).hypot(at[1] - other[1]), *member))
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let weigh = |member: bool| -> f64 {
            let chosen = near[..number].iter().filter(|one| !member || one.1);
            chosen.map(|one| 1.0 / one.0).sum()
        };
        weigh(true) / weigh(false)
    };
    let chosen = set(&[("fes.ss.neighbours", "all"), ("fes.ss.weights", "distance")]);
    for number in [1, 3, 5] {
        let wanted: Vec<f64> = (4..8).map(|row| slow(row, number)).collect();
        let found = scores("fes-ss", &chosen, &format!("k = {number}"));
        close(&found, &wanted);
    }
    let coded = set(&[("fes.ss.neighbours", "all"), ("fes.ss.weights", "squared")]);
    let usual = set(&[("fes.ss.neighbours", "all")]);
    let (coded, usual) = (
        scores("fes-ss", &coded, "k = 5"),
        scores("fes-ss", &usual, "k = 5"),
    );
    assert_eq!(coded, usual);
    assert_ne!(scores("fes-ss", &chosen, "k = 5"), usual);
}

/// Steps, energy and scores of the four asked about.
fn settled(
    normalise: Normalise,
    centres: bool,
    near: usize,
    lambda: f64,
) -> (usize, f64, Vec<f64>) {
    let (features, support) = (features(), known(&[0, 1, 2, 3], 2));
    let task = Task::new(&features, &support, &[], &[4, 5, 6, 7], &CENTRE).unwrap();
    let prototypes = if centres {
        Prototypes::centres(&task, normalise)
    } else {
        Prototypes::new(&task, normalise)
    };
    let points = Points::new(&task, [4, 5, 6, 7].into_iter(), normalise);
    let (shares, steps, energy) = graph(&points, &prototypes).trace(near, lambda);
    (steps, energy, member_shares(&shares, &prototypes.member))
}

#[test]
fn laplacian_shot_as_coded_reproduces_its_vectors() {
    let (steps, energy, scores) = settled(Normalise::Nothing, false, 2, 1.5);
    assert_eq!(steps, 16);
    close(&[energy], &[-7.8494420359]);
    close(&scores, &[0.76266092, 0.48649934, 0.29914790, 0.64276921]);
    let (steps, energy, scores) = settled(Normalise::Nothing, false, 1, 1.0);
    assert_eq!(steps, 5);
    close(&[energy], &[-6.4319474966]);
    close(&scores, &[0.75678219, 0.51695224, 0.27165231, 0.59116345]);
}

#[test]
fn the_original_laplacian_shot_reproduces_its_vector() {
    let (steps, energy, scores) = settled(Normalise::CentredLength, true, 2, 1.0);
    assert_eq!(steps, 20);
    close(&[energy], &[-5.2210613286]);
    close(&scores, &[0.94147597, 0.61717396, 0.33174542, 0.88081554]);
}

#[test]
fn the_attack_itself_gives_the_vector_of_the_published_code() {
    let coded = set(&[("fes.normalise", "as-coded")]);
    close(
        &scores("fes-ls", &coded, "knn = 3, lambda = 1.5"),
        &[0.76266092, 0.48649934, 0.29914790, 0.64276921],
    );
}

/// The updates written out with matrices and logarithms.
fn slow(unaries: &[f64], width: usize, near: &[Vec<usize>], lambda: f64) -> (Vec<f64>, f64) {
    let records = near.len();
    let softmax = |pull: &[f64]| -> Vec<f64> {
        let mut all = Vec::new();
        for q in 0..records {
            let weights: Vec<f64> = (0..width)
                .map(|j| (lambda * pull[q * width + j] - unaries[q * width + j]).exp())
                .collect();
            let sum: f64 = weights.iter().sum();
            all.extend(weights.iter().map(|weight| weight / sum));
        }
        all
    };
    let pull = |shares: &[f64]| -> Vec<f64> {
        let one = |place: usize| {
            let (q, j) = (place / width, place % width);
            near[q].iter().map(|p| shares[p * width + j]).sum()
        };
        (0..records * width).map(one).collect()
    };
    let mut shares = softmax(&vec![0.0; records * width]);
    let mut energy = f64::INFINITY;
    for step in 0..20 {
        shares = softmax(&pull(&shares));
        let last = energy;
        let leaning = pull(&shares);
        energy = (0..shares.len())
            .map(|i| {
                let y = shares[i];
                y * y.max(1e-20).ln() + unaries[i] * y - lambda * leaning[i] * y
            })
            .sum();
        if step > 1 && (energy - last).abs() <= 1e-6 * last.abs() {
            break;
        }
    }
    (shares, energy)
}

#[test]
fn bound_updates_agree_with_their_slow_twin() {
    let mut stream = stats::streams::Seed(4).stream("points");
    let mut draw = |count: usize| -> Vec<f64> {
        (0..count)
            .map(|_| 3.0 * stats::streams::uniform(&mut stream))
            .collect()
    };
    for (records, width, near, lambda) in [(9, 2, 4, 1.5), (30, 22, 14, 2.9), (2, 4, 1, 0.5)] {
        let unaries = draw(records * width);
        let between = draw(records * records);
        let lists: Vec<Vec<usize>> = (0..records)
            .map(|q| {
                let mut others: Vec<usize> = (0..records).filter(|&p| p != q).collect();
                others.sort_by(|&a, &b| {
                    between[q * records + a].total_cmp(&between[q * records + b])
                });
                others.truncate(near);
                others
            })
            .collect();
        let (shares, energy) = slow(&unaries, width, &lists, lambda);
        let found = Graph::new(&unaries, width, &between, 14).trace(near, lambda);
        close(&found.0, &shares);
        close(&[found.2], &[energy]);
    }
}

fn all_scores(attack: &dyn EpisodeAttack, task: &Task, chosen: &Settings) -> Vec<Vec<f64>> {
    let candidates = attack.candidates(task.support.len() / 2, chosen);
    let fitted = attack.fit(task, chosen).unwrap();
    (0..candidates.len())
        .flat_map(|place| [fitted.validation(place), fitted.asked(place)])
        .collect()
}

fn every_choice() -> Vec<Settings> {
    let normalise = ["cl2n", "l2", "none", "as-coded"];
    let choices = normalise.map(|value| set(&[("fes.normalise", value)]));
    let dhillon = set(&[("fes.tt.style", "dhillon"), ("fes.ss.neighbours", "all")]);
    choices.into_iter().chain([dhillon]).collect()
}

#[test]
fn constant_duplicate_and_huge_features_give_probabilities() {
    let rows: [&dyn Fn(usize) -> f64; 4] = [
        &|_| 3.5,
        &|row| (row % 2) as f64,
        &|row| 1e90 * row as f64,
        &|row| 1e-200 * row as f64,
    ];
    for value in rows {
        let values = (0..12).flat_map(|row| [value(row), -value(row)]).collect();
        let features = Features::new(2, values).unwrap();
        let centre = features.centre();
        for support in [known(&[0, 1], 1), known(&[0, 2, 1, 3], 2)] {
            let validation = known(&[4, 5, 6], 1);
            let task = Task::new(&features, &support, &validation, &[7, 8, 9], &centre).unwrap();
            for (attack, chosen) in ATTACKS
                .iter()
                .flat_map(|attack| every_choice().into_iter().map(move |one| (attack, one)))
            {
                for scores in all_scores(*attack, &task, &chosen) {
                    assert_eq!(scores.len(), 3);
                    assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
                }
            }
        }
    }
}

#[test]
fn constant_features_tie_at_one_half() {
    let features = Features::new(3, vec![2.0; 60]).unwrap();
    let centre = features.centre();
    let support = known(&[0, 1, 2, 3, 4, 5], 3);
    let validation = known(&[6, 7], 1);
    let task = Task::new(&features, &support, &validation, &[8, 9, 10], &centre).unwrap();
    for attack in ATTACKS {
        for scores in all_scores(*attack, &task, &Settings::default()) {
            let id = attack.card().id;
            assert!(
                scores.iter().all(|score| *score == scores[0]),
                "{id}: {scores:?}"
            );
            // Adam makes steps of ordinary size of what rounding leaves of a gradient of zero.
            assert!((scores[0] - 0.5).abs() < 1e-4, "{id}: {scores:?}");
        }
    }
}

#[test]
fn a_point_at_no_distance_decides_alone() {
    let features = Features::new(1, vec![1.0, 2.0, 5.0, 6.0, 1.0, 5.0]).unwrap();
    let support = known(&[0, 1, 2, 3], 2);
    let none = set(&[("fes.normalise", "none")]);
    let task = Task::new(&features, &support, &[], &[4, 5], &[0.0]).unwrap();
    for scores in all_scores(find("fes-ss").unwrap(), &task, &none) {
        assert!(scores.is_empty() || scores == [1.0, 0.0]);
    }
}

#[test]
fn one_record_asked_about_is_judged() {
    let (features, support) = (features(), known(&[0, 2], 1));
    let task = Task::new(&features, &support, &[], &[4], &CENTRE).unwrap();
    for attack in ATTACKS {
        let scores = all_scores(*attack, &task, &Settings::default());
        assert!(scores.iter().skip(1).step_by(2).all(|one| one.len() == 1));
    }
}

/// The order in which records are asked about moves scores along and changes none.
#[test]
fn scores_follow_their_records() {
    let (features, support) = (features(), known(&[0, 1, 2, 3], 2));
    let asked = [[4, 5, 6, 7], [7, 5, 4, 6]];
    for attack in ATTACKS {
        let [one, other] = asked.map(|rows| {
            let task = Task::new(&features, &support, &[], &rows, &CENTRE).unwrap();
            let chosen = Settings::default();
            let fitted = attack.fit(&task, &chosen).unwrap();
            fitted.asked(0)
        });
        let moved = [other[2], other[1], other[3], other[0]];
        for (found, expected) in one.iter().zip(moved) {
            assert!((found - expected).abs() < 1e-12, "{}", attack.card().id);
        }
    }
}

#[test]
fn what_is_no_task_is_refused() {
    let (features, support) = (features(), known(&[0, 2], 1));
    let one_kind = known(&[0, 1], 2);
    assert!(Task::new(&features, &one_kind, &[], &[4], &CENTRE).is_err());
    assert!(Task::new(&features, &support, &[], &[4], &[0.0]).is_err());
    let error = Task::new(&features, &support, &[], &[8], &CENTRE)
        .err()
        .unwrap();
    assert!(error.to_string().contains("row 8"), "{error}");
}

#[test]
fn grids_are_the_published_ones() {
    let numbers = |id: &str, shots| {
        find(id)
            .unwrap()
            .candidates(shots, &Settings::default())
            .len()
    };
    assert_eq!([1, 5, 10].map(|shots| numbers("fes-ss", shots)), [1, 3, 6]);
    assert_eq!((numbers("fes-ls", 5), numbers("fes-tt", 5)), (49, 6));
    let all = set(&[("fes.ss.neighbours", "all")]);
    let simple = find("fes-ss").unwrap();
    assert_eq!(
        [1, 5].map(|shots| simple.candidates(shots, &all).len()),
        [1, 6]
    );
    let settled = simple.candidates(5, &Settings::default());
    assert_eq!(settled[2].to_string(), "k = 5");
}

/// A model that answers with what it was asked.
struct Mirror;

impl WhiteBox for Mirror {
    fn fine_tune(&self, lesson: &Lesson) -> Result<Vec<Tuned>> {
        assert_eq!(lesson.recipe.learning_rate, 5e-5);
        let share = |temperature: &f64| Tuned {
            validation: vec![1.0 / temperature; lesson.validation.len()],
            asked: lesson.asked.iter().map(|&row| row as f64 / 10.0).collect(),
        };
        Ok(lesson.temperatures.iter().map(share).collect())
    }
}

#[test]
fn a_model_that_is_given_is_tuned_in_the_head_s_place() {
    let (features, support) = (features(), known(&[0, 1, 2, 3], 2));
    let validation = known(&[4, 5], 1);
    let task = Task::new(&features, &support, &validation, &[6, 7], &CENTRE).unwrap();
    let task = task.with_model(Some(&Mirror));
    let tuning = find("fes-tt").unwrap();
    let scores = all_scores(tuning, &task, &Settings::default());
    assert_eq!(scores.len(), 12);
    assert_eq!(scores[..2], [vec![1.0 / 7.0; 2], vec![0.6, 0.7]]);
    // The others have no use for weights.
    for attack in &ATTACKS[..2] {
        let without = all_scores(*attack, &task.with_model(None), &Settings::default());
        assert_eq!(all_scores(*attack, &task, &Settings::default()), without);
    }
}
