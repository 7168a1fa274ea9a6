//! `dcmi`: does the service tell the document's text from a slightly altered one?

use text::{DocumentFrequencies, words};

use super::phrases::{Phrases, fill};
use super::reading::{YesOrNo, said};
use super::{ArmSignals, ProbeAttack, Scoring, answered, probes, writing};
use crate::card::{Access, Card};
use crate::scores::Abstention;
use crate::settings::{Kind, Setting, Settings};
use crate::signals::probes::{Document, Exchange, Expected, Probe, Probed};

pub struct Dcmi;

static SHARE: Setting = Setting {
    key: "dcmi.share",
    kind: Kind::Number {
        default: 0.06,
        least: 0.001,
        most: 1.0,
    },
    help: "the share of words that are altered at most",
};

static CARD: Card = Card {
    id: "dcmi",
    summary: "differential: yes to the text and no to an altered one",
    asks: "Does the service call the document's text right, and a copy with words turned into \
           their opposites wrong?",
    why_it_works: "A service that says yes to everything, or knows the topic in general, answers \
                   both alike; only one that sees the text tells them apart.",
    access: Access::Exchanges,
    when_it_misleads: "Scores are −1, 0 or 1, so that ties decide much. A document with nothing to \
                       alter is left out. Words are altered by a list of opposites and by numbers, \
                       where the paper has a language model do it.",
    paper: "DCMI 2025, arXiv:2509.06026",
    settings: &[&SHARE],
};

/// So that the passage fits any prompt.
const LONGEST: usize = 1_000;

impl ProbeAttack for Dcmi {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn ask(&self, document: &Document, _: &DocumentFrequencies, settings: &Settings) -> Vec<Probe> {
        let text = writing::beginning(&document.text, LONGEST);
        let most = (settings.number(&SHARE) * words(text).len() as f64) as usize;
        let language = document.language();
        let Some(altered) = writing::altered(text, most, language) else {
            return Vec::new();
        };
        let template = Phrases::of(language).dcmi;
        let query = |text: &str| fill(template, &[("text", text)]);
        let pair = [
            (query(text), Expected::Yes),
            (query(&altered), Expected::No),
        ];
        probes(CARD.id, pair.into_iter())
    }

    fn score(&self, heard: &ArmSignals, _: &Settings) -> Scoring {
        let yes = |exchange: &&&Exchange| {
            Some(f64::from(u8::from(
                said(answered(exchange)?) == YesOrNo::Yes,
            )))
        };
        let score = |probed: &Probed| {
            let of = |expected: Expected| {
                let mut exchanges = probed.exchanges.iter();
                let found = exchanges.find(|exchange| exchange.probe.expected == expected);
                found.as_ref().and_then(yes)
            };
            let pair = of(Expected::Yes).zip(of(Expected::No));
            match probed.exchanges.is_empty() {
                true => Err(Abstention::NoQuestion),
                false => pair
                    .map(|(plain, altered)| plain - altered)
                    .ok_or(Abstention::NoAnswer),
            }
        };
        Scoring::Scores(heard.asked_by(CARD.id).iter().map(score).collect())
    }
}
