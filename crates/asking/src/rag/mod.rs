//! Retrieval services: a target described by a configuration, asked over HTTP, as a program or as a
//! function, and what is audited about it.
//!
//! A [`Service`] has one or two arms: as it is, and without its store. Every answer lies in the
//! [`Store`](crate::store::Store) as it came before anybody reads it, so nothing is asked twice and
//! a mended JSONPath reads old answers anew. Nothing that a service sends is trusted.
//!
//! `settings.rs`, `presets.rs`, `overlay.rs` and `arms.rs` say what is asked; `template.rs`,
//! `body.rs` and `request.rs` make requests of it; `client.rs` sends one, `over_http.rs` or through
//! somebody who is `called.rs`, such as a `program.rs` in `conversation.rs`; `stream.rs`, `extract.rs`,
//! `sources.rs`, `asides.rs`, `beside.rs` and `reading.rs` read what comes back; `asking.rs` hands all of it to a
//! [campaign](crate::campaign); `pictures.rs` makes questions of pictures.

mod arms;
mod asides;
mod asking;
mod beside;
mod body;
mod called;
mod client;
mod conversation;
mod extract;
mod head;
mod helper;
mod over_http;
mod overlay;
mod pictures;
mod pixels;
mod presets;
mod program;
mod proposing;
mod reading;
mod request;
mod service;
mod settings;
mod sources;
mod stream;
mod template;
pub mod transcript;

pub use crate::campaign::{Books, FailureKind, Tally};
pub use asking::{Ask, Asked, Outcome};
pub use called::{Call, Callee, Trouble};
pub use helper::NativeHelper;
pub use pictures::Picture;
pub use presets::presets;
pub use proposing::{Proposal, propose, with_variables};
pub use reading::Finding;
pub use service::{Service, Shown};
pub use settings::{
    ExtractSettings, OneOrMore, PriceSettings, Stream, StreamText, TargetSettings,
    TransportSettings,
};
pub use sources::SOURCE_FIELDS;
