//! What a network looks like.

use base::Result;

/// A multi-layer perceptron. Without hidden layers it is multinomial logistic regression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// Features of a record.
    pub inputs: usize,
    /// Units of each hidden layer, from the input on.
    pub hidden: Vec<usize>,
    /// After every hidden layer.
    pub activation: Activation,
    /// Classes.
    pub outputs: usize,
}

/// What a hidden unit does with its sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// max(0, x).
    Relu,
    Tanh,
    /// x·Φ(x), the exact form (Hendrycks & Gimpel 2016, equation 1), not the tanh approximation.
    Gelu,
}

impl Network {
    /// Inputs and outputs of each linear layer, from the input on.
    pub(crate) fn layers(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let inputs = std::iter::once(self.inputs).chain(self.hidden.iter().copied());
        let outputs = self.hidden.iter().copied().chain([self.outputs]);
        inputs.zip(outputs)
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self
            .layers()
            .any(|(inputs, outputs)| inputs == 0 || outputs == 0)
        {
            return Err(crate::refused::shape(
                "a layer of the network has no units",
                "inputs, hidden widths and outputs must all be at least 1",
            ));
        }
        Ok(())
    }
}
