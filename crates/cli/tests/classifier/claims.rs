//! Who claims an ε, and what the run's folder remembers of others.

use crate::bench::Bench;

fn finding<'a>(report: &'a serde_json::Value, id: &str) -> &'a serde_json::Value {
    let findings = report["guardrails"].as_array().unwrap();
    findings.iter().find(|finding| finding["id"] == id).unwrap()
}

fn private(epsilon: f64) -> String {
    format!("epochs = 2\n[training.privacy]\nepsilon = {epsilon:?}\ndelta = 1e-5\nclip_norm = 1.0")
}

#[test]
fn several_private_settings_on_the_same_data_are_a_warning() {
    let bench = Bench::with(4, &private(2.0));
    let report = |bench: &Bench| {
        let said = bench.guestlist("run");
        assert_ne!(said.code, Some(2), "{}", said.stderr);
        bench.json("guestlist-run/report.json")
    };
    let first = report(&bench);
    assert_eq!(first["claim"]["by"], "the accountant of private training");
    assert_eq!(finding(&first, "private-settings")["status"], "ok");
    bench.configure(4, &private(4.0));
    let second = report(&bench);
    let warned = finding(&second, "private-settings");
    assert_eq!(warned["status"], "warn");
    let detail = warned["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("2 settings of private training"),
        "{detail}"
    );
    // Other data are another matter, and so is what is not private.
    bench.write("data.csv", &crate::bench::table(241));
    assert_eq!(finding(&report(&bench), "private-settings")["status"], "ok");
    bench.configure(4, "epochs = 2");
    let open = report(&bench);
    assert!(open["claim"].is_null());
    let findings = open["guardrails"].as_array().unwrap();
    assert!(
        findings
            .iter()
            .all(|finding| finding["id"] != "private-settings")
    );
}

#[test]
fn what_is_no_claim_is_refused_before_anything_is_trained() {
    for (claim, wanted) in [
        ("epsilon = 0\ndelta = 1e-5", "claim.epsilon is 0"),
        ("epsilon = 1\ndelta = 1.5", "claim.delta is 1.5"),
        ("epsilon = nan\ndelta = 1e-5", "claim.epsilon is NaN"),
        ("epsilon = 1", "delta"),
    ] {
        let bench = Bench::with(2, &format!("epochs = 1\n[claim]\n{claim}"));
        let said = bench.guestlist("run").exits(2);
        assert!(said.stderr.contains(wanted), "{wanted}: {}", said.stderr);
        assert!(bench.models().is_empty());
    }
}
