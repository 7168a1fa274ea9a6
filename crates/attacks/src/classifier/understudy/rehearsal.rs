//! Rehearsals: features with known membership, from pairs of shadows that stand in.
//!
//! A pair is used on the records that exactly one of the two trained on, with the statistics of
//! all shadows but the two. Both rows of a record then differ in φ alone: whatever the design of
//! the training sets (every record in exactly half of the models, complementary halves), the
//! counts of IN and OUT shadows cannot tell the label, and without a leak there is nothing to
//! learn. The audited model is then shown in the same scenes, so that it is judged from as many
//! shadows as the learner saw.

use rayon::prelude::*;
use stats::special::ln_sigmoid;
use stats::streams::shuffle;

use super::super::references::without_priors;
use super::super::statistics::{Estimator, RecordStatistics, Records, Statistics, Wants};
use super::super::view::View;
use super::learner::STANDINS;
use super::level::{Levels, levelled};
use super::pairs::{Casting, Pair};
use crate::signals::shadow::{Rescale, ShadowSignals};
use base::{Error, Result};

/// More rows teach nothing new; with very many records fewer pairs stand in.
const MOST_ROWS: usize = 1 << 20;

/// Fewer records teach less each time, so more pairs stand in.
const FEW_RECORDS: usize = 5000;

/// Two stand-ins must leave a shadow.
const LEAST_SHADOWS: usize = 3;

/// The view with every model at the usual level, as the wanted records tell it.
pub struct Levelled {
    signals: ShadowSignals,
    statistics: Statistics,
}

impl Levelled {
    pub fn new(view: &View, wanted: impl Fn(usize) -> bool) -> Result<Self> {
        let signals = levelled(view, wanted);
        let statistics = statistics(view, &signals)?;
        Ok(Self {
            signals,
            statistics,
        })
    }

    /// The view with every model at a level that others tell.
    pub fn at(view: &View, levels: Option<&Levels>) -> Result<Self> {
        let signals = Levels::apply(levels, view.signals);
        let statistics = statistics(view, &signals)?;
        Ok(Self {
            signals,
            statistics,
        })
    }

    pub fn view<'a>(&'a self, view: &'a View<'a>) -> View<'a> {
        View {
            signals: &self.signals,
            statistics: &self.statistics,
            ..*view
        }
    }
}

/// Of records under these signals; counts for no progress.
fn statistics(view: &View, signals: &ShadowSignals) -> Result<Statistics> {
    Statistics::compute(
        signals,
        view.augmentation,
        Wants::PROBABILITIES,
        Estimator::from_settings(view.settings),
        view.progress.quietly(),
    )
}

/// A record's features from its statistics, with some model in the target's place; nothing
/// where the shadows tell too little.
pub type Features<'a, const D: usize> = &'a (dyn Fn(&RecordStatistics) -> Option<[f32; D]> + Sync);

/// One example for the learner.
pub struct Row<const D: usize> {
    pub record: usize,
    pub features: [f32; D],
    pub member: bool,
}

/// All that was played.
pub struct Rehearsal<const D: usize> {
    pub rows: Vec<Row<D>>,
    /// The audited model's features of every record, scene by scene.
    pub audited: Vec<Vec<Option<[f32; D]>>>,
}

impl<const D: usize> Rehearsal<D> {
    pub fn new(view: &View, features: Features<D>) -> Result<Self> {
        let Casting { teach, show } = cast(view)?;
        let all = || (0..view.shadows()).collect::<Vec<usize>>();
        let scenes = show.into_iter().map(|pair| without(&all(), pair));
        Ok(Rehearsal {
            rows: taught(view, &teach, features)?,
            audited: shown(view, scenes, features)?,
        })
    }

    /// The same with records that teach and others that are judged: the audited model is shown with as
    /// many OUT shadows of a record at a time as there were where the learner was taught, and in so many
    /// scenes that every shadow has its turn.
    pub fn by_references(reference: &View, view: &View, features: Features<D>) -> Result<Self> {
        let Casting { teach, .. } = cast(reference)?;
        let scenes = subsets(reference, view.settings.number(&STANDINS) as usize);
        Ok(Rehearsal {
            rows: taught(reference, &teach, features)?,
            audited: shown(view, scenes.into_iter(), features)?,
        })
    }
}

/// Who plays, if there are enough to play.
fn cast(view: &View) -> Result<Casting> {
    need_both_classes(view)?;
    need_shadows(view)?;
    let records = view.signals.records().max(1);
    let wanted = view.settings.number(&STANDINS) as usize;
    let wanted = wanted.max(wanted * FEW_RECORDS / records);
    let affordable = (MOST_ROWS / records).max(1);
    let most = wanted.min(affordable);
    Ok(Casting::new(view.seed, &view.signals.members, most))
}

fn taught<const D: usize>(
    view: &View,
    pairs: &[Pair],
    features: Features<D>,
) -> Result<Vec<Row<D>>> {
    let all: Vec<usize> = (0..view.shadows()).collect();
    let mut rows = Vec::new();
    for &pair in pairs {
        let scene = Scene::set(view, &without(&all, pair))?;
        rows.extend(scene.rows(view, pair, features));
    }
    Ok(rows)
}

fn shown<const D: usize>(
    view: &View,
    scenes: impl Iterator<Item = Vec<usize>>,
    features: Features<D>,
) -> Result<Vec<Vec<Option<[f32; D]>>>> {
    let play = |shadows: Vec<usize>| Ok(Scene::set(view, &shadows)?.play(view, features));
    scenes.map(play).collect()
}

/// About so many sets of shadows, each as large as the OUT shadows that a reference record has while two
/// stand in, one of them OUT as well: the shadows in a seeded order, dealt out, and dealt again.
fn subsets(reference: &View, wanted: usize) -> Vec<Vec<usize>> {
    let records = &reference.statistics.records;
    let outside: f64 = records.iter().map(|record| record.outside.n).sum();
    let usual = outside / records.len().max(1) as f64 - 1.0;
    let size = (usual.round() as usize).clamp(1, reference.shadows());
    let mut all: Vec<usize> = (0..reference.shadows()).collect();
    let mut sets = Vec::new();
    let mut stream = reference.seed.stream("understudy subsets");
    while sets.len() < wanted {
        shuffle(&mut stream, &mut all);
        sets.extend(all.chunks_exact(size).map(|set| {
            let mut set = set.to_vec();
            set.sort_unstable();
            set
        }));
    }
    sets
}

/// The statistics of some of the shadows.
struct Scene {
    statistics: Records,
}

impl Scene {
    fn set(view: &View, shadows: &[usize]) -> Result<Self> {
        let some = only(view.signals, shadows);
        Ok(Self {
            statistics: statistics(view, &some)?.records,
        })
    }

    /// Two rows of every record that only one of the pair trained on.
    fn rows<const D: usize>(&self, view: &View, pair: Pair, features: Features<D>) -> Vec<Row<D>> {
        let members = [pair.0, pair.1].map(|shadow| &view.signals.members[shadow]);
        let phi = [pair.0, pair.1].map(|shadow| phi_of(view, shadow));
        let row = |record: usize, stand_in: usize| {
            let played = with_target(self.statistics.get(record), phi[stand_in][record]);
            Some(Row {
                record,
                features: features(&played)?,
                member: members[stand_in].get(record),
            })
        };
        (0..self.statistics.len())
            .into_par_iter()
            .filter(|&record| members[0].get(record) != members[1].get(record))
            .flat_map_iter(|record| [row(record, 0), row(record, 1)])
            .flatten()
            .collect()
    }

    /// The audited model's turn.
    fn play<const D: usize>(&self, view: &View, features: Features<D>) -> Vec<Option<[f32; D]>> {
        let records = self
            .statistics
            .par_iter()
            .zip(view.statistics.records.par_iter());
        records
            .map(|(scene, record)| features(&with_target(scene, record.target)))
            .collect()
    }
}

fn with_target(record: RecordStatistics, phi: f64) -> RecordStatistics {
    RecordStatistics {
        target: phi,
        ln_p: ln_sigmoid(phi),
        ..record
    }
}

/// All but a pair.
fn without(shadows: &[usize], pair: Pair) -> Vec<usize> {
    let others = shadows.iter().copied();
    others.filter(|&k| k != pair.0 && k != pair.1).collect()
}

/// The same signals with these shadows alone, by their place among the shadows.
fn only(signals: &ShadowSignals, shadows: &[usize]) -> ShadowSignals {
    ShadowSignals {
        outputs: signals.outputs.clone(),
        target: signals.target,
        shadows: shadows.iter().map(|&k| signals.shadows[k]).collect(),
        members: shadows
            .iter()
            .map(|&k| signals.members[k].clone())
            .collect(),
    }
}

fn phi_of(view: &View, shadow: usize) -> Vec<f64> {
    let mut phi = vec![0.0; view.signals.records()];
    view.signals.outputs.phi(
        view.signals.shadows[shadow],
        0..phi.len(),
        view.augmentation,
        Rescale::Exact,
        &mut phi,
    );
    phi
}

fn need_both_classes(view: &View) -> Result<()> {
    let all = [view.statistics.all_inside, view.statistics.all_outside];
    if all.iter().any(|moments| moments.n == 0.0) {
        return Err(without_priors("there is no membership to learn from"));
    }
    Ok(())
}

fn need_shadows(view: &View) -> Result<()> {
    if view.shadows() < LEAST_SHADOWS {
        return Err(Error::missing_access(
            format!(
                "two shadows at a time stand in for the target and others must remain, so at \
                 least {LEAST_SHADOWS} are needed, not {}",
                view.shadows()
            ),
            "add shadows, or use bavaria-t or rmia, which make do with fewer",
        ));
    }
    Ok(())
}
