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
    // The accountant's own claim stands, and no other was tried.
    let claim = &private["claim"];
    assert_eq!(claim["epsilon"], spent["epsilon"]);
    assert_eq!(claim["outcome"], "not-refuted", "{claim}");
    assert!(open["claim"].is_null());
    a_claim_that_does_not_hold_fails(&bench);
}

/// ε = 1, claimed of models that were trained without noise.
fn a_claim_that_does_not_hold_fails(bench: &Bench) {
    let claims = "--claim-epsilon 1 --claim-delta 1e-5";
    let gates = "--threshold 1 --bootstrap 0";
    let said = bench.guestlist(&format!("audit open/models {claims} {gates} --out claimed"));
    said.exits(1);
    let report = bench.json("claimed/report.json");
    assert_eq!(report["claim"]["outcome"], "refuted");
    assert!(report["claim"]["bound"].as_f64().unwrap() > 1.0);
    let first = report["verdict"]["reasons"][0].as_str().unwrap();
    assert!(first.contains("does not hold"), "{first}");
    let config = std::fs::read_to_string(bench.path("open/guestlist.toml")).unwrap();
    let claimed = format!("{config}\n[claim]\nepsilon = 1.0\ndelta = 1e-5\n");
    bench.write("open/claimed.toml", &claimed);
    let said = bench.guestlist("run open/claimed.toml").exits(1);
    assert!(
        said.stdout.contains("as claimed by the configuration"),
        "{}",
        said.stdout
    );
}

fn gated(report: &serde_json::Value) -> (f64, f64) {
    let gated = &report["verdict"]["gate"];
    (
        gated["low"].as_f64().unwrap(),
        gated["high"].as_f64().unwrap(),
    )
}

#[test]
fn what_private_training_would_cost_is_measured_where_it_is_asked_for() {
    let bench = Bench::with(4, "epochs = 40");
    bench.guestlist("run");
    let plain = bench.json("guestlist-run/report.json");
    assert!(plain["detail"]["training"]["what_if"].is_null());
    let said = bench.guestlist("run --what-if dp-sgd");
    assert!(
        said.stderr.contains("all 5 models are there"),
        "{}",
        said.stderr
    );
    let report = bench.json("guestlist-run/report.json");
    let what_if = report["detail"]["training"]["what_if"].as_array().unwrap();
    let epsilons: Vec<_> = what_if.iter().map(|one| &one["epsilon"]).collect();
    assert_eq!(
        epsilons,
        [&8.0.into(), &2.0.into()] as [&serde_json::Value; 2]
    );
    for one in what_if {
        let test = one["accuracy"]["test"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&test), "{one}");
    }
    assert_eq!(report["attacks"], plain["attacks"]);
    let command = report["provenance"]["command"].as_str().unwrap();
    assert!(command.contains("--what-if dp-sgd"), "{command}");
    bench.write("rag.toml", "kind = \"rag\"\n");
    let said = bench.guestlist("run rag.toml --what-if dp-sgd").exits(2);
    assert!(said.stderr.contains("classifier"), "{}", said.stderr);
}
