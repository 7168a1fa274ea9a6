//! Parquet in a real S3-compatible server (moto) on loopback, behind a proxy that counts and breaks: what comes
//! is what lies in a file, no more of it travels than is read, and what goes wrong is told.

#![cfg(feature = "object-store")]
#![allow(clippy::unwrap_used)] // helpers of tests are tests too

extern crate guestlist_formats as formats;

mod failing;
mod proxy;
mod reading;
mod server;
mod table;

use server::Store;

#[test]
#[ignore = "needs moto"]
fn in_object_storage_ranges_are_read_and_failures_told() {
    let store = Store::start();
    reading::only_ranges_of_what_is_wanted_travel(store.emptied());
    reading::objects_are_listed_and_known_by_their_etag(store.emptied());
    failing::a_broken_connection_is_tried_again(store.emptied());
    failing::a_store_that_keeps_breaking_is_told(store.emptied());
    failing::who_is_no_longer_let_in_is_told(store.emptied());
    failing::an_expired_token_is_told(store.emptied());
    failing::a_replaced_object_is_refused(store.emptied());
    failing::what_is_not_there_is_told(store.emptied());
}
