//! An offline design from data to a verdict: shadows train on reference records alone.

use crate::bench::{Bench, table};

/// A design with these further lines for data, models and audit.
fn configure(bench: &Bench, data: &str, models: &str, audit: &str) {
    bench.write(
        "guestlist.toml",
        &format!(
            "kind = \"classifier\"\n[data]\npath = \"data.csv\"\nlabel = \"class\"\n{data}\n\
             [models]\nshadows = 6\n{models}\n[audit]\nbootstrap = 0\n{audit}\n\
             [training]\nhidden = [32]\nepochs = 60\nlearning_rate = 0.01\n"
        ),
    );
}

const OFFLINE: &str = "design = \"offline\"";

fn bench(records: usize) -> Bench {
    let bench = Bench::new();
    bench.write("data.csv", &table(records));
    configure(&bench, "", OFFLINE, "");
    bench
}

fn kept(bench: &Bench, model: usize) -> Vec<bool> {
    let path = format!("guestlist-run/models/{model:05}/keep.npy");
    let bytes = std::fs::read(bench.path(path)).unwrap();
    // The last bytes of the file are the flags, one per record.
    bytes[bytes.len() - 400..]
        .iter()
        .map(|&byte| byte == 1)
        .collect()
}

#[test]
fn plan_and_run_train_shadows_on_reference_records_alone() {
    let bench = bench(400);
    let plan = bench.guestlist("plan").exits(0).stdout;
    let words: String = plan.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "half of 200 audited records (100)",
        "half of 200 reference records (100)",
    ] {
        assert!(words.contains(part), "{part}: {plan}");
    }
    bench.guestlist("run");
    let target = kept(&bench, 0);
    assert_eq!(target.iter().filter(|&&kept| kept).count(), 100);
    let mut inside = vec![0; 400];
    for model in 1..=6 {
        for (count, kept) in inside.iter_mut().zip(kept(&bench, model)) {
            *count += usize::from(kept);
        }
    }
    assert_eq!(inside.iter().filter(|&&count| count == 3).count(), 200);
    assert_eq!(inside.iter().filter(|&&count| count == 0).count(), 200);
    assert!(
        target
            .iter()
            .zip(&inside)
            .all(|(&kept, &count)| !kept || count == 0)
    );
    let report = bench.json("guestlist-run/report.json");
    assert_eq!(report["detail"]["reference_records"], 200);
    assert_eq!(report["detail"]["shadows"], 6);
    assert_eq!(report["provenance"]["data"]["records"], 200);
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("an offline audit: 200 records are audited"),
        "{notes}"
    );
    let attacks = report["attacks"].to_string();
    for id in [
        "bavaria-t-offline",
        "understudy-offline",
        "base3-offline",
        "rmia-offline",
    ] {
        assert!(attacks.contains(id), "{id}");
    }
    let skipped = report["skipped"].to_string();
    assert!(skipped.contains("needs some that did"), "{skipped}");
}

#[test]
fn a_run_goes_on_and_another_design_makes_models_stale() {
    let bench = bench(400);
    bench.guestlist("run");
    let first = bench.files();
    let said = bench.guestlist("run").stderr;
    assert!(said.contains("all 7 models are there"), "{said}");
    let gone = bench.path("guestlist-run/models/00004");
    std::fs::remove_dir_all(gone).unwrap();
    let said = bench.guestlist("run").stderr;
    assert!(said.contains("training 1 of 7 models"), "{said}");
    assert!(first == bench.files());
    configure(&bench, "reference = 0.25", OFFLINE, "");
    let plan = bench.guestlist("plan").exits(0).stdout;
    assert!(
        plan.contains("data.reference changed from 0.5 to 0.25"),
        "{plan}"
    );
    configure(&bench, "", "", "");
    let plan = bench.guestlist("plan").exits(0).stdout;
    assert!(plan.contains("models.design"), "{plan}");
    assert!(
        bench
            .guestlist("run")
            .stderr
            .contains("training 7 of 7 models")
    );
}

#[test]
fn people_slices_and_ids_are_those_of_the_audited_records() {
    let bench = Bench::new();
    let mut text = String::from("person,");
    for (row, line) in table(400).lines().enumerate() {
        text += &match row {
            0 => format!("{line}\n"),
            _ => format!("p{},{line}\n", row % 130),
        };
    }
    bench.write("data.csv", &text);
    configure(&bench, "group = \"person\"", OFFLINE, "slices = [\"town\"]");
    bench.guestlist("run");
    let report = bench.json("guestlist-run/report.json");
    let audited = report["provenance"]["data"]["records"].as_u64().unwrap();
    assert_eq!(
        audited + report["detail"]["reference_records"].as_u64().unwrap(),
        400
    );
    for row in 0..400 {
        for model in 0..=6 {
            let keep = kept(&bench, model);
            // Rows 0, 130, 260 and 390 are of one person, and so on.
            assert_eq!(keep[row], keep[row % 130], "{row}");
        }
    }
}

#[test]
fn settings_that_make_no_sense_are_refused_before_anything_is_trained() {
    let bench = bench(400);
    for (data, models, audit, part) in [
        ("reference = 0.5", "", "", "the design is online"),
        ("reference = 1.5", OFFLINE, "", "data.reference is 1.5"),
        ("reference = 0.004", OFFLINE, "", "of the reference records"),
        ("", OFFLINE, "replicates = 3", "audit.replicates"),
        ("", "design = \"ofline\"", "", "ofline"),
    ] {
        configure(&bench, data, models, audit);
        bench.guestlist("plan").complains(&[part]);
    }
}
