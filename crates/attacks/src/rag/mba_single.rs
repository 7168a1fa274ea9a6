//! `mba-single`: can the service fill in one masked word at a time?

use text::{DocumentFrequencies, Language, Word, count_words, folded, is_number};

use super::phrases::{Phrases, fill};
use super::reading::{Kind as ReplyKind, filled, holds, kind};
use super::sequential::{Sequence, Sign};
use super::{ArmSignals, ProbeAttack, Scoring, answered, mba, mean_over, probes, writing};
use crate::card::{Access, Card};
use crate::settings::{Kind, Setting, Settings};
use crate::signals::probes::{Document, Exchange, Expected, Probe};

pub struct MbaSingle;

static MASKS: Setting = Setting {
    key: "mba-single.masks",
    kind: Kind::Number {
        default: 4.0,
        least: 1.0,
        most: 50.0,
    },
    help: "how many words are masked, each in a question of its own",
};

static CARD: Card = Card {
    id: "mba-single",
    summary: "mask-based, one mask in a question: the share of masked words that come back",
    asks: "Of the document's words that were masked, each in a question of its own, how many does the service \
           fill in?",
    why_it_works: "Small models do not keep to a form with ten numbered lines; one word they do find. The \
                   sentences around the mask find the document, and the document holds the word.",
    access: Access::Exchanges,
    when_it_misleads: "A model that knows the text, or guesses well, fills masks without the store: compare with \
                       retrieval off. In a long answer a masked word stands by accident: only the first line of \
                       a short one counts.",
    paper: "after Liu et al. 2024, arXiv:2410.20142",
    settings: &[&MASKS],
};

/// So that the passage fits any prompt.
const LONGEST: usize = 2_048;
/// Longer answers hold many words, and so any.
const SHORT: usize = 25;

impl ProbeAttack for MbaSingle {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn sequence(&self) -> Option<&dyn Sequence> {
        Some(self)
    }

    fn ask(
        &self,
        document: &Document,
        frequencies: &DocumentFrequencies,
        settings: &Settings,
    ) -> Vec<Probe> {
        let text = writing::beginning(&document.text, LONGEST);
        let count = settings.number(&MASKS) as usize;
        let language = document.language();
        let queries = mba::chosen(text, count, frequencies, language)
            .into_iter()
            .map(|word| {
                let passage = masked(text, &word, language);
                let query = fill(Phrases::of(language).mba, &[("text", &passage)]);
                (query, Expected::Masks(vec![word.folded]))
            });
        probes(CARD.id, queries)
    }

    fn score(&self, heard: &ArmSignals, _: &Settings) -> Scoring {
        mean_over(&heard.asked_by(CARD.id), |_, exchange| {
            Some(f64::from(u8::from(is_right(exchange)?)))
        })
    }
}

impl Sequence for MbaSingle {
    fn sign(&self, _: &Document, exchanges: &[&Exchange]) -> Option<Sign> {
        let exchange = exchanges.first()?;
        let right = is_right(exchange)?;
        Some(match (right, kind(answered(exchange)?)) {
            (true, _) => Sign::For,
            (false, ReplyKind::Unknown) => Sign::Against,
            (false, _) => Sign::Neither,
        })
    }
}

/// The sentences around a word, with the word masked wherever it stands in them.
fn masked(text: &str, word: &Word, language: Language) -> String {
    let all = language.sentences(text);
    let start = |sentence: &str| sentence.as_ptr() as usize - text.as_ptr() as usize;
    let place = all
        .iter()
        .rposition(|sentence| start(sentence) <= word.range.start);
    let place = place.unwrap_or(0);
    let (first, last) = (
        place.saturating_sub(1),
        (place + 1).min(all.len().saturating_sub(1)),
    );
    let (from, to) = match (all.get(first), all.get(last)) {
        (Some(first), Some(last)) => (start(first), start(last) + last.len()),
        _ => (0, text.len()),
    };
    let mut masked = String::new();
    let mut done = from;
    for other in text::words(&text[from..to]) {
        if other.folded == word.folded {
            masked += &text[done..from + other.range.start];
            masked += "[Mask_1]";
            done = from + other.range.end;
        }
    }
    masked + &text[done..to]
}

fn is_right(exchange: &Exchange) -> Option<bool> {
    let reply = answered(exchange)?;
    let Expected::Masks(wanted) = &exchange.probe.expected else {
        return None;
    };
    let wanted = wanted.first()?;
    let given = filled(&reply.answer, 1).into_iter().flatten().next();
    if let Some(given) = given {
        return Some(Some(&given) == folded(wanted).first());
    }
    // Without the form: a word or a short sentence.
    let first = reply.answer.trim().lines().next().unwrap_or("");
    let short = count_words(first) <= SHORT && (!is_number(wanted) || wanted.len() > 1);
    let line = crate::signals::probes::Reply {
        answer: first.into(),
        ..Default::default()
    };
    let says = kind(reply) == ReplyKind::Answer;
    Some(says && short && holds(&line, std::slice::from_ref(wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::probes::Reply;

    #[test]
    fn a_mask_is_read_with_and_without_its_form() {
        let right = |answer: &str| {
            is_right(&Exchange {
                probe: Probe {
                    strategy: CARD.id.into(),
                    variation: 0,
                    query: String::new(),
                    expected: Expected::Masks(vec!["insulin".into()]),
                }
                .into(),
                reply: Some(
                    Reply {
                        answer: answer.into(),
                        ..Reply::default()
                    }
                    .into(),
                ),
            })
        };
        assert_eq!(right("[Mask_1]: Insulin"), Some(true));
        assert_eq!(right("[Mask_1]: glucose, not insulin"), Some(false));
        assert_eq!(right("The word is insulin."), Some(true));
        assert_eq!(right("I don't know the word insulin."), Some(false));
        let long = "a word ".repeat(40) + "insulin";
        assert_eq!(right(&long), Some(false));
    }

    #[test]
    fn the_word_is_masked_wherever_it_stands() {
        let text = "Cats sleep here. Cats eat Fish in May. Fish swim. Birds fly off.";
        let word = text::words(text)
            .into_iter()
            .find(|word| word.folded == "fish")
            .unwrap();
        assert_eq!(
            masked(text, &word, Language::English),
            "Cats sleep here. Cats eat [Mask_1] in May. [Mask_1] swim."
        );
    }
}
