//! Requests: who may ask, what for, and what goes wrong.

pub mod access;
pub mod asset;
pub mod download;
pub mod events;
pub mod guard;
pub mod post;
pub mod problem;
pub mod query;
pub mod respond;
pub mod routes;
pub mod server;
pub mod token;
