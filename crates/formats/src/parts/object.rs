//! Objects in a store: `s3://bucket/key`, `gs://bucket/key`, `az://container/key`. What asks the
//! network is `objects`, which a build without the feature `object-store` does not have.

use std::path::Path;

use super::listing::Listed;
pub(super) use super::ranges::Ranges;
use crate::Result;

/// What a store says of an object that nobody has read from beginning to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Bytes.
    pub size: u64,
    pub etag: Option<String>,
    pub version: Option<String>,
}

const SCHEMES: [&str; 5] = ["s3://", "gs://", "az://", "s3a://", "abfs://"];

/// Whether a path is the address of an object or of a folder of them.
pub fn is_object(path: &Path) -> bool {
    let Some(text) = path.to_str() else {
        return false;
    };
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

#[cfg(feature = "object-store")]
mod there {
    use std::ops::Range;
    use std::path::PathBuf;

    use bytes::Bytes;

    use super::super::listing::{has_log, is_part, log_of, no_parts, partition_of, unfinished};
    use super::super::ranges::Fetch;
    use super::*;
    use crate::objects;

    impl Fetch for objects::Object {
        fn fetch(&self, range: Range<u64>) -> Result<Bytes> {
            self.range(range)
        }
    }

    impl Ranges {
        pub(in super::super) fn open(path: &Path) -> Result<Self> {
            let object = objects::open(path)?;
            Ok(Ranges::new(object.size, Box::new(object)))
        }
    }

    pub(in super::super) fn is_folder(path: &Path) -> bool {
        matches!(objects::find(path), Ok(None))
    }

    pub fn stored(path: &Path) -> Result<Stored> {
        let object = objects::open(path)?;
        Ok(Stored {
            size: object.size,
            etag: object.etag.clone(),
            version: object.version.clone(),
        })
    }

    /// The object itself, or every part below its address.
    pub(in super::super) fn parts(path: &Path) -> Result<Vec<Listed>> {
        if !is_folder(path) {
            return Ok(vec![Listed {
                path: path.to_owned(),
                values: Vec::new(),
            }]);
        }
        let mut found = Vec::new();
        for key in objects::list(path)? {
            let (folders, name) = key.rsplit_once('/').unwrap_or(("", &key));
            let mut folders = folders.split('/').filter(|folder| !folder.is_empty());
            if folders.clone().any(|folder| folder == "_temporary") {
                return Err(unfinished(path));
            }
            let mut logs = folders.clone();
            if let Some(format) = logs.find_map(|folder| log_of(folder, |end| name.contains(end))) {
                return Err(has_log(path, format));
            }
            // Folders that say nothing of their rows are another table.
            let values: Option<Vec<_>> = folders.by_ref().map(partition_of).collect();
            if let (Some(values), true) = (values, is_part(name)) {
                found.push(Listed {
                    path: below(path, &key),
                    values,
                });
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        match found.is_empty() {
            false => Ok(found),
            true => Err(no_parts(path)),
        }
    }

    fn below(path: &Path, key: &str) -> PathBuf {
        let folder = path.to_string_lossy();
        PathBuf::from(format!("{}/{key}", folder.trim_end_matches('/')))
    }
}

#[cfg(not(feature = "object-store"))]
mod there {
    use super::*;
    use crate::Error;

    impl Ranges {
        pub(in super::super) fn open(path: &Path) -> Result<Self> {
            Err(not_built(path))
        }
    }

    pub(in super::super) fn is_folder(_: &Path) -> bool {
        false
    }

    pub fn stored(path: &Path) -> Result<Stored> {
        Err(not_built(path))
    }

    pub(in super::super) fn parts(path: &Path) -> Result<Vec<Listed>> {
        Err(not_built(path))
    }

    fn not_built(path: &Path) -> Error {
        Error::unsupported("lies in object storage, which this build does not read")
            .at(path)
            .hint("build with the feature object-store, or copy the files here first")
    }
}

pub use there::stored;
pub(super) use there::{is_folder, parts};
