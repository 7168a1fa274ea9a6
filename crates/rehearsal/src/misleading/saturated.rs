//! Confidence that was rounded before it was stored, and a constant inside the logarithm.

use judge::gate::Gate;
use judge::guardrails::{self, Evidence, ShadowFacts, Status};

use report::Report;

use super::digits::{self, Models};
use super::judged::{auc, report};
use super::{Case, Claim, Sides};
use guestlist::Error;

/// What keeps the logarithm of zero finite, as in the reference code of LiRA.
const SMALL: f64 = 1e-45;
const FPR: f64 = 0.01;

pub static CASE: Case = Case {
    id: "saturated",
    title: "confidence of exactly 1, and a constant inside the logarithm",
    habit: "Store the softmax in half precision, add 1e-45 inside the logarithm so that nothing is \
            infinite. Beyond a confidence of 0.9998 all records become one value: the most confident, \
            where membership is decided.",
    source: "the reference code of LiRA adds 1e-45 after exp in float32 (score.py of mi_lira_2021, \
             commit 03035d5: φ ends at ±103.6); SACRO-ML clips at 1e-16 (φ ends at 36.7); ML Privacy \
             Meter stores the softmax in float32 (exactly 1 from φ of about 17 on)",
    data: "a network trained on 300 of 600 handwritten digits and 16 shadow models, calibrated by the \
           shadows that did not train on a record",
    notices: "φ from logits; saturated-signals",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let models = digits::models(seed, 600, 17)?;
    let stored: Vec<Vec<f64>> = models
        .phi
        .iter()
        .map(|phi| phi.iter().map(|phi| through_half_precision(*phi)).collect())
        .collect();
    let (naive, members) = calibrated(&stored, &models);
    let (exact, _) = calibrated(&models.phi, &models);
    let naive = report("stored-softmax", &naive, &members, seed)?;
    let exact = report("exact-phi", &exact, &members, seed)?;
    let largest = through_half_precision(f64::INFINITY);
    let all = stored.iter().flatten();
    let piled = all.filter(|phi| **phi >= largest).count();
    let count = models.phi.len() * models.phi[0].len();
    let share = piled as f64 / count as f64;
    let noticed = notices(piled, count);
    Ok(Sides {
        mistaken: vec![
            Claim::new(
                "share",
                share,
                format!(
                    "{:.1}% of the stored values are the same largest one",
                    100.0 * share
                ),
            ),
            Claim::new(
                "auc",
                auc(&naive),
                format!("AUC {:.3} from what was stored", auc(&naive)),
            ),
            caught(&naive),
        ],
        guestlist: vec![
            Claim::new(
                "auc",
                auc(&exact),
                format!("AUC {:.3} from φ by logits", auc(&exact)),
            ),
            caught(&exact),
            Claim::new(
                "noticed",
                f64::from(u8::from(noticed)),
                match noticed {
                    true => "of what was stored: saturated-signals speaks up".to_owned(),
                    false => "of what was stored: saturated-signals is in order".to_owned(),
                },
            ),
        ],
    })
}

/// The share of members caught at 1% false alarms.
fn caught(report: &Report) -> Claim {
    let rates = report.attacks.iter().flat_map(|attack| &attack.tpr_at_fpr);
    let rate = rates.filter(|tpr| tpr.fpr == FPR).find_map(|tpr| tpr.value);
    let rate = rate.unwrap_or(0.0);
    Claim::new("tpr", rate, format!("TPR at 1% FPR: {:.1}%", 100.0 * rate))
}

/// The mistake: confidence rounded to half precision, and a constant in both logarithms.
fn through_half_precision(phi: f64) -> f64 {
    let confidence = half(1.0 / (1.0 + (-phi).exp()));
    (confidence + SMALL).ln() - (1.0 - confidence + SMALL).ln()
}

/// The nearest number with eleven binary digits, as half precision has.
fn half(value: f64) -> f64 {
    let exponent = value.max(2f64.powi(-14)).log2().floor();
    let step = (exponent - 10.0).exp2();
    (value / step).round() * step
}

/// The target's φ above the mean of the shadows that did not train on the record; records that
/// every shadow trained on are left out.
fn calibrated(phi: &[Vec<f64>], models: &Models) -> (Vec<f64>, Vec<bool>) {
    let score = |record: usize| {
        let out = (1..phi.len()).filter(|model| !models.keep[*model][record]);
        let out: Vec<f64> = out.map(|model| phi[model][record]).collect();
        let mean = out.iter().sum::<f64>() / out.len() as f64;
        (!out.is_empty()).then(|| (phi[0][record] - mean, models.keep[0][record]))
    };
    (0..phi[0].len()).filter_map(score).unzip()
}

fn notices(piled: usize, stored: usize) -> bool {
    let facts = ShadowFacts {
        saturated_values: piled as u64,
        stored_values: stored as u64,
        ..ShadowFacts::default()
    };
    let findings = guardrails::check(&Evidence {
        shadows: Some(&facts),
        ..Evidence::new(1, 1, &Gate::default(), &[])
    });
    findings
        .iter()
        .any(|finding| finding.id == "saturated-signals" && finding.status != Status::Ok)
}
