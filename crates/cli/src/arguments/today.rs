//! Which day it is: the default of `--date`, and the one look at a clock that a report knows of.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// As SOURCE_DATE_EPOCH says (<https://reproducible-builds.org/specs/source-date-epoch>), or else today in
/// UTC. It is recorded in the command like every other value, so that the command gives the same report on
/// another day.
pub fn today() -> String {
    let said = std::env::var("SOURCE_DATE_EPOCH").ok();
    let said = said.and_then(|seconds| seconds.parse().ok());
    let then = said.and_then(|seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds)));
    asking::store::day(then.unwrap_or_else(SystemTime::now))
}
