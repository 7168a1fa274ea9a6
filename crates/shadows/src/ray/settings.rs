//! `[ray]` of a configuration.

use std::collections::BTreeMap;
use std::path::PathBuf;

use asking::http::Secret;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cluster::poll;
use crate::{Error, ErrorKind, Result};

/// Where Ray's Jobs interface is, where nobody says so.
const USUAL: &str = "http://127.0.0.1:8265";
/// Where Ray's own programs look for it.
const VARIABLES: [&str; 2] = ["RAY_API_SERVER_ADDRESS", "RAY_ADDRESS"];

/// What to ask of Ray.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RaySettings {
    /// The dashboard, which has the Jobs interface.
    pub address: Option<String>,
    /// `${NAME}` of the variable that holds the token.
    pub token: Option<String>,
    /// Of one job, and so are the next three.
    pub cores: f64,
    pub gpus: f64,
    /// As `4G`.
    pub memory: Option<String>,
    /// Resources that the cluster's owner named.
    pub resources: BTreeMap<String, f64>,
    /// Jobs under way at once.
    pub at_once: Option<usize>,
    /// Lines of shell that ready a node.
    pub setup: Vec<String>,
    /// Variables of the jobs. Ray shows them to everybody.
    pub environment: BTreeMap<String, String>,
    /// Further parts of Ray's runtime environment, as they are.
    pub runtime_env: BTreeMap<String, Value>,
    /// How files come to the nodes, and models back.
    pub files: FilesWay,
    /// The program on the nodes; this one by default.
    pub program: Option<PathBuf>,
    /// How often a model that failed is submitted again.
    pub retries: u32,
    /// Seconds between two looks at the jobs.
    pub poll: f64,
}

/// How files come to the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FilesWay {
    /// By a file system that all of them have.
    Shared,
    /// As a package that Ray unpacks for every job; models come back in the jobs' logs.
    Upload,
}

impl Default for RaySettings {
    fn default() -> Self {
        Self {
            address: None,
            token: None,
            cores: 1.0,
            gpus: 0.0,
            memory: None,
            resources: BTreeMap::new(),
            at_once: None,
            setup: Vec::new(),
            environment: BTreeMap::new(),
            runtime_env: BTreeMap::new(),
            files: FilesWay::Shared,
            program: None,
            retries: 2,
            poll: 2.0,
        }
    }
}

impl RaySettings {
    /// What can be refused without asking anybody.
    pub fn check(&self) -> Result<()> {
        poll("ray", self.poll)?;
        let amounts = [("cores", self.cores), ("gpus", self.gpus)];
        let named = self.resources.iter();
        let named = named.map(|(name, amount)| (name.as_str(), *amount));
        for (name, amount) in amounts.into_iter().chain(named) {
            if !(amount.is_finite() && amount >= 0.0) {
                return Err(setting(format!("ray: {name} is {amount}"))
                    .hint("give how much of it one job needs, 0 or more"));
            }
        }
        if self.cores == 0.0 && self.gpus == 0.0 && self.resources.is_empty() {
            return Err(
                setting("ray.cores is 0, and nothing else is asked for".into()).hint(
                    "Ray would start every job on its head node, all at once: give cores or gpus",
                ),
            );
        }
        if self.at_once == Some(0) {
            return Err(setting("ray.at_once is 0".into()).hint("leave it out to let Ray decide"));
        }
        self.memory_bytes()?;
        self.check_environment()
    }

    /// Ray keeps a job's variables and shows them on its dashboard.
    fn check_environment(&self) -> Result<()> {
        let variables = self.environment.iter();
        if let Some((name, _)) = variables.into_iter().find(|(_, text)| text.contains("${")) {
            return Err(setting(format!(
                "ray.environment.{name} is taken from the environment, but Ray shows the variables of its \
                 jobs to everybody"
            ))
            .hint("set it on the nodes, and name it in command.environment"));
        }
        for (part, instead) in [
            ("env_vars", "write ray.environment instead"),
            ("working_dir", "write ray.files = \"upload\" instead"),
        ] {
            if self.runtime_env.contains_key(part) {
                return Err(setting(format!("ray.runtime_env has {part}")).hint(instead));
            }
        }
        Ok(())
    }

    /// The address that was written, else the one of Ray's own variables, else this machine.
    pub fn address(&self) -> Result<String> {
        if let Some(address) = &self.address {
            let address = formats::environment::value("ray.address", address)?;
            return http(&address, "ray.address");
        }
        match Self::variable() {
            Some((name, value)) => http(&value, name),
            None => Ok(USUAL.into()),
        }
    }

    /// The variable that names a Ray, with its value.
    pub fn variable() -> Option<(&'static str, String)> {
        let set = VARIABLES.into_iter();
        let mut set = set.filter_map(|name| Some((name, std::env::var(name).ok()?)));
        set.find(|(_, value)| !["", "auto", "local"].contains(&value.trim()))
    }

    /// The token's value, from the environment and from nowhere else.
    pub fn token(&self) -> Result<Option<Secret>> {
        let Some(token) = &self.token else {
            return Ok(None);
        };
        let name = token.strip_prefix("${").and_then(|t| t.strip_suffix('}'));
        if name.is_none_or(|name| name.is_empty() || name.contains(['$', '{', '}'])) {
            return Err(setting("ray.token is not the name of a variable".into())
                .hint("write token = \"${RAY_AUTH_TOKEN}\", and set the variable: no secret belongs into a file"));
        }
        let value = formats::environment::value("ray.token", token)?;
        Ok(Some(Secret::new(value.trim())))
    }

    pub fn memory_bytes(&self) -> Result<Option<u64>> {
        let Some(text) = &self.memory else {
            return Ok(None);
        };
        let bytes = bytes(text).filter(|&bytes| bytes > 0);
        bytes.map(Some).ok_or_else(|| {
            setting(format!("ray.memory is {text:?}")).hint("write it as 4G or 512M")
        })
    }
}

fn http(address: &str, name: &str) -> Result<String> {
    let address = address.trim();
    match address.starts_with("http://") || address.starts_with("https://") {
        true => Ok(address.to_owned()),
        false => Err(setting(format!("{name} is not the address of Ray's dashboard"))
            .hint(format!(
                "jobs are submitted over HTTP: set ray.address to the dashboard's address, such as {USUAL}"
            ))),
    }
}

/// `4G`, `512MiB`, `1.5G` or plain bytes.
fn bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.'));
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    let unit = unit.trim().to_ascii_uppercase();
    let power = match unit.trim_end_matches('B').trim_end_matches('I') {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    let bytes = number * f64::from(1u32 << (power / 2)) * f64::from(1u32 << (power - power / 2));
    (bytes.is_finite() && bytes < 1e18).then_some(bytes as u64)
}

fn setting(message: String) -> Error {
    Error::new(ErrorKind::Setting, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ray(text: &str) -> RaySettings {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(bytes("4G"), Some(4 << 30));
        assert_eq!(bytes("512 MiB"), Some(512 << 20));
        assert_eq!(bytes("1.5k"), Some(1536));
        assert_eq!(bytes("1024"), Some(1024));
        for wrong in ["", "4X", "G", "-1G", "4 G 2", "1e30T"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_could_not_work_is_refused_with_the_remedy() {
        let refused = |text: &str| ray(text).check().unwrap_err().to_string();
        for (text, words) in [
            ("poll = 0", "ray.poll is 0"),
            ("cores = -1", "cores is -1"),
            ("cores = 0", "give cores or gpus"),
            ("at_once = 0", "ray.at_once is 0"),
            ("memory = \"much\"", "4G or 512M"),
            ("resources = { tpu = nan }", "tpu is NaN"),
            ("environment = { T = \"${TOKEN}\" }", "to everybody"),
            (
                "runtime_env = { env_vars = { A = \"1\" } }",
                "ray.environment",
            ),
            ("runtime_env = { working_dir = \".\" }", "ray.files"),
        ] {
            assert!(refused(text).contains(words), "{text}: {}", refused(text));
        }
        assert!(ray("gpus = 0.25\ncores = 0").check().is_ok());
    }

    #[test]
    fn a_token_comes_from_the_environment_alone() {
        for wrong in ["secret", "${}", "a${B}", "${A}${B}"] {
            let error = ray(&format!("token = {wrong:?}")).token().unwrap_err();
            assert!(!error.to_string().contains("secret,"), "{error}");
        }
        let unset = ray("token = \"${NO_SUCH_VARIABLE_HERE}\"")
            .token()
            .unwrap_err();
        assert!(unset.to_string().contains("is not set"), "{unset}");
        assert!(ray("token = \"${PATH}\"").token().unwrap().is_some());
    }

    #[test]
    fn an_address_that_speaks_no_http_is_refused() {
        let error = ray("address = \"ray://head:10001\"").address().unwrap_err();
        assert!(
            error.to_string().contains("http://127.0.0.1:8265"),
            "{error}"
        );
        let address = ray("address = \" https://head/ray \"").address().unwrap();
        assert_eq!(address, "https://head/ray");
    }
}
