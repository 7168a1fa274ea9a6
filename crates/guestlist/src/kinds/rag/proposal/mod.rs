//! The best for so many requests: which attacks to name and how many documents to ask about, from what each
//! attack reached where it was measured.
//!
//! A request shows the more, the larger the AUC of the attack that asks it and the more documents it leaves
//! requests for. So attacks are ranked by how many standard errors above chance their AUC would lie if the
//! whole budget went to them, and named in that order as long as the documents stay enough for a pass. The attack that
//! reads sources goes before all others: a service that says nothing may show all the same what it found, and a pass
//! of the others says nothing of that.

use judge::power;
use serde::Serialize;

use super::Plan;
use super::questions::AskingEstimate;

const MEASURED: &str = include_str!("measured.csv");
/// No other attack fails by the sources alone. Whether there are any, nobody knows before the service was asked.
const OF_SOURCES: &str = "citation";

/// What to ask, and what that can show.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proposal {
    pub max_requests: u64,
    /// Documents of each set.
    pub limit: usize,
    pub attacks: Vec<String>,
    pub requests_per_document: f64,
    pub requests: u64,
    /// The least AUC that so many documents show.
    pub detectable_auc: f64,
    /// Whether a pass is possible with so many.
    pub enough: bool,
    /// Requests from which on one is, with the first attack alone.
    pub needed: Option<u64>,
}

/// An attack, what its questions cost per document, and what it reached.
#[derive(Clone, Debug)]
struct Candidate {
    id: String,
    each: f64,
    auc: f64,
}

/// What a proposal rests on beside the attacks.
struct Terms {
    budget: u64,
    /// Requests that are spent whatever is asked about documents.
    fixed: u64,
    /// Documents of each set that there are.
    available: usize,
    /// Documents of each set that a pass needs.
    needed: usize,
}

impl Terms {
    fn documents(&self, each: f64) -> usize {
        let left = self.budget.saturating_sub(self.fixed) as f64;
        ((left / (2.0 * each.max(1e-9))) as usize).min(self.available)
    }
}

impl Proposal {
    /// Nothing where all questions fit into the budget, or none of the attacks was ever measured.
    pub fn new(plan: &Plan, estimate: &AskingEstimate) -> Option<Self> {
        let budget = estimate.max_requests?;
        if budget >= estimate.to_ask() as u64 {
            return None;
        }
        let members = estimate.members;
        let nonmembers = (plan.documents.iter())
            .filter(|listed| listed.member == Some(false))
            .count();
        let gate = &plan.resolved.gate;
        let terms = Terms {
            budget,
            fixed: (estimate.controls + estimate.repeats + estimate.recheck) as u64,
            available: members.min(nonmembers),
            needed: power::needed(gate, 1).unwrap_or(usize::MAX),
        };
        let arms = if plan.asks_without() { 2.0 } else { 1.0 };
        choose(candidates(estimate, arms), &terms)
    }
}

fn candidates(estimate: &AskingEstimate, arms: f64) -> Vec<Candidate> {
    let asked = estimate.strategies.iter().filter_map(|(id, strategy)| {
        let each = strategy.questions as f64 / estimate.documents.max(1) as f64;
        (each > 0.0).then_some(Candidate {
            id: id.clone(),
            each: arms * each,
            auc: reached(id)?,
        })
    });
    asked.collect()
}

/// The smaller of what was measured.
fn reached(id: &str) -> Option<f64> {
    let rows = MEASURED.lines().filter(|line| !line.starts_with('#'));
    let row = rows.map(|line| line.split(',')).find_map(|mut cells| {
        (cells.next() == Some(id)).then(|| cells.filter_map(|cell| cell.parse::<f64>().ok()))
    })?;
    row.reduce(f64::min).map(|auc| auc.max(0.5))
}

/// Standard errors above chance, where the whole budget went to one attack.
fn strength(candidate: &Candidate, terms: &Terms) -> f64 {
    let documents = terms.documents(candidate.each) as f64;
    // The rank sum's variance under chance, for as many of each kind.
    let error = ((2.0 * documents + 1.0) / (12.0 * documents * documents)).sqrt();
    match documents > 0.0 {
        true => (candidate.auc - 0.5) / error,
        false => 0.0,
    }
}

fn choose(mut candidates: Vec<Candidate>, terms: &Terms) -> Option<Proposal> {
    let stronger = |one: &Candidate, other: &Candidate| {
        strength(other, terms).total_cmp(&strength(one, terms))
    };
    candidates.sort_by(stronger);
    let leaves_enough = |candidate: &Candidate| terms.documents(candidate.each) >= terms.needed;
    // The sort is stable: the others stay in their order.
    candidates.sort_by_key(|one| !(one.id == OF_SOURCES && leaves_enough(one)));
    let mut chosen: Vec<Candidate> = Vec::new();
    let mut each = 0.0;
    for candidate in candidates {
        let fits = terms.documents(each + candidate.each) >= terms.needed;
        let tells = candidate.auc > 0.5;
        if chosen.is_empty() || (fits && tells) {
            each += candidate.each;
            chosen.push(candidate);
        }
    }
    chosen.sort_by(stronger);
    let first = chosen.first()?.each;
    let limit = terms.documents(each);
    let detectable_auc = power::minimum_detectable_auc(limit, limit);
    let asked = (2.0 * limit as f64 * each).ceil() as u64;
    let needed = (terms.needed <= terms.available)
        .then(|| terms.fixed + (2.0 * terms.needed as f64 * first).ceil() as u64);
    (limit > 0).then(|| Proposal {
        max_requests: terms.budget,
        limit,
        attacks: chosen.into_iter().map(|candidate| candidate.id).collect(),
        requests_per_document: each,
        requests: terms.fixed + asked,
        detectable_auc,
        enough: limit >= terms.needed,
        needed,
    })
}

impl std::fmt::Display for Proposal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "--limit {} --attacks {}: {} requests, {:.1} about each document; {} of each kind show an AUC of \
             {:.3} or more",
            self.limit,
            self.attacks.join(","),
            self.requests,
            self.requests_per_document,
            self.limit,
            self.detectable_auc
        )?;
        match (self.enough, self.needed) {
            (true, _) => Ok(()),
            (false, Some(needed)) => write!(
                out,
                ", too few for a pass, which takes {needed} requests with {}",
                self.attacks[0]
            ),
            (false, None) => write!(out, ", too few for a pass, as the documents are"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(id: &str, each: f64) -> Candidate {
        Candidate {
            id: id.into(),
            each,
            auc: reached(id).unwrap(),
        }
    }

    fn terms(budget: u64) -> Terms {
        Terms {
            budget,
            fixed: 20,
            available: 500,
            needed: 45,
        }
    }

    #[test]
    fn every_row_of_the_measured_table_is_an_attack_with_two_numbers() {
        let rows = MEASURED
            .lines()
            .filter(|line| !line.starts_with('#'))
            .skip(1);
        let known = attacks::rag::ATTACKS.iter().map(|attack| attack.card().id);
        let known: Vec<&str> = known.collect();
        for row in rows {
            let cells: Vec<&str> = row.split(',').collect();
            assert!(known.contains(&cells[0]), "{row}");
            assert!(
                cells[1..].iter().all(|cell| cell.parse::<f64>().is_ok()),
                "{row}"
            );
            assert_eq!(cells.len(), 3, "{row}");
        }
        assert_eq!(reached("s2"), Some(0.5), "nothing is expected of it");
        assert_eq!(reached("rank-average"), None, "it asks nothing");
    }

    #[test]
    fn a_larger_budget_buys_more_attacks_and_never_too_few_documents() {
        let all = || {
            vec![
                candidate("ia", 8.4),
                candidate("citation", 3.0),
                candidate("facts", 3.0),
                candidate("content", 3.0),
                candidate("yes-no", 3.0),
            ]
        };
        let small = choose(all(), &terms(400)).unwrap();
        assert_eq!(small.attacks, ["citation"], "sources go first");
        assert_eq!(small.limit, 63);
        assert!(small.enough && small.requests <= 400);
        let two = choose(all(), &terms(700)).unwrap();
        assert_eq!(two.attacks, ["facts", "citation"], "the stronger first");
        assert!(two.enough && two.requests <= 700);
        let tiny = choose(all(), &terms(100)).unwrap();
        assert!(!tiny.enough && tiny.limit == 13);
        assert_eq!(tiny.attacks, ["facts"], "no pass is possible");
        assert_eq!(tiny.needed, Some(20 + 2 * 45 * 3));
        assert!(tiny.to_string().contains("too few for a pass"));
        let large = choose(all(), &terms(2000)).unwrap();
        assert_eq!(large.attacks, ["facts", "citation", "content"]);
        assert!(large.limit >= 45 && large.requests <= 2000, "{large:?}");
        assert!(
            !large.attacks.iter().any(|attack| attack == "ia"),
            "one of the two services gave it nothing"
        );
        assert_eq!(choose(all(), &terms(21)), None, "not even one of each");
        let costly = vec![candidate("citation", 6.0), candidate("facts", 3.0)];
        let without = choose(costly, &terms(400)).unwrap();
        assert_eq!(without.attacks, ["facts"], "sources do not fit");
    }
}
