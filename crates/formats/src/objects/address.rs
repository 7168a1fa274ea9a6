//! `scheme://bucket/key`, taken apart.

use std::path::{Path, PathBuf};

use crate::{Error, ErrorKind, Result};

/// Whose store it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Provider {
    Amazon,
    Google,
    Azure,
}

const SCHEMES: [(&str, Provider); 5] = [
    ("s3", Provider::Amazon),
    ("s3a", Provider::Amazon),
    ("gs", Provider::Google),
    ("az", Provider::Azure),
    ("abfs", Provider::Azure),
];

#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) provider: Provider,
    /// Or container.
    pub(super) bucket: String,
    pub(super) key: String,
    /// As it was given.
    pub(super) path: PathBuf,
}

impl Address {
    pub(super) fn parse(path: &Path) -> Result<Self> {
        let text = path.to_string_lossy();
        let wrong =
            |message: &str, hint: &str| Err(Error::new(ErrorKind::Usage, message).hint(hint));
        let Some((scheme, rest)) = text.split_once("://") else {
            return wrong("is no address of an object", "give s3://bucket/key");
        };
        let Some((_, provider)) = SCHEMES.iter().find(|(known, _)| *known == scheme) else {
            return wrong(
                "is in a store that is not known",
                "known are s3://, gs:// and az://",
            );
        };
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        // The address itself is not shown: it goes wrong by what must not be shown.
        if bucket.contains(['@', ':', '?']) || key.contains('?') {
            return wrong(
                "an address of an object holds a key or a signature",
                "give scheme://bucket/key alone; who may read is said by the environment, such as \
                 AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
            );
        }
        if bucket.is_empty() {
            return wrong(
                "an address of an object names no bucket",
                "give scheme://bucket/key, such as s3://models/tokens/",
            );
        }
        Ok(Self {
            provider: *provider,
            bucket: bucket.to_owned(),
            key: key.trim_start_matches('/').to_owned(),
            path: path.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart_and_secrets_refused() {
        let address = Address::parse(Path::new("s3://b/a/c.parquet")).unwrap();
        assert_eq!(
            (address.bucket.as_str(), address.key.as_str()),
            ("b", "a/c.parquet")
        );
        assert_eq!(Address::parse(Path::new("az://box")).unwrap().key, "");
        for secret in ["s3://id:hush@b/c", "az://b/c?sig=hush"] {
            let error = Address::parse(Path::new(secret)).unwrap_err().to_string();
            assert!(
                error.contains("environment") && !error.contains("hush"),
                "{error}"
            );
        }
        assert!(Address::parse(Path::new("s3:///c")).is_err());
        assert!(Address::parse(Path::new("ftp://b/c")).is_err());
    }
}
