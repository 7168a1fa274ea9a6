//! Ray's Jobs interface, spoken over HTTP.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use asking::http::{self, Service};
use base::Cancel;
use serde::Deserialize;
use serde_json::{Value, json};

use super::details::{self, Details};
use super::package::Package;
use super::settings::FilesWay;
use super::talk::{PATIENCE, UPLOADING, refusal, service};
use crate::cluster::jobs::Jobs;
use crate::cluster::{
    Cluster, Ending, How, Known, Load, Refusal, Task, make_logs, name_of, worker_command,
};
use crate::executor::ExecutorOptions;
use crate::handover;
use crate::job::CORES;
use crate::run::Run;
use crate::store::State;
use crate::{Error, ErrorKind, Result};
use formats::private;

/// How much of a job's log is kept.
const LOG_BYTES: usize = 1 << 20;
/// Between two requests for the log of a job that failed.
const LOG_WAITS: [Duration; 3] = [
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(3),
];
/// Jobs that wait, at the least, where nobody says how many are under way at once. Ray gives up jobs that
/// wait for long, so not all are submitted at the beginning.
const WAITING: usize = 4;

/// Talks to Ray about one run.
pub struct Client<'a> {
    /// What the jobs of this run are named, before the number of the job and of the attempt.
    name: String,
    service: Service,
    run: &'a Run<'a>,
    /// Where nodes do not share the run's folder.
    package: Option<Package>,
    jobs: Jobs,
    executor_options: &'a ExecutorOptions,
    cancel: &'a Cancel,
    /// What Ray said of this run's jobs at the last look, by their names.
    seen: RefCell<BTreeMap<String, Details>>,
    /// The last attempt of each job.
    attempts: RefCell<BTreeMap<usize, u32>>,
    /// Jobs that ended well and whose models were asked for.
    fetched: RefCell<BTreeSet<String>>,
}

impl<'a> Client<'a> {
    pub fn new(
        run: &'a Run<'a>,
        jobs: Jobs,
        executor_options: &'a ExecutorOptions,
        cancel: &'a Cancel,
    ) -> Result<Self> {
        let folder = run.store().path();
        make_logs(folder, "ray")?;
        let ExecutorOptions { ray, worker, .. } = executor_options;
        let (package, patience) = match ray.files {
            FilesWay::Shared => (None, PATIENCE),
            FilesWay::Upload => (Some(Package::new(run, ray, worker)?), UPLOADING),
        };
        // A folder of this machine's own says nothing to others: what is in the package does.
        let contents = package.as_ref().map(|package| &package.digest[..12]);
        let contents = contents.map_or(String::new(), |digest| format!("-{digest}"));
        Ok(Self {
            name: name_of(folder) + &contents + &jobs.suffix(),
            service: service(ray, patience)?,
            run,
            package,
            jobs,
            executor_options,
            cancel,
            seen: RefCell::default(),
            attempts: RefCell::default(),
            fetched: RefCell::default(),
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
        let ExecutorOptions { ray, .. } = self.executor_options;
        let cores = (ray.cores.ceil() as usize).max(1);
        let mut lines = vec![format!("export {CORES}={cores}")];
        lines.extend(ray.setup.iter().cloned());
        lines.push(format!("exec {}", self.command(job)));
        let mut environment: Value = json!(ray.runtime_env);
        if let Some(package) = &self.package {
            environment["working_dir"] = json!(format!("gcs://{}", package.name()));
        }
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

    fn command(&self, job: usize) -> String {
        let ExecutorOptions { ray, worker, .. } = self.executor_options;
        let job = job.to_string();
        match &self.package {
            Some(package) => {
                let command = worker_command(package.program(), package.plan(), &job, self.jobs);
                format!("{command} --hand-over")
            }
            None => {
                let worker = ray.program.as_ref().unwrap_or(worker);
                worker_command(worker, &self.run.store().plan(), &job, self.jobs)
            }
        }
    }

    /// Sees to it that Ray has the package. It forgets packages that no job needs for a while.
    fn upload(&self) -> Result<(), http::Refusal> {
        let Some(package) = &self.package else {
            return Ok(());
        };
        let path = format!("api/packages/gcs/{}", package.name());
        match self.service.get(&path, self.cancel) {
            Err(refusal) if refusal.status == Some(404) => {
                let bytes = package.bytes().to_vec();
                self.service.put(&path, bytes, self.cancel).map(drop)
            }
            other => other.map(drop),
        }
    }

    /// Takes the models of a job that ended well out of its log, once.
    fn fetch(&self, id: &str, job: usize) {
        let missing =
            |model: &usize| *model < self.run.models() && self.run.state(*model) != State::Done;
        let fetched = self.fetched.borrow().contains(id);
        if self.package.is_none() || fetched || !self.jobs.models(job).any(|model| missing(&model))
        {
            return;
        }
        // A node that does not answer now is asked again.
        let Ok(log) = self.said_by(id) else {
            return;
        };
        for (model, contents) in handover::read(&log) {
            if self.jobs.of(model) == job && missing(&model) {
                // What is odd stays out, and the job counts as one without a result.
                let _ = self.run.accept(model, &contents);
            }
        }
        self.fetched.borrow_mut().insert(id.to_owned());
    }

    fn said_by(&self, id: &str) -> Result<String, http::Refusal> {
        let said = self
            .service
            .get(&format!("api/jobs/{id}/logs"), self.cancel)?;
        let logs: Option<Logs> = serde_json::from_slice(&said).ok();
        Ok(logs.map_or(String::new(), |logs| logs.logs))
    }

    /// What a job said that failed: its node may be too busy to tell at once.
    fn last_said_by(&self, id: &str) -> String {
        for wait in LOG_WAITS {
            match self.said_by(id) {
                Ok(said) if !said.is_empty() => return said,
                _ if self.cancel.wait(wait) => break,
                _ => {}
            }
        }
        self.said_by(id).unwrap_or_default()
    }

    fn look(&self) -> Result<Vec<Details>, Refusal> {
        let said = self.service.get("api/jobs/", self.cancel);
        let said = said.map_err(refusal)?;
        serde_json::from_slice(&said).map_err(|error| Refusal {
            error: Box::new(Error::new(
                ErrorKind::Server,
                format!(
                    "{} lists its jobs in a way that cannot be read: {error}",
                    self.service.base()
                ),
            )),
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
            if details.is_well() {
                self.fetch(&id, job);
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
        self.upload().map_err(refusal)?;
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
        let lost = |ending: Ending| match ending.how {
            // Its log was read, and its models were not in it.
            How::Well if self.fetched.borrow().contains(job) => details::without_result(),
            _ => ending,
        };
        let known = || match seen.get(job).and_then(Details::ending) {
            Some(ending) => Known::Ended(lost(ending)),
            None => Known::Nothing,
        };
        models.iter().map(|_| known()).collect()
    }

    fn log(&self, model: usize) -> PathBuf {
        let job = self.jobs.of(model);
        let folder = self.run.store().path();
        folder.join("ray").join(format!("model-{job}.log"))
    }

    fn collect_log(&self, job: &str, model: usize) {
        let logs = self.last_said_by(job);
        let logs = handover::words(&logs);
        let end = &logs.as_bytes()[logs.len().saturating_sub(LOG_BYTES)..];
        if !end.is_empty() {
            // Only words for people are lost where it cannot be written.
            let file = private::create(&self.log(model));
            let _ = file.and_then(|mut file| file.write_all(end));
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
