//! Whatever dies, the audit ends with the same bytes as on one machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::audit::{Audit, send};
use crate::cluster::Cluster;

#[test]
#[ignore = "needs Slurm"]
fn a_worker_is_killed() {
    let cluster = Cluster::start(&["--accounting"]);
    let audit = Audit::digits(9, 800);
    let mut running = audit.start_with(&cluster, |command| {
        // Without the controller's word, what became of the worker is in the accounts only.
        fs::write(audit.path("scontrol"), "#!/bin/sh\nexit 1\n").unwrap();
        let all = fs::Permissions::from_mode(0o755);
        fs::set_permissions(audit.path("scontrol"), all).unwrap();
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", audit.path("").display()));
    });
    let worker = running.until("a worker", || audit.worker(None));
    send("-KILL", worker);
    let said = running.said().gives_a_verdict();
    said.says("failed, trying again: its task on the cluster ended as FAILED, signal 9");
    let here = Audit::digits(9, 800);
    here.run_here().gives_a_verdict();
    audit.agrees_with(&here);
}

#[test]
#[ignore = "needs Slurm"]
fn the_submitting_run_is_killed() {
    let cluster = Cluster::start(&[]);
    let audit = Audit::digits(9, 800);
    let mut running = audit.start(&cluster);
    running.until("the first model", || audit.has_model(0).then_some(()));
    running.signal("-KILL");
    assert_eq!(running.said().code, None);
    assert!(cluster.under_way() > 0);
    let said = audit.start(&cluster).said().gives_a_verdict();
    said.says("in Slurm's queue already");
    let each_once: Vec<String> = (0..9).map(|model| format!("1_{model}")).collect();
    assert_eq!(cluster.tasks(), each_once);
    let here = Audit::digits(9, 800);
    here.run_here().gives_a_verdict();
    audit.agrees_with(&here);
}

#[test]
#[ignore = "needs Slurm"]
fn the_controller_restarts() {
    let mut cluster = Cluster::start(&["--message-timeout=3"]);
    let audit = Audit::digits(7, 800);
    let mut running = audit.start(&cluster);
    running.until("the first model", || audit.has_model(0).then_some(()));
    cluster.order("stop slurmctld");
    running.until_it_says("Slurm does not answer, waiting: squeue failed");
    cluster.order("up slurmctld");
    let said = running.said().gives_a_verdict();
    said.says("Slurm answers again");
    let each_once: Vec<String> = (0..7).map(|model| format!("1_{model}")).collect();
    assert_eq!(cluster.tasks(), each_once);
}

#[test]
#[ignore = "needs Slurm"]
fn a_node_is_lost() {
    let mut cluster = Cluster::start(&[]);
    let audit = Audit::digits(5, 2000);
    let mut running = audit.start(&cluster);
    running.until("a worker on n1", || audit.worker(Some("n1")));
    cluster.order("kill n1");
    // Slurm would find out by itself, after SlurmdTimeout.
    let down = ["update", "nodename=n1", "state=down", "reason=lost"];
    cluster.slurm("scontrol", &down);
    let said = running.said().gives_a_verdict();
    said.says("failed, trying again: its task on the cluster ended as NODE_FAIL");
    let here = Audit::digits(5, 2000);
    here.run_here().gives_a_verdict();
    audit.agrees_with(&here);
}
