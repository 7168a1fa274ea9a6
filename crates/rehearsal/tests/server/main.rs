//! The protocol, over real connections to this machine.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod client;
mod protocol;
mod stream;

use std::sync::Arc;

use guestlist_rehearsal::{
    ChunkSettings, Defences, Document, Index, Running, Service, ServiceSettings, start,
};

pub const QUESTION: &str = "How much did thicker asphalt lower the stress range?";
pub const ANSWER: &str = "Thicker asphalt lowered the stress range by 18 percent. [1]";

/// A server on a free port.
pub fn serve(defences: &[&str], key: Option<&str>) -> Running {
    let document = Document {
        id: "bridges".into(),
        title: Some("Fatigue of steel bridges".into()),
        text:
            "Decks crack near stiffeners. Thicker asphalt lowered the stress range by 18 percent."
                .into(),
    };
    let names: Vec<String> = defences.iter().map(|&name| name.to_owned()).collect();
    let settings = ServiceSettings {
        defences: Defences::parse(&names).unwrap(),
        ..ServiceSettings::default()
    };
    let index = Index::new(vec![document], ChunkSettings::default(), None).unwrap();
    let service = Service::extractive(index, settings).unwrap();
    let address = "127.0.0.1:0".parse().unwrap();
    start(Arc::new(service), address, key.map(str::to_owned)).unwrap()
}
