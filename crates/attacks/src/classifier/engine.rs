//! Runs attacks over signals: statistics once per augmentation, scores averaged over them.

use rayon::prelude::*;
use stats::streams::Seed;

use super::ShadowAttack;
use super::references::References;
use super::statistics::{Estimator, Shapes, Statistics, Wants};
use super::view::{View, map_columns};
use crate::card::Access;
use crate::scores::{Abstention, Scores};
use crate::settings::Settings;
use crate::signals::shadow::{Rescale, ShadowSignals};
use base::Progress;
use base::{Error, ErrorKind, Result};

/// What there is to attack, and how.
pub struct Request<'a> {
    pub signals: &'a ShadowSignals,
    /// Further records under the same models, for attacks that compare with a population; and, where
    /// shadows trained on some of them and on no audited record, what priors are learnt from.
    pub population: Option<&'a ShadowSignals>,
    pub settings: &'a Settings,
    /// Root of the named streams that attacks draw their choices from.
    pub seed: Seed,
    pub progress: Progress<'a>,
}

/// One attack's scores, or why it could not run.
pub struct Outcome {
    pub attack: &'static dyn ShadowAttack,
    pub scores: Result<Scores>,
    /// What it took from reference records, in words.
    pub learnt: Option<String>,
}

/// Runs each attack. Only an interruption stops the others.
pub fn run(attacks: &[&'static dyn ShadowAttack], request: &Request) -> Result<Vec<Outcome>> {
    let able: Vec<_> = runnable(attacks, request).collect();
    let mut collected = run_able(&able, request)?.into_iter();
    Ok(attacks
        .iter()
        .map(|&attack| {
            let (scores, learnt) = match lacking(attack, request) {
                None => collected
                    .next()
                    .unwrap_or_else(|| (Err(without_shadows()), None)),
                Some(error) => (Err(error), None),
            };
            Outcome {
                attack,
                scores,
                learnt,
            }
        })
        .collect())
}

/// The attacks that have what they look at.
fn runnable(
    attacks: &[&'static dyn ShadowAttack],
    request: &Request,
) -> impl Iterator<Item = &'static dyn ShadowAttack> {
    let able = |attack: &&'static dyn ShadowAttack| lacking(*attack, request).is_none();
    attacks.iter().copied().filter(able)
}

/// Why an attack cannot run: some need no shadow, all others at least one, and some of these one that
/// trained on an audited record.
fn lacking(attack: &'static dyn ShadowAttack, request: &Request) -> Option<Error> {
    let signals = request.signals;
    let card = attack.card();
    if card.access == Access::TargetOnly {
        return None;
    }
    if signals.shadows.is_empty() {
        return Some(without_shadows());
    }
    let refused = attack.needs_inside(request.settings) && signals.is_offline();
    refused.then(|| offline(card.id))
}

/// Offline, what compares with IN shadows is left to the form that does without.
fn offline(id: &str) -> Error {
    let twin = format!("{id}-offline");
    Error::missing_access(
        "no shadow trained on any audited record (an offline audit), and it needs some that did",
        match super::find(&twin) {
            Ok(_) => format!("{twin} is its offline form"),
            Err(_) if id == "base4" => "base3-offline is what it comes to offline".into(),
            Err(_) => {
                "the offline attacks need none; or train shadows on the audited records".into()
            }
        },
    )
}

fn without_shadows() -> Error {
    Error::missing_access(
        "there are no shadow models",
        "add shadow models, a row each, trained like the audited one on random halves of the records",
    )
}

/// Scores, and what was learnt from reference records for them.
type Answered = (Result<Scores>, Option<String>);

/// The scores of each attack, averaged over augmentations.
fn run_able(attacks: &[&'static dyn ShadowAttack], request: &Request) -> Result<Vec<Answered>> {
    let wants = attacks
        .iter()
        .fold(Wants::MOMENTS, |sum, attack| sum.union(attack.wants()));
    let mut collected: Vec<Vec<Result<Scores>>> = attacks.iter().map(|_| Vec::new()).collect();
    let mut learnt: Vec<Option<String>> = vec![None; attacks.len()];
    for augmentation in 0..request.signals.augmentations() {
        let prepared = Prepared::new(request, augmentation, wants)?;
        let view = prepared.view(request, augmentation);
        let answers: Vec<Result<Scores>> = attacks
            .par_iter()
            .map(|attack| attack.score(&view))
            .collect();
        if view.references.is_some() && augmentation == 0 {
            for (words, attack) in learnt.iter_mut().zip(attacks) {
                *words = attack.learnt(&view).unwrap_or_default();
            }
        }
        for (answer, scores) in answers.into_iter().zip(&mut collected) {
            if matches!(&answer, Err(error) if error.kind == ErrorKind::Interrupted) {
                return Err(Error::interrupted());
            }
            scores.push(answer);
        }
    }
    let whole = |scores: Vec<Result<Scores>>| scores.into_iter().collect::<Result<Vec<_>>>();
    Ok(collected
        .into_iter()
        .zip(learnt)
        .map(|(scores, learnt)| (whole(scores).map(average), learnt))
        .collect())
}

/// How many times records are counted by the progress: for progress bars.
pub fn passes(
    attacks: &[&'static dyn ShadowAttack],
    augmentations: usize,
    settings: &Settings,
) -> usize {
    let columns = attacks.iter().map(|attack| attack.column_passes(settings));
    let columns: usize = columns.sum();
    let shapes = attacks.iter().any(|attack| attack.wants().shapes);
    augmentations * (1 + usize::from(shapes) + columns)
}

struct Prepared {
    statistics: Statistics,
    shapes: Vec<Shapes>,
    population: Option<Statistics>,
}

impl Prepared {
    fn new(request: &Request, augmentation: usize, wants: Wants) -> Result<Self> {
        let estimator = Estimator::from_settings(request.settings);
        let compute = |signals: &ShadowSignals| {
            Statistics::compute(signals, augmentation, wants, estimator, request.progress)
        };
        let shapes = if wants.shapes {
            let (signals, progress) = (request.signals, request.progress);
            map_columns(signals, augmentation, Rescale::Exact, progress, Shapes::new)?
        } else {
            Vec::new()
        };
        Ok(Self {
            statistics: compute(request.signals)?,
            shapes,
            population: request.population.map(compute).transpose()?,
        })
    }

    fn view<'a>(&'a self, request: &Request<'a>, augmentation: usize) -> View<'a> {
        let given = request.population.zip(self.population.as_ref());
        View {
            signals: request.signals,
            augmentation,
            statistics: &self.statistics,
            shapes: &self.shapes,
            population: self.population.as_ref(),
            references: References::new(request.signals, given),
            settings: request.settings,
            seed: request.seed,
            progress: request.progress,
        }
    }
}

/// The mean score over augmentations; a record one of them abstains on is abstained on.
fn average(mut scores: Vec<Scores>) -> Scores {
    if scores.len() == 1 {
        return scores.swap_remove(0);
    }
    let count = scores.len() as f64;
    let records = scores.first().map_or(0, Scores::len);
    (0..records)
        .map(|record| {
            let sum = scores.iter().try_fold(0.0, |sum, augmentation| {
                augmentation.answer(record).map(|score| sum + score)
            })?;
            let mean = sum / count;
            if mean.is_nan() {
                Err(Abstention::Undefined)
            } else {
                Ok(mean)
            }
        })
        .collect()
}
