//! What may show that the texts were there to be found: words that were hidden from the service and come
//! back, of retrieved texts more with retrieval than without, and more than those of non-members.

use std::collections::HashMap;

use asking::rag::Outcome;
use attacks::source::Label;
use judge::measure::{Auc, AucScale, auc::auc};
use judge::rag::Reach;
use stats::roc::Roc;

use super::{Called, SourceRequest};

impl SourceRequest {
    pub(super) fn reach(&self, by_item: &[Option<(usize, &Called)>]) -> Reach {
        let items = self.basis.items.iter().zip(by_item);
        let known = items.filter_map(|(item, called)| Some((item.source?, called.as_ref()?)));
        let back = known.filter_map(|(source, (place, called))| {
            let seen = self.seen(*place, called.as_ref().ok()?);
            Some((source, seen.with?.hidden, seen.without?.hidden))
        });
        let back: Vec<(Label, f64, f64)> = back.collect();
        let (answers, commonest) = self.commonest();
        Reach {
            overlap: tells(&back, Label::Retrieved, |with, without| with - without)
                .or_else(|| tells(&back, Label::Pretrained, |_, without| without)),
            sources: None,
            answers,
            commonest,
            verbatim: None,
        }
    }

    /// How many answers with retrieval there are, and how many of them are one and the same.
    fn commonest(&self) -> (usize, usize) {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for outcome in self.heard.iter().flat_map(|heard| &heard.with) {
            if let Outcome::Answered(reply) = outcome {
                *counts.entry(reply.answer.trim()).or_default() += 1;
            }
        }
        let most = counts.values().max().copied().unwrap_or(0);
        (counts.values().sum(), most)
    }
}

/// How well words that come back tell texts of this source from non-members.
fn tells(back: &[(Label, f64, f64)], of: Label, value: fn(f64, f64) -> f64) -> Option<Auc> {
    let judged = back.iter();
    let judged = judged.filter(|(source, ..)| *source == of || *source == Label::NonMember);
    let roc =
        Roc::new(judged.map(|&(source, with, without)| (value(with, without), source == of)))?;
    Some(auc(&roc, 0.95, AucScale::Logit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_come_back_by_retrieval_tell() {
        let item = |place: usize| match place % 2 {
            0 => (Label::Retrieved, 0.5, 0.1),
            _ => (Label::NonMember, 0.1, 0.1),
        };
        let back: Vec<(Label, f64, f64)> = (0..40).map(item).collect();
        let found = tells(&back, Label::Retrieved, |with, without| with - without);
        assert_eq!(found.map(|auc| auc.value), Some(1.0));
        assert!(tells(&back, Label::Pretrained, |_, without| without).is_none());
    }
}
