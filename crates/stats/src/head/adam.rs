//! Adam (Kingma & Ba 2015, algorithm 1) with β₁ = 0.9 and β₂ = 0.999, in f64.

pub const BETA1: f64 = 0.9;
pub const BETA2: f64 = 0.999;

/// Where ε stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdamForm {
    /// Beside the uncorrected root, as in Keras ("epsilon hat" of section 2 of the paper).
    Keras,
    /// Beside the corrected root, as in PyTorch and in algorithm 1.
    Torch,
}

impl AdamForm {
    /// The numbers (rate, root, ε) of step t, for w ← w − rate · m / (√v · root + ε).
    pub fn step(self, steps: i32, learning_rate: f64, epsilon: f64) -> (f64, f64, f64) {
        let rate = learning_rate / (1.0 - BETA1.powi(steps));
        let root = 1.0 / (1.0 - BETA2.powi(steps)).sqrt();
        match self {
            AdamForm::Keras => (rate, root, epsilon * root),
            AdamForm::Torch => (rate, root, epsilon),
        }
    }
}

/// The state over all parameters.
pub struct Adam {
    form: AdamForm,
    epsilon: f64,
    learning_rate: f64,
    steps: i32,
    means: Vec<f64>,
    squares: Vec<f64>,
}

impl Adam {
    pub fn new(parameters: usize, learning_rate: f64, epsilon: f64, form: AdamForm) -> Self {
        Self {
            form,
            epsilon,
            learning_rate,
            steps: 0,
            means: vec![0.0; parameters],
            squares: vec![0.0; parameters],
        }
    }

    /// Moves every parameter along its gradient.
    pub fn update(&mut self, parameters: &mut [f64], gradient: &[f64]) {
        self.steps = self.steps.saturating_add(1);
        let (rate, root, epsilon) = self.form.step(self.steps, self.learning_rate, self.epsilon);
        let moments = self.means.iter_mut().zip(&mut self.squares);
        for ((weight, &slope), (mean, square)) in parameters.iter_mut().zip(gradient).zip(moments) {
            *mean = BETA1 * *mean + (1.0 - BETA1) * slope;
            *square = BETA2 * *square + (1.0 - BETA2) * slope * slope;
            *weight -= rate * *mean / (square.sqrt() * root + epsilon);
        }
    }
}
