//! One text under one model: what every back-end hands on.

/// Per token, what the model thought of it. The first token has no prediction, and a server may
/// leave others out: those are `None`, never 0 or NaN.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scored {
    /// Absent where a server names tokens by text alone.
    pub token_ids: Option<Vec<u32>>,
    /// The tokens' texts, where a server gives them in place of ids.
    pub pieces: Option<Vec<String>>,
    /// Natural logarithm of the probability of each token given those before it.
    pub logprob: Vec<Option<f32>>,
    /// 1 is the model's first choice.
    pub rank: Option<Vec<Option<u32>>>,
    /// A rank of this much means "this or worse": servers show only the first few choices.
    pub rank_cap: Option<u32>,
    /// Mean and variance of log p under the model's own next-token distribution.
    pub mean: Option<Vec<Option<f32>>>,
    pub variance: Option<Vec<Option<f32>>>,
    /// log p of the model's first choice.
    pub max_logprob: Option<Vec<Option<f32>>>,
}
