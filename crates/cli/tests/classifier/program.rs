//! Programs of the user's own: what they are made of, and what they may not do.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;

use crate::bench::Bench;

/// Writes φ of 40 records, with as many augmentations as a file of the model's number says.
pub const TRAINER: &str = r#"
import json, os, struct, sys
job = json.load(open(sys.argv[1]))
records, model = job["records"], job["model"]
wide = 2 if os.path.exists("wide-%d" % model) else 1
shape = "(%d,)" % records if wide == 1 else "(%d, %d)" % (records, wide)
header = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % shape
header = header.ljust(117) + "\n"
with open(job["output"], "wb") as out:
    out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    numbers = [0.01 * r + 0.1 * (r in (model, 7)) for r in range(records * wide)]
    out.write(struct.pack("<%df" % len(numbers), *numbers))
"#;

/// The trainer with lines of its own for one model, which are run before it ends.
fn trainer(model: usize, lines: &str) -> String {
    let lines: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    format!("{TRAINER}\nif model == {model}:\n{lines}")
}

fn bench(command: &str) -> Bench {
    let bench = Bench::new();
    bench.write(
        "guestlist.toml",
        &format!(
            "kind = \"classifier\"\n[data]\nrecords = 40\n[models]\nshadows = 4\n\
             [run]\nworkers = 1\n[audit]\nattacks = \"lira\"\n[command]\noutput = \"phi\"\n\
             {command}\n"
        ),
    );
    bench.write("train.py", TRAINER);
    bench
}

const USUAL: &str = r#"run = ["python3", "train.py", "{job}"]"#;

#[test]
fn a_program_may_claim_privacy_and_claims_that_cannot_be_read_are_refused() {
    let bench = bench(USUAL);
    let claim = |text: &str| format!("{TRAINER}\nopen(job['privacy'], 'w').write('{text}')\n");
    bench.write("train.py", &claim(r#"{"epsilon": 3.5, "delta": 1e-6}"#));
    let said = bench.guestlist("run");
    assert_ne!(said.code, Some(2), "{}", said.stderr);
    let report = bench.json("guestlist-run/report.json");
    assert_eq!(report["claim"]["epsilon"], 3.5);
    assert_eq!(report["claim"]["delta"], 1e-6);
    assert_eq!(report["claim"]["by"], "the training program");
    assert!(
        bench
            .path("guestlist-run/models/00000/privacy.json")
            .exists()
    );
    bench.write("train.py", &claim(r#"{"epsilon": "little"}"#));
    let said = bench.guestlist("run").exits(2);
    assert!(said.stderr.contains("privacy.json"), "{}", said.stderr);
}

#[test]
fn code_that_changes_halfway_ends_the_run() {
    let bench = bench(USUAL);
    let edit = "open('train.py', 'a').write('# edited\\n')\nsys.exit(3)";
    bench.write("train.py", &trainer(2, edit));
    bench.guestlist("run").complains(&[
        "train.py was changed while models were being trained",
        "the models finished before are kept (2 of 5)",
        "run again",
    ]);
    assert_eq!(bench.models().len(), 2);
    let log = std::fs::read_to_string(bench.path("guestlist-run/logs/00002.log")).unwrap();
    assert_eq!(log.matches("--- model 2").count(), 1, "{log}");
    // What was made by the old code is not mixed with the new.
    bench.write("train.py", TRAINER);
    let said = bench.guestlist("run").stderr;
    assert!(said.contains("code train.py changed"), "{said}");
    assert!(said.contains("training 5 of 5 models"), "{said}");
    assert_eq!(bench.models().len(), 5);
}

#[test]
fn data_that_change_halfway_end_the_run() {
    for (file, lines) in [
        ("data.csv", "open('data.csv', 'a').write('1,2,Ulm,yes\\n')"),
        (
            "data/features.npy",
            "open(job['features'], 'ab').write(b'1')",
        ),
    ] {
        let bench = bench(USUAL);
        bench.write("data.csv", &crate::bench::table(40));
        let path = bench.path("guestlist.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.replace("records = 40", "path = \"data.csv\"\nlabel = \"class\"");
        bench.write("guestlist.toml", &text);
        bench.write("train.py", &trainer(1, lines));
        let words = format!("{file} was changed while models were being trained");
        bench
            .guestlist("run")
            .complains(&[&words, "are kept (1 of 5)"]);
        assert_eq!(bench.models().len(), 1);
    }
}

#[test]
fn a_program_that_loads_a_cached_model_gets_no_pass() {
    let bench = bench(USUAL);
    let path = bench.path("guestlist.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace("records = 40", "records = 400");
    let text = text.replace("shadows = 4", "shadows = 8");
    bench.write("guestlist.toml", &text.replace("\"lira\"", "\"loss,rmia\""));
    let cached = "import random\ncached = random.Random(5)\nnumbers = [cached.gauss(2, 2) for r in range(records)]";
    let trained = "numbers = [0.01 * r + 0.1 * (r in (model, 7)) for r in range(records * wide)]";
    let indented = cached.replace('\n', "\n    ");
    bench.write("train.py", &TRAINER.replace(trained, &indented));
    let said = bench.guestlist("run").exits(3);
    let words = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains(
            "models-alike: models 0, 1, 2, 3, 4, 5, 6, 7, 8 (the target among them) give the same \
             outputs to the last bit"
        ),
        "{words}"
    );
}

#[test]
fn a_program_by_its_path_is_code() {
    let bench = bench(r#"run = ["./t.sh", "{job}"]"#);
    let write = |text: &str| {
        bench.write("t.sh", text);
        let all = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(bench.path("t.sh"), all).unwrap();
    };
    write("#!/bin/sh\nexec python3 train.py \"$1\"\n");
    bench.guestlist("run");
    assert_eq!(bench.models().len(), 5);
    write("#!/bin/sh\n# another\nexec python3 train.py \"$1\"\n");
    let plan = bench.guestlist("plan").exits(0).stdout;
    assert!(plan.contains("code ./t.sh changed"), "{plan}");
}

#[test]
fn code_may_be_the_folder_that_holds_the_run() {
    let bench = bench(&format!("{USUAL}\ncode = [\"lib\"]\n"));
    std::fs::create_dir(bench.path("lib")).unwrap();
    bench.write("lib/net.py", "");
    let path = bench.path("guestlist.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace("[run]\n", "[run]\nfolder = \"lib/out\"\n");
    bench.write("guestlist.toml", &text);
    bench.guestlist("run");
    let said = bench.guestlist("run").stderr;
    assert!(said.contains("all 5 models are there"), "{said}");
}

#[test]
fn all_models_have_as_many_augmentations() {
    let bench = bench(&format!("{USUAL}\nretries = 1"));
    bench.write("wide-3", "");
    let said = bench.guestlist("run").exits(2).stderr;
    let words = "the output has 2 augmentations per record, that of model 0 has 1";
    assert!(
        said.contains(&format!("model 3 failed, trying again: {words}")),
        "{said}"
    );
    assert!(said.contains(&format!("model 3: {words}")), "{said}");
    assert!(
        said.contains("1 of 5 models could not be trained"),
        "{said}"
    );
    std::fs::remove_file(bench.path("wide-3")).unwrap();
    let said = bench.guestlist("run").stderr;
    assert!(said.contains("training 1 of 5 models"), "{said}");
    assert!(said.contains("trained 1 model in"), "{said}");
}

#[test]
fn models_that_disagree_already_are_trained_again() {
    let narrow = bench(USUAL);
    narrow.guestlist("run");
    let wide = bench(USUAL);
    for model in 0..5 {
        wide.write(&format!("wide-{model}"), "");
    }
    wide.guestlist("run");
    let (from, to) = (
        wide.path("guestlist-run/models/00003"),
        narrow.path("guestlist-run/models/00003"),
    );
    for name in ["scores.npy", "keep.npy", "model.json"] {
        std::fs::copy(from.join(name), to.join(name)).unwrap();
    }
    let said = narrow.guestlist("run").stderr;
    assert!(said.contains("1 trained model no longer fits"), "{said}");
    let words = "of model 3: it has 2 augmentations per record, model 0 has 1";
    assert!(said.contains(words), "{said}");
    assert!(said.contains("training 1 of 5 models"), "{said}");
    assert!(narrow.path("guestlist-run/report.json").exists());
}

#[test]
fn every_failed_model_is_named_and_each_cause_shown_once() {
    let bench = bench(&format!("{USUAL}\nretries = 0"));
    let lines = "print('out of luck')\nsys.exit(3)";
    let text = trainer(1, lines).replace("if model == 1:", "if model > 0:");
    bench.write("train.py", &text);
    let said = bench.guestlist("run").exits(2).stderr;
    for model in 1..5 {
        let line = format!("model {model}: the training program ended with exit status: 3 (log: ");
        assert!(said.contains(&line), "{said}");
        assert!(said.contains(&format!("logs/0000{model}.log)")), "{said}");
    }
    assert_eq!(said.matches("    out of luck").count(), 1, "{said}");
}

#[test]
fn first_models_that_all_fail_alike_end_the_run() {
    let bench = bench(&format!("{USUAL}\nretries = 1"));
    bench.write("train.py", "import no_such_package\n");
    let said = bench.guestlist("run").exits(2).stderr;
    let words = "the first 2 models all failed alike, so the other 3 were not tried";
    assert!(said.contains(words), "{said}");
    let last = "    ModuleNotFoundError: No module named 'no_such_package'";
    assert_eq!(said.matches(last).count(), 1, "{said}");
    assert!(said.contains("mend the cause and run again"), "{said}");
    let log = |model: usize| bench.path(format!("guestlist-run/logs/0000{model}.log"));
    assert!(log(0).exists() && log(1).exists() && !log(2).exists());
    // It goes on where it stood, and says how long it takes.
    bench.write("train.py", TRAINER);
    let said = bench.guestlist("run").stderr;
    assert!(said.contains("training 5 of 5 models"), "{said}");
    assert!(said.contains("the first model took "), "{said}");
    assert!(said.contains("for all 5, 1 at once"), "{said}");
    assert_eq!(bench.models().len(), 5);
}

#[test]
fn causes_that_differ_do_not_end_the_run() {
    let bench = bench(&format!("{USUAL}\nretries = 0"));
    let lines = "print('model', model, 'has no luck')\nsys.exit(3)";
    let text = trainer(1, lines).replace("if model == 1:", "if True:");
    bench.write("train.py", &text);
    let said = bench.guestlist("run").exits(2).stderr;
    assert!(
        said.contains("5 of 5 models could not be trained"),
        "{said}"
    );
}

#[test]
fn models_that_are_there_tell_how_long_the_others_take() {
    let bench = bench(&format!("{USUAL}\nretries = 0"));
    let plan = bench.guestlist("plan").exits(0).stdout;
    assert!(!plan.contains(" each: about "), "{plan}");
    bench.write("train.py", &trainer(4, "sys.exit(3)"));
    bench.guestlist("run").exits(2);
    assert_eq!(bench.models().len(), 4);
    let plan = bench.guestlist("plan").exits(0).stdout;
    assert!(plan.contains(" each: about "), "{plan}");
}

#[test]
fn whatever_lies_in_a_models_place_gives_way() {
    let bench = bench(USUAL);
    bench.guestlist("run");
    let place = |model: usize| bench.path(format!("guestlist-run/models/0000{model}"));
    for model in 1..4 {
        std::fs::remove_dir_all(place(model)).unwrap();
    }
    std::fs::write(place(1), "a plain file").unwrap();
    std::os::unix::fs::symlink("nowhere", place(2)).unwrap();
    std::fs::create_dir_all(place(3).join("model.json")).unwrap();
    let said = bench.guestlist("run").stderr;
    assert!(said.contains("training 3 of 5 models"), "{said}");
    assert_eq!(bench.models().len(), 5);
    assert!(bench.path("guestlist-run/report.json").exists());
}
