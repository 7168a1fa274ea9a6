//! Ray's Jobs interface, spoken over HTTP.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use asking::http::{self, Service, printable};
use base::Cancel;
use serde::Deserialize;
use serde_json::{Value, json};

use super::details::Details;
use super::settings::RaySettings;
use crate::cluster::jobs::Jobs;
use crate::cluster::{Cluster, Known, Load, Refusal, Task, make_logs, name_of, worker_command};
use crate::executor::ExecutorOptions;
use crate::job::CORES;
use crate::{Error, ErrorKind, Result};
use formats::private;

/// Ray's own work on a request, and a slow head's.
const PATIENCE: Duration = Duration::from_secs(60);
/// Larger answers than this are a mistake: jobs of years, or logs that ran wild.
const LARGEST: usize = 256 << 20;
/// How much of a job's log is kept.
const LOG_BYTES: usize = 1 << 20;
/// Jobs that wait, at the least, where nobody says how many are under way at once. Ray gives up jobs that
/// wait for long, so not all are submitted at the beginning.
const WAITING: usize = 4;

/// Asks Ray whether it is there.
pub fn check(settings: &RaySettings) -> Result<()> {
    let service = service(settings)?;
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
        Some(401 | 403) => refusal
            .error
            .hint("set ray.token = \"${NAME}\", with Ray's token in the variable NAME"),
        Some(_) => refusal.error.hint(HINT),
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

fn service(settings: &RaySettings) -> Result<Service> {
    let token = settings.token()?;
    Service::new(&settings.address()?, token.as_ref(), PATIENCE, LARGEST)
}

/// Talks to Ray about one run.
pub struct Client<'a> {
    /// What the jobs of this run are named, before the number of the job and of the attempt.
    name: String,
    service: Service,
    folder: PathBuf,
    jobs: Jobs,
    executor_options: &'a ExecutorOptions,
    cancel: &'a Cancel,
    /// What Ray said of this run's jobs at the last look, by their names.
    seen: RefCell<BTreeMap<String, Details>>,
    /// The last attempt of each job.
    attempts: RefCell<BTreeMap<usize, u32>>,
}

impl<'a> Client<'a> {
    pub fn new(
        folder: &Path,
        jobs: Jobs,
        executor_options: &'a ExecutorOptions,
        cancel: &'a Cancel,
    ) -> Result<Self> {
        make_logs(folder, "ray")?;
        Ok(Self {
            name: name_of(folder) + &jobs.suffix(),
            service: service(&executor_options.ray)?,
            folder: folder.to_owned(),
            jobs,
            executor_options,
            cancel,
            seen: RefCell::default(),
            attempts: RefCell::default(),
        })
    }

    /// Deterministic, so that Ray refuses what a run submitted that was killed before it knew.
    fn id(&self, job: usize, attempt: u32) -> String {
        format!("{}-{job}-{attempt}", self.name)
    }

    /// Job and attempt of a name of ours.
    fn parse(&self, id: &str) -> Option<(usize, u32)> {
        let rest = id.strip_prefix(&self.name)?.strip_prefix('-')?;
        let (job, attempt) = rest.split_once('-')?;
        Some((job.parse().ok()?, attempt.parse().ok()?))
    }

    fn request(&self, job: usize, id: &str) -> Value {
        let ExecutorOptions { ray, worker, .. } = self.executor_options;
        let plan = self.folder.join("plan.json");
        let cores = (ray.cores.ceil() as usize).max(1);
        let mut lines = vec![format!("export {CORES}={cores}")];
        lines.extend(ray.setup.iter().cloned());
        let command = worker_command(worker, &plan, &job.to_string(), self.jobs);
        lines.push(format!("exec {command}"));
        let mut environment: Value = json!(ray.runtime_env);
        if !ray.environment.is_empty() {
            environment["env_vars"] = json!(ray.environment);
        }
        json!({
            "entrypoint": lines.join("\n"),
            "submission_id": id,
            "metadata": {"job_name": format!("{}-{job}", self.name)},
            "runtime_env": environment,
            "entrypoint_num_cpus": ray.cores,
            "entrypoint_num_gpus": ray.gpus,
            "entrypoint_memory": ray.memory_bytes().ok().flatten(),
            "entrypoint_resources": ray.resources,
        })
    }

    fn look(&self) -> Result<Vec<Details>, Refusal> {
        let said = self.service.get("api/jobs/", self.cancel);
        let said = said.map_err(refusal)?;
        serde_json::from_slice(&said).map_err(|error| Refusal {
            error: Error::new(
                ErrorKind::Server,
                format!(
                    "{} lists its jobs in a way that cannot be read: {error}",
                    self.service.base()
                ),
            ),
            passing: false,
        })
    }
}

impl Cluster for Client<'_> {
    fn system(&self) -> &'static str {
        "Ray"
    }

    fn queue(&self) -> Result<Vec<Task>, Refusal> {
        let (mut tasks, mut seen) = (Vec::new(), BTreeMap::new());
        let mut attempts = self.attempts.borrow_mut();
        for details in self.look()? {
            let Some(id) = details.submission_id.clone() else {
                continue;
            };
            let Some((job, attempt)) = self.parse(&id) else {
                continue;
            };
            let last = attempts.entry(job).or_default();
            *last = attempt.max(*last);
            if details.is_running() || details.is_waiting() {
                tasks.extend(self.jobs.models(job).map(|model| Task {
                    model,
                    job: id.clone(),
                    running: details.is_running(),
                    waiting: details.is_waiting(),
                    leaving: false,
                    trouble: None,
                }));
            }
            seen.insert(id, details);
        }
        *self.seen.borrow_mut() = seen;
        Ok(tasks)
    }

    fn portions(&self, due: &[usize], load: Load) -> Vec<Vec<usize>> {
        let each = self.jobs.models_per_job;
        let (running, waiting) = (load.running.div_ceil(each), load.waiting.div_ceil(each));
        let room = match self.executor_options.ray.at_once {
            Some(most) => most.saturating_sub(running + waiting),
            None => running.max(WAITING).saturating_sub(waiting),
        };
        let of = |job| {
            let models = due.iter().copied();
            models.filter(|&model| self.jobs.of(model) == job).collect()
        };
        let jobs = self.jobs.all(due).into_iter().take(room);
        jobs.map(of).collect()
    }

    fn submit(&self, models: &[usize]) -> Result<String, Refusal> {
        let Some(&first) = models.first() else {
            return Ok(String::new());
        };
        let job = self.jobs.of(first);
        let attempt = self.attempts.borrow().get(&job).map_or(1, |last| last + 1);
        let id = self.id(job, attempt);
        let body = self.request(job, &id).to_string().into_bytes();
        match self.service.post("api/jobs/", body, self.cancel) {
            Ok(_) => {}
            // Somebody, we or a run that was killed, submitted it without hearing of it.
            Err(refusal) if refusal.said.contains("already exists") => {}
            Err(refused) => return Err(refusal(refused)),
        }
        self.attempts.borrow_mut().insert(job, attempt);
        Ok(id)
    }

    fn endings(&self, job: &str, models: &[usize]) -> Vec<Known> {
        let seen = self.seen.borrow();
        let known = || match seen.get(job).and_then(Details::ending) {
            Some(ending) => Known::Ended(ending),
            None => Known::Nothing,
        };
        models.iter().map(|_| known()).collect()
    }

    fn log(&self, model: usize) -> PathBuf {
        let job = self.jobs.of(model);
        self.folder.join("ray").join(format!("model-{job}.log"))
    }

    fn collect_log(&self, job: &str, model: usize) {
        let path = format!("api/jobs/{job}/logs");
        let Ok(said) = self.service.get(&path, self.cancel) else {
            return;
        };
        let Ok(Logs { logs }) = serde_json::from_slice(&said) else {
            return;
        };
        let mut start = logs.len().saturating_sub(LOG_BYTES);
        while !logs.is_char_boundary(start) {
            start += 1;
        }
        if !logs.is_empty() {
            // Only words for people are lost where it cannot be written.
            let file = private::create(&self.log(model));
            let _ = file.and_then(|mut file| {
                std::io::Write::write_all(&mut file, logs[start..].as_bytes())
            });
        }
    }

    fn withdraw(&self, jobs: &[(usize, String)]) {
        for id in ids(jobs) {
            // What cannot be stopped fails by itself.
            let path = format!("api/jobs/{id}/stop");
            let _ = self.service.post(&path, Vec::new(), self.cancel);
        }
    }

    fn withdrawing(&self, jobs: &[(usize, String)]) -> Vec<String> {
        let ids = ids(jobs).into_iter();
        let address = self.service.base();
        ids.map(|id| format!("ray job stop --address {address} {id}"))
            .collect()
    }
}

/// Names of jobs, each once.
fn ids(jobs: &[(usize, String)]) -> Vec<&str> {
    let mut ids: Vec<&str> = jobs.iter().map(|(_, id)| id.as_str()).collect();
    ids.dedup();
    ids
}

#[derive(Deserialize)]
struct Logs {
    logs: String,
}

/// Of a refusal only the last line tells: before it Python names its own files.
fn refusal(refused: http::Refusal) -> Refusal {
    let mut lines = refused.said.lines().map(str::trim);
    let last = lines.rfind(|line| !line.is_empty());
    let error = match (last, refused.status) {
        (Some(last), Some(status)) => Error::new(
            ErrorKind::Server,
            format!("Ray answered {status}: {}", printable(last, 300)),
        ),
        _ => refused.error,
    };
    Refusal {
        error,
        passing: refused.passing,
    }
}
