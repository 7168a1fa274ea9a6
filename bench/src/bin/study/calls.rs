//! Simulated audits whose attacks know nothing, or a little: whom calls of records of unknown membership name,
//! where one attack is chosen for all on the records that calibrate, and where it is chosen for each asked record.

use attacks::scores::Scores;
use judge::calls::{Asked, Calls, call};
use judge::{Options, Truth, measure};
use rayon::prelude::*;
use serde_json::{Value, json};
use stats::streams::{Seed, standard_normal};

const AUDITS: u64 = 200;
/// Members, and as many others, that are known.
const KNOWN: usize = 30;
const ASKED: usize = 40;
/// One asked record in so many is a member.
const USED: usize = 4;
/// The p-values that are counted, and the level of calls: so few non-members call nobody at less.
const LEVEL: f64 = 0.2;

/// Attacks, and by how many deviations they have members lead.
const CASES: [(usize, f64); 4] = [(1, 0.0), (30, 0.0), (100, 0.0), (30, 2.0)];

pub fn chosen() -> Result<Value, judge::Error> {
    let rows: Result<Vec<Value>, judge::Error> = CASES.iter().map(row).collect();
    let columns = [
        "attacks",
        "what they know",
        "best attack on the known records",
        "chosen as here",
        "called, as here",
    ];
    Ok(json!({"table": {"columns": columns, "rows": rows?}}))
}

fn row(&(attacks, lead): &(usize, f64)) -> Result<Value, judge::Error> {
    let audits = (0..AUDITS).into_par_iter();
    let found = audits.map(|run| Audit::draw(run, attacks, lead).counted());
    let found: Vec<[usize; 3]> = found.collect::<Result<_, _>>()?;
    let all = AUDITS as f64 * (ASKED - ASKED / USED) as f64;
    let share = |place: usize| {
        let hits: usize = found.iter().map(|counts| counts[place]).sum();
        json!([hits as f64 / all, "percent"])
    };
    let knows = match lead > 0.0 {
        true => format!("members lead by {lead:.0} deviations"),
        false => "nothing".to_owned(),
    };
    Ok(json!([
        attacks.to_string(),
        knows,
        share(0),
        share(1),
        share(2)
    ]))
}

/// Members, others, and those who are asked about.
struct Audit {
    attacks: Vec<(String, Scores)>,
    members: Vec<Option<bool>>,
}

impl Audit {
    fn draw(run: u64, attacks: usize, lead: f64) -> Self {
        let mut rng = Seed(run).stream("calls");
        let rows = 2 * KNOWN + ASKED;
        let mut attack = |id: usize| {
            let lead_of = |row: usize| if is_used(row) { lead } else { 0.0 };
            let scores = (0..rows).map(|row| Ok(standard_normal(&mut rng) + lead_of(row)));
            (format!("attack-{id}"), scores.collect())
        };
        Self {
            attacks: (0..attacks).map(&mut attack).collect(),
            members: (0..rows)
                .map(|row| (row < 2 * KNOWN).then_some(row < KNOWN))
                .collect(),
        }
    }

    /// Asked non-members with a small p by the attack that is best on the known records; the same by the attack
    /// that is chosen for each; and those that are called.
    fn counted(&self) -> Result<[usize; 3], judge::Error> {
        let best = self.best()?;
        let one = self.calls(std::slice::from_ref(best));
        let each = self.calls(&self.attacks);
        let small = |calls: &Option<Calls>| self.count(calls, |p, _| p <= LEVEL);
        Ok([
            small(&one),
            small(&each),
            self.count(&each, |_, called| called),
        ])
    }

    fn best(&self) -> Result<&(String, Scores), judge::Error> {
        let truth = Truth::new((0..2 * KNOWN).map(|row| row < KNOWN).collect::<Vec<bool>>())?;
        let options = Options {
            bootstrap_replicates: 0,
            ..Options::default()
        };
        let mut best = (&self.attacks[0], f64::MIN);
        for attack in &self.attacks {
            let known: Scores = (0..2 * KNOWN).map(|row| attack.1.answer(row)).collect();
            let auc = measure(&attack.0, &known, &truth, &options)?.auc.value;
            if auc > best.1 {
                best = (attack, auc);
            }
        }
        Ok(best.0)
    }

    fn calls(&self, attacks: &[(String, Scores)]) -> Option<Calls> {
        call(&Asked {
            attacks,
            members: &self.members,
            known: None,
            preferred: &[],
            level: LEVEL,
        })
    }

    fn count(&self, calls: &Option<Calls>, of: impl Fn(f64, bool) -> bool) -> usize {
        let rows = calls.iter().flat_map(|calls| &calls.rows);
        let others = rows.filter(|call| !is_used(call.row));
        others.filter(|call| of(call.p_value, call.called)).count()
    }
}

fn is_used(row: usize) -> bool {
    row < KNOWN || (row >= 2 * KNOWN && row.is_multiple_of(USED))
}
