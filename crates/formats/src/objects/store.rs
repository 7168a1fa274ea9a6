//! A store, as the environment says that it may be read.

use std::sync::Arc;
use std::time::Duration;

use crate::Result;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::{ObjectStore, RetryConfig};

use super::address::{Address, Provider};
use super::client::Connector;
use super::failure::{Doing, told};

/// A store that is away for longer is not waited for: what was given is read again as a whole.
const RETRIES: usize = 5;
const WAITING: Duration = Duration::from_secs(60);

pub(super) fn open(address: &Address) -> Result<Arc<dyn ObjectStore>> {
    let opened = match address.provider {
        Provider::Amazon => AmazonS3Builder::from_env()
            .with_bucket_name(&address.bucket)
            .with_retry(retries())
            .with_http_connector(Connector)
            .build()
            .map(|store| Arc::new(store) as Arc<dyn ObjectStore>),
        Provider::Google => GoogleCloudStorageBuilder::from_env()
            .with_bucket_name(&address.bucket)
            .with_retry(retries())
            .with_http_connector(Connector)
            .build()
            .map(|store| Arc::new(store) as Arc<dyn ObjectStore>),
        Provider::Azure => MicrosoftAzureBuilder::from_env()
            .with_container_name(&address.bucket)
            .with_retry(retries())
            .with_http_connector(Connector)
            .build()
            .map(|store| Arc::new(store) as Arc<dyn ObjectStore>),
    };
    opened.map_err(|error| told(address, Doing::Opening, &error))
}

fn retries() -> RetryConfig {
    RetryConfig {
        max_retries: RETRIES,
        retry_timeout: WAITING,
        ..RetryConfig::default()
    }
}
