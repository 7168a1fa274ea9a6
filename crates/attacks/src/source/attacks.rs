//! What an attribution says of whole documents, as scores: does retrieval bring a document, and does
//! the model itself know it? Each judges documents of its own source against those of neither.

use super::attribution::DocumentCall;
use super::label::Label;
use super::recovered::Recovered;
use crate::Attack;
use crate::card::{Access, Card};
use crate::scores::{Abstention, Answer};

/// A score of a document's attribution.
#[derive(Debug)]
pub struct SourceAttack {
    card: Card,
    /// The source that it finds.
    pub source: Label,
    score: fn(&Seen) -> Answer,
}

/// What is known of one document.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    pub call: &'a DocumentCall,
    /// Perturbed copies that were answered in both arms.
    pub rows: usize,
    /// What came back with retrieval and without; nothing where no word was hidden.
    pub with: Option<Recovered>,
    pub without: Option<Recovered>,
}

impl Seen<'_> {
    /// A total in standard deviations grows with the root of the number of copies. Documents whose
    /// labels settled early have fewer of them, and are judged beside the others.
    fn for_any_number_of_rows(&self, z: f64) -> f64 {
        z / (self.rows.max(2) as f64 - 1.0).sqrt()
    }
}

impl SourceAttack {
    pub fn card(&'static self) -> &'static Card {
        &self.card
    }

    pub fn score(&self, document: &Seen) -> Answer {
        (self.score)(document)
    }
}

const PAPER: &str = "SMA 2025, arXiv:2508.09105; the totals and their permutations are ours";

/// One line for each.
pub static ATTACKS: &[&SourceAttack] =
    &[&RETRIEVED, &PRETRAINED, &RETRIEVED_WORDS, &PRETRAINED_WORDS];

static RETRIEVED: SourceAttack = SourceAttack {
    card: Card {
        id: "sma-retrieved",
        summary: "source attribution: what retrieval adds to the pull of a text's words",
        asks: "How much more do answers follow the words of a perturbed text when the service may \
               look things up?",
        why_it_works: "Retrieval that finds the text brings its words into the answer; without \
                       retrieval they are missing. The score is how far the sum of the differences \
                       (ADS) lies from what chance gives, in standard deviations over permutations \
                       and per root of the number of copies. The side does not count, as it does not \
                       for the label: retrieval that finds the text whatever is left of it makes \
                       answers follow the words less.",
        access: Access::Exchanges,
        when_it_misleads: "Documents like the text bring its words as well as the text itself. A \
                           stand-in that differs from the service's model in other ways than \
                           retrieval counts as retrieval. A service that answers with the question's \
                           own words when it looks things up, and not otherwise, looks as if it had \
                           every text.",
        paper: PAPER,
        settings: &[],
    },
    source: Label::Retrieved,
    score: |document| Ok(document.for_any_number_of_rows(document.call.ads_z.abs())),
};

static PRETRAINED: SourceAttack = SourceAttack {
    card: Card {
        id: "sma-pretrained",
        summary: "source attribution: the pull of a text's words without retrieval",
        asks: "Do answers follow the words of a perturbed text even when nothing can be looked up?",
        why_it_works: "A model that was trained on the text completes it from what is left of it. The \
                       score is the sum of the coefficients without retrieval, in standard deviations \
                       over permutations and per root of the number of copies.",
        access: Access::Exchanges,
        when_it_misleads: "A model that repeats its input follows the words of any text, known or not: \
                           look at how texts of neither source are labelled. Common phrases are known \
                           without having been trained on in this text.",
        paper: PAPER,
        settings: &[],
    },
    source: Label::Pretrained,
    score: |document| Ok(document.for_any_number_of_rows(document.call.off_z)),
};

const OURS: &str = "ours, from the exchanges of SMA (arXiv:2508.09105)";

static RETRIEVED_WORDS: SourceAttack = SourceAttack {
    card: Card {
        id: "words-retrieved",
        summary: "hidden words that come back with retrieval, and not without",
        asks: "Of the words that a perturbed text hides, how many more do answers hold when the \
               service may look things up?",
        why_it_works: "A service cannot repeat what it was not shown: a hidden word that comes back \
                       was in the store. Unlike the pull of shown words this does not fade when \
                       retrieval finds the text whatever is left of it.",
        access: Access::Exchanges,
        when_it_misleads: "Documents on the same subject share words with the text. Look-alikes hide \
                           nothing from whoever can read them, so that no score is given for them.",
        paper: OURS,
        settings: &[],
    },
    source: Label::Retrieved,
    score: |document| {
        let both = document.with.zip(document.without);
        let (with, without) = both.ok_or(Abstention::Undefined)?;
        Ok(with.hidden - without.hidden)
    },
};

static PRETRAINED_WORDS: SourceAttack = SourceAttack {
    card: Card {
        id: "words-pretrained",
        summary: "hidden words that come back without retrieval",
        asks: "How many of the words that a perturbed text hides do answers hold, with nothing to look \
               up?",
        why_it_works: "A model that was trained on the text fills its gaps. One that repeats its input \
                       brings back nothing that was hidden.",
        access: Access::Exchanges,
        when_it_misleads: "Common phrases are completed by every model, whether it was trained on this \
                           text or not. Look-alikes hide nothing from whoever can read them, so that no \
                           score is given for them.",
        paper: OURS,
        settings: &[],
    },
    source: Label::Pretrained,
    score: |document| Ok(document.without.ok_or(Abstention::Undefined)?.hidden),
};

impl Attack for &'static SourceAttack {
    const ON: &'static str = " on sources";

    fn every() -> &'static [Self] {
        ATTACKS
    }

    fn card(attack: Self) -> &'static Card {
        attack.card()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scores_its_own_total() {
        let document = DocumentCall {
            label: Label::Retrieved,
            off: 0.0,
            ads: 1.0,
            off_p: 0.5,
            ads_p: 0.001,
            off_z: 0.25,
            ads_z: 7.0,
        };
        let seen = Seen {
            call: &document,
            rows: 26,
            with: Some(Recovered {
                shown: 1.0,
                hidden: 0.75,
            }),
            without: Some(Recovered {
                shown: 1.0,
                hidden: 0.25,
            }),
        };
        let score = |id| <&SourceAttack>::find(id).unwrap().score(&seen);
        assert_eq!(score("sma-retrieved"), Ok(1.4));
        let other_side = DocumentCall {
            ads_z: -7.0,
            ..document
        };
        let turned = Seen {
            call: &other_side,
            ..seen
        };
        let found = <&SourceAttack>::find("sma-retrieved")
            .unwrap()
            .score(&turned);
        assert_eq!(found, Ok(1.4), "as far from chance, so called alike");
        assert_eq!(score("sma-pretrained"), Ok(0.05));
        assert_eq!(score("words-retrieved"), Ok(0.5));
        assert_eq!(score("words-pretrained"), Ok(0.25));
        let unhidden = Seen { with: None, ..seen };
        let words = <&SourceAttack>::find("words-retrieved")
            .unwrap()
            .score(&unhidden);
        assert_eq!(words, Err(Abstention::Undefined));
        assert!(<&SourceAttack>::find("sma").is_err());
    }
}
