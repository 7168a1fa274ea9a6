//! Token signals: what a language model, and a reference model, made of each token of a text.

/// One text as an attack sees it. Only positions with a prediction are here: the first token of a
/// text has none. All lists that are there have the same length, but for the lower-cased text,
/// which has tokens of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextSignals {
    pub text: Option<String>,
    /// ln p of each token given those before it, under the audited model.
    pub logprob: Vec<f64>,
    /// The token's place among the model's choices; 1 is its first.
    pub rank: Option<Vec<u32>>,
    /// A rank of this much means "this or worse".
    pub rank_cap: Option<u32>,
    /// Mean and variance of ln p under the model's own next-token distribution.
    pub mean: Option<Vec<f64>>,
    pub variance: Option<Vec<f64>>,
    /// ln p of the model's first choice.
    pub max_logprob: Option<Vec<f64>>,
    /// ln p under the reference model.
    pub reference: Option<Vec<f64>>,
    /// The same of the reference model, where it was asked for more than ln p.
    pub ref_rank: Option<Vec<u32>>,
    pub ref_rank_cap: Option<u32>,
    pub ref_mean: Option<Vec<f64>>,
    pub ref_variance: Option<Vec<f64>>,
    pub ref_max_logprob: Option<Vec<f64>>,
    /// ln p of the tokens of the lower-cased text, under the audited model.
    pub lowercase: Option<Vec<f64>>,
}

/// What an attack needs beside the audited model's log-probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    Text,
    Ranks,
    Moments,
    Reference,
    Lowercase,
}

impl Need {
    pub fn as_str(self) -> &'static str {
        match self {
            Need::Text => "the text itself",
            Need::Ranks => "the tokens' ranks",
            Need::Moments => "mean and variance over the vocabulary",
            Need::Reference => "log-probabilities under a reference model",
            Need::Lowercase => "a second pass over the lower-cased text",
        }
    }
}

impl std::fmt::Display for Need {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str(self.as_str())
    }
}
