//! `[kubernetes]` of a configuration.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Result};

/// What to ask of Kubernetes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KubernetesSettings {
    /// The image that has guestlist and what the training program needs.
    pub image: Option<String>,
    /// The program in the image.
    pub program: PathBuf,
    pub namespace: Option<String>,
    /// A claim that is there. Without one, a claim is written beside the job.
    pub claim: Option<String>,
    /// Of the claim that is written.
    pub size: String,
    pub storage_class: Option<String>,
    /// The folder here that is the volume's root; the configuration's by default.
    pub volume: Option<PathBuf>,
    /// Where pods have the volume; where it is here by default.
    pub mount: Option<PathBuf>,
    /// Of one pod.
    pub cores: usize,
    pub memory: Option<String>,
    pub gpus: usize,
    /// Pods at once.
    pub at_once: Option<usize>,
    /// How often an index that failed is tried again.
    pub retries: u32,
    /// So many failed indexes end the job.
    pub max_failed: Option<usize>,
    /// Lines of shell before the program.
    pub setup: Vec<String>,
    /// Secrets of the cluster whose keys become variables.
    pub secrets: Vec<String>,
}

impl Default for KubernetesSettings {
    fn default() -> Self {
        Self {
            image: None,
            program: "guestlist".into(),
            namespace: None,
            claim: None,
            size: "10Gi".into(),
            storage_class: None,
            volume: None,
            mount: None,
            cores: 1,
            memory: None,
            gpus: 0,
            at_once: None,
            retries: 2,
            max_failed: None,
            setup: Vec::new(),
            secrets: Vec::new(),
        }
    }
}

impl KubernetesSettings {
    pub fn check(&self) -> Result<()> {
        if self.image.as_deref().is_none_or(str::is_empty) {
            return Err(setting("kubernetes.image is not set").hint(
                "name the image that has guestlist and what your training program needs, such as \
                 image = \"registry.example/audit:1\"",
            ));
        }
        if self.cores == 0 || self.at_once == Some(0) || self.max_failed == Some(0) {
            return Err(setting(
                "kubernetes.cores, kubernetes.at_once and kubernetes.max_failed are at least 1",
            ));
        }
        let quantities = [
            ("memory", self.memory.as_deref()),
            ("size", Some(&*self.size)),
        ];
        for (name, text) in quantities {
            if text.is_some_and(|text| !is_quantity(text)) {
                return Err(setting(&format!(
                    "kubernetes.{name} is {:?}",
                    text.unwrap_or_default()
                ))
                .hint("write it as Kubernetes does, such as 4Gi or 500Mi"));
            }
        }
        if let Some(image) = self
            .image
            .as_ref()
            .filter(|image| image.contains(char::is_whitespace))
        {
            return Err(setting(&format!("kubernetes.image is {image:?}"))
                .hint("an image has no spaces, such as registry.example/audit:1"));
        }
        let names = [
            ("namespace", &self.namespace),
            ("claim", &self.claim),
            ("storage_class", &self.storage_class),
        ];
        let names = names.into_iter();
        let names = names.filter_map(|(key, name)| Some((key, name.as_ref()?)));
        let secrets = self.secrets.iter().map(|name| ("secrets", name));
        for (key, name) in names.chain(secrets) {
            if !is_name(name) {
                return Err(setting(&format!("kubernetes.{key} has {name:?}"))
                    .hint("names are lower-case letters, digits and hyphens"));
            }
        }
        Ok(())
    }

    /// The volume's root here, and where pods have it.
    pub fn volume(&self, base: &Path) -> Result<(PathBuf, PathBuf)> {
        let here = match &self.volume {
            Some(volume) => base.join(volume),
            None => base.to_owned(),
        };
        let here = std::path::absolute(&here).map_err(|e| Error::reading(&here, &e))?;
        let mount = self.mount.clone().unwrap_or_else(|| here.clone());
        match mount.is_absolute() && mount != Path::new("/") {
            true => Ok((here, mount)),
            false => Err(setting(&format!("kubernetes.mount is {}", mount.display()))
                .hint("give a path from the root, such as /audit")),
        }
    }
}

/// `4Gi`, `500M`, `1.5`: a number, and one of the endings that Kubernetes knows.
fn is_quantity(text: &str) -> bool {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.'));
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    let units = ["", "k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti", "Pi"];
    number.parse::<f64>().is_ok_and(|number| number > 0.0) && units.contains(&unit)
}

/// As RFC 1123 has names of subdomains.
fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let within = |byte: u8| plain(byte) || matches!(byte, b'-' | b'.');
    let bytes = text.as_bytes();
    let ends = [bytes.first(), bytes.last()].into_iter().flatten();
    !bytes.is_empty()
        && bytes.len() <= 253
        && ends.copied().all(plain)
        && bytes.iter().copied().all(within)
}

fn setting(message: &str) -> Error {
    Error::new(ErrorKind::Setting, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_kubernetes_would_refuse_is_refused_first() {
        let refused = |text: &str| {
            let text = format!("image = \"i\"\n{text}");
            let settings: KubernetesSettings = toml::from_str(&text).unwrap();
            settings.check().unwrap_err().to_string()
        };
        for (text, words) in [
            ("memory = \"4 GB\"", "4Gi or 500Mi"),
            ("size = \"\"", "kubernetes.size"),
            ("namespace = \"Not A Name\"", "kubernetes.namespace"),
            ("claim = \"-x\"", "kubernetes.claim"),
            ("secrets = [\"a\\nb\"]", "kubernetes.secrets"),
            ("cores = 0", "at least 1"),
            ("at_once = 0", "at least 1"),
        ] {
            assert!(refused(text).contains(words), "{text}: {}", refused(text));
        }
        let none = KubernetesSettings::default().check().unwrap_err();
        assert!(none.to_string().contains("kubernetes.image"), "{none}");
        let some: KubernetesSettings = toml::from_str("image = \"i\"\nmemory = \"1.5Gi\"").unwrap();
        assert!(some.check().is_ok());
        let relative: KubernetesSettings = toml::from_str("mount = \"audit\"").unwrap();
        assert!(relative.volume(Path::new("/a")).is_err());
    }
}
