//! How Ray is spoken to, and what its refusals mean.

use std::time::Duration;

use asking::http::{self, Service, printable};
use base::Cancel;
use serde_json::Value;

use super::settings::RaySettings;
use crate::cluster::Refusal;
use crate::{Error, ErrorKind, Result};

/// Ray's own work on a request, and a slow head's.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// The same, with a package under way.
pub const UPLOADING: Duration = Duration::from_secs(900);
/// Larger answers than this are a mistake: jobs of years, or logs that ran wild.
const LARGEST: usize = 256 << 20;
/// Asks Ray whether it is there.
pub fn check(settings: &RaySettings) -> Result<()> {
    let service = service(settings, PATIENCE)?;
    let answer = service.get("api/version", &Cancel::new());
    let said = answer.map_err(|refusal| unreachable(&service, refusal))?;
    let version: Option<Value> = serde_json::from_slice(&said).ok();
    match version.is_some_and(|version| version["ray_version"].is_string()) {
        true => Ok(()),
        false => Err(Error::new(
            ErrorKind::Server,
            format!(
                "{} answers, but not as Ray's dashboard does",
                service.base()
            ),
        )
        .hint(HINT)),
    }
}

const HINT: &str = "start Ray with its dashboard (ray[default]), and set ray.address to the dashboard's address, \
                    such as http://127.0.0.1:8265; models that are trained are kept";

fn unreachable(service: &Service, refusal: http::Refusal) -> Error {
    match refusal.status {
        Some(401 | 403) => (*refusal.error)
            .hint("set ray.token = \"${NAME}\", with Ray's token in the variable NAME"),
        Some(_) => (*refusal.error).hint(HINT),
        None => Error::new(
            ErrorKind::Server,
            format!(
                "Ray does not answer at {}: {}",
                service.base(),
                refusal.error.message
            ),
        )
        .hint(HINT),
    }
}

pub fn service(settings: &RaySettings, patience: Duration) -> Result<Service> {
    let token = settings.token()?;
    Service::new(&settings.address()?, token.as_ref(), patience, LARGEST)
}

/// Of a refusal only the last line tells: before it Python names its own files.
pub fn refusal(refused: http::Refusal) -> Refusal {
    let mut lines = refused.said.lines().map(str::trim);
    let last = lines.rfind(|line| !line.is_empty());
    let error = match (last, refused.status) {
        (Some(last), Some(status)) => Box::new(Error::new(
            ErrorKind::Server,
            format!("Ray answered {status}: {}", printable(last, 300)),
        )),
        _ => refused.error,
    };
    Refusal {
        error,
        passing: refused.passing && (refused.status != Some(500) || is_busy(&refused.said)),
    }
}

/// Whether what broke within Ray mends itself: Ray calls by the same number what it will never take.
fn is_busy(said: &str) -> bool {
    let signs = [
        "try again later",
        "imeout",
        "imed out",
        "Cannot connect",
        "UNAVAILABLE",
    ];
    signs.iter().any(|sign| said.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_passes_is_waited_for() {
        let refused = |status, said: &str| {
            refusal(http::Refusal {
                error: Box::new(Error::new(ErrorKind::Server, "no answer")),
                passing: status != Some(400),
                status,
                said: said.into(),
            })
        };
        assert!(refused(None, "").passing);
        assert!(refused(Some(503), "").passing);
        assert!(
            refused(
                Some(500),
                "No available agent to submit job, please try again later."
            )
            .passing
        );
        let large = refused(
            Some(500),
            "Traceback:\n  File …\nValueError: Package size too large\n",
        );
        assert!(!large.passing);
        let words = "Ray answered 500: ValueError: Package size too large";
        assert_eq!(large.error.message, words);
        assert!(!refused(Some(400), "bad").passing);
    }
}
