//! Retrieval services: a target described by a configuration, asked over HTTP, and what is audited
//! about it.
//!
//! A [`Service`] has one or two arms: as it is, and without its store. Every answer lies in the
//! [`Store`](crate::store::Store) as it came before anybody reads it, so nothing is asked twice and
//! a mended JSONPath reads old answers anew. Nothing that a service sends is trusted.
//!
//! `settings.rs`, `presets.rs`, `overlay.rs` and `arms.rs` say what is asked; `template.rs`,
//! `body.rs`, `escape.rs` and `call.rs` make requests of it; `line.rs` sends one; `events.rs`,
//! `paths.rs`, `sources.rs`, `reading.rs` and `unreadable.rs` read what comes back; `trial.rs` and
//! `asking.rs` ask many, `ledger.rs` keeps them; `pictures.rs` makes questions of pictures.

mod arms;
mod asking;
mod body;
mod call;
mod ending;
mod escape;
mod events;
mod helper;
mod ledger;
mod line;
mod outcome;
mod overlay;
mod paths;
mod pictures;
mod pixels;
mod presets;
mod reading;
mod reasoning;
mod service;
mod settings;
mod sources;
mod template;
pub mod transcript;
mod trial;
mod unreadable;
mod usage;

pub use helper::NativeHelper;
pub use outcome::{Ask, Asked, FailureKind, Outcome, Tally};
pub use pictures::Picture;
pub use presets::presets;
pub use reading::Finding;
pub use service::{Service, Shown};
pub use settings::{
    ExtractSettings, OneOrMore, Stream, StreamText, TargetSettings, TransportSettings,
};
