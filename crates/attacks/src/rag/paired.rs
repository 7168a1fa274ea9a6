//! `yes-no-paired` and `ia-paired`: a model that says yes to everything says it to a changed statement, too.

use text::DocumentFrequencies;

use super::phrases::{Phrases, fill};
use super::reading::{YesOrNo, said};
use super::sequential::{self, Sequence, Sign, Step};
use super::swapped::Swapping;
use super::{ArmSignals, ProbeAttack, Scoring, answered, probes, writing};
use crate::card::{Access, Card};
use crate::scores::{Abstention, Answer};
use crate::settings::{Kind, Setting, Settings};
use crate::signals::probes::{Document, Exchange, Expected, Probe, Probed};

pub struct YesNoPaired;
pub struct IaPaired;

static YES_NO_PAIRS: Setting = Setting {
    key: "yes-no-paired.pairs",
    kind: Kind::Number {
        default: 2.0,
        least: 1.0,
        most: 20.0,
    },
    help: "how many statements are asked for as they are and with a fact changed",
};

static IA_PAIRS: Setting = Setting {
    key: "ia-paired.pairs",
    kind: Kind::Number {
        default: 4.0,
        least: 1.0,
        most: 50.0,
    },
    help: "how many yes/no questions are asked as they are and with a fact changed",
};

static YES_NO: Card = Card {
    id: "yes-no-paired",
    summary: "asks outright for a statement and for one with a fact changed; only the difference counts",
    asks: "Does the service say that it has a statement of the document, and that it does not have the same \
           statement with a number, a name or a rare word of another document in it?",
    why_it_works: "Instruction models say yes to nearly everything. They say it to both statements of a pair \
                   alike, unless the document in front of them tells the two apart.",
    access: Access::Exchanges,
    when_it_misleads: "Statements are quoted, which is easily noticed. A changed statement may be true by \
                       accident.",
    paper: "after Anderson et al. 2024, arXiv:2405.20446, in pairs as DCMI 2025, arXiv:2509.06026, has them",
    settings: &[&YES_NO_PAIRS],
};

static IA: Card = Card {
    id: "ia-paired",
    summary: "interrogation in pairs: a true statement and one with a fact changed; only the difference counts",
    asks: "Does the service affirm what the document says, and not the same with a number, a name or a rare \
           word of another document in it?",
    why_it_works: "What a model affirms by habit, or knows of the topic, it affirms of both; only one that reads \
                   the document tells the true statement from the changed one.",
    access: Access::Exchanges,
    when_it_misleads: "Questions that general knowledge settles tell nothing of the store: compare with \
                       retrieval off. Of questions that come with the document those are used that it \
                       answers with yes, and only where a fact in them can be changed.",
    paper: "after Naseh et al. 2025, arXiv:2502.00306, in pairs as DCMI 2025, arXiv:2509.06026, has them",
    settings: &[&IA_PAIRS],
};

impl ProbeAttack for YesNoPaired {
    fn card(&self) -> &'static Card {
        &YES_NO
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
        let swapping = Swapping::new(&document.text, frequencies, document.language());
        let pairs = statements(document, &swapping);
        let pairs = writing::spread(pairs, settings.number(&YES_NO_PAIRS) as usize);
        let templates = Phrases::of(document.language()).yes_no;
        let queries = pairs.into_iter().enumerate().flat_map(|(place, pair)| {
            let template = templates[place % templates.len()];
            both(pair, |statement| fill(template, &[("text", statement)]))
        });
        probes(YES_NO.id, queries)
    }

    fn score(&self, heard: &ArmSignals, _: &Settings) -> Scoring {
        scored(&heard.asked_by(YES_NO.id))
    }
}

impl ProbeAttack for IaPaired {
    fn card(&self) -> &'static Card {
        &IA
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
        let topic = writing::topic(document, frequencies);
        let language = document.language();
        let phrases = Phrases::of(language);
        let swapping = Swapping::new(&document.text, frequencies, language);
        let given = document.questions.iter().filter(|question| question.yes);
        let given = given.filter_map(|question| {
            let own = question.question.clone();
            let changed = swapping.swapped(&own)?;
            Some((own, changed))
        });
        let mut pairs: Vec<(String, String)> = given.collect();
        if pairs.is_empty() {
            let claim = |statement: &str| fill(phrases.is_true, &[("statement", statement)]);
            let stated = statements(document, &swapping).into_iter();
            let claims = stated.map(|(own, changed)| (claim(&own), claim(&changed)));
            pairs = claims.collect();
        }
        let pairs = writing::spread(pairs, settings.number(&IA_PAIRS) as usize);
        let queries = pairs.into_iter().flat_map(|pair| {
            both(pair, |question| {
                fill(phrases.ia, &[("topic", &topic), ("question", question)])
            })
        });
        probes(IA.id, queries)
    }

    fn score(&self, heard: &ArmSignals, _: &Settings) -> Scoring {
        scored(&heard.asked_by(IA.id))
    }
}

impl Sequence for YesNoPaired {
    fn steps(&self, asked: &[&Probe]) -> Vec<Step> {
        sequential::pairs(asked)
    }

    fn sign(&self, _: &Document, exchanges: &[&Exchange]) -> Option<Sign> {
        sign(exchanges)
    }
}

impl Sequence for IaPaired {
    fn steps(&self, asked: &[&Probe]) -> Vec<Step> {
        sequential::pairs(asked)
    }

    fn sign(&self, _: &Document, exchanges: &[&Exchange]) -> Option<Sign> {
        sign(exchanges)
    }
}

/// Statements of the document, each with a changed one beside it.
fn statements(document: &Document, swapping: &Swapping) -> Vec<(String, String)> {
    let statements = writing::statements(&document.text, document.language()).into_iter();
    let pair = |statement: &str| {
        let own = statement.trim_end_matches(['.', '。']);
        let changed = swapping.swapped(own)?;
        Some((own.to_owned(), changed))
    };
    statements.filter_map(pair).collect()
}

fn both(
    (own, changed): (String, String),
    query: impl Fn(&str) -> String,
) -> [(String, Expected); 2] {
    [
        (query(&own), Expected::Yes),
        (query(&changed), Expected::No),
    ]
}

/// The mean difference over the pairs that were answered.
fn scored(documents: &[Probed]) -> Scoring {
    let score = |probed: &Probed| -> Answer {
        if probed.exchanges.is_empty() {
            return Err(Abstention::NoQuestion);
        }
        let pairs = probed
            .exchanges
            .iter()
            .filter(|one| one.probe.variation % 2 == 0);
        let found: Vec<f64> = pairs
            .filter_map(|one| {
                let mut others = probed.exchanges.iter();
                let other =
                    others.find(|other| other.probe.variation == one.probe.variation + 1)?;
                difference(&[one, other])
            })
            .collect();
        match found.is_empty() {
            true => Err(Abstention::NoAnswer),
            false => Ok(found.iter().sum::<f64>() / found.len() as f64),
        }
    };
    Scoring::Scores(documents.iter().map(score).collect())
}

/// Yes to the true statement less yes to the changed one.
fn difference(pair: &[&Exchange]) -> Option<f64> {
    let yes = |expected: Expected| {
        let mut exchanges = pair.iter();
        let found = exchanges.find(|exchange| exchange.probe.expected == expected)?;
        let said = said(answered(found)?);
        Some(f64::from(u8::from(said == YesOrNo::Yes)))
    };
    Some(yes(Expected::Yes)? - yes(Expected::No)?)
}

fn sign(pair: &[&Exchange]) -> Option<Sign> {
    Some(match difference(pair)? {
        found if found > 0.0 => Sign::For,
        found if found < 0.0 => Sign::Against,
        _ => Sign::Neither,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::probes::Reply;

    fn exchange(variation: usize, answer: &str) -> Exchange {
        Exchange {
            probe: Probe {
                strategy: IA.id.into(),
                variation,
                query: String::new(),
                expected: if variation.is_multiple_of(2) {
                    Expected::Yes
                } else {
                    Expected::No
                },
            }
            .into(),
            reply: Some(
                Reply {
                    answer: answer.into(),
                    ..Reply::default()
                }
                .into(),
            ),
        }
    }

    fn score(answers: &[&str]) -> Answer {
        let document = Document::default();
        let exchanges: Vec<Exchange> = answers
            .iter()
            .enumerate()
            .map(|(n, a)| exchange(n, a))
            .collect();
        let probed = Probed {
            document: &document,
            exchanges: exchanges.iter().collect(),
            without: Vec::new(),
        };
        let Scoring::Scores(scores) = scored(&[probed]) else {
            panic!("no scores");
        };
        scores[0]
    }

    #[test]
    fn only_the_difference_counts() {
        assert_eq!(score(&["Yes", "Yes", "Yes", "Yes"]), Ok(0.0));
        assert_eq!(score(&["No", "No"]), Ok(0.0));
        assert_eq!(score(&["Yes", "No", "Yes", "Yes"]), Ok(0.5));
        assert_eq!(score(&["I don't know", "Yes"]), Ok(-1.0));
        // Half a pair is none.
        assert_eq!(score(&["Yes", "No", "Yes"]), Ok(1.0));
        assert_eq!(score(&["Yes"]), Err(Abstention::NoAnswer));
        assert_eq!(score(&[]), Err(Abstention::NoQuestion));
    }
}
