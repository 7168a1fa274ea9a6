//! `ez` and its variants: where the audited model errs, does it lean towards the truth?
//!
//! At every error position (the true token is not the model's first choice) δ is how much
//! likelier the audited model finds the true token than the reference does. P is the sum of the
//! rises, N of the falls. The first predicted position is left out, as in the published code; the
//! paper's formula names no exception.
//!
//! A text without an error among the positions that were looked at is perfectly memorised. One of
//! which nothing was looked at says nothing: there the attacks abstain.

use super::{TokenAttack, given};
use crate::card::{Access, Card};
use crate::scores::{Abstention, Answer};
use crate::settings::{Kind, Setting, Settings};
use crate::signals::tokens::{Need, TextSignals};

pub struct Ez;
pub struct EzPublished;
pub struct EzSmoothed;

const PAPER: &str = "EZ-MIA 2026, arXiv:2601.12104";
/// One prediction is right or wrong, and its score zero or infinite, whatever the model knows.
const FEWEST_PREDICTIONS: usize = 2;
/// What is added to P and N before their ratio is taken: about one token's worth of evidence.
const SMOOTHING: f64 = 2.0;

static POSITIONS: Setting = Setting {
    key: "ez.positions",
    kind: Kind::Choice {
        default: "errors",
        choices: &["errors", "successes", "all"],
    },
    help: "tokens that count: where the model erred, where it did not, or all (the paper's \
           ablation)",
};

static TOP: Setting = Setting {
    key: "ez.top",
    kind: Kind::Number {
        default: 1.0,
        least: 1.0,
        most: 1e6,
    },
    help: "an error is a true token that is not among this many first choices",
};

static AGGREGATE: Setting = Setting {
    key: "ez.aggregate",
    kind: Kind::Choice {
        default: "ratio",
        choices: &["ratio", "positive-fraction", "difference"],
    },
    help: "how ez joins the tokens: rises over falls, share of rises, or rises less falls",
};

static SKIP: Setting = Setting {
    key: "ez.skip",
    kind: Kind::Number {
        default: 1.0,
        least: 0.0,
        most: 1e6,
    },
    help: "first predicted positions that are left out: 1 as in the published code (ignore_bos), 0 \
           as in the paper's formula, which names no exception",
};

static EZ: Card = Card {
    id: "ez",
    summary: "rises over falls at the tokens the model gets wrong (EZ-MIA)",
    asks: "Where the model errs, did fine-tuning push it towards the true token or away? Over the \
           positions where the true token is not the first choice, the first predicted one left \
           out (ez.skip): the sum of the rises of ln p over the reference, divided by the sum of the falls.",
    why_it_works: "Where the model is right there is little left to learn. Where it still errs, \
                   a rise of the true token over the base model can hardly come from anything but \
                   the text itself.",
    access: Access::Tokens(&[Need::Ranks, Need::Reference]),
    when_it_misleads: "Texts under 100 tokens have few error positions, and a few tokens decide. \
                       Texts without an error, or without a fall, score infinity as the paper asks: \
                       many of those cannot be told apart. A text of which no position is looked at gets no \
                       score. The reference must be the model that \
                       fine-tuning started from.",
    paper: PAPER,
    settings: &[&POSITIONS, &TOP, &SKIP, &AGGREGATE],
};

static PUBLISHED: Card = Card {
    id: "ez-published",
    summary: "ez as the published code scores its edges: for comparison only",
    asks: "What would the published code say?",
    why_it_works: "It is ez wherever a text has at least two errors and a fall.",
    access: Access::Tokens(&[Need::Ranks, Need::Reference]),
    when_it_misleads: "Texts with fewer than two errors, or without any fall, score 0, the lowest \
                       there is. Those are the best memorised texts: on an overfitted model the \
                       order is inverted where it matters most.",
    paper: PAPER,
    settings: &[],
};

static SMOOTHED: Card = Card {
    id: "ez-smoothed",
    summary: "ln((rises + 2) / (falls + 2)): ez that a few tokens cannot decide",
    asks: "As ez, but how much evidence is there?",
    why_it_works: "Adding a little to both sums draws texts with few errors towards zero, so that \
                   short texts no longer fill the top of the list.",
    access: Access::Tokens(&[Need::Ranks, Need::Reference]),
    when_it_misleads: "A text without any error scores 0, in the middle: where most members are \
                       perfectly memorised, ez is the better one.",
    paper: "guestlist, after EZ-MIA (arXiv:2601.12104)",
    settings: &[&POSITIONS, &TOP, &SKIP],
};

impl TokenAttack for Ez {
    fn card(&self) -> &'static Card {
        &EZ
    }

    fn score(&self, text: &TextSignals, settings: &Settings) -> Answer {
        let zone = Zone::seen(text, settings)?;
        if zone.tokens == 0 {
            return Ok(f64::INFINITY);
        }
        Ok(match settings.choice(&AGGREGATE) {
            "difference" => zone.rises - zone.falls,
            "positive-fraction" => zone.rising as f64 / zone.tokens as f64,
            _ if zone.falls == 0.0 && zone.rises == 0.0 => 1.0,
            _ => zone.rises / zone.falls,
        })
    }
}

impl TokenAttack for EzPublished {
    fn card(&self) -> &'static Card {
        &PUBLISHED
    }

    fn score(&self, text: &TextSignals, _: &Settings) -> Answer {
        let zone = Zone::new(text, &Settings::default())?;
        Ok(if zone.tokens < 2 || zone.falls == 0.0 {
            0.0
        } else {
            zone.rises / (zone.falls + 1e-12)
        })
    }
}

impl TokenAttack for EzSmoothed {
    fn card(&self) -> &'static Card {
        &SMOOTHED
    }

    fn score(&self, text: &TextSignals, settings: &Settings) -> Answer {
        let zone = Zone::seen(text, settings)?;
        Ok(zone.smoothed())
    }
}

/// What happened at the positions that count.
#[derive(Default)]
struct Zone {
    /// Positions that were looked at, and those of them that count.
    looked_at: usize,
    tokens: usize,
    rising: usize,
    rises: f64,
    falls: f64,
}

impl Zone {
    /// An abstention where nothing was looked at, where a single prediction is all there is, or where
    /// the model got nothing right and only that counts: infinity is for texts without an error, not
    /// for texts without anything.
    fn seen(text: &TextSignals, settings: &Settings) -> Result<Self, Abstention> {
        let zone = Self::new(text, settings)?;
        if text.logprob.len() < FEWEST_PREDICTIONS {
            return Err(Abstention::NoPosition);
        }
        let counts_errors = settings.choice(&POSITIONS) == "errors";
        match zone.tokens > 0 || (counts_errors && zone.looked_at > 0) {
            true => Ok(zone),
            false => Err(Abstention::NoPosition),
        }
    }

    fn new(text: &TextSignals, settings: &Settings) -> Result<Self, Abstention> {
        let top = settings.number(&TOP) as u32;
        if text.rank_cap.is_some_and(|cap| cap <= top) {
            return Err(Abstention::NoRank);
        }
        let positions = settings.choice(&POSITIONS);
        let counts = |rank: u32| match positions {
            "successes" => rank <= top,
            "all" => true,
            _ => rank > top,
        };
        let gains = text.logprob.iter().zip(given(&text.reference));
        let skipped = settings.number(&SKIP) as usize;
        let mut zone = Zone::default();
        for ((own, reference), rank) in gains.zip(given(&text.rank)).skip(skipped) {
            zone.looked_at += 1;
            if counts(*rank) {
                zone.add(own - reference);
            }
        }
        Ok(zone)
    }

    fn smoothed(&self) -> f64 {
        ((self.rises + SMOOTHING) / (self.falls + SMOOTHING)).ln()
    }

    fn add(&mut self, gain: f64) {
        self.tokens += 1;
        self.rising += usize::from(gain > 0.0);
        self.rises += gain.max(0.0);
        self.falls += (-gain).max(0.0);
    }
}
