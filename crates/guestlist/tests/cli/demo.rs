//! `guestlist demo`: a whole audit without any input.

use crate::common::Desk;

#[test]
fn the_demonstration_needs_nothing_and_exits_with_zero() {
    let desk = Desk::new();
    let said = desk.guestlist("demo").exits(0);
    assert!(
        said.stdout.contains("FAIL") && said.stdout.contains("synthetic"),
        "{}",
        said.stdout
    );
    assert!(said.stderr.contains("exits with 1"), "{}", said.stderr);
    assert_eq!(
        desk.names("guestlist-demo"),
        ["report.json", "report.md", "scores.parquet"]
    );
    let report = desk.json("guestlist-demo/report.json");
    assert_eq!(report["verdict"]["outcome"], "fail");
    assert!(report["notes"].to_string().contains("synthetic"));
}

#[test]
fn another_seed_draws_other_signals() {
    let desk = Desk::new();
    let [one, two] = [1, 2].map(|seed| {
        desk.guestlist(&format!("demo --seed {seed} --out out --quiet"))
            .exits(0);
        desk.json("out/report.json")["attacks"].take()
    });
    assert_ne!(one, two);
}
