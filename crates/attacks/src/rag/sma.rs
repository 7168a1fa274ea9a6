//! `sma`: do the document's words reach the answer through retrieval?

use rayon::prelude::*;
use stats::streams::{Seed, name_number};
use text::{DocumentFrequencies, Language};

use super::phrases::{Phrases, fill};
use super::{ArmSignals, ProbeAttack, Scoring, answered, probes, writing};
use crate::card::{Access, Card};
use crate::scores::{Abstention, Answer};
use crate::settings::{Kind, Setting, Settings};
use crate::signals::probes::{Document, Exchange, Expected, Probe, Probed};
use crate::source::{
    Input, Lexical, Masks, Perturbation, Perturbed, Responses, Row, Rules, Vocabulary, Weights,
    attribute, perturb, responses,
};

pub struct Sma;

static PERTURBATIONS: Setting = Setting {
    key: "sma.perturbations",
    kind: Kind::Number {
        default: 64.0,
        least: 8.0,
        most: MOST_ROWS as f64,
    },
    help: "how many masked copies of a document are asked about, each with retrieval and without",
};

static CARD: Card = Card {
    id: "sma",
    summary: "source attribution: what retrieval adds to a regression on kept words; only when \
              named, because it asks 128 questions about a document",
    asks: "Over many copies of the text with random words masked: does the answer hold the words \
           that were kept, with retrieval more than without?",
    why_it_works: "With retrieval an answer about a stored document holds its words; a copy that \
                   keeps more of them is more like the answer. What the model does by itself is \
                   the same in both arms and cancels in the difference, which is held against \
                   permutations of itself.",
    access: Access::Exchanges,
    when_it_misleads: "It shows that retrieval brings words of the text, not that this very text is \
                       stored: a neighbour in the store that shares words raises it too. An answer \
                       that repeats the question looks like knowledge, in both arms alike, and \
                       hides what retrieval adds. A service that quotes other parts of the document \
                       for other copies blurs it. It needs the arm without retrieval. Words are \
                       compared as they are written: an answer in other words is missed. The paper \
                       adds the ratio of lengths to the response; masks leave the length of the \
                       input as it is, so that here it would be noise, and it is left out. The score \
                       is in standard deviations and has a ceiling of √(copies − 1).",
    paper: "SMA 2025, arXiv:2508.09105; thresholds and score are ours",
    settings: &[&PERTURBATIONS],
};

/// So that the passage fits any prompt.
const LONGEST: usize = 1_000;
/// Fewer key words have too few different copies.
const FEWEST_WORDS: usize = 4;
const MOST_ROWS: usize = 512;
/// The chance of a word to be kept.
const KEEP: f64 = 0.5;
/// Likeness alone. With masks the ratio of lengths follows nothing but the answer's own length.
const WEIGHTS: Weights = Weights {
    length: 0.0,
    similarity: 1.0,
};
/// Which copies are made depends on the document's id alone, so that stored answers can be read.
const SEED: Seed = Seed(0);

impl ProbeAttack for Sma {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn by_name_only(&self) -> bool {
        true
    }

    fn needs_both_arms(&self) -> bool {
        true
    }

    fn ask(&self, document: &Document, _: &DocumentFrequencies, settings: &Settings) -> Vec<Probe> {
        let copies = Copies::new(document, settings.number(&PERTURBATIONS) as usize);
        let queries = copies.copies.iter().map(|copy| copies.query(copy));
        probes(CARD.id, queries.map(|query| (query, Expected::Nothing)))
    }

    fn score(&self, heard: &ArmSignals, _: &Settings) -> Scoring {
        Scoring::Scores(heard.asked_by(CARD.id).par_iter().map(score).collect())
    }
}

fn score(probed: &Probed) -> Answer {
    if probed.exchanges.is_empty() {
        return Err(Abstention::NoQuestion);
    }
    if probed.without.is_empty() {
        return Err(Abstention::NoOtherArm);
    }
    if probed.document.text.trim().is_empty() {
        return Err(Abstention::NoText);
    }
    let last = probed
        .exchanges
        .iter()
        .map(|heard| heard.probe.variation)
        .max();
    let rows = last.map_or(0, |last| last.saturating_add(1));
    let copies = Copies::new(probed.document, rows.min(MOST_ROWS));
    let (on, off) = (
        copies.heard(&probed.exchanges),
        copies.heard(&probed.without),
    );
    let responses = Responses {
        masks: &copies.masks,
        on: &on,
        off: &off,
    };
    let document = name_number(&probed.document.id);
    attribute(&responses, &Rules::default(), SEED, document).map(|found| found.document.ads_z)
}

/// The masked copies of a document, the same whenever they are made.
struct Copies {
    masks: Masks,
    copies: Vec<Perturbed>,
    language: Language,
}

impl Copies {
    fn new(document: &Document, rows: usize) -> Self {
        let input = Input::new(writing::beginning(&document.text, LONGEST));
        let columns = match input.len() < FEWEST_WORDS {
            true => 0,
            false => input.len(),
        };
        let masks = Masks::draw(rows, columns, KEEP, SEED, name_number(&document.id));
        let vocabulary = Vocabulary::default();
        // Masking draws nothing; the stream is there for the other perturbations.
        let rng = &mut SEED.stream("sma");
        let copy = |kept: &[bool]| perturb(&input, kept, Perturbation::Mask, &vocabulary, rng);
        Self {
            copies: masks.iter().map(copy).collect(),
            masks,
            language: document.language(),
        }
    }

    fn query(&self, copy: &Perturbed) -> String {
        fill(Phrases::of(self.language).sma, &[("text", &copy.text)])
    }

    /// The responses of one arm by row. Exchanges about other copies, as of a text that has
    /// changed since, count as not answered.
    fn heard(&self, exchanges: &[&Exchange]) -> Vec<Option<f64>> {
        let mut answers: Vec<Option<&str>> = vec![None; self.copies.len()];
        for exchange in exchanges {
            let row = exchange.probe.variation;
            let same = |copy: &Perturbed| self.query(copy) == exchange.probe.query;
            if self.copies.get(row).is_some_and(same) {
                answers[row] = answered(exchange).map(|reply| reply.answer.as_str());
            }
        }
        let pairs = self.copies.iter().zip(answers);
        let rows: Vec<Row> = pairs
            .map(|(perturbed, answer)| Row { perturbed, answer })
            .collect();
        // Words alone cannot fail to be compared.
        responses(&rows, None, &Lexical, WEIGHTS).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::probes::Reply;

    const TEXT: &str = "Grey herons wade along the Danube near Ulm, where 40 fishermen mend their \
                        nets each autumn and sell smoked trout to travellers from Vienna.";

    fn document(id: &str) -> Document {
        Document {
            id: id.into(),
            text: TEXT.into(),
            ..Document::default()
        }
    }

    fn exchanges(document: &Document, answer: &dyn Fn(usize) -> String) -> Vec<Exchange> {
        let asked = Sma.ask(
            document,
            &DocumentFrequencies::default(),
            &Settings::default(),
        );
        let exchange = |probe: Probe| Exchange {
            reply: Some(
                Reply {
                    answer: answer(probe.variation).into(),
                    ..Reply::default()
                }
                .into(),
            ),
            probe: probe.into(),
        };
        asked.into_iter().map(exchange).collect()
    }

    fn scored(document: &Document, on: &[Exchange], off: &[Exchange]) -> Answer {
        score(&Probed {
            document,
            exchanges: on.iter().collect(),
            without: off.iter().collect(),
        })
    }

    #[test]
    fn what_retrieval_adds_is_scored_and_what_the_model_knows_is_not() {
        let document = document("a");
        let knows = exchanges(&document, &|_| TEXT.into());
        // Now one word of the text, now another: nothing to do with the mask.
        let vague = exchanges(&document, &|row| match row * row % 7 {
            0 | 3 => "Herons were seen near Vienna.".into(),
            _ => "Nobody can say so.".into(),
        });
        let silent = exchanges(&document, &|_| "I don't know.".into());
        assert_eq!(knows.len(), 64);
        assert!(scored(&document, &knows, &vague).unwrap() > 3.0);
        assert!(scored(&document, &vague, &silent).unwrap().abs() < 3.0);
        assert_eq!(scored(&document, &silent, &silent), Ok(0.0));
        assert_eq!(scored(&document, &knows, &knows), Ok(0.0));
        assert!(scored(&document, &vague, &knows).unwrap() < -3.0);
    }

    #[test]
    fn what_is_missing_is_named() {
        let plain = document("a");
        let knows = exchanges(&plain, &|_| TEXT.into());
        assert_eq!(scored(&plain, &knows, &[]), Err(Abstention::NoOtherArm));
        assert_eq!(scored(&plain, &[], &knows), Err(Abstention::NoQuestion));
        let few = &knows[..5];
        assert_eq!(scored(&plain, &knows, few), Err(Abstention::TooFewAnswers));
        let nameless = Document {
            text: String::new(),
            ..plain.clone()
        };
        assert_eq!(scored(&nameless, &knows, &knows), Err(Abstention::NoText));
        // Masks go by the id: answers about another document's copies say nothing.
        assert_eq!(
            scored(&document("b"), &knows, &knows),
            Err(Abstention::TooFewAnswers)
        );
    }

    #[test]
    fn fewer_copies_are_the_first_of_more() {
        let document = document("a");
        let all = Copies::new(&document, 64);
        assert_eq!(Copies::new(&document, 20).copies, all.copies[..20]);
        let short = Document {
            text: "Three key words".into(),
            ..document
        };
        assert!(Copies::new(&short, 64).copies.is_empty());
    }
}
