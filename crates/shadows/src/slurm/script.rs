//! The batch script that a node runs.

use std::path::{Path, PathBuf};

use super::SlurmSettings;

/// Tasks of one array. Slurm refuses larger indices by default (MaxArraySize 1001).
pub const LARGEST_ARRAY: usize = 1000;

/// The models of one array: its tasks count from `offset`.
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

/// What the tasks of a model's array count from.
pub fn offset_of(model: usize) -> usize {
    model / LARGEST_ARRAY * LARGEST_ARRAY
}

/// Cuts models into arrays.
pub fn batches(models: &[usize]) -> Vec<Batch> {
    let mut batches: Vec<(usize, Vec<usize>)> = Vec::new();
    for &model in models {
        let offset = offset_of(model);
        match batches.last_mut() {
            Some((last, tasks)) if *last == offset => tasks.push(model - offset),
            _ => batches.push((offset, vec![model - offset])),
        }
    }
    batches
        .into_iter()
        .map(|(offset, tasks)| Batch {
            offset,
            models: tasks.iter().map(|task| offset + task).collect(),
            tasks: ranges(&tasks),
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

/// Where a node writes what a model's task says.
pub fn log(folder: &Path, model: usize) -> PathBuf {
    folder.join("slurm").join(format!("model-{model}.log"))
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
    options.extend(settings.options.iter().cloned());
    options
}

/// The script: each task trains the model of its number.
pub fn script(settings: &SlurmSettings, batch: &Batch, worker: &Path, folder: &Path) -> String {
    let setup: String = settings
        .setup
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    let logs = quoted(&folder.join("slurm").join("model-").display().to_string());
    format!(
        "#!/bin/bash\n\
         model=$(({} + SLURM_ARRAY_TASK_ID))\n\
         exec > {logs}\"$model\".log 2>&1\n\
         {setup}\
         exec {} work {} --job \"$model\"\n",
        batch.offset,
        quoted(&worker.display().to_string()),
        quoted(&folder.join("plan.json").display().to_string()),
    )
}

/// As one word of the shell, whatever is in it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_cut_into_arrays_of_a_size_that_slurm_takes() {
        let batch = |offset, models: &[usize], tasks: &str| Batch {
            offset,
            models: models.to_vec(),
            tasks: tasks.into(),
        };
        let few = [0, 1, 2, 5, 7, 8];
        assert_eq!(batches(&few), [batch(0, &few, "0-2,5,7-8")]);
        assert_eq!(
            batches(&[998, 999, 1000, 1001, 2500]),
            [
                batch(0, &[998, 999], "998-999"),
                batch(1000, &[1000, 1001], "0-1"),
                batch(2000, &[2500], "500")
            ]
        );
    }

    #[test]
    fn paths_survive_the_shell() {
        assert_eq!(quoted("/a b/it's"), r"'/a b/it'\''s'");
    }
}
