//! How a network is trained. Defaults and conventions are PyTorch's, so that a shadow trained here
//! is comparable with a target trained there.

/// All settings of a training run.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    pub epochs: u32,
    pub batch_size: usize,
    pub optimiser: Optimiser,
    pub learning_rate: f64,
    /// L2 penalty for SGD and Adam, decoupled for AdamW; biases decay too.
    pub weight_decay: f64,
    /// Probability that a hidden unit is silenced in a training pass.
    pub dropout: f64,
    pub schedule: Schedule,
    pub early_stop: Option<EarlyStop>,
    pub class_weights: ClassWeights,
    /// Largest norm of the whole gradient, over all layers together.
    pub clip_norm: Option<f64>,
    /// Share of the target spread evenly over all classes.
    pub label_smoothing: f64,
    /// Train with DP-SGD.
    pub privacy: Option<Privacy>,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            epochs: 50,
            batch_size: 64,
            optimiser: Optimiser::adam(),
            learning_rate: 1e-3,
            weight_decay: 0.0,
            dropout: 0.0,
            schedule: Schedule::Constant,
            early_stop: None,
            class_weights: ClassWeights::None,
            clip_norm: None,
            label_smoothing: 0.0,
            privacy: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Optimiser {
    /// v ← momentum·v + g without dampening; with Nesterov the step is g + momentum·v.
    Sgd { momentum: f64, nesterov: bool },
    /// Kingma & Ba 2015, algorithm 1, with bias correction.
    Adam {
        beta1: f64,
        beta2: f64,
        epsilon: f64,
    },
    /// Loshchilov & Hutter 2019, algorithm 2.
    AdamW {
        beta1: f64,
        beta2: f64,
        epsilon: f64,
    },
}

impl Optimiser {
    pub fn sgd(momentum: f64) -> Self {
        Self::Sgd {
            momentum,
            nesterov: false,
        }
    }

    pub fn adam() -> Self {
        Self::Adam {
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
        }
    }

    pub fn adam_w() -> Self {
        Self::AdamW {
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
        }
    }
}

/// How the learning rate moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Schedule {
    Constant,
    /// Times `factor` after every `every` epochs.
    Step {
        every: u32,
        factor: f64,
    },
    /// From the learning rate towards 0 on half a cosine, changed once per epoch.
    Cosine,
    /// Up on a line over the first `epochs` epochs, then half a cosine, changed at every batch.
    WarmUpCosine {
        epochs: u32,
    },
}

/// Stop when the loss on held-out rows has not improved for `patience` epochs; the weights of the
/// best epoch are returned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EarlyStop {
    /// Share of the training rows that is held out.
    pub held_out: f64,
    pub patience: u32,
}

/// How much a record of each class counts in the loss.
#[derive(Clone, Debug, PartialEq)]
pub enum ClassWeights {
    None,
    /// n / (classes present · records of the class), over the rows trained on; 1 for absent classes.
    Balanced,
    Given(Vec<f32>),
}

/// Abadi et al. 2016, algorithm 1: batches by Poisson sampling, per-example clipping, noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Privacy {
    /// Largest norm of one example's gradient, over all layers together.
    pub clip_norm: f64,
    pub noise: Noise,
    /// The δ at which ε is stated.
    pub delta: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// Standard deviation of the noise in units of the clip norm; 0 clips without privacy.
    Multiplier(f64),
    /// The least noise that spends no more than this ε over the whole run.
    TargetEpsilon(f64),
}
