//! `cargo xtask wheel`: the Python package for this machine, checked, and tried where that is asked for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::carried::{Carried, Inside};
use crate::python::Modules;
use crate::shell::{Failed, output, root, run};

const WHEELS: &str = "target/wheels";
/// What PyPI's visitors should fetch at most.
const LARGEST: u64 = 30_000_000;
/// The oldest C library that the Rust toolchain's own parts run with.
const OLDEST: &str = "manylinux_2_17";

/// It depends on nothing.
const MATURIN: Carried = Carried {
    package: "maturin==1.16.0",
    folder: "target/python-maturin",
    inside: Inside::Program("bin/maturin"),
    size: "10 MB",
};

/// A linker and C compiler for older C libraries than this machine's.
const ZIG: Carried = Carried {
    package: "ziglang==0.17.0",
    folder: "target/python-zig",
    inside: Inside::Program("ziglang/zig"),
    size: "100 MB",
};

const CHECKS: Modules = Modules {
    name: "wheel",
    imports: "auditwheel, abi3audit",
    requirements: "xtask/wheel-requirements.txt",
    size: "10 MB",
};

/// What was asked for behind `wheel`.
#[derive(Debug, Default, PartialEq)]
pub struct Asked {
    /// For old systems too: everything is built anew, for them.
    manylinux: bool,
    /// Interpreters to try it with.
    tried_with: Vec<String>,
}

impl Asked {
    pub fn read(arguments: impl Iterator<Item = String>) -> Result<Self, Failed> {
        let mut asked = Self::default();
        let mut trying = false;
        for argument in arguments {
            match argument.as_str() {
                "--manylinux" => (asked.manylinux, trying) = (true, false),
                "--try" => trying = true,
                python if trying => asked.tried_with.push(python.into()),
                other => return Err(Failed(format!("cargo xtask wheel knows no {other}"))),
            }
        }
        match trying && asked.tried_with.is_empty() {
            true => Err(Failed("--try wants interpreters, such as python3".into())),
            false => Ok(asked),
        }
    }
}

pub fn build(asked: &Asked) -> Result<(), Failed> {
    let folder = root().join(WHEELS);
    // One wheel is left, and no older one is taken for it.
    for old in wheels(&folder)? {
        fs::remove_file(&old).map_err(|error| Failed(format!("{}: {error}", old.display())))?;
    }
    let mut command = Command::new(MATURIN.fetched()?);
    command.args(["build", "--profile", "wheel", "--out", WHEELS]);
    if asked.manylinux {
        command.args(["--zig", "--compatibility", OLDEST]);
        command.env("CARGO_ZIGBUILD_ZIG_PATH", ZIG.fetched()?);
    }
    run(&mut command)?;
    let wheel = match wheels(&folder)?.as_slice() {
        [wheel] => wheel.clone(),
        others => return Err(Failed(format!("{WHEELS} has {} wheels", others.len()))),
    };
    check(&wheel, asked.manylinux)?;
    for python in &asked.tried_with {
        run(Command::new(python).arg("scripts/try_wheel.py").arg(&wheel))?;
    }
    Ok(())
}

fn wheels(folder: &Path) -> Result<Vec<PathBuf>, Failed> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(Vec::new());
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let paths: Result<Vec<PathBuf>, _> = paths.collect();
    let mut paths = paths.map_err(|error| Failed(format!("{}: {error}", folder.display())))?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "whl"));
    Ok(paths)
}

/// Its size, its one library, the systems it is for, and that it asks Python for nothing but the stable interface.
fn check(wheel: &Path, manylinux: bool) -> Result<(), Failed> {
    let size = fs::metadata(wheel).map_err(|error| Failed(error.to_string()))?;
    let size = size.len();
    println!("{}: {:.1} MB", wheel.display(), size as f64 / 1e6);
    if size >= LARGEST {
        return Err(Failed(format!(
            "the wheel has {size} bytes, and {LARGEST} are too many"
        )));
    }
    let mut listing = Command::new("python3");
    one_library(&output(
        listing.args(["-m", "zipfile", "--list"]).arg(wheel),
    )?)?;
    let path = CHECKS.installed()?;
    let module = |name: &str| {
        let mut command = Command::new("python3");
        command.args(["-m", name]).env("PYTHONPATH", &path);
        command
    };
    if cfg!(target_os = "linux") {
        let said = output(module("auditwheel").arg("show").arg(wheel))?;
        println!("{said}");
        if manylinux {
            runs_on_the_oldest(&said)?;
        }
    }
    run(module("abi3audit")
        .args(["--strict", "--summary"])
        .arg(wheel))
}

/// Of what is inside, by Python's listing: command and module share one library, and no program lies beside it.
fn one_library(listing: &str) -> Result<(), Failed> {
    let names = listing
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let native = |name: &&str| {
        let file = name.rsplit('/').next().unwrap_or(name);
        let endings = [".so", ".pyd", ".dylib", ".dll", ".exe"];
        let known = endings.iter().any(|ending| file.ends_with(ending));
        known || file.contains(".so.") || name.contains(".data/scripts/")
    };
    let found: Vec<&str> = names.filter(native).collect();
    match found.as_slice() {
        [_] => Ok(()),
        _ => Err(Failed(format!(
            "the wheel should hold one native library, and holds {found:?}"
        ))),
    }
}

/// By what auditwheel says, whose lines break anywhere.
fn runs_on_the_oldest(said: &str) -> Result<(), Failed> {
    let words: Vec<&str> = said.split_whitespace().collect();
    let wanted = format!("the following platform tag: \"{OLDEST}_");
    match words.join(" ").contains(&wanted) {
        true => Ok(()),
        false => Err(Failed(format!("auditwheel finds no {OLDEST} in the wheel"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Asked, Failed> {
        Asked::read(words.iter().map(|word| (*word).to_owned()))
    }

    #[test]
    fn interpreters_follow_try_and_nothing_else_is_known() {
        let asked = read(&["--try", "python3.11", "python3.12", "--manylinux"]);
        let asked = asked.unwrap_or_else(|Failed(what)| panic!("{what}"));
        assert_eq!(asked.tried_with, ["python3.11", "python3.12"]);
        assert!(asked.manylinux);
        assert!(read(&["--try"]).is_err() && read(&["--zig"]).is_err());
        assert_eq!(read(&[]).ok(), Some(Asked::default()));
    }

    #[test]
    fn a_second_library_or_program_is_refused() {
        let listing = |names: &[&str]| {
            let line = |name: &&str| format!("{name}  2026-01-01 00:00:00  7\n");
            names.iter().map(line).collect::<String>()
        };
        let (library, module) = ("guestlist/_guestlist.abi3.so", "guestlist/rag.py");
        assert!(one_library(&listing(&[library, module])).is_ok());
        assert!(one_library(&listing(&[module])).is_err());
        assert!(one_library(&listing(&[library, "guestlist.libs/libz-1.so.1"])).is_err());
        let program = "guestlist-0.1.0.data/scripts/guestlist";
        assert!(one_library(&listing(&[library, program])).is_err());
    }

    #[test]
    fn a_wheel_for_newer_systems_alone_is_refused() {
        let said = |tag| {
            format!("guestlist.whl is\nconsistent with the following\nplatform tag: \"{tag}\".")
        };
        assert!(runs_on_the_oldest(&said("manylinux_2_17_x86_64")).is_ok());
        assert!(runs_on_the_oldest(&said("manylinux_2_34_x86_64")).is_err());
        assert!(runs_on_the_oldest(&said("linux_x86_64")).is_err());
    }
}
