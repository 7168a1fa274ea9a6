//! The dashboard as a program: started on a folder, asked over real sockets, stopped.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod downloads;
mod folder;
mod guard;
mod hostile;
mod http;
mod live;
#[allow(dead_code, reason = "the other tests need more of it")]
#[path = "../commands/npy.rs"]
mod npy;
mod pages;
mod paths;
mod proxy;
mod records;
mod runs;
mod server;
#[allow(dead_code, reason = "the other tests need more of it")]
#[path = "../commands/signals.rs"]
mod signals;
