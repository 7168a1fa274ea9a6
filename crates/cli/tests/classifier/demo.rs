//! `guestlist demo`: a whole audit on embedded data, trained for real.

use crate::bench::Bench;

#[test]
fn the_demonstration_trains_finds_the_leak_and_exits_with_zero() {
    let bench = Bench::new();
    let said = bench.guestlist("demo").exits(0);
    assert!(said.stdout.contains("FAIL"), "{}", said.stdout);
    assert!(said.stdout.contains("native perceptron"), "{}", said.stdout);
    assert!(
        said.stderr.contains("training 33 of 33 models"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("exits with 1"), "{}", said.stderr);
    let report = bench.json("guestlist-demo/report.json");
    assert_eq!(report["verdict"]["outcome"], "fail");
    assert_eq!(report["detail"]["training"]["records"], 1797);
    let licence = std::fs::read_to_string(bench.path("guestlist-demo/digits-licence.md")).unwrap();
    assert!(licence.contains("Attribution 4.0"));
    let again = bench
        .guestlist("run guestlist-demo/guestlist.toml")
        .exits(1);
    assert!(
        again.stderr.contains("all 33 models are there"),
        "{}",
        again.stderr
    );
    let other = bench.guestlist("demo --seed 1 --out other").exits(0);
    assert!(other.stdout.contains("seed 1"), "{}", other.stdout);
}
