//! `cargo xtask objects`: the tests of object storage, against a real S3-compatible server on loopback.
//! A command of its own: they build others' crates with further features, which no other test needs.

use crate::python::Modules;
use crate::shell::{Failed, cargo_command, run};

const MOTO: Modules = Modules {
    name: "moto",
    imports: "moto.server, flask",
    requirements: "crates/formats/tests/requirements-objects.txt",
    size: "90 MB",
};

const TESTS: [&str; 11] = [
    "test",
    "--release",
    "--package",
    "guestlist-formats",
    "--features",
    "object-store",
    "--test",
    "objects",
    "--",
    "--include-ignored",
    "in_object_storage_",
];

pub fn test() -> Result<(), Failed> {
    let path = MOTO.installed()?;
    let mut command = cargo_command();
    run(command.args(TESTS).env("GUESTLIST_MOTO", path))
}
