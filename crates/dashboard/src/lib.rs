//! The dashboard: audits in a folder, looked at with a browser.
//!
//! A folder is scanned in the background ([`library`]), progress files of running audits are followed
//! ([`progress`]), and pages are written on the server ([`pages`]). What a page shows comes from the
//! audits' own files; nothing is computed here that a report could say.
//!
//! Deliberately absent: printing, the environment, attacks, judgement. Who may ask is decided in one
//! place ([`http`]'s guard); which file may be read in another ([`folder`]).

mod evidence;
mod folder;
mod http;
mod library;
mod pages;
mod progress;
mod runs;
mod scores;
mod settings;
mod site;
mod time;

pub use base::Error;
pub use http::server::{Running, start};
pub use http::token::random as random_token;
pub use settings::{Compare, LEAST_TOKEN, Settings};
pub use site::PublicUrl;
