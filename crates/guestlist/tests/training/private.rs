//! A defence at work: DP-SGD in the same report.

use crate::bench::Bench;

/// The audited AUC's interval, corrected for the choice among attacks.
fn gated(bench: &Bench, folder: &str) -> serde_json::Value {
    bench.json(&format!("{folder}/report.json"))
}

#[test]
fn the_demonstration_leaks_and_differential_privacy_stops_it() {
    let bench = Bench::new();
    bench.guestlist("demo --quiet --out open").exits(0);
    bench
        .guestlist("demo --quiet --out private --epsilon 1")
        .exits(0);
    let low_and_high = |report: &serde_json::Value, id: &str| {
        let attacks = report["attacks"].as_array().unwrap();
        let attack = attacks.iter().find(|attack| attack["id"] == id).unwrap();
        let auc = &attack["auc"];
        (auc["low"].as_f64().unwrap(), auc["high"].as_f64().unwrap())
    };
    let (open, private) = (gated(&bench, "open"), gated(&bench, "private"));
    for attack in ["lira", "understudy", "bavaria-t"] {
        assert!(low_and_high(&open, attack).0 > 0.55, "{attack}");
        let (low, high) = low_and_high(&private, attack);
        assert!(low <= 0.5 && 0.5 <= high, "{attack}: {low} to {high}");
    }
    assert_eq!(private["verdict"]["outcome"], "pass");
    let spent = &private["training"]["privacy"];
    let epsilon = spent["epsilon"].as_f64().unwrap();
    assert!((0.99..=1.0).contains(&epsilon), "{epsilon}");
    assert!(open["training"]["privacy"].is_null());
}
