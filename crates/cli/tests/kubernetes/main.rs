//! Manifests for Kubernetes: its own schema takes them, and what they have pods do gives models that a run
//! judges.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // helpers of tests are tests too

#[path = "../classifier/bench.rs"]
#[allow(dead_code)] // shared with the tests of training
mod bench;
mod pods;

use std::fs;
use std::process::Command;

use bench::Bench;

/// A training program that keeps a diary of what it trained.
const TRAINER: &str = r#"
import json, struct, sys
job = json.load(open(sys.argv[1]))
records = job["records"]
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % records
header = header.ljust(117) + "\n"
with open(job["output"], "wb") as out:
    out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    out.write(struct.pack("<%df" % records, *(0.01 * r * (job["seed"] % 7) for r in range(records))))
with open("diary", "a") as diary:
    diary.write("%d\n" % job["model"])
"#;

fn bench(kubernetes: &str) -> Bench {
    let bench = Bench::new();
    let program = env!("CARGO_BIN_EXE_guestlist");
    bench.write(
        "guestlist.toml",
        &format!(
            "kind = \"classifier\"\n\
             [data]\nrecords = 40\n\
             [models]\nshadows = 5\n\
             [command]\nrun = [\"python3\", \"train.py\", \"{{job}}\"]\noutput = \"phi\"\nmodels_per_gpu = 2\n\
             [kubernetes]\nimage = \"registry.example/audit:1\"\nprogram = {program:?}\n{kubernetes}"
        ),
    );
    bench.write("train.py", TRAINER);
    bench
}

fn diary(bench: &Bench) -> Vec<String> {
    let diary = fs::read_to_string(bench.path("diary")).unwrap_or_default();
    let mut lines: Vec<String> = diary.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn pods_train_what_a_run_judges_and_nothing_twice() {
    let bench = bench("memory = \"2Gi\"\nretries = 4\n");
    // One model is there before, trained by somebody else.
    bench.guestlist("plan --kubernetes job.yaml").exits(0);
    bench.guestlist("work guestlist-run --job 3").exits(0);
    let said = bench.guestlist("plan --kubernetes job.yaml").exits(0);
    assert!(said.stdout.contains("kubectl apply"), "{}", said.stdout);
    let manifest = fs::read_to_string(bench.path("job.yaml")).unwrap();
    for line in [
        "completionMode: \"Indexed\"",
        "completions: 6",
        "parallelism: 6",
        "backoffLimitPerIndex: 4",
        "maxFailedIndexes: 2",
        "restartPolicy: \"Never\"",
        "- \"ReadWriteMany\"",
        "memory: \"2Gi\"",
    ] {
        assert!(manifest.contains(line), "{line}: {manifest}");
    }
    for index in (0..6).chain([2, 5]) {
        pods::run(&manifest, index);
    }
    assert_eq!(diary(&bench), ["0", "1", "2", "3", "4", "5"]);
    let said = bench.guestlist("run");
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    assert!(
        said.stderr.contains("all 6 models are there"),
        "{}",
        said.stderr
    );
    assert_eq!(diary(&bench).len(), 6);
    let said = bench.guestlist("plan --kubernetes job.yaml").exits(2);
    assert!(said.stderr.contains("no job is needed"), "{}", said.stderr);
}

#[test]
fn pods_with_a_device_train_several_models_where_they_see_the_volume() {
    let elsewhere = tempfile::tempdir().unwrap();
    let mount = elsewhere.path().join("volume");
    let bench = bench(&format!("mount = {mount:?}\ngpus = 1\nat_once = 2\n"));
    let manifest = bench.guestlist("plan --kubernetes -").exits(0).stdout;
    for line in ["completions: 3", "parallelism: 2", "nvidia.com/gpu: \"1\""] {
        assert!(manifest.contains(line), "{line}: {manifest}");
    }
    // As a pod has it: the same folder by another path.
    std::os::unix::fs::symlink(bench.path(""), &mount).unwrap();
    for index in 0..3 {
        pods::run(&manifest, index);
    }
    assert_eq!(diary(&bench), ["0", "1", "2", "3", "4", "5"]);
    let said = bench.guestlist("run");
    assert!(
        said.stderr.contains("all 6 models are there"),
        "{}",
        said.stderr
    );
}

#[test]
fn what_pods_could_not_read_is_refused() {
    let refused = |kubernetes: &str, words: &str| {
        let said = bench(kubernetes)
            .guestlist("plan --kubernetes job.yaml")
            .exits(2);
        assert!(said.stderr.contains(words), "{words}: {}", said.stderr);
    };
    refused("volume = \"/nowhere\"\n", "is not on the volume");
    refused(
        "[run]\nfolder = \"/tmp/guestlist-elsewhere\"\n",
        "is not on the volume",
    );
    refused("mount = \"here\"\n", "kubernetes.mount is here");
    let bench = bench("");
    bench.write("job.yaml", "kind: Deployment\n");
    let said = bench.guestlist("plan --kubernetes job.yaml").exits(2);
    assert!(
        said.stderr.contains("no manifest of ours"),
        "{}",
        said.stderr
    );
    let written = fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    bench.write("guestlist.toml", &written.replace("image = ", "# image = "));
    let said = bench.guestlist("plan --kubernetes -").exits(2);
    assert!(
        said.stderr.contains("kubernetes.image is not set"),
        "{}",
        said.stderr
    );
}

/// Every setting there is, by the schemas of the oldest version that has them all and of the newest.
#[test]
#[ignore = "needs kubernetes-validate"]
fn kubernetes_takes_the_manifest() {
    const CHECK: &str = r"
import sys, yaml, kubernetes_validate
documents = list(yaml.safe_load_all(open(sys.argv[1])))
for version in ('1.29', kubernetes_validate.latest_version()):
    for document in documents:
        kubernetes_validate.validate(document, version, strict=True)
print([document['kind'] for document in documents])
";
    let every = "namespace = \"audits\"\nsize = \"50Gi\"\nstorage_class = \"nfs\"\ncores = 4\nmemory = \"8Gi\"\n\
                 gpus = 1\nat_once = 8\nretries = 1\nmax_failed = 3\nsetup = [\"echo 'it: works'\"]\n\
                 secrets = [\"tokens\"]\n";
    for (kubernetes, kinds) in [
        (every, "['PersistentVolumeClaim', 'Job']"),
        ("claim = \"shared\"\n", "['Job']"),
    ] {
        let bench = bench(kubernetes);
        bench.guestlist("plan --kubernetes job.yaml").exits(0);
        let mut python = Command::new("python3");
        if let Some(path) = std::env::var_os("GUESTLIST_TEST_KUBERNETES_PYTHONPATH") {
            python.env("PYTHONPATH", path);
        }
        let output = python
            .args(["-c", CHECK])
            .arg(bench.path("job.yaml"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{complaint}");
        assert_eq!(said.trim(), kinds);
    }
}
