//! `guestlist demo`: a whole audit on embedded data, trained for real.

use crate::bench::Bench;
use crate::page;

#[test]
fn the_demonstration_trains_finds_the_leak_and_exits_with_zero() {
    let bench = Bench::new();
    let said = bench.guestlist("demo").exits(0);
    assert!(said.stdout.contains("FAIL"), "{}", said.stdout);
    said.is_one_screen();
    assert!(
        said.stderr.contains("training 33 of 33 models"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("exits with 1"), "{}", said.stderr);
    let report = bench.json("guestlist-demo/report.json");
    assert_eq!(report["verdict"]["outcome"], "fail");
    assert_eq!(report["detail"]["training"]["records"], 1797);
    assert_eq!(report["provenance"]["date"], "2026-03-09");
    page::says_the_verdict("guestlist demo", &report);
    page::shows_the_screen(&said.stdout, &report);
    let tried = &report["verdict"]["gate"]["tried"];
    page::says(&format!("widened because the best of {tried} was taken"));
    let right = &report["detail"]["accuracy"];
    let [training, test] = ["training", "test"].map(|key| right[key].as_f64().unwrap());
    assert!(training >= test && test > 0.8, "{right}");
    let steps = report["next_steps"].as_array().unwrap();
    assert!(
        steps.iter().any(|step| step["what"] == "Train with DP-SGD"),
        "{steps:?}"
    );
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
    assert_eq!(bench.three_criteria("guestlist-demo", 1)[0], "fail");
    bench
        .guestlist("run guestlist-demo/guestlist.toml --policy policy.toml")
        .exits(1);
    let judged = bench.json("guestlist-demo/report.json");
    assert_eq!(judged["policy"]["name"], "three criteria");
    assert_eq!(judged["policy"]["criteria"][0]["outcome"], "fail");
    let other = bench
        .guestlist("demo --seed 1 --out other --verbose")
        .exits(0);
    assert!(
        other.stdout.contains("native perceptron"),
        "{}",
        other.stdout
    );
    assert!(other.stdout.contains("seed 1"), "{}", other.stdout);
}
