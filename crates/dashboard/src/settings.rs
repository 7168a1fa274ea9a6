//! What a dashboard is told when it starts.

use std::net::SocketAddr;
use std::path::PathBuf;

use report::{Difference, Report};

use crate::site::PublicUrl;

/// Tells two reports apart: the engine of `guestlist diff`.
pub type Compare = fn(&Report, &Report) -> Result<Difference, String>;

/// A token shorter than this could be guessed.
pub const LEAST_TOKEN: usize = 16;

pub struct Settings {
    /// Whose audits are shown. Nothing outside of it is read.
    pub folder: PathBuf,
    /// Port 0 takes any that is free.
    pub address: SocketAddr,
    /// What every visitor must know. Beyond loopback there must be one.
    pub token: Option<String>,
    /// Where visitors find it, when a proxy is in front.
    pub public_url: Option<PublicUrl>,
    /// A file that requests are written to, one line each.
    pub access_log: Option<PathBuf>,
    /// The program that runs audits, where visitors may start and stop them.
    pub program: Option<PathBuf>,
    pub compare: Compare,
}
