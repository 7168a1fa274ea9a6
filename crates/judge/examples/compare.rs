//! How often `guestlist diff` finds a change where there is none, and where there is one: the tables of
//! docs/guide-shadow-signals.md. `cargo run --release -p guestlist-judge --example compare [PAIRS]`.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/worlds/mod.rs"]
mod worlds;

use guestlist_judge::compare::Change;
use worlds::{World, share};

fn main() {
    let pairs = std::env::args()
        .nth(1)
        .map_or(1000, |text| text.parse().unwrap());
    let world = |records: usize, attacks: usize, leak: f64, values: Option<f64>| World {
        records: 2 * records,
        attacks,
        leak,
        memorised: 0,
        values,
    };
    println!("| of each class | attacks | leak | values | any rise | rate at 1% | any fall |");
    println!("|---:|---:|---:|---|---:|---:|---:|");
    for (records, attacks, leak, values) in [
        (100, 1, 0.0, None),
        (100, 5, 2.5, Some(2.0)),
        (1000, 1, 0.0, None),
        (1000, 1, 1.3, None),
        (1000, 1, 2.5, None),
        (1000, 1, 1.3, Some(8.0)),
        (1000, 5, 1.3, None),
        (3000, 1, 1.3, None),
    ] {
        let one = world(records, attacks, leak, values);
        let found = [
            share(one, one, pairs, "", Change::is_rise),
            share(one, one, pairs, "tpr@0.01", Change::is_rise),
            share(one, one, pairs, "", Change::is_fall),
        ];
        let found = found
            .map(|share| format!("{:.1}%", 100.0 * share))
            .join(" | ");
        let values = values.map_or("all".into(), |values| (values + 1.0).to_string());
        println!("| {records} | {attacks} | {leak} | {values} | {found} |");
    }
    println!();
    println!(
        "| of each class | attacks | memorised members | TPR at 1% | rise seen | back, as a fall |"
    );
    println!("|---:|---:|---:|---|---:|---:|");
    for (records, attacks, percent) in [
        (1000, 1, 3),
        (1000, 1, 5),
        (1000, 1, 10),
        (1000, 1, 15),
        (1000, 5, 10),
        (1000, 5, 15),
        (3000, 1, 3),
        (3000, 1, 5),
    ] {
        let before = world(records, attacks, 0.0, None);
        let after = World {
            memorised: records * percent / 100,
            ..before
        };
        let few = pairs.min(200);
        let rise = share(before, after, few, "tpr@0.01", Change::is_rise);
        let fall = share(after, before, few, "tpr@0.01", Change::is_fall);
        let (rise, fall) = (100.0 * rise, 100.0 * fall);
        let rate = percent as f64 + 1.0 - percent as f64 / 100.0;
        println!(
            "| {records} | {attacks} | {percent}% | 1.0% to {rate:.1}% | {rise:.0}% | {fall:.0}% |"
        );
    }
}
