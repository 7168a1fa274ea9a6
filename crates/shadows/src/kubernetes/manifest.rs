//! The manifest: a claim where none is named, and the job.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::KubernetesSettings;
use super::yaml;
use crate::cluster::jobs::Jobs;
use crate::cluster::worker_command;
use crate::job::CORES;

/// How a manifest begins, by which it is known again.
const HEADING: &str = "# Written by `guestlist plan --kubernetes`";
/// Of the volume, within the pod.
const VOLUME: &str = "audit";

/// What a run makes of the settings.
pub struct Job {
    pub name: String,
    /// As pods see it, and so is the next.
    pub plan: PathBuf,
    pub mount: PathBuf,
    pub jobs: Jobs,
    pub completions: usize,
}

pub fn write(settings: &KubernetesSettings, job: &Job) -> String {
    let mut documents = Vec::new();
    if settings.claim.is_none() {
        documents.push(claim(settings, &job.name));
    }
    documents.push(indexed_job(settings, job));
    format!(
        "{HEADING}: index N trains what `guestlist work` calls job N, unless it is there.\n\
         # The volume must hold the configuration's folder with the run's, as they are now. Kubernetes 1.29 or newer.\n\
         {}",
        yaml::write(&documents)
    )
}

fn metadata(settings: &KubernetesSettings, name: &str) -> Value {
    let mut metadata = json!({
        "name": name,
        "labels": {"app.kubernetes.io/name": "guestlist"},
    });
    if let Some(namespace) = &settings.namespace {
        metadata["namespace"] = json!(namespace);
    }
    metadata
}

fn claim(settings: &KubernetesSettings, name: &str) -> Value {
    let mut spec = json!({
        "accessModes": ["ReadWriteMany"],
        "resources": {"requests": {"storage": settings.size}},
    });
    if let Some(class) = &settings.storage_class {
        spec["storageClassName"] = json!(class);
    }
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata(settings, name),
        "spec": spec,
    })
}

fn indexed_job(settings: &KubernetesSettings, job: &Job) -> Value {
    // Where a tenth fails, the others would too.
    let most = settings.max_failed.unwrap_or((job.completions / 10).max(2));
    let claim = settings.claim.as_ref().unwrap_or(&job.name);
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata(settings, &job.name),
        "spec": {
            "completionMode": "Indexed",
            "completions": job.completions,
            "parallelism": settings.at_once.unwrap_or(job.completions).min(job.completions),
            "backoffLimitPerIndex": settings.retries,
            "maxFailedIndexes": most.min(job.completions),
            // What had to make room is tried again, as often as it takes.
            "podFailurePolicy": {"rules": [
                {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
            ]},
            "template": {
                "metadata": {"labels": {"app.kubernetes.io/name": "guestlist"}},
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [container(settings, job)],
                    "volumes": [{
                        "name": VOLUME,
                        "persistentVolumeClaim": {"claimName": claim},
                    }],
                },
            },
        },
    })
}

fn container(settings: &KubernetesSettings, job: &Job) -> Value {
    let work = worker_command(
        &settings.program,
        &job.plan,
        "\"$JOB_COMPLETION_INDEX\"",
        job.jobs,
    );
    let mut lines = settings.setup.clone();
    lines.push(format!("exec {work}"));
    let mut container = json!({
        "name": "guestlist",
        "image": settings.image,
        "command": ["/bin/sh", "-c", lines.join("\n")],
        "env": [{"name": CORES, "value": settings.cores.to_string()}],
        "resources": resources(settings),
        "volumeMounts": [{"name": VOLUME, "mountPath": job.mount}],
    });
    if !settings.secrets.is_empty() {
        let secrets = settings.secrets.iter();
        let secrets: Vec<Value> = secrets
            .map(|name| json!({"secretRef": {"name": name}}))
            .collect();
        container["envFrom"] = json!(secrets);
    }
    container
}

/// What a pod asks for; of memory and devices no more.
fn resources(settings: &KubernetesSettings) -> Value {
    let mut requests = Map::new();
    let mut limits = Map::new();
    requests.insert("cpu".into(), json!(settings.cores.to_string()));
    if let Some(memory) = &settings.memory {
        requests.insert("memory".into(), json!(memory));
        limits.insert("memory".into(), json!(memory));
    }
    if settings.gpus > 0 {
        limits.insert("nvidia.com/gpu".into(), json!(settings.gpus.to_string()));
    }
    json!({"requests": requests, "limits": limits})
}
