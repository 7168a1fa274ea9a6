//! Our own trainer: a multi-layer perceptron per model, one model per core.

use base::Progress;
use std::time::Instant;

use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::json;
use stats::streams::Seed;
use train::{
    Activation, ClassWeights, Dataset, EarlyStop, Network, Noise, Optimiser, Privacy, Recipe,
    Schedule,
};

use super::ingredients::Ingredients;
use super::phi;
use super::settings::{
    ActivationName, ClassWeightName, ClassWeightSettings, OptimiserName, PrivacySettings,
    ScheduleSettings, TrainingSettings,
};
use super::trainer::{Job, Output, Trainer};
use super::training_data::TrainingData;
use super::trial;
use crate::{Error, ErrorKind, Result};
use formats::data::Records;

/// Raised when the trainer comes to give other weights for the same ingredients.
const REVISION: &str = "1";
/// A thousand million: 4 GB in single precision, several times over while training.
const MOST_WEIGHTS: f64 = 1e9;
/// Records trained on to learn how long a model takes.
const TRIAL_ROWS: usize = 2048;

pub struct Native<'a> {
    settings: &'a TrainingSettings,
    subject: &'a TrainingData,
    data: Dataset<'a>,
    network: Network,
    recipe: Recipe,
}

impl<'a> Native<'a> {
    pub fn new(settings: &'a TrainingSettings, subject: &'a TrainingData) -> Result<Self> {
        let Some(records) = &subject.data else {
            return Err(
                Error::new(ErrorKind::Setting, "the native trainer needs a data file")
                    .hint("set data.path, or train with a program of your own in [command]"),
            );
        };
        let classes = records.classes.len();
        check_size(records.width, &settings.hidden, classes)?;
        let data = Dataset::new(&records.features, &records.labels, classes)?;
        Ok(Self {
            settings,
            subject,
            data,
            network: network(settings, records),
            recipe: recipe(settings)?,
        })
    }

    /// The recipe for so many epochs, none of which early stopping spares.
    fn trial(&self, rows: &[u32], epochs: u32) -> Option<train::Model> {
        let recipe = Recipe {
            epochs,
            schedule: Schedule::Constant,
            early_stop: self.recipe.early_stop.map(|stop| EarlyStop {
                patience: epochs,
                ..stop
            }),
            ..self.recipe.clone()
        };
        let (seed, progress) = (Seed(0), Progress::unwatched());
        let trained = train::train(&self.network, &recipe, &self.data, rows, seed, progress);
        Some(trained.ok()?.model)
    }

    fn labels(&self) -> &[u32] {
        self.subject.labels.as_deref().unwrap_or_default()
    }
}

impl Trainer for Native<'_> {
    fn about(&self) -> String {
        let layers: Vec<String> = std::iter::once(self.network.inputs)
            .chain(self.network.hidden.iter().copied())
            .chain([self.network.outputs])
            .map(|units| units.to_string())
            .collect();
        let TrainingSettings {
            epochs, batch_size, ..
        } = self.settings;
        let private = self.settings.privacy.map_or("", |_| ", DP-SGD");
        format!(
            "native perceptron {}, {epochs} epochs of batches of {batch_size}{private}",
            layers.join("-")
        )
    }

    fn ingredients(&self) -> Result<Ingredients> {
        let mut ingredients = Ingredients::default();
        let mut settings = serde_json::to_value(self.settings)
            .map_err(|error| Error::new(ErrorKind::Setting, format!("[training] has {error}")))?;
        if let Some(settings) = settings.as_object_mut() {
            for name in unused(self.settings.optimiser) {
                settings.remove(*name);
            }
        }
        ingredients.add_settings("training", &settings);
        ingredients.add("trainer", format!("native {REVISION}"));
        Ok(ingredients)
    }

    fn check(&self, rows: &[u32]) -> Result<()> {
        train::check(&self.network, &self.recipe, &self.data, rows).map_err(by_key)
    }

    /// A few epochs on some of the rows, scaled up, and the outputs for all records.
    fn seconds(&self, rows: &[u32]) -> Option<f64> {
        let few = &rows[..rows.len().min(TRIAL_ROWS)];
        let mut model = None;
        let timing = trial::time(|epochs| {
            let started = Instant::now();
            model = Some(self.trial(few, epochs)?);
            Some(started.elapsed().as_secs_f64())
        })?;
        let started = Instant::now();
        let mut logits = vec![0.0; self.data.records() * self.data.classes()];
        train::logits(&model?, &self.data, None, &mut logits).ok()?;
        let outputs = started.elapsed().as_secs_f64();
        let epoch = timing.epoch * rows.len() as f64 / few.len() as f64;
        Some(timing.once + epoch * f64::from(self.recipe.epochs) + outputs)
    }

    fn train(&self, job: &Job, progress: Progress<'_>) -> Result<Output> {
        let trained = train::train(
            &self.network,
            &self.recipe,
            &self.data,
            job.rows,
            Seed(job.seed),
            progress,
        )?;
        let classes = self.data.classes();
        let mut logits = vec![0.0; self.data.records() * classes];
        train::logits(&trained.model, &self.data, None, &mut logits)?;
        let phi = phi::from_logits(&logits, self.labels(), classes);
        let answers = right_answers(&logits, self.labels(), classes);
        let right = right(&answers, job);
        if let Some(record) = phi.iter().position(|phi| !phi.is_finite()) {
            return Err(Error::new(
                ErrorKind::Training,
                format!("the trained model's output for record {record} is not finite"),
            )
            .hint("lower the learning rate, or set training.clip_norm"));
        }
        Ok(Output {
            phi,
            augmentations: 1,
            right: Some(answers),
            files: vec![
                ("weights.safetensors", weights(&trained.model)?),
                ("training.json", history(&trained, &right)),
            ],
        })
    }
}

/// The network that these settings make of these data.
pub(super) fn network(settings: &TrainingSettings, records: &Records) -> Network {
    Network {
        inputs: records.width,
        hidden: settings.hidden.clone(),
        activation: activation(settings.activation),
        outputs: records.classes.len(),
    }
}

/// Refuses networks that no machine would train a hundred times.
fn check_size(inputs: usize, hidden: &[usize], outputs: usize) -> Result<()> {
    if let Some(layer) = hidden.iter().position(|units| *units == 0) {
        return Err(Error::new(
            ErrorKind::Setting,
            format!("training.hidden has 0 units in layer {}", layer + 1),
        )
        .hint("give each layer 1 unit or more; [] is a network without hidden layers"));
    }
    let widths = [&[inputs], hidden, &[outputs]].concat();
    let weights = widths
        .windows(2)
        .map(|pair| pair[0] as f64 * pair[1] as f64);
    let weights: f64 = weights.sum();
    if weights <= MOST_WEIGHTS {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Setting,
        format!("training.hidden makes a network of {weights:.0} weights"),
    )
    .hint(format!(
        "stay below {MOST_WEIGHTS:.0}; [128, 64] is usual for tables"
    )))
}

/// The recipe names its settings as `[training]` does.
fn by_key(mut error: Error) -> Error {
    if error.kind == ErrorKind::Setting {
        error.message = format!("training.{}", error.message);
    }
    error
}

/// Settings that this optimiser does not look at: they are no part of a model.
fn unused(optimiser: OptimiserName) -> &'static [&'static str] {
    match optimiser {
        OptimiserName::Sgd => &["beta1", "beta2", "epsilon"],
        OptimiserName::Adam | OptimiserName::Adamw => &["momentum", "nesterov"],
    }
}

fn activation(name: ActivationName) -> Activation {
    match name {
        ActivationName::Relu => Activation::Relu,
        ActivationName::Tanh => Activation::Tanh,
        ActivationName::Gelu => Activation::Gelu,
    }
}

fn recipe(settings: &TrainingSettings) -> Result<Recipe> {
    Ok(Recipe {
        epochs: settings.epochs,
        batch_size: settings.batch_size,
        optimiser: optimiser(settings),
        learning_rate: settings.learning_rate,
        weight_decay: settings.weight_decay,
        dropout: settings.dropout,
        schedule: match settings.schedule {
            ScheduleSettings::Constant {} => Schedule::Constant,
            ScheduleSettings::Step { every, factor } => Schedule::Step { every, factor },
            ScheduleSettings::Cosine {} => Schedule::Cosine,
            ScheduleSettings::WarmUpCosine { epochs } => Schedule::WarmUpCosine { epochs },
        },
        early_stop: settings.early_stop.map(|stop| EarlyStop {
            held_out: stop.held_out,
            patience: stop.patience,
        }),
        class_weights: match &settings.class_weights {
            ClassWeightSettings::Named(ClassWeightName::None) => ClassWeights::None,
            ClassWeightSettings::Named(ClassWeightName::Balanced) => ClassWeights::Balanced,
            ClassWeightSettings::Given(weights) => ClassWeights::Given(weights.clone()),
        },
        clip_norm: settings.clip_norm,
        label_smoothing: settings.label_smoothing,
        privacy: settings.privacy.as_ref().map(privacy).transpose()?,
    })
}

fn optimiser(settings: &TrainingSettings) -> Optimiser {
    let &TrainingSettings {
        beta1,
        beta2,
        epsilon,
        momentum,
        nesterov,
        ..
    } = settings;
    match settings.optimiser {
        OptimiserName::Sgd => Optimiser::Sgd { momentum, nesterov },
        OptimiserName::Adam => Optimiser::Adam {
            beta1,
            beta2,
            epsilon,
        },
        OptimiserName::Adamw => Optimiser::AdamW {
            beta1,
            beta2,
            epsilon,
        },
    }
}

fn privacy(settings: &PrivacySettings) -> Result<Privacy> {
    let noise = match (settings.epsilon, settings.noise_multiplier) {
        (Some(epsilon), None) => Noise::TargetEpsilon(epsilon),
        (None, Some(multiplier)) => Noise::Multiplier(multiplier),
        _ => {
            return Err(Error::new(
                ErrorKind::Setting,
                "training.privacy needs either epsilon or noise_multiplier",
            )
            .hint("epsilon = 1.0 is a strong promise, 8.0 a weak one"));
        }
    };
    Ok(Privacy {
        clip_norm: settings.clip_norm,
        noise,
        delta: settings.delta,
    })
}

fn weights(model: &train::Model) -> Result<Vec<u8>> {
    let tensors: Vec<(String, Vec<usize>, Vec<u8>)> = model
        .tensors()
        .map(|(name, shape, values)| {
            let bytes = values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect();
            (name, shape, bytes)
        })
        .collect();
    let broken = |error: safetensors::SafeTensorError| {
        Error::new(
            ErrorKind::Write,
            format!("the weights cannot be stored: {error}"),
        )
    };
    let views: Vec<(&String, TensorView)> = tensors
        .iter()
        .map(|(name, shape, bytes)| Ok((name, TensorView::new(Dtype::F32, shape.clone(), bytes)?)))
        .collect::<std::result::Result<_, _>>()
        .map_err(broken)?;
    safetensors::serialize(views, None).map_err(broken)
}

/// Of every record whether its true class has the largest logit.
fn right_answers(logits: &[f32], labels: &[u32], classes: usize) -> Vec<bool> {
    let rows = logits.chunks(classes).zip(labels);
    let is_right = |(row, label): (&[f32], &u32)| {
        let truth = row[*label as usize];
        row.iter().all(|logit| *logit <= truth)
    };
    rows.map(is_right).collect()
}

/// The share of right answers: of the records trained on, and of the others.
fn right(answers: &[bool], job: &Job) -> [Option<f64>; 2] {
    [true, false].map(|kept| {
        let of_kind = (0..answers.len()).filter(|&record| job.keep.get(record) == kept);
        let (right, all) = of_kind.fold((0usize, 0usize), |(right, all), record| {
            (right + usize::from(answers[record]), all + 1)
        });
        (all > 0).then(|| right as f64 / all as f64)
    })
}

/// How training went: the same bytes for the same model, so no clock.
fn history(trained: &train::Trained, right: &[Option<f64>; 2]) -> Vec<u8> {
    let measure =
        |measure: &train::Measure| json!({"loss": measure.loss, "accuracy": measure.accuracy});
    let epochs: Vec<_> = trained
        .history
        .iter()
        .map(|epoch| {
            json!({
                "epoch": epoch.number,
                "training": measure(&epoch.training),
                "held_out": epoch.held_out.as_ref().map(measure),
            })
        })
        .collect();
    let privacy = trained.privacy.map(|spent| {
        json!({
            "epsilon": spent.epsilon, "delta": spent.delta,
            "noise_multiplier": spent.noise_multiplier, "sampling_rate": spent.sampling_rate,
            "steps": spent.steps, "order": spent.order,
        })
    });
    let held_out = trained.held_out;
    let document = json!({
        "epochs": epochs, "held_out": held_out, "privacy": privacy,
        "right": {"training": right[0], "test": right[1]},
    });
    let mut bytes = document.to_string().into_bytes();
    bytes.push(b'\n');
    bytes
}
