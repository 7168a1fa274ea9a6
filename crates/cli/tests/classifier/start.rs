//! A new user's first steps.

use crate::bench::{Bench, table};

#[test]
fn from_init_to_a_report_with_the_label_filled_in() {
    let bench = Bench::new();
    bench.write("data.csv", &table(300));
    bench.guestlist("init classifier --data data.csv").exits(0);
    let written = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    assert!(written.contains("#2   town"), "{written}");
    bench
        .guestlist("run")
        .complains(&["data.label", "age, income, town, class"]);
    bench.write(
        "guestlist.toml",
        &written.replace("label = \"\"", "label = \"class\""),
    );
    let plan = bench.guestlist("plan").exits(0).stdout;
    assert!(
        plan.contains("65: the audited one and 64 shadows"),
        "{plan}"
    );
    assert!(plan.contains("to train  65, about"), "{plan}");
    assert!(!bench.path("guestlist-run").exists());
    bench.write(
        "guestlist.toml",
        &written
            .replace("label = \"\"", "label = \"class\"")
            .replace("shadows = 64", "shadows = 8")
            .replace("epochs = 30", "epochs = 3"),
    );
    let said = bench.guestlist("run");
    assert!(said.code.is_some_and(|code| code != 2), "{}", said.stderr);
    let report = bench.json("guestlist-run/report.json");
    let columns = report["detail"]["training"]["columns"].as_array().unwrap();
    assert_eq!(columns.len(), 4);
    assert!(
        columns[2]["treatment"]
            .as_str()
            .unwrap()
            .contains("categories")
    );
    assert!(columns[2]["missing"].as_u64().unwrap() > 50);
    assert_eq!(report["detail"]["models"], 9);
    assert_eq!(report["provenance"]["inputs"][0]["path"], "data.csv");
    let again = bench.guestlist("plan").exits(0).stdout;
    assert!(
        again.contains("finished  9") && again.contains("to train  0"),
        "{again}"
    );
}

#[test]
fn a_configuration_is_never_replaced_unasked() {
    let bench = Bench::new();
    bench.write("guestlist.toml", "mine");
    bench
        .guestlist("init classifier")
        .complains(&["guestlist.toml", "exists already"]);
    bench.guestlist("init classifier --overwrite").exits(0);
    bench
        .guestlist("init classifier --data no.csv --out b.toml")
        .complains(&["no.csv"]);
    assert!(!bench.path("b.toml").exists());
}

#[test]
fn events_tell_programs_how_far_training_is() {
    let bench = Bench::with(4, "epochs = 2");
    let said = bench.guestlist("run --json");
    let events: Vec<serde_json::Value> = said
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    let done: Vec<_> = events
        .iter()
        .filter(|event| event["state"] == "done")
        .collect();
    assert_eq!(done.len(), 5);
    assert_eq!(done[4]["done"], 5);
    assert!(done[4]["models_per_minute"].as_f64().unwrap() > 0.0);
    assert!(events.iter().any(|event| event["event"] == "verdict"));
}

#[test]
fn a_worker_trains_one_model_and_does_nothing_the_second_time() {
    let bench = Bench::with(4, "epochs = 2");
    bench.guestlist("run");
    let whole = bench.files();
    let model = bench.path("guestlist-run/models/00003");
    std::fs::remove_dir_all(&model).unwrap();
    bench
        .guestlist("work guestlist-run/plan.json --job 3")
        .exits(0);
    assert!(whole == bench.files());
    let before = bench.models();
    bench.guestlist("work guestlist-run --job 3").exits(0);
    assert_eq!(before, bench.models());
    bench
        .guestlist("work guestlist-run --job 5")
        .complains(&["--job is 5", "5 models"]);
    bench.configure(4, "epochs = 3");
    bench
        .guestlist("work no-such-folder --job 0")
        .complains(&["no-such-folder"]);
    bench.write("data.csv", &table(241));
    bench
        .guestlist("work guestlist-run --job 3")
        .complains(&["since the plan was made", "data changed"]);
}

#[test]
fn two_runs_in_one_folder_do_not_meet() {
    let bench = Bench::with(30, "epochs = 200");
    let mut first = bench
        .command("run --quiet --workers 1")
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while bench.models().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    bench
        .guestlist("run")
        .complains(&["another guestlist run is at work"]);
    first.kill().unwrap();
    first.wait().unwrap();
}

#[test]
fn worker_counts_leave_no_trace_in_the_results() {
    let [one, three] = ["--workers 1", "--workers 3"].map(|workers| {
        let bench = Bench::with(6, "epochs = 3");
        bench.guestlist(&format!("run {workers}"));
        bench.files()
    });
    assert!(one == three);
}

#[test]
fn a_configuration_elsewhere_still_finds_the_data() {
    let bench = Bench::new();
    bench.write("data.csv", &table(60));
    std::fs::create_dir(bench.path("sub")).unwrap();
    bench
        .guestlist("init classifier --data data.csv --label class --out sub/a.toml")
        .exits(0);
    bench.guestlist("plan sub/a.toml").exits(0);
}

#[test]
fn a_model_that_learned_nothing_is_told() {
    let bench = Bench::with(2, "epochs = 1\nlearning_rate = 1e-9");
    bench.guestlist("run");
    let report = bench.json("guestlist-run/report.json");
    let notes = report["notes"].to_string();
    assert!(notes.contains("hardly learned anything"), "{notes}");
}

#[test]
fn init_refuses_a_label_that_is_not_there() {
    let bench = Bench::new();
    bench.write("data.csv", &table(60));
    bench
        .guestlist("init classifier --data data.csv --label nosuch")
        .complains(&["nosuch", "age, income, town, class"]);
    assert!(!bench.path("guestlist.toml").exists());
}

#[test]
fn init_needs_no_label_for_images_with_labels_beside() {
    let bench = Bench::new();
    let images = [
        &[0u8, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2][..],
        &[1, 2, 3, 4],
    ];
    std::fs::write(bench.path("train-images-idx3-ubyte"), images.concat()).unwrap();
    let init = "init classifier --data train-images-idx3-ubyte";
    let alone = bench.guestlist(init).exits(0).stderr;
    assert!(alone.contains("set data.label"), "{alone}");
    let labels = [0u8, 0, 8, 1, 0, 0, 0, 2, 0, 1];
    std::fs::write(bench.path("train-labels-idx1-ubyte"), labels).unwrap();
    let said = bench.guestlist(&format!("{init} --overwrite")).exits(0);
    assert!(
        said.stderr.contains("Next: guestlist plan"),
        "{}",
        said.stderr
    );
    let written = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    assert!(written.contains("found beside the images"), "{written}");
}

#[test]
fn what_early_stopping_holds_out_is_told() {
    let bench = Bench::with(
        2,
        "epochs = 2\nearly_stop = { held_out = 0.5, patience = 1 }",
    );
    let words = "early stopping held out 50% of each model's records";
    let plan = bench.guestlist("plan").exits(0).stdout;
    assert!(plan.contains(words), "{plan}");
    bench.guestlist("run");
    let report = bench.json("guestlist-run/report.json");
    assert_eq!(report["detail"]["training"]["held_out"], 0.5);
    assert!(report["notes"].to_string().contains(words), "{report}");
    let model = bench.json("guestlist-run/models/00000/training.json");
    assert!(model["held_out"].as_u64().unwrap() > 1, "{model}");
    for name in ["report.md", "report.html"] {
        let text = std::fs::read_to_string(bench.path("guestlist-run").join(name)).unwrap();
        assert!(text.contains("early stopping held out 50%"), "{name}");
    }
}

#[test]
fn a_demonstration_that_was_changed_is_not_replaced() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("mine")).unwrap();
    bench.write("mine/guestlist.toml", "mine");
    bench
        .guestlist("demo --out mine")
        .complains(&["mine/guestlist.toml", "differs"]);
    let there = std::fs::read_to_string(bench.path("mine/guestlist.toml")).unwrap();
    assert_eq!(there, "mine");
}
