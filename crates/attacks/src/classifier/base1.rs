//! `base1` and `base1-offline`: confidence against the mean confidence of the shadows.

use super::ShadowAttack;
use super::gaussian::need_outside;
use super::statistic::{self, STATISTIC, Statistic};
use super::statistics::{RecordStatistics, Wants};
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use crate::settings::{Kind, Setting, Settings};
use base::Result;

pub struct Base1;
pub struct Base1Offline;

static SCALE: Setting = Setting {
    key: "base1.scale",
    kind: Kind::Number {
        default: 0.33,
        least: 0.0,
        most: 10.0,
    },
    help: "offline: weight of the OUT shadows' mean confidence",
};

static CARD: Card = Card {
    id: "base1",
    summary: "ln p minus ln of the mean p over all shadows",
    asks: "How much more confident is the audited model than models are on average?",
    why_it_works: "The exponential-family test with one shared parameter per record: no variance \
                   and no split into IN and OUT, so it needs the fewest shadows.",
    access: Access::AnyShadow,
    when_it_misleads: "It cannot use what more shadows would tell about variances.",
    paper: "Lassila et al. 2025, arXiv:2505.24089; Brännvall 2026, arXiv:2603.11799, appendix B",
    settings: &[&STATISTIC],
};

static OFFLINE: Card = Card {
    id: "base1-offline",
    summary: "ln p minus a share of ln of the mean p over OUT shadows",
    asks: "As base1, when no shadow model was trained on the record.",
    why_it_works: "The OUT mean alone overstates how surprising confidence is on hard records; \
                   scaling it down makes up for the missing IN shadows.",
    access: Access::OutShadows,
    when_it_misleads: "The best scale depends on the model; 0.33 is a published default, not a \
                       fit to your data.",
    paper: "Lassila et al. 2025, arXiv:2505.24089",
    settings: &[&SCALE, &STATISTIC],
};

/// ln p0 − ln p̄, p̄ the mean over all shadows.
pub fn ln_ratio(record: &RecordStatistics) -> f64 {
    record.ln_p - record.ln_mean_probability
}

/// ln p0 less a share of ln p̄, p̄ the mean over OUT shadows or what stands for it.
pub fn offline(view: &View, record: &RecordStatistics, ln_mean_probability: f64) -> f64 {
    record.ln_p - view.settings.number(&SCALE) * ln_mean_probability
}

impl ShadowAttack for Base1 {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn wants(&self) -> Wants {
        Wants::PROBABILITIES
    }

    fn column_passes(&self, settings: &Settings) -> usize {
        statistic::column_passes(settings, Statistic::Loss)
    }

    fn score(&self, view: &View) -> Result<Scores> {
        match Statistic::chosen(view.settings, Statistic::Loss) {
            Statistic::Loss => Ok(view.per_record(|record| Ok(ln_ratio(record)))),
            other => {
                statistic::per_record(view, other, |record| Ok(record.target - record.pooled.mean))
            }
        }
    }
}

impl ShadowAttack for Base1Offline {
    fn card(&self) -> &'static Card {
        &OFFLINE
    }

    fn wants(&self) -> Wants {
        Wants::PROBABILITIES
    }

    fn column_passes(&self, settings: &Settings) -> usize {
        statistic::column_passes(settings, Statistic::Loss)
    }

    fn score(&self, view: &View) -> Result<Scores> {
        match Statistic::chosen(view.settings, Statistic::Loss) {
            Statistic::Loss => Ok(view.per_record(|record| {
                need_outside(record)?;
                Ok(offline(view, record, record.ln_mean_probability_outside))
            })),
            other => {
                let scale = view.settings.number(&SCALE);
                statistic::per_record_as_is(view, other, |record| {
                    need_outside(record)?;
                    Ok(record.target - scale * record.outside.mean)
                })
            }
        }
    }
}
