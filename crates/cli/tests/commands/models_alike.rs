//! Models that are the same: none of these passes, and each is named.

use crate::common::Desk;
use crate::signals::{Random, Signals};

/// Signals without a leak in which some models' outputs were replaced.
fn altered(change: impl Fn(usize, &mut Random) -> Option<(usize, f64)>) -> Signals {
    let mut signals = Signals::clean();
    let (records, plain) = (signals.records, signals.phi.clone());
    let mut random = Random(3);
    for model in 0..signals.models {
        if let Some((source, noise)) = change(model, &mut random) {
            for record in 0..records {
                let value = f64::from(plain[source * records + record]);
                signals.phi[model * records + record] = (value + noise * random.normal()) as f32;
            }
        }
    }
    signals
}

/// What the report says of models that are alike; the audit is inconclusive.
#[track_caller]
fn finding(signals: &Signals) -> String {
    let desk = Desk::with(signals);
    desk.guestlist("audit signals --attacks loss,lira,rmia --bootstrap 0 --quiet --out out")
        .exits(3);
    let report = desk.json("out/report.json");
    let reasons = report["verdict"]["reasons"].to_string();
    assert!(reasons.contains("models-alike"), "{reasons}");
    let guardrails = report["guardrails"].as_array().unwrap().iter();
    let mut found = guardrails.filter(|found| found["id"] == "models-alike");
    found.next().unwrap()["detail"].as_str().unwrap().to_owned()
}

#[test]
fn one_row_repeated_is_no_audit() {
    let said = finding(&altered(|_, _| Some((0, 0.0))));
    assert!(
        said.starts_with(
            "models 0, 1, 2, 3, 4, 5, 6, 7, 8 (the target among them) give the same outputs to the \
             last bit, though they trained on different records"
        ),
        "{said}"
    );
}

#[test]
fn the_target_with_a_little_noise_is_no_shadow() {
    let said = finding(&altered(|model, _| (model > 0).then_some((0, 1e-4))));
    assert!(
        said.contains("less than a hundredth of their spread"),
        "{said}"
    );
}

#[test]
fn shadows_that_are_copies_of_each_other_are_named() {
    let said = finding(&altered(|model, _| (model > 4).then_some((5, 0.0))));
    assert!(said.starts_with("models 5, 6, 7, 8 give"), "{said}");
}

#[test]
fn a_shadow_that_is_the_target_is_named() {
    let said = finding(&altered(|model, _| (model == 6).then_some((0, 0.0))));
    assert!(
        said.starts_with("models 0, 6 (the target among them)"),
        "{said}"
    );
}

#[test]
fn shadows_that_saw_every_record_are_no_shadows() {
    let mut signals = Signals::clean();
    for phi in &mut signals.phi {
        *phi = phi.abs() + 4.0;
    }
    let said = finding(&signals);
    assert!(said.contains("all 8 shadows do not react"), "{said}");
}

#[test]
fn models_without_a_leak_that_differ_pass() {
    let desk = Desk::with(&Signals::clean());
    desk.guestlist("audit signals --attacks loss,lira,rmia --bootstrap 0 --quiet")
        .exits(0);
}

#[test]
fn equal_models_that_trained_on_the_same_records_are_no_copies() {
    let mut signals = Signals::clean();
    let records = signals.records;
    signals.phi.copy_within(records..2 * records, 2 * records);
    signals.keep.copy_within(records..2 * records, 2 * records);
    let desk = Desk::with(&signals);
    desk.guestlist("audit signals --attacks loss,lira,rmia --bootstrap 0 --quiet")
        .exits(0);
}

#[test]
fn members_of_another_model_are_noticed() {
    let desk = Desk::new();
    // Members stand out in every model; the target is given members that nobody drew for it.
    let own = Signals::new(17, 600, 3.0);
    let mut other = own.clone();
    let mut random = Random(9);
    let drawn: Vec<bool> = (0..600).map(|_| random.uniform() < 0.5).collect();
    other.set_target_members(|record| drawn[record]);
    own.write(&desk.path("own"));
    other.write(&desk.path("other"));
    let attacks = "--attacks lira,rmia,loss --bootstrap 0 --out out";
    desk.guestlist(&format!("audit own {attacks}")).exits(1);
    desk.guestlist(&format!("audit other {attacks}")).exits(3);
    let reasons = desk.json("out/report.json")["verdict"]["reasons"].to_string();
    assert!(reasons.contains("target-gain"), "{reasons}");
}

#[test]
fn rows_of_keep_in_another_order_than_the_models_are_noticed() {
    let right = Signals::new(17, 600, 3.0);
    let (models, records) = (right.models, right.records);
    // Every model has the row of the next one; or every record the entry of the next one.
    let mut rolled = right.clone();
    let mut moved = right.clone();
    for model in 0..models {
        for record in 0..records {
            let place = model * records + record;
            rolled.keep[place] = right.keep[(model + 1) % models * records + record];
            moved.keep[place] = right.keep[model * records + (record + 1) % records];
        }
    }
    for signals in [rolled, moved] {
        let said = finding(&signals);
        assert!(said.contains("follow another row of keep"), "{said}");
    }
}
