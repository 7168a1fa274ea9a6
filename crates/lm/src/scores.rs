//! What is asked about texts, and what is answered.

/// What to compute beyond log-probabilities and ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Mean and variance of log-probabilities under the model's own next-token distribution, and the
    /// log-probability of its first choice.
    pub moments: bool,
}

/// One entry per predicted position: every token but the first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    pub logprob: Vec<f32>,
    /// 1 + the number of tokens with a strictly larger logit.
    pub rank: Vec<u32>,
    /// Empty unless wanted.
    pub mean: Vec<f32>,
    /// Empty unless wanted.
    pub variance: Vec<f32>,
    /// Of the first choice. Empty unless wanted.
    pub max_logprob: Vec<f32>,
    /// How many windows it took; 1 when the text fits into the context.
    pub windows: usize,
}

/// What one piece of a text yields.
pub(crate) type Predictions = Scores;

/// A run of tokens that fits into the context, and how many of its first predictions an earlier
/// piece has made already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    pub(crate) tokens: &'a [u32],
    pub(crate) skip: usize,
}

impl<'a> Piece<'a> {
    /// The last token is predicted but predicts nothing.
    pub(crate) fn inputs(&self) -> &'a [u32] {
        &self.tokens[..self.tokens.len().saturating_sub(1)]
    }

    pub(crate) fn targets(&self) -> &'a [u32] {
        self.tokens.get(self.skip + 1..).unwrap_or_default()
    }
}

impl Scores {
    pub(crate) fn append(&mut self, mut piece: Predictions) {
        self.logprob.append(&mut piece.logprob);
        self.rank.append(&mut piece.rank);
        self.mean.append(&mut piece.mean);
        self.variance.append(&mut piece.variance);
        self.max_logprob.append(&mut piece.max_logprob);
        self.windows += 1;
    }
}
