//! What a run read: data, code and configuration, each with a digest that `guestlist verify` holds it to.

#![cfg(unix)]

use std::fs;

use crate::bench::Bench;
use crate::program::TRAINER;

const LABELS: &str = "kind = \"classifier\"\n[data]\nlabels = \"labels.npy\"\n[models]\nshadows = 4\n\
    [audit]\nattacks = \"lira\"\npolicy = \"policy.toml\"\n[command]\noutput = \"phi\"\n\
    folder = \"code\"\nrun = [\"python3\", \"./train.py\", \"{job}\"]\ncode = [\"lib\", \"train.py\"]\n";

/// Class numbers in turns, as an array of NumPy.
fn labels(records: usize) -> Vec<u8> {
    let header = format!("{{'descr': '<i8', 'fortran_order': False, 'shape': ({records},), }}");
    let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    file.extend(format!("{header:<117}\n").bytes());
    file.extend((0..records).flat_map(|record| (record as i64 % 2).to_le_bytes()));
    file
}

fn bench(folder: &str) -> Bench {
    let bench = Bench::new();
    let run = format!("[run]\nfolder = \"{folder}\"\n");
    bench.write("guestlist.toml", &(LABELS.to_owned() + &run));
    bench.write("labels.npy", &labels(40));
    bench.write("policy.toml", crate::bench::THREE_CRITERIA);
    fs::create_dir_all(bench.path("code/lib/__pycache__")).unwrap();
    bench.write("code/train.py", TRAINER);
    bench.write("code/lib/net.py", "WIDTH = 24\n");
    bench.write("code/lib/__pycache__/net.pyc", "compiled");
    bench
}

fn run(bench: &Bench) {
    let said = bench.guestlist("run");
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
}

fn named(bench: &Bench, report: &str) -> Vec<String> {
    let report = bench.json(report);
    let inputs = report["provenance"]["inputs"].as_array().unwrap().iter();
    inputs
        .map(|input| input["path"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn data_code_configuration_and_policy_are_held_to_what_was_read() {
    let bench = bench("guestlist-run");
    run(&bench);
    let files = [
        "labels.npy",
        "code/train.py",
        "code/lib/net.py",
        "guestlist.toml",
        "policy.toml",
    ];
    let mut found = named(&bench, "guestlist-run/report.json");
    found.sort();
    let mut wanted = files;
    wanted.sort_unstable();
    assert_eq!(found, wanted);
    let said = bench.guestlist("verify guestlist-run").exits(0).stdout;
    assert!(said.contains("5 of 5 inputs are those"), "{said}");
    for file in files {
        let before = fs::read(bench.path(file)).unwrap();
        bench.write(file, &[&before[..], b"\n"].concat());
        let said = bench.guestlist("verify guestlist-run").exits(1).stdout;
        let line = format!("changed       input {file}: ");
        assert!(said.contains(&line), "{said}");
        assert!(said.contains("NOT VERIFIED: 1 input changed"), "{said}");
        bench.write(file, &before);
    }
    bench.guestlist("verify guestlist-run").exits(0);
}

#[test]
fn what_lies_where_is_nobodys_business_and_a_folder_further_down_is_found() {
    let [one, other] = ["", ""].map(|_| {
        let bench = bench("runs/first");
        run(&bench);
        bench
    });
    let read = |bench: &Bench| fs::read(bench.path("runs/first/report.json")).unwrap();
    assert!(read(&one) == read(&other));
    let away = tempfile::tempdir().unwrap();
    let folder = one.path("runs/first").display().to_string();
    let mut command = one.command(&format!("verify {folder}"));
    let said = command.current_dir(away.path()).output().unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("5 of 5 inputs are those"), "{said}");
}

#[test]
fn the_digest_is_that_of_what_the_run_read_whatever_was_written_meanwhile() {
    let bench = bench("guestlist-run");
    let before = fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    let later = "open('../guestlist.toml', 'a').write('# later\\n')";
    bench.write(
        "code/train.py",
        &format!("{TRAINER}\nif model == 2: {later}\n"),
    );
    run(&bench);
    let said = bench.guestlist("verify guestlist-run").exits(1).stdout;
    assert!(
        said.contains("changed       input guestlist.toml: "),
        "{said}"
    );
    bench.write("guestlist.toml", &before);
    bench.guestlist("verify guestlist-run").exits(0);
    // Whoever goes on, with all models there, reads it anew.
    let report = fs::read(bench.path("guestlist-run/report.json")).unwrap();
    run(&bench);
    assert!(report == fs::read(bench.path("guestlist-run/report.json")).unwrap());
}

#[test]
fn our_own_trainer_reads_data_and_configuration() {
    let bench = Bench::with(4, "epochs = 2");
    run(&bench);
    let found = named(&bench, "guestlist-run/report.json");
    assert_eq!(found, ["data.csv", "guestlist.toml"]);
    let config = fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    bench.write(
        "guestlist.toml",
        &config.replace("epochs = 2", "epochs = 3"),
    );
    let said = bench.guestlist("verify guestlist-run").exits(1).stdout;
    assert!(
        said.contains("changed       input guestlist.toml: "),
        "{said}"
    );
}
