//! Training the models of a shadow audit: which records each trains on, by what trainer, where
//! the outcome is kept, and who does the work.
//!
//! A [`Run`] knows every job. A job is idempotent: it looks whether its model is there, trains it
//! if not, and renames the outcome into place as a whole, so that any worker may die at any time.
//! An [`executor::Executor`] decides where jobs run.

mod arrays;
mod cluster;
mod code;
mod command;
pub mod executor;
mod external;
mod failing;
pub mod features;
mod handover;
mod ingredients;
pub mod job;
pub mod kubernetes;
mod local;
mod native;
mod people;
mod phi;
mod plan;
mod privacy;
mod process;
mod ray;
mod run;
mod serving;
pub mod settings;
mod slurm;
mod splits;
mod store;
mod torch;
mod trained;
mod trainer;
mod training_data;
mod trial;
mod watched;
mod what_if;

pub use base::{Error, ErrorKind, Result};
pub use executor::{Executor, Failure, executors};
pub use external::{Handed, Models};
pub use ingredients::Ingredients;
pub use kubernetes::KubernetesSettings;
pub use people::People;
pub use plan::Planned;
pub use privacy::StatedPrivacy;
pub use ray::RaySettings;
pub use run::{Prepared, Run, TrainingEstimate, TrainingInputs, Turn};
pub use slurm::SlurmSettings;
pub use splits::Splits;
pub use store::{State, Store};
pub use trained::TrainedModel;
pub use training_data::TrainingData;
pub use what_if::PrivateAccuracy;
