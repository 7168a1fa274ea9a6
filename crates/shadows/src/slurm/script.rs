//! The batch script that a node runs.

use std::path::{Path, PathBuf};

use super::SlurmSettings;
use crate::cluster::jobs::Jobs;
use crate::cluster::{quoted, worker_command};

/// Tasks of one array. Slurm refuses larger indices by default (MaxArraySize 1001).
pub const LARGEST_ARRAY: usize = 1000;

/// The models of one array: its tasks, one per job, count from `offset`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    pub offset: usize,
    pub models: Vec<usize>,
    /// Tasks, as `--array` wants them.
    pub tasks: String,
}

/// The name of the array that a model belongs to: the run's, and what its tasks count from.
pub fn array_name(name: &str, offset: usize) -> String {
    format!("{name}+{offset}")
}

/// What the tasks of an array of this name count from; nothing if it is not of this run.
pub fn offset(array: &str, name: &str) -> Option<usize> {
    array.strip_prefix(name)?.strip_prefix('+')?.parse().ok()
}

/// What the tasks of a job's array count from.
pub fn offset_of(job: usize) -> usize {
    job / LARGEST_ARRAY * LARGEST_ARRAY
}

/// Cuts models into arrays.
pub fn batches(models: &[usize], jobs: Jobs) -> Vec<Batch> {
    let mut batches: Vec<(usize, Vec<usize>)> = Vec::new();
    for &model in models {
        let offset = offset_of(jobs.of(model));
        match batches.last_mut() {
            Some((last, models)) if *last == offset => models.push(model),
            _ => batches.push((offset, vec![model])),
        }
    }
    batches
        .into_iter()
        .map(|(offset, models)| {
            let tasks = jobs.all(&models).into_iter();
            let tasks: Vec<usize> = tasks.map(|job| job - offset).collect();
            Batch {
                offset,
                tasks: ranges(&tasks),
                models,
            }
        })
        .collect()
}

/// `0-3,7,9-10`, of ascending numbers.
fn ranges(numbers: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let words = runs.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    words.collect::<Vec<_>>().join(",")
}

/// Where a node writes what a job's task says.
pub fn log(folder: &Path, job: usize) -> PathBuf {
    folder.join("slurm").join(format!("model-{job}.log"))
}

/// The options of sbatch.
pub fn options(settings: &SlurmSettings, batch: &Batch, name: &str) -> Vec<String> {
    let at_once = settings
        .at_once
        .map_or(String::new(), |most| format!("%{most}"));
    let mut options = vec![
        "--parsable".to_owned(),
        format!("--array={}{at_once}", batch.tasks),
        format!("--job-name={}", array_name(name, batch.offset)),
        format!("--cpus-per-task={}", settings.cores),
        "--output=/dev/null".to_owned(),
        // What a lost node took with it is submitted again from here, at once.
        "--no-requeue".to_owned(),
    ];
    let named = [
        ("partition", &settings.partition),
        ("account", &settings.account),
        ("time", &settings.time),
        ("mem", &settings.memory),
        ("gres", &settings.gres),
    ];
    for (option, value) in named {
        options.extend(value.as_ref().map(|value| format!("--{option}={value}")));
    }
    // `--gres` is of the node that a task is on; `--gpus-per-task` needs a newer Slurm and `--ntasks`.
    let gpus = settings.gpus.map(|gpus| format!("--gres=gpu:{gpus}"));
    options.extend(gpus);
    options.extend(settings.options.iter().cloned());
    options
}

/// The script: each task trains the models of its number.
pub fn script(
    settings: &SlurmSettings,
    batch: &Batch,
    jobs: Jobs,
    worker: &Path,
    folder: &Path,
) -> String {
    let setup: String = settings
        .setup
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    let logs = quoted(&folder.join("slurm").join("model-").display().to_string());
    format!(
        "#!/bin/bash\n\
         job=$(({} + SLURM_ARRAY_TASK_ID))\n\
         exec > {logs}\"$job\".log 2>&1\n\
         {setup}\
         exec {}\n",
        batch.offset,
        worker_command(worker, &folder.join("plan.json"), "\"$job\"", jobs),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Jobs = Jobs { models_per_job: 1 };

    fn batch(offset: usize, models: &[usize], tasks: &str) -> Batch {
        Batch {
            offset,
            models: models.to_vec(),
            tasks: tasks.into(),
        }
    }

    #[test]
    fn models_are_cut_into_arrays_of_a_size_that_slurm_takes() {
        let few = [0, 1, 2, 5, 7, 8];
        assert_eq!(batches(&few, ONE), [batch(0, &few, "0-2,5,7-8")]);
        assert_eq!(
            batches(&[998, 999, 1000, 1001, 2500], ONE),
            [
                batch(0, &[998, 999], "998-999"),
                batch(1000, &[1000, 1001], "0-1"),
                batch(2000, &[2500], "500")
            ]
        );
        let three = Jobs { models_per_job: 3 };
        let found = batches(&[0, 2, 3, 9, 3000], three);
        let expected = [batch(0, &[0, 2, 3, 9], "0-1,3"), batch(1000, &[3000], "0")];
        assert_eq!(found, expected);
    }

    #[test]
    fn an_array_of_jobs_with_a_gpu_each() {
        let settings = SlurmSettings {
            gpus: Some(2),
            cores: 4,
            at_once: Some(8),
            ..SlurmSettings::default()
        };
        let batch = batch(1000, &[1000, 1001], "0-1");
        let options = options(&settings, &batch, "guestlist-ab");
        for wanted in [
            "--array=0-1%8",
            "--job-name=guestlist-ab+1000",
            "--cpus-per-task=4",
            "--gres=gpu:2",
        ] {
            assert!(
                options.iter().any(|option| option == wanted),
                "{wanted}: {options:?}"
            );
        }
        let jobs = Jobs { models_per_job: 4 };
        let (worker, folder) = (Path::new("/opt/guestlist"), Path::new("/shared/it's"));
        assert_eq!(
            script(&settings, &batch, jobs, worker, folder),
            "#!/bin/bash\n\
             job=$((1000 + SLURM_ARRAY_TASK_ID))\n\
             exec > '/shared/it'\\''s/slurm/model-'\"$job\".log 2>&1\n\
             exec '/opt/guestlist' work '/shared/it'\\''s/plan.json' --job \"$job\" --models-per-job 4\n"
        );
    }
}
