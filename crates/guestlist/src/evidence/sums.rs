//! `SHA256SUMS`: a line per file, as `sha256sum` writes and checks it.

use std::io::Write;
use std::path::{Component, Path, PathBuf};

use formats::files::FileSet;

use crate::{Error, Result};

/// The digests of the files that an audit wrote, beside them.
pub const SUMS: &str = "SHA256SUMS";
/// The signature over [`SUMS`], under the name that `ssh-keygen -Y sign` gives it.
pub const SIGNATURE: &str = "SHA256SUMS.sig";

/// No audit writes more than this many files, figures included; a longer list is none of ours.
const MOST_LINES: usize = 10_000;

/// One file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// As seen from the folder, with `/` between folders.
    pub path: String,
    pub sha256: String,
}

/// Adds the digests of all files of a set to it; their place comes back.
pub fn add_sums(set: &mut FileSet, folder: &Path) -> Result<PathBuf> {
    let mut lines: Vec<String> = set
        .digests()?
        .iter()
        .map(|(path, sha256)| {
            let inside = path.strip_prefix(folder).unwrap_or(path);
            format!("{sha256}  {}\n", slashed(inside))
        })
        .collect();
    // By name: the order in which files were made says nothing.
    lines.sort_by(|a, b| a[64..].cmp(&b[64..]));
    let path = folder.join(SUMS);
    set.add(&path, |out| out.write_all(lines.concat().as_bytes()))?;
    Ok(path)
}

/// Reads the digests of a folder; nothing that leads out of it is believed.
pub fn read(folder: &Path) -> Result<Vec<Recorded>> {
    let path = folder.join(SUMS);
    let text = std::fs::read_to_string(&path).map_err(|error| {
        Error::usage(
            format!("{}: cannot be read: {error}", path.display()),
            "give a folder that `guestlist audit --out` or `guestlist run` wrote; folders of versions before \
             this file have no digests to hold them against: audit again",
        )
    })?;
    parse(&text).map_err(|(line, problem)| {
        Error::usage(
            format!("{}, line {line}: {problem}", path.display()),
            "the file is not as an audit wrote it: nothing can be checked by it",
        )
    })
}

fn parse(text: &str) -> Result<Vec<Recorded>, (usize, String)> {
    let mut recorded: Vec<Recorded> = Vec::new();
    for (place, line) in text.lines().enumerate() {
        let refuse = |problem: &str| Err((place + 1, problem.to_owned()));
        let Some((sha256, path)) = line.split_once("  ") else {
            return refuse("is no digest, two spaces and a name");
        };
        if sha256.len() != 64
            || !sha256
                .bytes()
                .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        {
            return refuse("has no SHA-256 in 64 digits");
        }
        if !stays_inside(path) {
            return refuse("names a file outside of the folder");
        }
        if recorded.iter().any(|other| other.path == path) {
            return refuse("names a file a second time");
        }
        if place >= MOST_LINES {
            return refuse("is one of more files than any audit writes");
        }
        recorded.push(Recorded {
            path: path.to_owned(),
            sha256: sha256.to_owned(),
        });
    }
    Ok(recorded)
}

/// Whether a name is one of a file in the folder or below it.
fn stays_inside(path: &str) -> bool {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    let path = (!path.contains('\\')).then(|| Path::new(path));
    // `a//b` and `a/./b` are other names of `a/b`: a file has one.
    let in_one_way = |path: &&Path| Some(slashed(path).as_str()) == path.to_str();
    path.filter(in_one_way)
        .is_some_and(|path| !path.as_os_str().is_empty() && path.components().all(plain))
}

/// With the same mark between folders on every system.
pub fn slashed(path: &Path) -> String {
    let parts = path.components().map(|part| part.as_os_str());
    let parts: Vec<_> = parts.map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::files::Overwrite;

    const NONE: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn what_is_written_is_read_back_in_the_order_of_names() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("figures")).unwrap();
        let mut set = FileSet::new(Overwrite::Replace);
        for name in ["scores.parquet", "figures/roc.svg", "report.json"] {
            set.add(&folder.path().join(name), |_| Ok(())).unwrap();
        }
        add_sums(&mut set, folder.path()).unwrap();
        set.commit().unwrap();
        let text = std::fs::read_to_string(folder.path().join(SUMS)).unwrap();
        assert!(
            text.starts_with(&format!("{NONE}  figures/roc.svg\n")),
            "{text}"
        );
        let names: Vec<String> = read(folder.path())
            .unwrap()
            .into_iter()
            .map(|one| one.path)
            .collect();
        assert_eq!(names, ["figures/roc.svg", "report.json", "scores.parquet"]);
    }

    #[test]
    fn nothing_outside_of_the_folder_is_believed() {
        for path in [
            "/etc/passwd",
            "../report.json",
            "a/../../b",
            "",
            "a\\b",
            "./a",
            "a/./b",
            "a//b",
            "a/",
        ] {
            let refused = parse(&format!("{NONE}  {path}\n"));
            assert!(refused.is_err(), "{path}");
        }
        let broken = [
            format!("{NONE} report.json\n"),
            format!("{}  report.json\n", NONE.to_uppercase()),
            format!("{}  report.json\n", &NONE[1..]),
            format!("{NONE}  a\n{NONE}  a\n"),
            "\n".to_owned(),
        ];
        for text in broken {
            assert!(parse(&text).is_err(), "{text}");
        }
        assert_eq!(parse(&format!("{NONE}  a\n")).unwrap().len(), 1);
    }
}
