//! Who attacked: somebody with shadow models, or somebody with the audited model alone.

use attacks::card::Access;
use attacks::classifier;
use attacks::scores::Scores;
use judge::attacker::{Attacker, LABEL_ONLY};

use super::ShadowRequest;
use attacks::signals::shadow::ShadowSignals;

/// The attacker whose attacks have scores.
pub fn attacker(
    request: &ShadowRequest,
    signals: &ShadowSignals,
    scores: &[(String, Scores)],
) -> Attacker {
    let shadows = signals.shadows.len();
    let compared = scores.iter().any(|(id, _)| looks_at_shadows(id));
    let label_only = scores
        .iter()
        .all(|(id, _)| LABEL_ONLY.contains(&id.as_str()));
    match compared && !label_only {
        true if signals.is_offline() => offline(request, signals),
        true if saw_all(signals) => Attacker::careless(
            format!(
                "has {shadows} shadow {} that trained on every audited record, and does not know what a model \
                 does that did not train on one",
                if shadows == 1 { "model" } else { "models" }
            ),
            "knows shadows that did not train on a record, too: train each on its own random half of the records",
        ),
        true => Attacker::strongest(format!(
            "has {shadows} shadow {} trained like the audited one and knows what {} trained on",
            if shadows == 1 { "model" } else { "models" },
            if shadows == 1 { "it" } else { "each of them" },
        )),
        false if label_only => Attacker::careless(
            "looks at nothing but whether the audited model is right, though more of its outputs is there",
            "looks at how sure it is: leave out --attacks to have every attack try",
        ),
        false => Attacker::target_only(
            "sees what the audited model puts out and has no shadow models to compare it with",
            stronger(request.table.models() - 1),
            request.context.wanted,
        ),
    }
}

/// Shadows that never trained on an audited record are what an attacker has who learns of the records
/// later. What training does to a record, reference records tell; without them it is guessed.
fn offline(request: &ShadowRequest, signals: &ShadowSignals) -> Attacker {
    let shadows = signals.shadows.len();
    match request.references(signals) {
        Some(references) => Attacker::strongest(format!(
            "has {shadows} shadow models that trained on none of the audited records (an offline audit), \
             and {} reference records of which is known what each of them trained on",
            references.records()
        )),
        None => Attacker::careless(
            format!(
                "has {shadows} shadow models that trained on none of the audited records, and does not know \
                 what training on a record does"
            ),
            "knows which of other records each shadow trained on, and learns from these: give them with \
             --population, phi and keep under the same models; or train shadows on the audited records",
        ),
    }
}

/// Whether every shadow trained on every record.
fn saw_all(signals: &ShadowSignals) -> bool {
    let mut rows = signals.members.iter();
    rows.all(|row| row.count() == signals.records())
}

fn looks_at_shadows(id: &str) -> bool {
    classifier::find(id).is_ok_and(|attack| attack.card().access != Access::TargetOnly)
}

/// What a stronger attacker does, and how the user can be one.
fn stronger(there: usize) -> String {
    match there {
        0 => "trains shadow models like the audited one on random halves of the records and \
              compares: add theirs, a row of outputs and of keep each, or let guestlist run train \
              them"
            .to_owned(),
        _ => format!(
            "compares with the {there} other models that are there: leave out --attacks and \
             --shadows to have every attack try"
        ),
    }
}
