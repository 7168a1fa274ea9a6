//! `understudy-lm`: an attack that was taught on other fine-tunes.
//!
//! What members look like after fine-tuning is learnt from fine-tunes whose members are known: other
//! corpora, other base models, and where the user has one, a shadow of the audited model. It is never
//! told a label of the audited model. `bench/understudy_lm` makes the fine-tunes, teaches the networks
//! and judges them by leaving out corpora and base models; `weights.bin` is what came of it.

mod features;
mod learning;
mod network;
mod weights;

#[cfg(test)]
mod tests;

use base::{Error, Progress, Result};
use rayon::prelude::*;
use stats::streams::Seed;

use super::TokenAttack;
use crate::card::{Access, Card};
use crate::scores::Answer;
use crate::settings::Settings;
use crate::signals::tokens::{Need, TextSignals};
use features::{Sheet, Variant, windows};
use network::Network;

pub struct UnderstudyLm;

/// The longest texts it was taught on, in predicted positions.
const LONGEST: usize = 511;
/// The networks may move `ez` so far and no farther, and ln of `ez` counts so much beside them: where they
/// know less than it does, as of adapters unlike those they were taught on, little is lost. Chosen by
/// `bench/understudy_lm/anchor.py` on fine-tunes that the networks had not seen.
const BOUND: f64 = 2.0;
const WEIGHT: f64 = 3.0;
/// What makes log-odds of the sum, from the same fine-tunes.
const OFFSET: f64 = -1.2859;
const SLOPE: f64 = 0.185_02;
/// Fewer texts of either kind teach more about themselves than about members.
const FEWEST: usize = 50;
/// A shadow that the networks read so many deviations the wrong way round has its labels exchanged.
const REVERSED: f64 = 4.0;
/// Fewer deviations from chance than this are chance.
const LEAST_STANDING: f64 = 2.0;

static CARD: Card = Card {
    id: "understudy-lm",
    summary: "a small network, taught on other fine-tunes, that reads the tokens as members leave them",
    asks: "Does the way in which the audited model and its reference treat the tokens look like that of \
           texts that a model was fine-tuned on? At every position up to twenty numbers of both models \
           (log-probabilities and their difference, ranks, means and deviations over the vocabulary, first \
           choices) go through a small network. What it says moves ez up or down within bounds; the answer \
           is the log-odds that the text is a member.",
    why_it_works: "What fine-tuning does to the tokens of a member is much the same whatever the corpus and \
                   the model, and depends on more than one number a token: how likely the token was before, \
                   where it stood among the choices, what its neighbours did. A network that saw many \
                   fine-tunes weighs all of it. A shadow fine-tune of your own (--shadow) teaches it further.",
    access: Access::Tokens(&[Need::Reference]),
    when_it_misleads: "It was taught on fine-tunes of small models: on a way of training unlike all of them \
                       the network may know less than ez does, which it therefore leans on. Ranks, moments and first choices of both models make \
                       it stronger, and without them a network that knows less reads the text, without ranks \
                       one that has no ez to lean on. After a shadow the network speaks alone. A shadow must \
                       be a fine-tune of other texts, or of texts drawn anew: one that shares its members \
                       with the audited model would tell it the truth, and is refused.",
    paper: "guestlist, after EZ-MIA (arXiv:2601.12104); learning from other fine-tunes as LT-MIA does (arXiv:2604.03199)",
    settings: &[],
};

/// A text, and whether the shadow trained on it.
type Labelled = (TextSignals, bool);

/// What a shadow taught: networks that read in the place of those that guestlist carries.
pub struct Taught {
    variant: Variant,
    networks: Vec<Network>,
    pub members: usize,
    pub nonmembers: usize,
}

impl TokenAttack for UnderstudyLm {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn score(&self, text: &TextSignals, _: &Settings) -> Answer {
        read(text, Variant::of(text), None)
    }

    fn score_taught(&self, text: &TextSignals, _: &Settings, taught: &Taught) -> Answer {
        let variant = Variant::of(text).min(taught.variant);
        read(text, variant, Some(taught))
    }

    fn learns(&self) -> bool {
        true
    }
}

/// The mean of what networks say: those that a shadow taught, where there are, and else those carried,
/// which lean on `ez`. A longer text is read in windows, each by its length.
fn read(text: &TextSignals, variant: Variant, taught: Option<&Taught>) -> Answer {
    let taught = taught.filter(|taught| taught.variant == variant);
    let networks = match taught {
        Some(taught) => &taught.networks[..],
        None => weights::of(variant),
    };
    let windows = windows(text, LONGEST)?;
    let positions: usize = windows.iter().map(|(from, to)| to - from).sum();
    let mut score = 0.0;
    for (from, to) in windows {
        let sheet = Sheet::new(text, variant, from, to);
        let said: f64 = networks
            .iter()
            .map(|network| f64::from(network.score(&sheet)))
            .sum();
        let said = said / networks.len() as f64;
        let said = match (taught, sheet.ez) {
            (None, Some(ez)) => anchored(said, f64::from(ez)),
            _ => said,
        };
        score += said * (to - from) as f64 / positions as f64;
    }
    Ok(score)
}

/// `ez` as far as the networks move it, as log-odds. Rounding to single precision hides differences between
/// libraries.
fn anchored(said: f64, ez: f64) -> f64 {
    let moved = f64::from((BOUND * (said / BOUND).tanh()) as f32);
    OFFSET + SLOPE * (moved + WEIGHT * ez)
}

/// Teaches what the networks know further by a shadow: texts with known membership in it.
pub fn teach(shadow: &[Labelled], seed: Seed, progress: Progress<'_>) -> Result<Option<Taught>> {
    let usable = |(text, _): &&Labelled| text.reference.is_some() && text.logprob.len() > 1;
    let usable: Vec<&Labelled> = shadow.iter().filter(usable).collect();
    let members = usable.iter().filter(|(_, member)| *member).count();
    let nonmembers = usable.len() - members;
    if members < FEWEST || nonmembers < FEWEST {
        return Err(Error::input(
            format!("the shadow has {members} members and {nonmembers} non-members to learn from"),
            format!(
                "give token signals, with ref_logprob and member, of at least {FEWEST} texts that the \
                 shadow trained on and {FEWEST} that it did not"
            ),
        ));
    }
    let variant = usable.iter().map(|(text, _)| Variant::of(text)).min();
    let variant = variant.unwrap_or(Variant::Bare);
    // What is known from elsewhere says whether the labels can be right; where it says nothing, a part of the
    // shadow does, which is not learnt from.
    let standing = standing(&usable, |text| read(text, variant, None));
    if standing <= -REVERSED {
        return Err(Error::input(
            "members of the shadow look as texts do that a model never saw, and the others as members do",
            "check what 1 means in the shadow's member, and that its reference is the model it was tuned from",
        ));
    }
    let (held_out, learnt): (Vec<_>, Vec<_>) = match standing >= LEAST_STANDING {
        true => (Vec::new(), usable),
        false => every_fourth(usable),
    };
    let Some(networks) = learn(&learnt, variant, seed, progress) else {
        return Ok(None);
    };
    let taught = Taught {
        variant,
        networks,
        members,
        nonmembers,
    };
    let reads = |text: &TextSignals| read(text, variant, Some(&taught));
    if !held_out.is_empty() && self::standing(&held_out, reads) < LEAST_STANDING {
        return Err(Error::input(
            "nothing in the shadow tells the texts that it trained on from those that it did not",
            "check its member, or fine-tune the shadow for longer: it taught nothing that held on a quarter of it",
        ));
    }
    Ok(Some(taught))
}

/// Networks that went on learning from these texts; nothing if they were told to stop.
fn learn(
    texts: &[&Labelled],
    variant: Variant,
    seed: Seed,
    progress: Progress<'_>,
) -> Option<Vec<Network>> {
    let lessons: Vec<learning::Lesson> = texts
        .par_iter()
        .flat_map_iter(|(text, member)| {
            let cut = windows(text, LONGEST).unwrap_or_default();
            cut.into_iter()
                .map(move |(from, to)| (Sheet::new(text, variant, from, to), *member))
        })
        .collect();
    let carried = weights::of(variant);
    progress.phase(
        "learning from the shadow",
        carried.len() * learning::work(lessons.len()),
        base::Unit::Records,
    );
    let learnt = carried.iter();
    learnt
        .map(|network| learning::further(network, &lessons, seed, progress))
        .collect()
}

/// How many deviations from chance the scores of members lie above those of the others (Mann and Whitney).
fn standing(texts: &[&Labelled], score: impl Fn(&TextSignals) -> Answer + Sync) -> f64 {
    let scored = texts
        .par_iter()
        .filter_map(|(text, member)| Some((score(text).ok()?, *member)));
    let scored: Vec<(f64, bool)> = scored.collect();
    let members = scored.iter().filter(|(_, member)| *member).count() as f64;
    let others = scored.len() as f64 - members;
    let Some(roc) = stats::roc::Roc::new(scored.into_iter()) else {
        return 0.0;
    };
    let deviation = ((members + others + 1.0) / (12.0 * members * others)).sqrt();
    (roc.auc() - 0.5) / deviation
}

/// Every fourth of the members and every fourth of the others, and the rest.
fn every_fourth(texts: Vec<&Labelled>) -> (Vec<&Labelled>, Vec<&Labelled>) {
    let mut counts = [0_usize; 2];
    texts.into_iter().partition(|(_, member)| {
        let count = &mut counts[usize::from(*member)];
        *count += 1;
        *count % 4 == 0
    })
}
