//! What jobs need, as one package that Ray hands to its nodes: the program, the plan, data and code.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::path::{Component, Path, PathBuf};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::settings::RaySettings;
use crate::plan;
use crate::run::Run;
use crate::{Error, ErrorKind, Result};
use formats::files;

/// Names within the package.
const PROGRAM: &str = "guestlist";
const PLAN: &str = "run/plan.json";
const BASE: &str = "base";

/// A package, and what its jobs start.
pub struct Package {
    /// After its contents: the same package has the same name.
    pub digest: String,
    bytes: Vec<u8>,
    program: PathBuf,
}

impl Package {
    pub fn new(run: &Run, settings: &RaySettings, worker: &Path) -> Result<Self> {
        let mut contents: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let program = match &settings.program {
            Some(program) => program.clone(),
            None => {
                contents.insert(PROGRAM.into(), whole_program(worker)?);
                Path::new(".").join(PROGRAM)
            }
        };
        let plan = plan::text(run, Path::new("..").join(BASE))?;
        contents.insert(PLAN.into(), plan.into_bytes());
        for file in run.files() {
            let name = format!("{BASE}/{}", within(&file, run.base())?);
            contents.insert(name, read(&file)?);
        }
        // Where a program runs must be there, though nothing lies in it.
        contents.entry(format!("{BASE}/.here")).or_default();
        for name in ["data/features.npy", "data/labels.npy"] {
            let path = run.store().path().join(name);
            if path.exists() && run.settings().command.is_some() {
                contents.insert(format!("run/{name}"), read(&path)?);
            }
        }
        let bytes = zipped(&contents)?;
        Ok(Self {
            digest: files::sha256_of(&bytes),
            bytes,
            program,
        })
    }

    /// The name by which Ray keeps it.
    pub fn name(&self) -> String {
        format!("guestlist_{}.zip", &self.digest[..32])
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What a job starts, in the folder that Ray makes of the package.
    pub fn program(&self) -> &Path {
        &self.program
    }

    pub fn plan(&self) -> &'static Path {
        Path::new(PLAN)
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|e| Error::reading(path, &e))
}

/// The program's bytes. What pip installs is a script, which starts a library that stays here.
fn whole_program(path: &Path) -> Result<Vec<u8>> {
    let bytes = read(path)?;
    match bytes.starts_with(b"#!") {
        true => Err(Error::new(
            ErrorKind::Setting,
            "is a script that needs this machine's Python, and nodes could not start it",
        )
        .at(path)
        .hint(
            "have nodes install guestlist: ray.runtime_env = { pip = [\"guestlist\"] } and ray.program = \"guestlist\"",
        )),
        false => Ok(bytes),
    }
}

/// A file's path from the configuration's folder, where it must lie.
fn within(path: &Path, base: &Path) -> Result<String> {
    let inside = path.strip_prefix(base).ok();
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let inside = inside.filter(|inside| inside.components().all(plain));
    let parts = inside.map(|inside| {
        let parts = inside.components();
        let parts = parts.filter(|part| matches!(part, Component::Normal(_)));
        let parts: Option<Vec<&str>> = parts.map(|part| part.as_os_str().to_str()).collect();
        parts.map(|parts| parts.join("/"))
    });
    parts.flatten().ok_or_else(|| {
        Error::new(
            ErrorKind::Setting,
            "is not in the configuration's folder, and is not uploaded",
        )
        .at(path)
        .hint("move it there and write its path from there, or set ray.files = \"shared\"")
    })
}

fn zipped(contents: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>> {
    let failed = |error: String| Error::new(ErrorKind::Write, format!("the package: {error}"));
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    // Without a clock, so that the same contents are the same bytes.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(1))
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o755);
    for (name, bytes) in contents {
        zip.start_file(name.as_str(), options)
            .map_err(|error| failed(error.to_string()))?;
        zip.write_all(bytes)
            .map_err(|error| failed(error.to_string()))?;
    }
    let zip = zip.finish().map_err(|error| failed(error.to_string()))?;
    Ok(zip.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_below_is_packed() {
        let base = Path::new("/audit");
        let name = |path: &str| within(&base.join(path), base);
        assert_eq!(name("./code/train.py").unwrap(), "code/train.py");
        for outside in ["../secret", "/etc/passwd", "code/../../x"] {
            assert!(name(outside).is_err(), "{outside}");
        }
    }

    #[test]
    fn a_script_of_pip_is_not_taken_for_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("guestlist");
        std::fs::write(&path, "#!/venv/bin/python\nimport guestlist\n").unwrap();
        let refused = whole_program(&path).unwrap_err().to_string();
        assert!(refused.contains("runtime_env"), "{refused}");
        std::fs::write(&path, b"\x7fELF").unwrap();
        assert_eq!(whole_program(&path).unwrap(), b"\x7fELF");
    }

    #[test]
    fn the_same_contents_are_the_same_package() {
        let contents =
            BTreeMap::from([("a".to_owned(), vec![1, 2, 3]), ("b/c".to_owned(), vec![])]);
        assert_eq!(zipped(&contents).unwrap(), zipped(&contents).unwrap());
    }
}
