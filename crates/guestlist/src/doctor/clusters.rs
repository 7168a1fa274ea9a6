//! Clusters that models could be trained on.

use std::process::Command;
use std::time::Duration;

use asking::http::Service;
use base::Cancel;
use serde_json::Value;
use shadows::RaySettings;

use super::asked::{Answer, ask};
use super::{Finding, Status};

/// A Ray that is there answers within this.
const PATIENCE: Duration = Duration::from_secs(3);
/// Its version takes a few words.
const MOST: usize = 64 << 10;

pub fn slurm(cancel: &Cancel) -> Finding {
    let mut command = Command::new("sbatch");
    command.arg("--version");
    match ask(command, cancel) {
        Answer::Said(said) => Finding::ok("slurm", format!("{said}: executor = \"slurm\"")),
        Answer::Missing => Finding::new("slurm", Status::Absent, "sbatch is not found").remedy(
            "needed by executor = \"slurm\" alone: run on a machine from which you submit jobs",
        ),
        Answer::Failed(why) => Finding::new("slurm", Status::Warning, format!("sbatch {why}"))
            .remedy("see `sbatch --version`; executor = \"slurm\" needs it"),
    }
}

pub fn ray(cancel: &Cancel) -> Finding {
    let named = RaySettings::variable().map(|(name, _)| name);
    let absent = |said: String| silent(said, named);
    let service = RaySettings::default().address();
    let service = service.and_then(|address| Service::new(&address, None, PATIENCE, MOST));
    let service = match service {
        Ok(service) => service,
        Err(error) => return absent(format!("not asked: {}", error.message)),
    };
    let said = service.get("api/version", cancel);
    let said: Option<Value> = said
        .ok()
        .and_then(|said| serde_json::from_slice(&said).ok());
    let version = said.as_ref().and_then(|said| said["ray_version"].as_str());
    match version {
        Some(version) => Finding::ok(
            "ray",
            format!("Ray {version} at {}: executor = \"ray\"", service.base()),
        ),
        None => absent(format!("no Ray answers at {}", service.base())),
    }
}

/// Nobody needs a Ray; whoever has named one does.
fn silent(said: String, named: Option<&str>) -> Finding {
    const START: &str =
        "needed by executor = \"ray\" alone: start `ray[default]` with its dashboard";
    match named {
        Some(name) => Finding::new("ray", Status::Warning, format!("{said}, and {name} is set"))
            .remedy(format!("{START}, or mend or unset {name}")),
        None => {
            Finding::new("ray", Status::Absent, said).remedy(format!("{START}, or set RAY_ADDRESS"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_that_was_named_and_is_silent_is_a_warning() {
        let said = || "no Ray answers at http://127.0.0.1:9".to_owned();
        assert_eq!(silent(said(), None).status, Status::Absent);
        let warned = silent(said(), Some("RAY_ADDRESS"));
        assert_eq!(warned.status, Status::Warning);
        assert!(warned.detail.contains("RAY_ADDRESS"));
    }
}
