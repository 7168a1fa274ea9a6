//! What cannot be mended is told, in words that help.

use std::fs;
use std::process::Command;

use crate::audit::Audit;
use crate::cluster::Cluster;

/// A training program that has no luck with one model.
const TRAINER: &str = r#"
import json, struct, sys
job = json.load(open(sys.argv[1]))
if job["model"] == 2:
    print("this model has no luck")
    sys.exit(3)
records = job["records"]
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % records
header = header.ljust(117) + "\n"
with open(job["output"], "wb") as out:
    out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    out.write(struct.pack("<%df" % records, *(0.01 * r for r in range(records))))
"#;

#[test]
#[ignore = "needs Slurm"]
fn a_model_fails_every_time() {
    let cluster = Cluster::start(&[]);
    let audit = Audit::new(
        "kind = \"classifier\"\n\
         [data]\nrecords = 40\n\
         [models]\nshadows = 4\n\
         [command]\nrun = [\"python3\", \"train.py\", \"{job}\"]\noutput = \"phi\"\n\
         [run]\nfolder = \"out\"\n\
         [slurm]\npoll = 0.2\nretries = 1\n",
    );
    fs::write(audit.path("train.py"), TRAINER).unwrap();
    let said = audit.start(&cluster).said().exits(2);
    let said = said.says("model 2 failed, trying again: its task on the cluster ended as FAILED");
    let said = said.says("model 2: its task on the cluster ended as FAILED, exit code 2");
    let said = said.says("    this model has no luck");
    let said = said.says("error: the training program ended with exit status: 3");
    said.says("1 of 5 models could not be trained");
    let log = fs::read_to_string(audit.path("out/logs/00002.log")).unwrap();
    assert_eq!(log.matches("--- model 2").count(), 2, "{log}");
    let there: Vec<usize> = (0..5).filter(|model| audit.has_model(*model)).collect();
    assert_eq!(there, [0, 1, 3, 4]);
}

#[test]
#[ignore = "needs Slurm"]
fn a_partition_that_is_not_there() {
    let cluster = Cluster::start(&[]);
    let audit = Audit::digits(5, 1);
    let path = audit.path("guestlist.toml");
    let text = fs::read_to_string(&path).unwrap();
    let text = text.replace("[slurm]\n", "[slurm]\npartition = \"nope\"\n");
    fs::write(&path, text).unwrap();
    let said = audit.start(&cluster).said().exits(2);
    said.says("error: sbatch failed: invalid partition specified: nope")
        .says("hint: check [slurm] in the configuration");
    assert!(cluster.tasks().is_empty());
}

#[test]
#[ignore = "needs Slurm"]
fn somebody_thinks_better_of_it() {
    let cluster = Cluster::start(&[]);
    let audit = Audit::digits(5, 60_000);

    let mut running = audit.start(&cluster);
    running.until("a worker", || audit.worker(None));
    running.signal("-INT");
    let said = running.said().exits(130);
    assert!(cluster.under_way() > 0);
    let command = said.stderr.split('`').nth(1).unwrap();
    assert!(command.starts_with("scancel --name="), "{}", said.stderr);
    let cancel = || {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]);
        cluster.show(&mut shell);
        assert!(shell.status().unwrap().success());
    };
    cancel();
    let mut running = audit.start(&cluster);
    // What is still being cancelled is waited for; then everything is submitted anew.
    running.until("new arrays with all models", || {
        let queued = cluster.slurm("squeue", &["--noheader", "--array", "--format=%F %T"]);
        let tasks: Vec<&str> = queued.lines().filter(|l| !l.starts_with("1 ")).collect();
        let runs = tasks.iter().any(|line| line.ends_with("RUNNING"));
        (tasks.len() == 5 && runs).then_some(())
    });
    cancel();
    let said = running.said().exits(2);
    said.says("given up: its task on the cluster ended as CANCELLED")
        .says("5 of 5 models could not be trained");
}

#[test]
#[ignore = "needs Slurm"]
fn one_waiting_task_is_cancelled() {
    let cluster = Cluster::start(&[]);
    let audit = Audit::digits(5, 20_000);
    let mut running = audit.start(&cluster);
    running.until("a worker", || audit.worker(None));
    // The run looks at its queue five times a second; by now it saw the last one wait.
    std::thread::sleep(std::time::Duration::from_secs(2));
    // Of a task that is cancelled while it waits, Slurm keeps no record.
    cluster.slurm("scancel", &["1_4"]);
    running.until_it_says("model 4 failed, given up: its task on the cluster ended as CANCELLED");
    let said = running.said().exits(2);
    said.says("1 of 5 models could not be trained");
    assert!(cluster.tasks().iter().all(|task| task.starts_with("1_")));
}
