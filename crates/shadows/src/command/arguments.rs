//! The words of `command.run`: the program, and what is filled into its arguments.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::{Error, ErrorKind, Result};

pub const PLACEHOLDERS: [&str; 5] = ["job", "rows", "output", "seed", "model"];

/// Whether an argument names a script, by its ending.
pub fn is_script(argument: &str) -> bool {
    let endings = [".py", ".sh", ".R", ".jl", ".pl"];
    !argument.contains('{') && endings.iter().any(|ending| argument.ends_with(ending))
}

/// The program's file: by its path from the folder it runs in, or along PATH.
pub fn find(name: &str, folder: &Path) -> Result<PathBuf> {
    let missing = || {
        setting(format!("command.run: the program {name} is not found")).hint(
            "give its path from command.folder with a slash in it, or a program that is on PATH",
        )
    };
    if name.contains('/') {
        let path = folder.join(name);
        return match is_program(&path) {
            true => Ok(path),
            false if path.is_file() => Err(not_executable(name)),
            false => Err(missing()),
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|place| place.join(name));
    let mut programs = found.filter(|path| is_program(path));
    programs.next().ok_or_else(missing)
}

fn not_executable(name: &str) -> Error {
    setting(format!("command.run: {name} is not executable")).hint(format!(
        "say chmod +x {name}, or run it through its interpreter: run = [\"python3\", \"{name}\", \"{{job}}\"]"
    ))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file() || path.with_extension("exe").is_file()
}

/// A word in braces that nothing fills in. Braces around anything but a plain word are left
/// alone: they are the program's own.
pub fn unknown_placeholder(argument: &str) -> Option<&str> {
    argument.split('{').skip(1).find_map(|rest| {
        let (word, _) = rest.split_once('}')?;
        let plain = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
        (plain && !PLACEHOLDERS.contains(&word)).then_some(word)
    })
}

pub fn filled(argument: &str, values: &BTreeMap<&str, OsString>) -> OsString {
    let mut out = OsString::new();
    let mut rest = argument;
    while let Some(start) = rest.find('{') {
        let known = values
            .iter()
            .find(|(name, _)| rest[start + 1..].starts_with(&format!("{name}}}")));
        match known {
            Some((name, value)) => {
                out.push(&rest[..start]);
                out.push(value);
                rest = &rest[start + name.len() + 2..];
            }
            None => {
                out.push(&rest[..=start]);
                rest = &rest[start + 1..];
            }
        }
    }
    out.push(rest);
    out
}

fn setting(message: String) -> Error {
    Error::new(ErrorKind::Setting, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_and_other_braces_kept() {
        let values = BTreeMap::from([
            ("job", OsString::from("/a b/job.json")),
            ("seed", "7".into()),
        ]);
        assert_eq!(filled("--job={job}", &values), "--job=/a b/job.json");
        assert_eq!(filled("{seed}-{seed}", &values), "7-7");
        assert_eq!(filled("{\"a\": {seed}}", &values), "{\"a\": 7}");
        assert_eq!(unknown_placeholder("--x={jop}"), Some("jop"));
        assert_eq!(unknown_placeholder("{\"a\": 1}"), None);
        assert_eq!(unknown_placeholder("{job}"), None);
    }

    #[test]
    fn programs_are_found_before_anything_runs() {
        let here = Path::new(".");
        assert!(find("sh", here).is_ok());
        let error = find("no-such-program", here).unwrap_err().to_string();
        assert!(error.contains("no-such-program is not found"), "{error}");
        let error = find("./Cargo.toml", here).unwrap_err().to_string();
        assert!(error.contains("./Cargo.toml is not executable"), "{error}");
        assert!(error.contains("chmod +x"), "{error}");
        assert!(find("./no-such-program", here).is_err());
    }
}
