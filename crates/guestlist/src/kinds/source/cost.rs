//! What a run will ask at most and at least.

use attacks::source::settling::looks;
use attacks::source::{Input, Reference};

use super::Plan;
use super::perturbed::checked_count;

/// A rough size of an answer, for estimates.
const ANSWER_TOKENS: u64 = 120;
/// A rough size of a caption, whose words are not known before.
const CAPTION_TOKENS: u64 = 150;
/// Looks that agree settle a text.
const LEAST_LOOKS: usize = 2;

/// What a run would ask, captions apart.
#[derive(Clone, Debug, Default)]
pub struct AttributionEstimate {
    /// Texts to attribute: texts, and pictures at every noise.
    pub texts: usize,
    pub perturbations: usize,
    /// Both arms together.
    pub most: usize,
    /// If every text settles as early as it can.
    pub least: usize,
    /// Texts that are asked in full in any case.
    pub checked: usize,
    pub captions: usize,
    /// Roughly, at most.
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Where requests per minute are limited.
    pub seconds: Option<f64>,
    pub least_seconds: Option<f64>,
    pub max_requests: Option<u64>,
}

impl AttributionEstimate {
    pub fn new(plan: &Plan) -> Self {
        let settings = &plan.config.source;
        let rows = settings.perturbations;
        let pictures = plan.basis.pictures();
        let deviations = plan.config.images.as_ref();
        let deviations = deviations.map_or(0, |images| images.deviations().len());
        let captions = pictures * deviations;
        // A text without a word to perturb is not asked about.
        let askable = |text: &str| !Input::new(text).is_empty();
        let own = plan.basis.items.iter().filter_map(|item| item.text());
        let own: Vec<&str> = own.filter(|text| askable(text)).collect();
        let texts = own.len() + captions;
        let full = match settings.early_stopping {
            true => checked_count(settings.checked, own.len() + pictures),
            false => texts,
        };
        let soonest = looks(rows).get(LEAST_LOOKS - 1).copied().unwrap_or(rows);
        let plain = usize::from(settings.reference == Reference::Output);
        let least = 2 * (full * (rows + plain) + (texts - full) * (soonest + plain));
        let most = 2 * texts * (rows + plain);
        let repeats = settings.repeats.min(least / 2);
        let (most, least) = (most + repeats, least + repeats);
        let words: u64 = own.iter().map(|text| text.len() as u64 / 4 + 1).sum();
        let around = (settings.question.len() / 4) as u64;
        let words = words + captions as u64 * CAPTION_TOKENS + texts as u64 * around;
        let per_minute = plan.config.transport.requests_per_minute;
        let seconds =
            |requests: usize| per_minute.map(|rate| 60.0 * requests as f64 / f64::from(rate));
        Self {
            texts,
            perturbations: rows,
            checked: full,
            captions,
            tokens_in: 2 * (rows + plain) as u64 * words,
            tokens_out: (most + captions) as u64 * ANSWER_TOKENS,
            seconds: seconds(most + captions),
            least_seconds: seconds(least + captions),
            max_requests: plan.config.transport.max_requests,
            most,
            least,
        }
    }
}
