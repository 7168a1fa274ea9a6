//! One run under a loupe: who sees what, who is chosen, and where thresholds lie.

use attacks::card::{Access, Card};
use attacks::fewshot::{ATTACKS, Candidate, Features};
use base::Progress;
use stats::streams::{Seed, standard_normal, uniform};

use super::*;
use crate::Truth;
use crate::fewshot::draw::episodes;
use crate::fewshot::{Entrant, run};

fn records() -> (Features, Truth) {
    let mut stream = Seed(1).stream("features");
    let values = (0..120 * 4).map(|_| standard_normal(&mut stream)).collect();
    let truth = Truth::new((0..120).map(|row| row < 60)).unwrap();
    (Features::new(4, values).unwrap(), truth)
}

fn court<'a>(data: &'a (Features, Truth), design: &'a Design, settings: &'a Settings) -> Court<'a> {
    Court {
        records: Records {
            features: &data.0,
            truth: &data.1,
            model: None,
        },
        centre: data.0.centre(),
        design,
        settings,
    }
}

#[test]
fn the_truth_about_those_asked_changes_no_score() {
    let (data, design, settings) = (records(), Design::default(), Settings::default());
    let court = court(&data, &design, &settings);
    for mut episode in episodes(&design, &data.1, 3) {
        for attack in ATTACKS {
            let honest = court.trial(*attack, &episode, 5).unwrap();
            episode.asked_member.reverse();
            episode.asked_member.iter_mut().for_each(|one| *one = !*one);
            let lied_to = court.trial(*attack, &episode, 5).unwrap();
            assert_eq!(honest.scores, lied_to.scores);
            assert_eq!(honest.chosen, lied_to.chosen);
        }
    }
}

/// Four candidates; validation and query scores are functions of row and candidate.
struct Rigged;

static CARD: Card = Card {
    id: "rigged",
    summary: "",
    asks: "",
    why_it_works: "",
    access: Access::Features,
    when_it_misleads: "",
    paper: "",
    settings: &[],
};

struct RiggedFit(Vec<Vec<f64>>, Vec<f64>);

impl Fitted for RiggedFit {
    fn validation(&self, candidate: usize) -> Vec<f64> {
        self.0[candidate].clone()
    }

    fn asked(&self, _: usize) -> Vec<f64> {
        self.1.clone()
    }
}

impl EpisodeAttack for Rigged {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn candidates(&self, _: usize, _: &Settings) -> Vec<Candidate> {
        (0..4).map(|_| Candidate { values: vec![] }).collect()
    }

    /// The second and the fourth candidate catch three without a false positive, the third two;
    /// the second catches more in regime B than the fourth.
    fn fit(&self, _: &Task, _: &Settings) -> base::Result<Box<dyn Fitted>> {
        let labels = RIGGED_VALIDATION;
        let score = |candidate: usize| {
            let mut members = 0;
            labels
                .iter()
                .map(|&member| {
                    members += usize::from(member);
                    let first = [0, 3, 2, 3][candidate];
                    let later = [0, 4, 15, 0][candidate];
                    match member {
                        true if members <= first => 0.9,
                        true if members <= first + later => 0.55,
                        true => 0.1,
                        false => 0.5 + 0.1 * f64::from(u8::from(members == 0)),
                    }
                })
                .collect()
        };
        Ok(Box::new(RiggedFit(
            (0..4).map(score).collect(),
            vec![0.5; 30],
        )))
    }
}

/// One non-member, then all members, then the other non-members.
const RIGGED_VALIDATION: [bool; 30] = {
    let mut labels = [false; 30];
    let mut place = 1;
    while place < 16 {
        labels[place] = true;
        place += 1;
    }
    labels
};

#[test]
fn validation_chooses_by_regime_a_then_b_or_as_published() {
    let (data, settings) = (records(), Settings::default());
    for (selection, expected) in [(Selection::BothRegimes, 1), (Selection::Published, 3)] {
        let design = Design {
            selection,
            ..Design::default()
        };
        let mut episode = episodes(&design, &data.1, 1).remove(0);
        for (one, member) in episode.validation.iter_mut().zip(RIGGED_VALIDATION) {
            one.member = member;
        }
        let found = court(&data, &design, &settings).trial(&Rigged, &episode, 5);
        assert_eq!(found.unwrap().chosen, expected, "{selection:?}");
    }
}

/// Every threshold tried one by one: the lowest above which few enough non-members lie.
fn slow_count(validation: &[(f64, bool)], query: &[(f64, bool)], allowed: usize) -> [usize; 2] {
    let wrong = |t: f64| validation.iter().filter(|(s, m)| !m && *s > t).count();
    let mut thresholds: Vec<f64> = validation.iter().map(|pair| pair.0).collect();
    thresholds.push(f64::NEG_INFINITY);
    let least = thresholds.into_iter().filter(|&t| wrong(t) <= allowed);
    let least = least.fold(f64::INFINITY, f64::min);
    // Scores between two validation scores count as the upper side only above a non-member.
    let held = validation.iter().filter(|(s, m)| !m && *s <= least);
    let held = held.map(|pair| pair.0).fold(f64::NEG_INFINITY, f64::max);
    [true, false].map(|kind| {
        query
            .iter()
            .filter(|(s, m)| *m == kind && *s > held)
            .count()
    })
}

#[test]
fn thresholds_from_validation_agree_with_trying_them_all() {
    let mut stream = Seed(7).stream("scores");
    let (data, design, settings) = (records(), Design::default(), Settings::default());
    let court = court(&data, &design, &settings);
    let episode = episodes(&design, &data.1, 1).remove(0);
    for coarse in [false, true] {
        for _ in 0..200 {
            let mut draw = || -> Vec<f64> {
                let one = |_| uniform(&mut stream);
                let round = |x: f64| if coarse { (8.0 * x).floor() } else { x };
                (0..30).map(one).map(round).collect()
            };
            let (known, scores) = (draw(), draw());
            let labels = || episode.validation.iter().map(|one| one.member);
            let validation = Validation {
                roc: Roc::new(known.iter().copied().zip(labels())).unwrap(),
                nonmembers: descending(&known, labels()),
            };
            let query: Vec<(f64, bool)> = scores
                .iter()
                .copied()
                .zip(episode.asked_member.iter().copied())
                .collect();
            let pairs: Vec<(f64, bool)> = known.iter().copied().zip(labels()).collect();
            for allowed in [0, 4, 14, 15, 99] {
                let roc = Roc::new(query.iter().copied()).unwrap();
                let found = court.caught(&validation, &roc, &scores, &episode, allowed);
                let slow = slow_count(&pairs, &query, allowed as usize);
                assert_eq!([found.members as usize, found.nonmembers as usize], slow);
            }
        }
    }
}

#[test]
fn scores_that_are_no_numbers_are_refused() {
    struct Broken;
    struct BrokenFit;
    impl Fitted for BrokenFit {
        fn validation(&self, _: usize) -> Vec<f64> {
            vec![f64::NAN; 30]
        }
        fn asked(&self, _: usize) -> Vec<f64> {
            vec![f64::NAN; 30]
        }
    }
    impl EpisodeAttack for Broken {
        fn card(&self) -> &'static Card {
            &CARD
        }
        fn candidates(&self, _: usize, _: &Settings) -> Vec<Candidate> {
            vec![Candidate { values: vec![] }]
        }
        fn fit(&self, _: &Task, _: &Settings) -> base::Result<Box<dyn Fitted>> {
            Ok(Box::new(BrokenFit))
        }
    }
    let data = records();
    let given = Records {
        features: &data.0,
        truth: &data.1,
        model: None,
    };
    let entrants = [Entrant::new(&Broken, 2)];
    let settings = Settings::default();
    let error = run(
        given,
        &entrants,
        &Design::default(),
        &settings,
        Progress::unwatched(),
    )
    .unwrap_err();
    assert!(error.to_string().contains("rigged gave a score"), "{error}");
}
