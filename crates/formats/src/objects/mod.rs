//! Objects in cloud storage (`s3://`, `gs://`, `az://`), read by ranges and never fetched whole.
//!
//! Who may read is said by the environment alone, in the variables that each provider's own tools
//! know; an address that carries a key is refused, for addresses are written into reports.
//!
//! Deliberately absent: writing, and what the bytes mean.

mod address;
mod client;
mod failure;
mod runtime;
mod store;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::Result;
use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::path::Path as Key;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt};

use self::address::Address;
use self::failure::{Doing, told};
use self::runtime::wait;

/// An object that is there.
pub struct Object {
    store: Arc<dyn ObjectStore>,
    key: Key,
    address: Address,
    /// Bytes.
    pub size: u64,
    pub etag: Option<String>,
    pub version: Option<String>,
}

/// The object at an address.
pub fn open(path: &Path) -> Result<Object> {
    let address = Address::parse(path)?;
    find(path)?.ok_or_else(|| failure::not_there(&address))
}

/// The same where there may be none.
pub fn find(path: &Path) -> Result<Option<Object>> {
    let address = Address::parse(path)?;
    if address.key.is_empty() || address.key.ends_with('/') {
        return Ok(None);
    }
    let store = store::open(&address)?;
    let key = Key::from(address.key.as_str());
    let (asked, wanted) = (store.clone(), key.clone());
    match wait(async move { asked.head(&wanted).await }) {
        Ok(found) => Ok(Some(Object::new(store, address, found))),
        Err(object_store::Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(told(&address, Doing::Looking, &error)),
    }
}

/// The keys of all objects below an address, seen from it.
pub fn list(path: &Path) -> Result<Vec<String>> {
    let address = Address::parse(path)?;
    let store = store::open(&address)?;
    let prefix = Key::from(address.key.trim_end_matches('/'));
    let below = prefix.clone();
    let found: Vec<ObjectMeta> = wait(async move { store.list(Some(&below)).try_collect().await })
        .map_err(|error| told(&address, Doing::Listing, &error))?;
    let seen = |object: ObjectMeta| {
        let rest = object.location.prefix_match(&prefix)?;
        let parts: Vec<String> = rest.map(|part| part.as_ref().to_owned()).collect();
        Some(parts.join("/"))
    };
    let keys: Vec<String> = found.into_iter().filter_map(seen).collect();
    match keys.is_empty() {
        false => Ok(keys),
        true => Err(failure::not_there(&address)),
    }
}

impl Object {
    fn new(store: Arc<dyn ObjectStore>, address: Address, found: ObjectMeta) -> Self {
        Self {
            store,
            key: found.location,
            address,
            size: found.size,
            etag: found.e_tag,
            version: found.version,
        }
    }

    /// These bytes of the object as it was when it was opened: one that was replaced since is
    /// refused, so that no two versions are mixed.
    pub fn range(&self, range: Range<u64>) -> Result<Bytes> {
        let (store, key) = (self.store.clone(), self.key.clone());
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            if_match: self.etag.clone(),
            version: self.version.clone(),
            ..GetOptions::default()
        };
        wait(async move { store.get_opts(&key, options).await?.bytes().await })
            .map_err(|error| told(&self.address, Doing::Reading, &error))
    }
}
