//! Where files go, whom connections trust, and what the environment says.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use asking::http::Service;

use super::{Finding, Status};

/// The variable that says where temporary files go.
const TEMPORARY: &str = if cfg!(windows) { "TMP" } else { "TMPDIR" };

/// Variables that change what guestlist does. Their values may be secret, or name people.
const VARIABLES: [&str; 20] = [
    "ALL_PROXY",
    "COLUMNS",
    "CUDA_VISIBLE_DEVICES",
    "GUESTLIST_TOKEN",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_COLOR",
    "NO_PROXY",
    "RAYON_NUM_THREADS",
    "RAY_ADDRESS",
    "RAY_API_SERVER_ADDRESS",
    "SLURM_CPUS_PER_TASK",
    "SOURCE_DATE_EPOCH",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TERM",
    TEMPORARY,
    "all_proxy",
    "http_proxy",
    "https_proxy",
];

/// Whether audits can be written: by writing, where the folder is or would be made.
pub fn folder(out: Option<&Path>) -> Finding {
    let asked = out.unwrap_or(Path::new("."));
    let nearest = asked.ancestors().find(|place| place.exists());
    // Of a relative path nothing may be left.
    let nearest = nearest.unwrap_or(Path::new("."));
    let shown = std::path::absolute(asked).unwrap_or_else(|_| asked.into());
    match written(nearest) {
        Ok(()) => Finding::ok("folder", format!("{} can be written", shown.display())),
        Err(error) => Finding::new(
            "folder",
            Status::Trouble,
            format!("{} cannot be written: {error}", shown.display()),
        )
        .remedy("change to a folder of your own, or give one with --out"),
    }
}

pub fn temporary_files() -> Finding {
    let place = std::env::temp_dir();
    match written(&place) {
        Ok(()) => Finding::ok("temporary", format!("{} can be written", place.display())),
        Err(error) => Finding::new(
            "temporary",
            Status::Warning,
            format!("{} cannot be written: {error}", place.display()),
        )
        .remedy(format!(
            "set {TEMPORARY} to a folder with room: large compressed inputs are unpacked there"
        )),
    }
}

/// The file has no name, or goes with the value.
fn written(folder: &Path) -> std::io::Result<()> {
    let mut file = tempfile::tempfile_in(folder)?;
    file.write_all(b"guestlist")?;
    file.flush()
}

/// Whether servers can be trusted at all: the store is read as it is for a connection.
pub fn certificates() -> Finding {
    let service = Service::new("https://localhost", None, Duration::from_secs(1), 1);
    match service {
        Ok(_) => Finding::ok("certificates", "the system's store of certificates is there"),
        Err(error) => Finding::new("certificates", Status::Warning, error.message).remedy(
            "services and servers cannot be asked: install ca-certificates, or name a file in SSL_CERT_FILE",
        ),
    }
}

pub fn environment() -> Finding {
    let set = VARIABLES.into_iter();
    let set: Vec<&str> = set
        .filter(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
        .collect();
    Finding::ok(
        "environment",
        match set.is_empty() {
            true => "no variable is set that guestlist heeds".to_owned(),
            false => format!("set: {}", set.join(", ")),
        },
    )
}
