//! Simulated people with 1 to 30 records each, for tests and for the table of docs/guide-persons.md.

// Tests and table each take what they need of this.
#![allow(dead_code)]

use attacks::scores::Scores;
use guestlist_judge::persons::Groups;
use guestlist_judge::{Options, Truth};
use stats::normal::{normal_cdf, normal_quantile};
use stats::streams::{Seed, below, standard_normal};

/// Scores are standard normal: a part of the variance is the person's own and shared by all of the
/// person's records; members lie higher by `lift`.
#[derive(Clone, Copy)]
pub struct World {
    pub people: usize,
    pub shared: f64,
    pub lift: f64,
    /// The most records that a person has.
    pub most: u32,
}

pub struct Drawn {
    pub scores: Scores,
    pub truth: Truth,
    pub groups: Groups,
}

impl World {
    /// The first half of the people are members.
    pub fn draw(&self, run: u64) -> Drawn {
        let mut rng = Seed(11).numbered("people", run);
        let (mut scores, mut member, mut person_of) = (Vec::new(), Vec::new(), Vec::new());
        for person in 0..self.people {
            let is_member = person < self.people / 2;
            let own = standard_normal(&mut rng) * self.shared.sqrt();
            for _ in 0..1 + below(&mut rng, self.most) {
                let noise = standard_normal(&mut rng) * (1.0 - self.shared).sqrt();
                let lift = if is_member { self.lift } else { 0.0 };
                scores.push(Ok(own + noise + lift));
                member.push(is_member);
                person_of.push(Some(person));
            }
        }
        Drawn {
            scores: scores.into_iter().collect(),
            truth: Truth::new(member).expect("people of both kinds"),
            groups: Groups::new("person", person_of),
        }
    }

    /// The chance that a member's record scores above a non-member's, which is exact.
    pub fn record_auc(&self) -> f64 {
        normal_cdf(self.lift / 2_f64.sqrt())
    }

    /// The share of members' records above the score that this share of the others exceeds.
    pub fn record_tpr(&self, fpr: f64) -> f64 {
        normal_cdf(normal_quantile(fpr) + self.lift)
    }
}

pub fn quick(replicates: usize) -> Options {
    Options {
        bootstrap_replicates: replicates,
        fprs: vec![0.1],
        ..Options::default()
    }
}
