//! What a node types.

use std::path::Path;

use super::jobs::Jobs;

/// As one word of the shell, whatever is in it.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// `guestlist work PLAN --job JOB`; `job` is a number or a variable of the shell that holds it.
pub fn worker_command(worker: &Path, plan: &Path, job: &str, jobs: Jobs) -> String {
    let several = match jobs.models_per_job {
        1 => String::new(),
        several => format!(" --models-per-job {several}"),
    };
    format!(
        "{} work {} --job {job}{several}",
        quoted(&worker.display().to_string()),
        quoted(&plan.display().to_string()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_the_shell() {
        assert_eq!(quoted("/a b/it's"), r"'/a b/it'\''s'");
        let jobs = |models_per_job| Jobs { models_per_job };
        let command = |k| worker_command(Path::new("/g"), Path::new("/r/plan.json"), "3", jobs(k));
        assert_eq!(command(1), "'/g' work '/r/plan.json' --job 3");
        assert_eq!(
            command(8),
            "'/g' work '/r/plan.json' --job 3 --models-per-job 8"
        );
    }
}
