//! What may be typed after `guestlist serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;
use dashboard::PublicUrl;

use super::address;

#[derive(Args)]
#[command(after_help = "Examples:\n  \
        guestlist serve audits                   open http://127.0.0.1:7878/\n  \
        guestlist serve audits --allow-run       with buttons that start and stop audits\n  \
        guestlist serve . --port 0 --json        on any free port, told as an event\n  \
        GUESTLIST_TOKEN=… guestlist serve audits --host 0.0.0.0\n  \
        guestlist serve audits --public-url https://intranet.example/guestlist\n\n\
        Shows every folder below that has a report.json, and audits that run. Nothing is changed, and no \
        file outside of the folder is read. Beyond this machine, and behind a proxy, a token is needed: that of GUESTLIST_TOKEN \
        (at least 16 characters), or one that is made and printed.")]
pub struct Serve {
    /// The folder with audits
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The port; 0 takes any that is free
    #[arg(long, default_value_t = 7878)]
    pub port: u16,
    /// The address to listen on; any other than this machine's own needs a token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = address)]
    pub host: IpAddr,
    /// The address that visitors type, where a proxy stands in front: with its path, if it has one
    #[arg(long, value_name = "URL", value_parser = public_url)]
    pub public_url: Option<PublicUrl>,
    /// Append a line of JSON per request to this file: when, from where, which page, which status; no tokens, no
    /// values behind the question mark
    #[arg(long, value_name = "FILE")]
    pub access_log: Option<PathBuf>,
    /// Let visitors run and stop the audits of folders that hold a guestlist.toml
    #[arg(long)]
    pub allow_run: bool,
}

fn public_url(text: &str) -> Result<PublicUrl, String> {
    PublicUrl::parse(text).map_err(|error| error.to_string())
}
