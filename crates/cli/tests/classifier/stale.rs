//! What a change invalidates, and what it does not.

use crate::bench::{Bench, table};

#[test]
fn more_shadows_train_only_the_new_ones() {
    let bench = Bench::with(4, "epochs = 2");
    bench.guestlist("run");
    let before = bench.models();
    assert_eq!(before.len(), 5);
    bench.guestlist("run --shadows 9");
    let after = bench.models();
    assert_eq!(after.len(), 10);
    for (model, time) in &before {
        assert_eq!(after[model], *time, "model {model} was trained again");
    }
    let report = bench.json("guestlist-run/report.json");
    assert_eq!(report["detail"]["shadows"], 9);
    bench.guestlist("run --shadows 4");
    assert_eq!(bench.models(), after);
    let report = bench.json("guestlist-run/report.json");
    assert_eq!(report["detail"]["shadows"], 4);
}

#[test]
fn a_changed_recipe_says_what_changed_and_comes_back_when_undone() {
    let bench = Bench::with(4, "epochs = 2");
    bench.guestlist("run");
    let first = bench.files();
    bench.configure(4, "epochs = 3");
    let plan = bench.guestlist("plan").exits(0).stdout;
    assert!(
        plan.contains("training.epochs changed from 2 to 3"),
        "{plan}"
    );
    let said = bench.guestlist("run").stderr;
    assert!(
        said.contains("training.epochs changed from 2 to 3"),
        "{said}"
    );
    assert!(said.contains("training 5 of 5 models"), "{said}");
    bench.configure(4, "epochs = 2");
    let said = bench.guestlist("run").stderr;
    assert!(said.contains("all 5 models are there"), "{said}");
    let again = bench.files();
    for (path, bytes) in first.iter().filter(|(path, _)| path.starts_with("models")) {
        assert!(again[path] == *bytes, "{}", path.display());
    }
}

#[test]
fn changed_data_and_seed_are_named() {
    let bench = Bench::with(2, "epochs = 1");
    bench.guestlist("run");
    let text = table(240);
    bench.write("data.csv", &text.replacen("yes", "no", 1));
    let said = bench.guestlist("plan").stdout;
    assert!(said.contains("data changed"), "{said}");
    bench.write("data.csv", &text);
    let config = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    bench.write("guestlist.toml", &format!("seed = 5\n{config}"));
    let said = bench.guestlist("plan").stdout;
    assert!(said.contains("seed changed from 0 to 5"), "{said}");
}

#[test]
fn what_does_not_enter_training_invalidates_nothing() {
    let bench = Bench::with(3, "epochs = 1");
    bench.guestlist("run");
    let before = bench.models();
    let config = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    let changed = config
        .replace("lira,rmia", "loss")
        .replace("data.csv", "renamed.csv");
    std::fs::rename(bench.path("data.csv"), bench.path("renamed.csv")).unwrap();
    bench.write("guestlist.toml", &(changed + "[run]\nworkers = 1\n"));
    let said = bench.guestlist("run").stderr;
    assert!(said.contains("all 4 models are there"), "{said}");
    assert_eq!(before, bench.models());
}

#[test]
fn settings_of_another_optimiser_invalidate_nothing() {
    let bench = Bench::with(3, "epochs = 1");
    bench.guestlist("run");
    bench.configure(3, "epochs = 1\nmomentum = 0.5\nnesterov = true");
    let said = bench.guestlist("run").stderr;
    assert!(said.contains("all 4 models are there"), "{said}");
    bench.configure(3, "epochs = 1\nbeta1 = 0.8");
    let plan = bench.guestlist("plan").exits(0).stdout;
    assert!(plan.contains("training.beta1 changed"), "{plan}");
}

#[test]
fn a_damaged_model_is_trained_again() {
    let bench = Bench::with(3, "epochs = 1");
    bench.guestlist("run");
    let whole = bench.files();
    let scores = bench.path("guestlist-run/models/00002/scores.npy");
    let bytes = std::fs::read(&scores).unwrap();
    std::fs::write(&scores, &bytes[..bytes.len() - 8]).unwrap();
    let said = bench.guestlist("run").stderr;
    assert!(
        said.contains("its scores.npy was changed or damaged"),
        "{said}"
    );
    assert!(said.contains("training 1 of 4 models"), "{said}");
    assert!(whole == bench.files());
}

#[test]
fn models_of_another_recipe_do_not_stay_beside_these() {
    let bench = Bench::with(6, "epochs = 1");
    bench.guestlist("run");
    bench.configure(6, "epochs = 2");
    bench.guestlist("run --shadows 2");
    assert_eq!(bench.models().len(), 3);
    bench.configure(6, "epochs = 1");
    let plan = bench.guestlist("plan").exits(0).stdout;
    assert!(
        plan.contains("returning  7") && plan.contains("to train   0"),
        "{plan}"
    );
    let said = bench.guestlist("run").stderr;
    assert!(said.contains("all 7 models are there"), "{said}");
}
