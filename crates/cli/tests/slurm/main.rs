//! Audits whose models are trained by a real Slurm, which these tests start on this machine.
//!
//! They are ignored unless asked for, because they need root and Slurm's programs. `cargo xtask
//! test` asks for them where `cluster.py check` says yes.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod audit;
mod cluster;

/// What is in here has a name by which `xtask/src/needy.rs` knows it.
mod on_slurm {
    mod failures;
    mod recovery;
}
