//! Which attack calls: the one that ranks known members above known non-members best, the asked record
//! being taken for one of the latter. Pairs of which one was abstained on count one half, so that the
//! choice treats every non-member alike.

use attacks::scores::Scores;

use super::Asked;

/// One attack on the known records.
pub(super) struct Candidate<'a> {
    pub id: &'a str,
    pub scores: &'a Scores,
    /// Scores of members and of non-members that it judged, ascending.
    members: Vec<f64>,
    nonmembers: Vec<f64>,
    /// Those that it abstained on.
    silent_members: usize,
    silent_nonmembers: usize,
    /// Twice the pairs of known records that it wins.
    won: u64,
}

/// Every attack that judged a non-member; in order of preference where no member is known.
pub(super) fn candidates<'a>(asked: &Asked<'a>) -> Vec<Candidate<'a>> {
    let found = asked.attacks.iter();
    let found = found.filter_map(|(id, scores)| Candidate::new(id, scores, asked));
    let mut found: Vec<Candidate> = found.collect();
    let nobody = found.iter().all(|one| one.all_members() == 0);
    if nobody {
        let place = |one: &Candidate| {
            let named = asked.preferred.iter().position(|id| *id == one.id);
            named.unwrap_or(usize::MAX)
        };
        found.sort_by_key(place);
        found.truncate(1);
    }
    found
}

/// The best on the known records alone; the first of equals.
pub(super) fn usual<'b, 'a>(candidates: &'b [Candidate<'a>]) -> Option<&'b Candidate<'a>> {
    best(candidates, |one| one.won)
}

/// The best with a row among the non-members.
pub(super) fn with<'b, 'a>(
    candidates: &'b [Candidate<'a>],
    row: usize,
) -> Option<&'b Candidate<'a>> {
    best(candidates, |one| {
        one.won + one.won_against(one.scores.get(row))
    })
}

/// All have as many pairs, so that the most won is the largest AUC.
fn best<'b, 'a>(
    candidates: &'b [Candidate<'a>],
    won: impl Fn(&Candidate<'a>) -> u64,
) -> Option<&'b Candidate<'a>> {
    let mut best: Option<(&Candidate, u64)> = None;
    for one in candidates {
        let won = won(one);
        if best.is_none_or(|(_, most)| won > most) {
            best = Some((one, won));
        }
    }
    best.map(|(one, _)| one)
}

impl<'a> Candidate<'a> {
    fn new(id: &'a str, scores: &'a Scores, asked: &Asked) -> Option<Self> {
        let of = |kind: bool| -> (Vec<f64>, usize) {
            let wanted = |row: &usize| asked.members.get(*row) == Some(&Some(kind));
            let rows: Vec<usize> = match asked.known {
                Some(known) => known.iter().copied().filter(wanted).collect(),
                None => (0..scores.len()).filter(wanted).collect(),
            };
            let mut judged: Vec<f64> = rows.iter().filter_map(|&row| scores.get(row)).collect();
            judged.sort_unstable_by(f64::total_cmp);
            let silent = rows.len() - judged.len();
            (judged, silent)
        };
        let ((members, silent_members), (nonmembers, silent_nonmembers)) = (of(true), of(false));
        if nonmembers.is_empty() {
            return None;
        }
        let mut candidate = Candidate {
            id,
            scores,
            members,
            nonmembers,
            silent_members,
            silent_nonmembers,
            won: 0,
        };
        let judged = candidate.nonmembers.iter();
        let judged: u64 = judged
            .map(|score| candidate.won_against(Some(*score)))
            .sum();
        candidate.won = judged + candidate.silent_nonmembers as u64 * candidate.won_against(None);
        Some(candidate)
    }

    fn all_members(&self) -> usize {
        self.members.len() + self.silent_members
    }

    pub fn nonmembers(&self) -> usize {
        self.nonmembers.len() + self.silent_nonmembers
    }

    /// Twice the members that score above, those that score alike or are not judged counting half.
    fn won_against(&self, score: Option<f64>) -> u64 {
        let Some(score) = score else {
            return self.all_members() as u64;
        };
        let upto = self.members.partition_point(|member| *member <= score);
        let below = self.members.partition_point(|member| *member < score);
        let above = self.members.len() - upto;
        (2 * above + (upto - below) + self.silent_members) as u64
    }

    /// (1 + non-members that score as high) / (n + 1).
    pub fn p_value(&self, score: f64) -> f64 {
        let below = self.nonmembers.partition_point(|other| *other < score);
        let as_high = self.nonmembers.len() - below;
        (1 + as_high) as f64 / (self.nonmembers() + 1) as f64
    }
}
