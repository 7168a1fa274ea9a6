//! `cargo xtask bench scale`: audits of growing size, their time and memory, for docs/guide-scale.md.

use std::process::Command;

use crate::python::Modules;
use crate::shell::{Failed, beside, cargo, root, run};

const BUILD: [&str; 4] = ["build", "--release", "--package", "guestlist-cli"];

const PYARROW: Modules = Modules {
    name: "bench-scale",
    imports: "numpy, pyarrow.parquet",
    requirements: "bench/requirements-scale.txt",
    size: "about 70 MB",
};

/// Further arguments are those of bench/scale/measure.py: which sizes, and an earlier build to compare with.
pub fn measure(further: impl Iterator<Item = String>) -> Result<(), Failed> {
    cargo(&BUILD)?;
    run(Command::new("python3")
        .arg(root().join("bench/scale/measure.py"))
        .arg(beside("guestlist")?)
        .arg(root().join("target/bench-scale"))
        .arg(root().join("bench/figures/scale.json"))
        .args(further)
        .env("PYTHONPATH", PYARROW.installed()?))
}
