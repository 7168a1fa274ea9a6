//! Few-shot audits of models that were trained here: configurations, white box, demonstration.

use crate::bench::Bench;

const MODEL: &str = "kind = \"classifier\"\n[data]\npath = \"digits.csv.gz\"\nlabel = \"digit\"\n\
    [models]\nshadows = 1\n[training]\nhidden = [16]\nepochs = 3\n[run]\nfolder = \"model\"\n\
    [audit]\nattacks = \"loss\"\n";

fn trained() -> Bench {
    let desk = Bench::new();
    let digits = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../rehearsal/data/digits.csv.gz"
    );
    std::fs::copy(digits, desk.path("digits.csv.gz")).unwrap();
    desk.write("model.toml", &MODEL);
    let said = desk.guestlist("run model.toml");
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    desk
}

#[test]
fn a_run_of_ours_is_audited_with_its_weights() {
    let desk = trained();
    desk.guestlist("init fewshot --data model").exits(0);
    let said = desk.guestlist("plan").exits(0);
    for words in ["1797", "logits, 10 numbers", "fes-tt", "Nothing was kept"] {
        assert!(said.stdout.contains(words), "{words}: {}", said.stdout);
    }
    let text = std::fs::read_to_string(desk.path("guestlist.toml")).unwrap();
    let text = text.replace("runs = 500", "runs = 4");
    desk.write("guestlist.toml", &text);
    let said = desk.guestlist("run");
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    assert!(
        said.stderr.contains("tunes the model anew"),
        "{}",
        said.stderr
    );
    let report = desk.json("guestlist-run/report.json");
    assert_eq!(report["detail"]["white_box"], true);
    assert_eq!(report["provenance"]["data"]["format"], "guestlist-run");
    let inputs = report["provenance"]["inputs"].as_array().unwrap().iter();
    let read: Vec<&str> = inputs.map(|one| one["path"].as_str().unwrap()).collect();
    let model = "model/models/00000";
    assert_eq!(
        read,
        [
            "digits.csv.gz",
            &format!("{model}/weights.safetensors"),
            &format!("{model}/keep.npy"),
            "guestlist.toml"
        ]
    );
    desk.guestlist("verify guestlist-run").exits(0);
    // The head alone, on the logits, is another attack than the whole model.
    let tuned = desk.guestlist(
        "audit model --kind fewshot --attacks fes-tt --shots 5 --runs 6 --layer penultimate --out p",
    );
    assert!(matches!(tuned.code, Some(0 | 1 | 3)), "{}", tuned.stderr);
    let features = desk.json("p/report.json")["detail"]["features"].clone();
    assert!(
        features
            .as_str()
            .unwrap()
            .starts_with("penultimate, 16 numbers")
    );
}

#[test]
fn wrong_folders_and_configurations_are_refused() {
    let desk = trained();
    desk.guestlist("audit model --kind fewshot --layer first")
        .complains(&["no layer first", "penultimate"]);
    desk.guestlist("audit model --kind fewshot --target 9")
        .complains(&["no model 9", "from 0 to 1"]);
    std::fs::remove_dir_all(desk.path("model/models/00000")).unwrap();
    desk.guestlist("audit model --kind fewshot")
        .complains(&["not trained yet", "guestlist run"]);
    std::fs::create_dir(desk.path("empty")).unwrap();
    desk.guestlist("audit empty --kind fewshot")
        .complains(&["empty", "plan.json"]);
    for (body, parts) in [
        ("[features]\n", ["neither file nor run", "features.file"]),
        (
            "[features]\nfile = \"a\"\nrun = \"b\"\n",
            ["both there", "remove the other"],
        ),
        (
            "[features]\nfile = \"nowhere.npz\"\n",
            ["nowhere.npz", "no such file"],
        ),
        ("[features]\nfiles = \"a\"\n", ["line 3", "files"]),
        (
            "[features]\nrun = \"model\"\n[episodes]\nthresholds = \"x\"\n",
            ["line", "thresholds"],
        ),
    ] {
        desk.write("guestlist.toml", &format!("kind = \"fewshot\"\n{body}"));
        let said = desk.guestlist("run").exits(2).stderr;
        assert!(said.contains(parts[0]) || said.contains(parts[1]), "{said}");
        assert!(said.contains("hint: "), "{said}");
    }
    desk.guestlist("init fewshot --overwrite --label x")
        .complains(&["--label", "classifier"]);
}

#[test]
fn the_demonstration_trains_a_model_and_audits_it() {
    let desk = Bench::new();
    let said = desk.guestlist("demo fewshot --verbose").exits(0);
    assert!(
        said.stdout.contains("Few-shot, Log-MIA regime B"),
        "{}",
        said.stdout
    );
    assert!(
        said.stderr.contains("An audit with this verdict exits"),
        "{}",
        said.stderr
    );
    desk.guestlist("report guestlist-demo-fewshot")
        .exits(0)
        .is_one_screen();
    let report = desk.json("guestlist-demo-fewshot/report.json");
    // As seen from its folder: where that lies is nobody's business.
    let read = &report["provenance"]["inputs"][0]["path"];
    assert_eq!(*read, "digits.csv.gz");
    desk.guestlist("verify guestlist-demo-fewshot").exits(0);
    let outcome = report["verdict"]["outcome"].as_str().unwrap();
    desk.write("policy.toml", crate::bench::THREE_CRITERIA);
    let judged = desk.guestlist("policy check guestlist-demo-fewshot --policy policy.toml");
    assert!(
        judged.stdout.contains("Policy: three criteria"),
        "{outcome}: {}",
        judged.stdout
    );
    assert_ne!(judged.code, Some(2), "{}", judged.stderr);
    assert_eq!(report["detail"]["white_box"], true);
    assert_eq!(report["detail"]["attacks"].as_array().unwrap().len(), 9);
    desk.guestlist("demo fewshot --epsilon 1")
        .complains(&["--epsilon"]);
    desk.guestlist("demo fewshot --seed 1")
        .complains(&["is there already"]);
}
