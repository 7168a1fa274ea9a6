//! A training program to order: a shell script that copies outputs which were made beforehand.

use std::fs;

use crate::common::Desk;
use crate::npy::{floats, integers};
use crate::signals::Signals;

/// The target and four shadows.
pub const MODELS: usize = 5;
pub const RECORDS: usize = 400;

/// Lays out a desk for `guestlist run`. Every model runs `train.sh` with its number: a good one
/// ends in `good`. The script is no part of the command, so that its change makes nothing stale.
pub fn desk(settings: &str) -> Desk {
    let desk = Desk::new();
    let labels: Vec<i64> = (0..RECORDS as i64).map(|record| record % 2).collect();
    fs::write(desk.path("labels.npy"), integers(&[RECORDS], &labels)).unwrap();
    let signals = Signals::new(MODELS, RECORDS, 0.0);
    for (model, phi) in signals.phi.chunks(RECORDS).enumerate() {
        fs::write(desk.path(format!("{model}.npy")), floats(&[RECORDS], phi)).unwrap();
    }
    let config = format!(
        "kind = \"classifier\"\n[data]\nlabels = \"labels.npy\"\n[models]\nshadows = {}\n\
         [audit]\nattacks = [\"loss\", \"lira\"]\n[command]\noutput = \"phi\"\n\
         run = [\"sh\", \"-c\", \"exec sh ./train.sh $0\", \"{{model}}\"]\n{settings}\n",
        MODELS - 1
    );
    fs::write(desk.path("guestlist.toml"), config).unwrap();
    trains(&desk, "good");
    desk
}

/// From now on models are trained by these lines, in which `$model` is the model's number.
pub fn trains(desk: &Desk, lines: &str) {
    let script = format!(
        "model=$1\necho $model >> attempts\n\
         good() {{ cp $model.npy \"$GUESTLIST_OUTPUT\"; }}\n{lines}\n"
    );
    fs::write(desk.path("train.sh"), script).unwrap();
}

/// How often each model was tried since the last time that somebody asked.
pub fn attempts(desk: &Desk) -> [usize; MODELS] {
    let text = fs::read_to_string(desk.path("attempts")).unwrap_or_default();
    let _ = fs::remove_file(desk.path("attempts"));
    let mut counts = [0; MODELS];
    for line in text.lines() {
        counts[line.parse::<usize>().unwrap()] += 1;
    }
    counts
}

/// The models that are there.
pub fn kept(desk: &Desk) -> Vec<String> {
    let mut names = desk.names("guestlist-run/models");
    names.retain(|name| name != "labels.npy");
    names
}
