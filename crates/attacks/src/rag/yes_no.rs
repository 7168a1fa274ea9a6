//! `yes-no`: asked outright, does the service say that it has the text?

use text::DocumentFrequencies;

use super::phrases::{Phrases, fill};
use super::reading::{YesOrNo, said};
use super::sequential::{Sequence, Sign};
use super::{ArmSignals, ProbeAttack, Scoring, VARIATIONS, answered, mean_over, probes, writing};
use crate::card::{Access, Card};
use crate::settings::Settings;
use crate::signals::probes::{Document, Exchange, Expected, Probe};

pub struct YesNo;

static CARD: Card = Card {
    id: "yes-no",
    summary: "asks outright whether the text is in the context",
    asks: "Does this text appear in your context, yes or no?",
    why_it_works: "The retrieved document stands in the prompt, and the model can see whether the \
                   quoted text is there.",
    access: Access::Exchanges,
    when_it_misleads: "Many models say yes to anything, and one line in the system prompt stops \
                       it. The published attack asks once, which gives a score of 0 or 1; here \
                       several wordings are averaged.",
    paper: "Anderson et al. 2024, arXiv:2405.20446",
    settings: &[&VARIATIONS],
};

/// The published attack cuts documents here.
const LONGEST: usize = 1_000;

impl ProbeAttack for YesNo {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn sequence(&self) -> Option<&dyn Sequence> {
        Some(self)
    }

    fn ask(&self, document: &Document, _: &DocumentFrequencies, settings: &Settings) -> Vec<Probe> {
        let text = writing::beginning(&document.text, LONGEST);
        let count = settings.number(&VARIATIONS) as usize;
        let templates = Phrases::of(document.language()).yes_no;
        let wordings = templates.map(|template| fill(template, &[("text", text)]));
        let wordings = wordings.into_iter().filter(|_| !text.is_empty());
        probes(
            CARD.id,
            wordings.take(count).map(|query| (query, Expected::Yes)),
        )
    }

    fn score(&self, heard: &ArmSignals, _: &Settings) -> Scoring {
        mean_over(&heard.asked_by(CARD.id), |_, exchange| {
            Some(f64::from(u8::from(
                said(answered(exchange)?) == YesOrNo::Yes,
            )))
        })
    }
}

impl Sequence for YesNo {
    fn sign(&self, _: &Document, exchanges: &[&Exchange]) -> Option<Sign> {
        let exchange = exchanges.first()?;
        Some(match said(answered(exchange)?) {
            YesOrNo::Yes => Sign::For,
            YesOrNo::No => Sign::Against,
            YesOrNo::Unknown => Sign::Neither,
        })
    }
}
