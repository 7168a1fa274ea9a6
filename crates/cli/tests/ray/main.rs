//! Audits whose models are trained by a real Ray of two nodes, which these tests start on this machine.
//!
//! They are ignored unless asked for, because they need `ray[default]`. `cargo xtask test` installs it and
//! asks for them.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // helpers of tests are tests too

#[path = "../slurm/audit.rs"]
#[allow(dead_code)] // shared with the tests of Slurm
mod audit;
mod cluster;

/// What is in here has a name by which `xtask/src/needy.rs` knows it.
mod on_ray {
    mod failures;
    mod recovery;
}
