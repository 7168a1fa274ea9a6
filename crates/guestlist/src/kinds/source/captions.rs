//! Pictures become texts: noise is put on them, and a vision chat describes what is left.

use asking::rag::{Ask, Outcome, Picture};
use asking::store::Store;
use attacks::signals::probes::Arm;
use base::{Progress, Unit};
use stats::streams::Seed;

use super::spent::Spent;
use super::{ImageSettings, Plan};
use crate::Error;

/// Pictures are sent in lots, so that they need not all be in memory at once.
const LOT_BYTES: usize = 64 << 20;

/// What a picture looked like through noise.
pub struct Caption {
    pub item: usize,
    pub sigma: f64,
    pub swept: bool,
    /// For the transcript: the picture itself would fill it.
    pub asked: String,
    pub outcome: Outcome,
    /// Nothing where no caption came, or an empty one.
    pub text: Option<String>,
}

/// A picture that is to be described.
struct Wanted {
    item: usize,
    sigma: f64,
    swept: bool,
    asked: String,
    url: String,
}

/// Asks for every caption that the store does not have.
pub fn captions(
    plan: &Plan,
    store: &Store,
    replay: bool,
    progress: Progress<'_>,
) -> Result<(Vec<Caption>, Spent), Error> {
    let mut spent = Spent::default();
    let (Some(images), true) = (&plan.config.images, plan.basis.pictures() > 0) else {
        return Ok((Vec::new(), spent));
    };
    progress.phase(
        "describing pictures",
        plan.basis.pictures() * images.deviations().len(),
        Unit::Questions,
    );
    let mut captions = Vec::new();
    let mut lot = Vec::new();
    let mut size = 0;
    for place in places(plan, images) {
        let wanted = wanted(plan, images, place)?;
        size += wanted.url.len();
        lot.push(wanted);
        if size >= LOT_BYTES {
            size = 0;
            let lot = std::mem::take(&mut lot);
            captions.extend(ask(plan, lot, store, replay, progress, &mut spent)?);
        }
    }
    captions.extend(ask(plan, lot, store, replay, progress, &mut spent)?);
    Ok((captions, spent))
}

/// Every picture with every deviation.
fn places(plan: &Plan, images: &ImageSettings) -> Vec<(usize, f64)> {
    let pictures =
        (0..plan.basis.items.len()).filter(|&item| plan.basis.items[item].picture().is_some());
    let deviations = images.deviations();
    pictures
        .flat_map(|item| deviations.iter().map(move |sigma| (item, *sigma)))
        .collect()
}

fn wanted(
    plan: &Plan,
    images: &ImageSettings,
    (item, sigma): (usize, f64),
) -> Result<Wanted, Error> {
    let of = &plan.basis.items[item];
    let path = of.picture().unwrap_or(&of.file);
    let name = format!("picture noise/{}/{sigma}", of.id);
    let rng = &mut Seed(plan.config.seed).stream(&name);
    Ok(Wanted {
        item,
        sigma,
        swept: sigma != images.noise,
        asked: format!("{} with noise of {sigma}", path.display()),
        url: Picture::read(path)?.with_noise(sigma, rng)?,
    })
}

fn ask(
    plan: &Plan,
    lot: Vec<Wanted>,
    store: &Store,
    replay: bool,
    progress: Progress<'_>,
    spent: &mut Spent,
) -> Result<Vec<Caption>, Error> {
    let (Some(captioner), false) = (&plan.captioner, lot.is_empty()) else {
        return Ok(Vec::new());
    };
    let (named, asks): (Vec<_>, Vec<Ask>) = lot
        .into_iter()
        .map(|wanted| {
            let ask = Ask {
                arm: Arm::Retrieval,
                query: wanted.url,
                repeat: 0,
            };
            ((wanted.item, wanted.sigma, wanted.swept, wanted.asked), ask)
        })
        .unzip();
    let asked = match replay {
        true => captioner.replay(&asks, store)?,
        false => captioner.ask_all(&asks, store, progress)?,
    };
    spent.add(asks.len(), &asked.tally);
    let caption = |((item, sigma, swept, asked), outcome)| Caption {
        item,
        sigma,
        swept,
        asked,
        text: said(&outcome),
        outcome,
    };
    Ok(named.into_iter().zip(asked.outcomes).map(caption).collect())
}

pub(super) fn said(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Answered(reply) if !reply.answer.trim().is_empty() => {
            Some(reply.answer.to_string())
        }
        _ => None,
    }
}
