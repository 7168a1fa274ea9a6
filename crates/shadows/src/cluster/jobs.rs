//! Which models one job trains: mostly one, and several where they share a device or a program that serves.

use crate::settings::Settings;

/// Jobs of so many models each: job N trains N·k and the k − 1 after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jobs {
    pub models_per_job: usize,
}

impl Jobs {
    /// As many as share a device, where a job has one, times those that a program takes at once; of PyTorch as
    /// many as were asked for.
    pub fn new(settings: &Settings, has_device: bool) -> Self {
        if let Some(torch) = &settings.torch {
            let models_per_job = torch.models_per_job.max(1);
            return Self { models_per_job };
        }
        let Some(command) = &settings.command else {
            return Self { models_per_job: 1 };
        };
        let sharing = match has_device {
            true => command.models_per_gpu,
            false => 1,
        };
        let models_per_job = sharing.saturating_mul(command.models_at_once).max(1);
        Self { models_per_job }
    }

    /// The job that a model belongs to.
    pub fn of(self, model: usize) -> usize {
        model / self.models_per_job
    }

    /// The models of a job; the last may have fewer.
    pub fn models(self, job: usize) -> std::ops::Range<usize> {
        let first = job.saturating_mul(self.models_per_job);
        first..first.saturating_add(self.models_per_job)
    }

    /// The jobs of some models, each once, in their order.
    pub fn all(self, models: &[usize]) -> Vec<usize> {
        let mut jobs: Vec<usize> = models.iter().map(|&model| self.of(model)).collect();
        jobs.dedup();
        jobs
    }

    /// How many jobs so many models make.
    pub fn count(self, models: usize) -> usize {
        models.div_ceil(self.models_per_job)
    }

    /// Behind a run's name, so that jobs of another size are not taken for these.
    pub fn suffix(self) -> String {
        match self.models_per_job {
            1 => String::new(),
            several => format!("-{several}each"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_that_share_a_device_are_one_job() {
        let four = Jobs { models_per_job: 4 };
        assert_eq!(four.all(&[0, 1, 5, 11]), [0, 1, 2]);
        assert_eq!((four.models(2), four.count(9)), (8..12, 3));
        assert_eq!(four.suffix(), "-4each");
        let one = Jobs { models_per_job: 1 };
        assert_eq!((one.all(&[0, 7]), one.models(7)), (vec![0, 7], 7..8));
    }
}
