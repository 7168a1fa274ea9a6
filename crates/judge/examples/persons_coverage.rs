//! How often 95% intervals hold the truth when people have 1 to 30 records each: the table of
//! docs/guide-persons.md. `cargo run --release -p guestlist-judge --example persons_coverage`

#[path = "../tests/persons/simulated.rs"]
mod simulated;

use guestlist_judge::measure;
use guestlist_judge::measures::AttackMeasures;
use guestlist_judge::persons::{Join, judge_persons, measure_by_person};
use rayon::prelude::*;
use simulated::{Drawn, World, quick};
use std::io::Write;

const RUNS: u64 = 500;

/// Of one simulation: value, low and high of each measure.
struct Run {
    by_person: AttackMeasures,
    by_record: AttackMeasures,
    people: [AttackMeasures; 3],
}

fn run(world: &World, number: u64) -> Run {
    let Drawn {
        scores,
        truth,
        groups,
    } = world.draw(number);
    let options = quick(1000);
    let named = [("x".to_owned(), scores)];
    let scores = &named[0].1;
    let joined = |join| {
        let mut found = judge_persons(&named, &truth, &groups, join, &quick(0)).attacks;
        found.remove(0)
    };
    Run {
        by_person: measure_by_person("x", scores, &truth, &groups, &options).expect("judged"),
        by_record: measure("x", scores, &truth, &options).expect("judged"),
        people: [Join::Sum, Join::Mean, Join::Max].map(joined),
    }
}

fn held(runs: &[Run], truth: f64, interval: impl Fn(&Run) -> (f64, f64)) -> String {
    let holds = |run: &&Run| {
        let (low, high) = interval(run);
        low <= truth && truth <= high
    };
    let share = runs.iter().filter(holds).count() as f64 / runs.len() as f64;
    format!("{:.1}%", 100.0 * share)
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "| people | shared | AUC of records | AUC, DeLong by person | AUC, bootstrap by person | \
         TPR at 10% by person | its bootstrap by person | AUC, records as units | TPR, records as units | AUC of people, sum | \
         its intervals | AUC of people, mean | its intervals | AUC of people, max | its intervals |"
    )?;
    for people in [60, 200] {
        for (shared, lift) in [
            (0.0, 0.0),
            (0.5, 0.0),
            (0.0, 0.3),
            (0.2, 0.3),
            (0.5, 0.3),
            (0.8, 0.6),
        ] {
            let world = World {
                people,
                shared,
                lift,
                most: 30,
            };
            let runs: Vec<Run> = (0..RUNS).into_par_iter().map(|n| run(&world, n)).collect();
            let (auc, tpr) = (world.record_auc(), world.record_tpr(0.1));
            let delong = |found: &AttackMeasures| (found.auc.low, found.auc.high);
            let resampled = |found: &AttackMeasures| {
                let auc = found.bootstrap.as_ref().map(|found| found.auc);
                auc.map_or((0.0, 0.0), |auc| (auc.low, auc.high))
            };
            let rate = |found: &AttackMeasures| {
                let rate = &found.tpr_at_fpr[0];
                (rate.low.unwrap_or(0.0), rate.high.unwrap_or(0.0))
            };
            let drawn = |found: &AttackMeasures| {
                let interval = found.tpr_at_fpr[0].bootstrap;
                interval.map_or((0.0, 0.0), |interval| (interval.low, interval.high))
            };
            let mut cells = vec![
                people.to_string(),
                format!("{shared}"),
                format!("{auc:.3}"),
                held(&runs, auc, |run| delong(&run.by_person)),
                held(&runs, auc, |run| resampled(&run.by_person)),
                held(&runs, tpr, |run| rate(&run.by_person)),
                held(&runs, tpr, |run| drawn(&run.by_person)),
                held(&runs, auc, |run| delong(&run.by_record)),
                held(&runs, tpr, |run| rate(&run.by_record)),
            ];
            for join in 0..3 {
                let values = runs.iter().map(|run| run.people[join].auc.value);
                let mean = values.sum::<f64>() / RUNS as f64;
                cells.push(format!("{mean:.3}"));
                cells.push(held(&runs, mean, |run| delong(&run.people[join])));
            }
            writeln!(out, "| {} |", cells.join(" | "))?;
        }
    }
    Ok(())
}
