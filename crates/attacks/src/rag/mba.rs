//! `mba`: can the service fill in words that were masked out of the document?

use text::{DocumentFrequencies, Language, Word, folded, words};

use super::phrases::{Phrases, fill};
use super::reading::filled;
use super::{ArmSignals, ProbeAttack, Scoring, answered, mean_over, probes, writing};
use crate::card::{Access, Card};
use crate::settings::{Kind, Setting, Settings};
use crate::signals::probes::{Document, Expected, Probe};

pub struct Mba;

static MASKS: Setting = Setting {
    key: "mba.masks",
    kind: Kind::Number {
        default: 10.0,
        least: 1.0,
        most: 50.0,
    },
    help: "how many words are masked",
};

static CARD: Card = Card {
    id: "mba",
    summary: "mask-based: the share of masked words that the service fills in",
    asks: "Of the document's words that were masked, how many does the service fill in?",
    why_it_works: "The rest of the text finds the document by any retriever, and the retrieved \
                   text holds the words. The rarest word of each part is masked, because it is \
                   the hardest to guess.",
    access: Access::Exchanges,
    when_it_misleads: "A model that knows the text, or guesses well, fills masks without the \
                       store: compare with retrieval off. The paper picks words by a language \
                       model's surprise; picking them by rarity does about as well.",
    paper: "Liu et al. 2024, arXiv:2410.20142",
    settings: &[&MASKS],
};

/// The published attack cuts documents here.
const LONGEST: usize = 2_048;
/// Words at the beginning that are never masked.
const SPARED: usize = 5;

impl ProbeAttack for Mba {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn ask(
        &self,
        document: &Document,
        frequencies: &DocumentFrequencies,
        settings: &Settings,
    ) -> Vec<Probe> {
        let text = writing::beginning(&document.text, LONGEST);
        let language = document.language();
        let masks = settings.number(&MASKS) as usize;
        let chosen = chosen(text, masks, frequencies, language);
        if chosen.is_empty() {
            return Vec::new();
        }
        let mut masked = String::new();
        let mut from = 0;
        for (place, word) in chosen.iter().enumerate() {
            masked += &text[from..word.range.start];
            masked += &format!("[Mask_{}]", place + 1);
            from = word.range.end;
        }
        masked += &text[from..];
        let query = fill(Phrases::of(language).mba, &[("text", &masked)]);
        let answers = chosen.into_iter().map(|word| word.folded).collect();
        probes(CARD.id, [(query, Expected::Masks(answers))].into_iter())
    }

    fn score(&self, heard: &ArmSignals, _: &Settings) -> Scoring {
        mean_over(&heard.asked_by(CARD.id), |_, exchange| {
            let reply = answered(exchange)?;
            let Expected::Masks(wanted) = &exchange.probe.expected else {
                return None;
            };
            let given = filled(&reply.answer, wanted.len());
            let right = wanted.iter().zip(given).filter(|(wanted, given)| {
                let wanted = folded(wanted);
                given.as_ref() == wanted.first()
            });
            Some(right.count() as f64 / wanted.len().max(1) as f64)
        })
    }
}

/// The rarest word of each of so many equal parts; none right after another.
pub(super) fn chosen(
    text: &str,
    masks: usize,
    frequencies: &DocumentFrequencies,
    language: Language,
) -> Vec<Word> {
    let all = words(text);
    let mut chosen: Vec<(usize, &Word)> = Vec::new();
    let open = all.len().saturating_sub(SPARED);
    for part in 0..masks {
        let from = SPARED + part * open / masks;
        let to = SPARED + (part + 1) * open / masks;
        let after = chosen.last().map_or(0, |(place, _)| place + 2);
        let candidates = (from.max(after)..to).filter(|&place| {
            let word = &all[place].folded;
            writing::can_be_left_out(word, language)
        });
        let rarity = |place: &usize| frequencies.rarity(&all[*place].folded);
        let best = candidates.reduce(|best, next| {
            if rarity(&next) > rarity(&best) {
                next
            } else {
                best
            }
        });
        chosen.extend(best.map(|place| (place, &all[place])));
    }
    chosen.into_iter().map(|(_, word)| word.clone()).collect()
}
