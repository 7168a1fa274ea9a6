//! Whatever dies, the audit ends, with the same bytes as on one machine, and nothing is trained twice.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;

use crate::audit::{Audit, send};
use crate::cluster::Cluster;

/// A training program that keeps a diary of what it trained.
const TRAINER: &str = r#"
import json, struct, sys, time
job = json.load(open(sys.argv[1]))
time.sleep(1)
records = job["records"]
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % records
header = header.ljust(117) + "\n"
with open(job["output"], "wb") as out:
    out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    out.write(struct.pack("<%df" % records, *(0.01 * r * (job["seed"] % 7) for r in range(records))))
with open(job["parameters"]["diary"], "a") as diary:
    diary.write("%d\n" % job["model"])
"#;

/// Six models of that program.
fn audit() -> Audit {
    let audit = Audit::new("");
    let diary = audit.path("diary");
    let configuration = format!(
        "kind = \"classifier\"\n\
         [data]\nrecords = 60\n\
         [models]\nshadows = 5\n\
         [command]\nrun = [\"python3\", \"train.py\", \"{{job}}\"]\noutput = \"phi\"\n\
         parameters = {{ diary = {diary:?} }}\n\
         [run]\nfolder = \"out\"\n\
         [ray]\npoll = 0.2\n\
         [audit]\nattacks = [\"lira\", \"rmia\"]\n"
    );
    fs::write(audit.path("guestlist.toml"), configuration).unwrap();
    fs::write(audit.path("train.py"), TRAINER).unwrap();
    audit
}

/// How often each model was trained to its end.
fn trained(audit: &Audit) -> BTreeMap<usize, usize> {
    let diary = fs::read_to_string(audit.path("diary")).unwrap_or_default();
    let mut counts = BTreeMap::new();
    for model in diary.lines().map(|line| line.parse().unwrap()) {
        *counts.entry(model).or_default() += 1;
    }
    counts
}

fn each_once() -> BTreeMap<usize, usize> {
    (0..6).map(|model| (model, 1)).collect()
}

#[test]
#[ignore = "needs Ray"]
fn a_worker_is_killed() {
    let cluster = Cluster::start();
    let audit = Audit::digits(7, 1600);
    let mut running = audit.start(&cluster);
    // Not of necessity at the same time: on busy cores one may have ended where the other begins.
    let seen = ["n1", "n2"].map(|node| (node, Cell::new(false)));
    running.until("a worker on each node", || {
        for (node, seen) in &seen {
            seen.set(seen.get() || audit.worker(Some(node)).is_some());
        }
        seen.iter().all(|(_, seen)| seen.get()).then_some(())
    });
    let worker = running.until("a worker", || audit.worker(None));
    send("-KILL", worker);
    let said = running.said().gives_a_verdict();
    said.says("failed, trying again: its job on Ray was ended by signal 9");
    let here = Audit::digits(7, 1600);
    here.run_here().gives_a_verdict();
    audit.agrees_with(&here);
}

#[test]
#[ignore = "needs Ray"]
fn the_submitting_run_is_killed() {
    let cluster = Cluster::start();
    let audit = audit();
    let mut running = audit.start(&cluster);
    running.until("a worker", || audit.worker(None));
    running.signal("-KILL");
    assert_eq!(running.said().code, None);
    let said = audit.start(&cluster).said().gives_a_verdict();
    said.says("in Ray's queue already");
    assert_eq!(trained(&audit), each_once());
    // All is there: nothing is submitted, and the same comes out.
    let said = audit.start(&cluster).said().gives_a_verdict();
    said.says("all 6 models are there");
    assert_eq!(trained(&audit), each_once());
}

/// As on machines that share nothing: jobs work in Ray's own folders, and models come back in their logs.
#[test]
#[ignore = "needs Ray"]
fn nodes_that_share_no_folder_are_sent_what_they_need() {
    let cluster = Cluster::start();
    let audit = Audit::digits(5, 400);
    let upload = |audit: &Audit| {
        let path = audit.path("guestlist.toml");
        let configuration = fs::read_to_string(&path).unwrap();
        fs::write(
            path,
            configuration.replace("[ray]\n", "[ray]\nfiles = \"upload\"\n"),
        )
        .unwrap();
    };
    upload(&audit);
    let mut running = audit.start(&cluster);
    running.until("the first model", || audit.has_model(0).then_some(()));
    assert_eq!(audit.worker(None), None, "no job works in the run's folder");
    // What ended while nobody listened is fetched, and not trained again.
    running.signal("-KILL");
    assert_eq!(running.said().code, None);
    audit.start(&cluster).said().gives_a_verdict();
    let here = Audit::digits(5, 400);
    upload(&here);
    here.run_here().gives_a_verdict();
    audit.agrees_with(&here);

    let programs = self::audit();
    upload(&programs);
    programs.start(&cluster).said().gives_a_verdict();
    assert_eq!(trained(&programs), each_once());
    let failing = self::audit();
    upload(&failing);
    fs::write(
        failing.path("train.py"),
        "import sys\nsys.exit(\"no luck far away\")\n",
    )
    .unwrap();
    let said = failing.start(&cluster).said().exits(2);
    said.says("    no luck far away");
}

#[test]
#[ignore = "needs Ray"]
fn a_node_is_lost_and_comes_back() {
    let mut cluster = Cluster::start();
    let audit = audit();
    let mut running = audit.start(&cluster);
    running.until("a worker on n2", || audit.worker(Some("n2")));
    cluster.order("kill n2");
    running.until_it_says("failed, trying again: its job on Ray");
    cluster.order("up n2");
    running.said().gives_a_verdict();
    assert_eq!(trained(&audit), each_once());
}
