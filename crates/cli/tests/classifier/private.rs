//! A defence at work: DP-SGD in the same report.

use crate::bench::Bench;

#[test]
fn the_demonstration_leaks_and_differential_privacy_stops_it() {
    let bench = Bench::new();
    bench.guestlist("demo --quiet --out open").exits(0);
    bench
        .guestlist("demo --quiet --out private --epsilon 1")
        .exits(0);
    let (open, private) = (
        bench.json("open/report.json"),
        bench.json("private/report.json"),
    );
    let interval = |report: &serde_json::Value, id: &str| {
        let attacks = report["attacks"].as_array().unwrap();
        let attack = attacks.iter().find(|attack| attack["id"] == id).unwrap();
        let auc = &attack["auc"];
        (auc["low"].as_f64().unwrap(), auc["high"].as_f64().unwrap())
    };
    for attack in ["lira", "understudy", "bavaria-t"] {
        assert!(interval(&open, attack).0 > 0.55, "{attack}");
    }
    let (low, high) = interval(&private, "lira");
    assert!(low <= 0.5 && 0.5 <= high, "{low} to {high}");
    // The strongest of all attacks, its interval corrected for having been chosen: a whisker from
    // chance, so that another processor's rounding may move it, and far from the open model's.
    assert!(gated(&private).0 < 0.52, "{:?}", gated(&private));
    assert!(gated(&open).0 > 0.6, "{:?}", gated(&open));
    assert_eq!(private["verdict"]["outcome"], "pass");
    let spent = &private["detail"]["training"]["privacy"];
    let epsilon = spent["epsilon"].as_f64().unwrap();
    assert!((0.99..=1.0).contains(&epsilon), "{epsilon}");
    assert!(open["detail"]["training"]["privacy"].is_null());
}

fn gated(report: &serde_json::Value) -> (f64, f64) {
    let gated = &report["verdict"]["gate"];
    (
        gated["low"].as_f64().unwrap(),
        gated["high"].as_f64().unwrap(),
    )
}
