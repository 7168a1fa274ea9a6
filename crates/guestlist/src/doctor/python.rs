//! The Python side: whether the package is there, of the same version, and what it could use.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Launch;
use base::Cancel;
use serde::Deserialize;

use super::asked::{Answer, ask};
use super::{Finding, Status};

/// Says what it finds as JSON. The current folder is left out of the path: a folder named guestlist may lie there.
const SCRIPT: &str = "\
import json, sys
sys.path = [place for place in sys.path if place]
from importlib import metadata
def version(name):
    try:
        return metadata.version(name)
    except Exception:
        return None
found = {'python': sys.version.split()[0], 'torch': version('torch'), 'transformers': version('transformers')}
try:
    from guestlist._guestlist import __version__
    found['guestlist'] = __version__
except ModuleNotFoundError as error:
    if error.name != 'guestlist':
        found['broken'] = str(error)
except Exception as error:
    found['broken'] = f'{type(error).__name__}: {error}'
print(json.dumps(found))
";

#[derive(Deserialize)]
struct Found {
    python: String,
    guestlist: Option<String>,
    /// Why the package cannot be imported, where it is there.
    broken: Option<String>,
    torch: Option<String>,
    transformers: Option<String>,
}

pub fn look(python: Option<&Path>, cancel: &Cancel) -> Vec<Finding> {
    let inside = || Launch::current().python.clone();
    let usual = || if cfg!(windows) { "python" } else { "python3" }.into();
    let python: PathBuf = match python {
        Some(python) => python.into(),
        None => inside().unwrap_or_else(usual),
    };
    let shown = python.display();
    let mut command = Command::new(&python);
    command.args(["-c", SCRIPT]);
    let found: Found = match ask(command, cancel) {
        Answer::Said(said) => match serde_json::from_str(&said) {
            Ok(found) => found,
            Err(_) => return vec![strange(format!("{shown} does not answer as Python does"))],
        },
        Answer::Missing => {
            return vec![
                Finding::new("python", Status::Absent, format!("{shown} is not found")).remedy(
                    "needed by audits from Python and by [torch] alone: install Python 3.11 or newer",
                ),
            ];
        }
        Answer::Failed(why) => return vec![strange(format!("{shown} {why}"))],
    };
    vec![package(&found, &python), frameworks(&found)]
}

fn strange(said: String) -> Finding {
    Finding::new("python", Status::Warning, said)
        .remedy("name another with --python; audits on the command line do without")
}

fn package(found: &Found, python: &Path) -> Finding {
    let own = env!("CARGO_PKG_VERSION");
    let place = format!("Python {} ({})", found.python, python.display());
    let pip = |how: &str| format!("{} -m pip install {how} guestlist", typed(python));
    let install = pip("--upgrade");
    match (&found.guestlist, &found.broken) {
        _ if found.too_old() => Finding::new(
            "python",
            Status::Absent,
            format!("{place} is too old for guestlist"),
        )
        .remedy("needed by audits from Python alone: name Python 3.11 or newer with --python"),
        (Some(version), _) if version == own => {
            Finding::ok("python", format!("{place} has guestlist {version}"))
        }
        (Some(version), _) => Finding::new(
            "python",
            Status::Warning,
            format!("{place} has guestlist {version}, and this is {own}: numbers may differ"),
        )
        .remedy(install),
        (None, Some(broken)) => Finding::new(
            "python",
            Status::Warning,
            format!("{place} cannot import guestlist: {broken}"),
        )
        .remedy(pip("--force-reinstall")),
        (None, None) => Finding::new(
            "python",
            Status::Absent,
            format!("{place} has no guestlist"),
        )
        .remedy(format!("needed by audits from Python alone: {install}")),
    }
}

impl Found {
    /// Before 3.11, for which there are no wheels.
    fn too_old(&self) -> bool {
        let mut numbers = self.python.split('.').map(|part| part.parse().unwrap_or(0));
        let version: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        version < (3, 11)
    }
}

/// A path as it can be typed into a shell.
fn typed(path: &Path) -> String {
    let shown = path.display().to_string();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/\\:".contains(&byte);
    match (shown.bytes().all(plain), cfg!(windows)) {
        (true, _) => shown,
        (false, true) => format!("\"{shown}\""),
        (false, false) => format!("'{}'", shown.replace('\'', r"'\''")),
    }
}

fn frameworks(found: &Found) -> Finding {
    let named = [
        ("PyTorch", &found.torch),
        ("transformers", &found.transformers),
    ];
    let there = named.iter();
    let there: Vec<String> = there
        .filter_map(|(name, version)| Some(format!("{name} {}", version.as_ref()?)))
        .collect();
    match (there.is_empty(), &found.torch) {
        (false, Some(_)) => Finding::ok("frameworks", there.join(", ")),
        _ => Finding::new("frameworks", Status::Absent, "PyTorch is not installed").remedy(
            "needed by guestlist.torch, guestlist.collect and [torch] alone: pip install 'guestlist[torch]'",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(guestlist: Option<&str>, broken: Option<&str>) -> Found {
        Found {
            python: "3.12.1".into(),
            guestlist: guestlist.map(Into::into),
            broken: broken.map(Into::into),
            torch: None,
            transformers: Some("5.0".into()),
        }
    }

    #[test]
    fn another_version_is_no_good_news_and_a_broken_package_is_not_a_missing_one() {
        let status = |found: Found| {
            let finding = package(&found, Path::new("python3"));
            (finding.status, finding.detail)
        };
        assert_eq!(
            status(found(Some(env!("CARGO_PKG_VERSION")), None)).0,
            Status::Ok
        );
        let (other, said) = status(found(Some("0.0.1"), None));
        assert_eq!(other, Status::Warning);
        assert!(said.contains("0.0.1") && said.contains(env!("CARGO_PKG_VERSION")));
        let (broken, said) = status(found(None, Some("undefined symbol")));
        assert_eq!(broken, Status::Warning);
        assert!(said.contains("undefined symbol"), "{said}");
        assert_eq!(status(found(None, None)).0, Status::Absent);
    }

    #[test]
    fn no_python_is_told_to_install_what_it_cannot_run() {
        let remedy = |python: &str, path: &str| {
            let found = Found {
                python: python.into(),
                ..found(None, None)
            };
            package(&found, Path::new(path)).remedy.unwrap_or_default()
        };
        for old in ["3.10.14", "2.7.18"] {
            let told = remedy(old, "python3");
            assert!(told.contains("3.11") && !told.contains("pip"), "{told}");
        }
        let told = remedy("3.11.0rc1", "/opt/my pythons/python3");
        assert!(
            told.contains("3' -m pip install") || told.contains("3\" -m pip install"),
            "{told}"
        );
    }

    #[test]
    fn transformers_alone_are_no_framework() {
        assert_eq!(frameworks(&found(None, None)).status, Status::Absent);
    }
}
