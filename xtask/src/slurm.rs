//! A Slurm for the tests of its executor: Debian's packages, installed where that is possible,
//! started and stopped by the tests themselves.

use std::path::Path;
use std::process::Command;

use crate::debian::{self, last_line, said};
use crate::installing::Lack;
use crate::needy::{Need, Variables};
use crate::shell::{Failed, root, succeeds};

/// MariaDB's core server is enough; the full package would bring its service and much else.
const PACKAGES: [&str; 4] = ["slurm-wlm", "munge", "slurmdbd", "mariadb-server-core"];

/// The programs that the packages bring.
const PROGRAMS: [&str; 5] = ["sbatch", "slurmctld", "slurmd", "munged", "slurmdbd"];

/// Debian asks this file whether a package may start its service.
const POLICY: &str = "/usr/sbin/policy-rc.d";

/// The programs, and a machine on which they can run.
pub fn need() -> Result<Need, Lack> {
    let missing = match is_installed() {
        true => Vec::new(),
        false => vec![debian::installation(
            "Slurm",
            &PACKAGES,
            "about 150 MB",
            install,
        )?],
    };
    Ok(Need {
        missing,
        variables: Box::new(check),
    })
}

/// Some machines cannot run it, such as containers with few rights.
fn check() -> Result<Variables, Lack> {
    let script = root().join("crates/cli/tests/slurm/cluster.py");
    let answer = said(Command::new("python3").arg(script).arg("check"))?;
    match answer.status.success() {
        true => Ok(Variables::new()),
        false => Err(Lack::Impossible(last_line(&answer.stdout))),
    }
}

fn is_installed() -> bool {
    let there = |program: &&str| {
        ["/usr/bin", "/usr/sbin"].map(|folder| Path::new(folder).join(program).exists())
    };
    let mut programs = PROGRAMS.iter().chain(&["mariadbd"]);
    programs.all(|program| there(program).contains(&true))
}

fn install() -> Result<(), Failed> {
    let _policy = Policy::forbid()?;
    debian::install(&PACKAGES)
}

/// While this lives, packages start no services. Where a policy stands already, its owner has
/// decided, and it stays as it is.
struct Policy {
    ours: bool,
}

impl Policy {
    fn forbid() -> Result<Self, Failed> {
        let ours = !Path::new(POLICY).exists();
        let policy = Self { ours };
        if ours {
            let script = "printf '#!/bin/sh\\nexit 101\\n' >\"$0\" && chmod 755 \"$0\"";
            if !succeeds("sh", &["-c", script, POLICY]) {
                return Err(Failed(format!("{POLICY} cannot be written")));
            }
        }
        Ok(policy)
    }
}

impl Drop for Policy {
    fn drop(&mut self) {
        if self.ours {
            let _ = std::fs::remove_file(POLICY);
        }
    }
}
