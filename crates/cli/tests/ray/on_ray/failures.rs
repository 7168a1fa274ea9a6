//! What cannot be mended is told, in words that help.

use std::fs;

use crate::audit::Audit;
use crate::cluster::Cluster;

fn audit(program: &str) -> Audit {
    let audit = Audit::new(
        "kind = \"classifier\"\n\
         [data]\nrecords = 40\n\
         [models]\nshadows = 11\n\
         [command]\nrun = [\"python3\", \"train.py\", \"{job}\"]\noutput = \"phi\"\n\
         [run]\nfolder = \"out\"\n\
         [ray]\npoll = 0.2\nretries = 1\n",
    );
    fs::write(audit.path("train.py"), program).unwrap();
    audit
}

#[test]
#[ignore = "needs Ray"]
fn programs_that_fail_are_named_with_their_last_words() {
    let cluster = Cluster::start();
    let audit = audit("import sys\nprint(\"this model has no luck\")\nsys.exit(3)\n");
    let said = audit.start(&cluster).said().exits(2);
    let said = said.says("failed, trying again: its job on Ray ended with exit code 2");
    let said = said.says("    this model has no luck");
    let said = said.says("error: the training program ended with exit status: 3");
    // As many as ran at once, and no others: of twelve never more than six are under way.
    said.says("models all failed alike, so the other");
    // What all say is one cause, and what is mended goes on in the same folder: jobs get new names.
    let said = audit.start(&cluster).said().exits(2);
    said.says("this model has no luck");
}

#[test]
#[ignore = "needs Ray"]
fn what_ray_cannot_start_is_waited_for_and_can_be_interrupted() {
    let cluster = Cluster::start();
    let audit = audit("");
    let path = audit.path("guestlist.toml");
    let configuration = fs::read_to_string(&path).unwrap();
    fs::write(&path, configuration + "resources = { moon = 1 }\n").unwrap();
    let mut running = audit.start(&cluster);
    running.until_it_says("4 models are submitted to Ray");
    running.signal("-INT");
    let said = running.said().exits(130);
    said.says("until you say `ray job stop --address http://127.0.0.1:");
}
