//! Where nothing leaks, nothing is found: members that were never indexed.

use guestlist::kinds::rag::count_nulls;
use guestlist::pipeline::AuditOptions;
use stats::streams::Seed;

use crate::bench::Bench;
use crate::service::{configure, documents, serve, write_documents};

#[test]
fn ten_null_audits_reject_no_more_often_than_claimed() {
    // A store of other documents of the same kind, with its sources hidden.
    let running = serve(documents(1000..1200), &["hide-citations"]);
    let mut rejected = 0;
    let mut tried = 0;
    for audit in 0..10 {
        let bench = Bench::new();
        write_documents(&bench, 60 + audit);
        configure(
            &bench,
            running.address(),
            &format!(
                "[probes]\nwithout_retrieval = false\nrepeats = 0\n[audit]\nattacks = \"content,facts,mba,rank-average,cross-fitted\"\nbootstrap = 0\n# {audit}"
            ),
        );
        let said = bench.guestlist("run");
        assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
        let report = bench.json("guestlist-run/report.json");
        for attack in report["attacks"].as_array().unwrap() {
            tried += 1;
            rejected += usize::from(attack["auc"]["low"].as_f64().unwrap() > 0.5);
        }
    }
    // 2.5% of 50 is 1.25; the attacks of one audit share their answers.
    assert!(tried >= 40 && rejected <= 6, "{rejected} of {tried}");
}

#[test]
fn members_that_are_not_in_the_store_make_the_audit_inconclusive() {
    let running = serve(documents(1000..1100), &[]);
    let bench = Bench::new();
    write_documents(&bench, 30);
    configure(
        &bench,
        running.address(),
        "[audit]\nattacks = \"content,citation\"",
    );
    let said = bench.guestlist("run").exits(3);
    let words: Vec<&str> = said.stdout.split_whitespace().collect();
    assert!(
        words.join(" ").contains("no member was ever retrieved"),
        "{}",
        said.stdout
    );
}

/// The small version of `cargo xtask study rag-nulls`.
#[test]
fn every_attack_holds_its_level_where_membership_is_drawn_by_lot() {
    let running = serve(documents(1000..1100), &[]);
    let bench = Bench::new();
    write_documents(&bench, 80);
    configure(
        &bench,
        running.address(),
        "[probes]\nwithout_retrieval = false\nrepeats = 0\n[audit]\nattacks = \"all\"\nbootstrap = 0",
    );
    bench.guestlist("run");
    let transcript = bench.path("guestlist-run/transcript.jsonl");
    let nulls = 100;
    // Time differs from run to run.
    let settings = [("cross-fitted.latency".to_owned(), "no".to_owned())];
    let options = AuditOptions {
        settings: settings.into(),
        ..AuditOptions::default()
    };
    for counted in count_nulls(&transcript, &options, &[15, 40], nulls, Seed(5)).unwrap() {
        assert!(counted.attacks.len() >= 8, "{counted:?}");
        for attack in &counted.attacks {
            // 5% of 100 is 5, with a deviation of 2.2.
            assert!(attack.above + attack.below <= 12, "{counted:?}");
        }
        // Corrected for all of them together: as many at the most, and fails among them.
        assert!(counted.beyond_chance <= 12, "{counted:?}");
        assert!(counted.failed <= counted.beyond_chance, "{counted:?}");
    }
}
