//! What cannot work is refused with exit code 2 before anything is trained.

use crate::bench::{Bench, table};

/// Runs with this data and configuration, which must be refused without a trace.
#[track_caller]
fn refused(data: &str, config: &str, parts: &[&str]) {
    let bench = Bench::new();
    bench.write("data.csv", data);
    bench.write("guestlist.toml", config);
    for command in ["plan", "run"] {
        bench.guestlist(command).complains(parts);
        assert!(
            !bench.path("guestlist-run").exists(),
            "{command} left traces"
        );
    }
}

fn config(label: &str, rest: &str) -> String {
    format!("kind = \"classifier\"\n[data]\npath = \"data.csv\"\nlabel = \"{label}\"\n{rest}\n")
}

#[test]
fn a_label_that_is_not_there_is_named_with_what_is() {
    refused(
        &table(60),
        &config("clas", ""),
        &["clas", "did you mean class?"],
    );
}

#[test]
fn one_class_only_cannot_be_learned() {
    let data = table(60).replace(",no\n", ",yes\n");
    refused(&data, &config("class", ""), &["data.csv", "class"]);
}

#[test]
fn more_shadows_than_halves_are_refused() {
    let config = config("class", "[models]\nshadows = 1000");
    refused(&table(8), &config, &["1000 shadows", "70 different halves"]);
    let none = self::config("class", "[models]\nshadows = 0");
    refused(&table(60), &none, &["no shadows"]);
}

#[test]
fn junk_is_refused_by_name_and_row() {
    let numbers = "categories = []\nnumbers = [\"age\"]";
    let data = table(60).replacen("\n", "\nold,1,Ulm,yes\n", 1);
    refused(
        &data,
        &config("class", numbers),
        &["data.csv", "age", "old"],
    );
    let slip = table(200).replacen("\n", "\nold,1,Ulm,yes\n", 1);
    let parts = [
        "data.csv: column age, line 2: \"old\"",
        "200 of 201",
        "data.missing",
    ];
    refused(&slip, &config("class", ""), &parts);
    refused("\0\u{1}\u{2}junk", &config("class", ""), &["data.csv"]);
    refused("", &config("class", ""), &["data.csv", "empty"]);
    let short = table(60) + "12,13\n";
    refused(&short, &config("class", ""), &["data.csv", "62"]);
}

#[test]
fn a_program_that_is_not_found_is_refused() {
    let command = "[command]\nrun = [\"no-such-trainer\", \"{job}\"]";
    refused(
        &table(60),
        &config("class", command),
        &["no-such-trainer is not found"],
    );
    let wrong = "[command]\nrun = [\"sh\", \"{jop}\"]";
    refused(&table(60), &config("class", wrong), &["{jop}", "{job}"]);
    let secret = "[command]\nrun = [\"sh\"]\nenvironment = { A = \"${NOT_SET_ANYWHERE}\" }";
    refused(
        &table(60),
        &config("class", secret),
        &["NOT_SET_ANYWHERE", "not set"],
    );
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let data = table(60);
    for (rest, parts) in [
        ("[training]\nepochs = 0", &["epochs is 0"][..]),
        (
            "[training]\nlearning_rate = -1",
            &["training.learning_rate is -1"],
        ),
        ("[training]\nepoch = 3", &["line 6", "epoch"]),
        ("[training]\nclip_norm = 0", &["training.clip_norm is 0"]),
        ("[training]\nhidden = [8, 0]", &["training.hidden has 0"]),
        ("[training]\nbeta1 = 2", &["training.beta1 is 2"]),
        (
            "[training]\nclass_weights = [1, -3]",
            &["training.class_weights has -3 for class 1"],
        ),
        (
            "[training]\nclass_weights = \"foo\"",
            &[
                "line 6",
                "none, balanced, or a list of one number per class",
            ],
        ),
        (
            "[training]\nschedule = { kind = \"cosine\", warmup = 5 }",
            &["line 6", "warmup"],
        ),
        (
            "[training]\nschedule = { kind = \"constant\", typo = 1 }",
            &["line 6", "typo"],
        ),
        (
            "[command]\nrun = [\"sh\"]\ntimeout = 1e300",
            &["command.timeout is 1e300"],
        ),
        (
            "[command]\nrun = [\"sh\"]\ngpus = [\"0\", \"1\"]\n[run]\nworkers = 5",
            &["run.workers is 5", "gives 2 places", "models_per_gpu"],
        ),
        (
            "[command]\nrun = [\"./data.csv\"]",
            &["./data.csv is not executable", "chmod +x"],
        ),
        (
            "[training]\n[command]\nrun = [\"sh\"]",
            &["[training] and [command]"],
        ),
        ("[training]\n[training.privacy]\nepsilon = 0", &["epsilon"]),
        (
            "[training]\n[training.privacy]\ndelta = 1e-5",
            &["epsilon or noise_multiplier"],
        ),
        (
            "[training]\n[training.privacy]\nepsilon = 1e-9",
            &["no noise reaches epsilon"],
        ),
        ("[training]\nhidden = [1000000000]", &["training.hidden"]),
        (
            "[command]\nrun = [\"sh\", \"trian.py\", \"{job}\"]",
            &["no file trian.py"],
        ),
        ("[run]\nexecutor = \"moon\"", &["moon", "local, slurm, ray"]),
        (
            "[run]\nexecutor = \"slurm\"\n[slurm]\ngpus = 1\ngres = \"gpu:1\"",
            &["slurm.gpus and slurm.gres", "keep one"],
        ),
        (
            "[run]\nexecutor = \"ray\"\n[ray]\naddress = \"ray://head:10001\"",
            &["ray.address", "http://127.0.0.1:8265"],
        ),
        (
            "[run]\nexecutor = \"ray\"\n[ray]\ntoken = \"hunter2\"",
            &["ray.token", "no secret belongs into a file"],
        ),
        ("[run]\nworkers = 0", &["workers"]),
        ("[audit]\nattacks = \"magic\"", &["magic"]),
        ("[audit]\nthreshold = 7", &["audit.threshold is 7"]),
        ("[audit]\nreplicates = 100", &["audit.replicates is 100"]),
        ("[audit]\nscaling = [128]", &["audit.scaling has 128"]),
    ] {
        refused(&data, &config("class", rest), parts);
    }
    refused(&data, "kind = \"toaster\"\n", &["line 1", "classifier"]);
    refused(&data, "not toml at all", &["guestlist.toml", "line 1"]);
}

/// Nobody listens there: words, a remedy, and every model that was trained.
#[test]
fn a_ray_that_is_not_there_loses_nothing() {
    let bench = Bench::with(4, "epochs = 1");
    bench.guestlist("run");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", port.local_addr().unwrap());
    drop(port);
    let configuration = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    bench.write(
        "guestlist.toml",
        &format!("{configuration}\n[ray]\naddress = {address:?}\n"),
    );
    let parts = [
        address.as_str(),
        "Ray does not answer",
        "ray.address",
        "kept",
    ];
    for command in ["run", "plan"] {
        let command = format!("{command} --executor ray --shadows 8");
        bench.guestlist(&command).complains(&parts);
    }
    let said = bench.guestlist("run");
    assert!(
        said.stderr.contains("all 5 models are there"),
        "{}",
        said.stderr
    );
}

#[test]
fn a_configuration_that_is_not_there_is_named() {
    let bench = Bench::new();
    bench
        .guestlist("run nowhere.toml")
        .complains(&["nowhere.toml", "guestlist init"]);
}
