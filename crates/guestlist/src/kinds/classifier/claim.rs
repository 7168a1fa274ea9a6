//! Which ε is claimed of the audited model: by the configuration, by the program that trained it, or by
//! the accountant of private training.

use judge::claim::Claimed;
use report::Note;
use report::classifier::Training;
use shadows::Run;

use crate::pipeline::AuditContext;

/// What the configuration claims goes before what the training says of itself; where the training
/// spends more than was claimed, a note says so. Several settings on the same data are counted.
pub fn settle(context: &mut AuditContext, run: &Run, training: &Training) -> Vec<Note> {
    let own = own(run, training);
    let notes = match (&context.claim, &own) {
        (Some(claim), Some(own)) if own.epsilon > claim.epsilon => vec![format!(
            "ε = {} is claimed at δ = {:e}, but {} says ε = {:.4} at δ = {:e} of the audited model",
            claim.epsilon, claim.delta, own.by, own.epsilon, own.delta
        )],
        _ => Vec::new(),
    };
    context.claim = context.claim.take().or(own);
    if context.claim.is_some() {
        let told = context.settings_tried.unwrap_or(1);
        context.settings_tried = Some(told.max(run.settings_tried()));
    }
    notes
}

/// What the training says of itself.
fn own(run: &Run, training: &Training) -> Option<Claimed> {
    if let Some(stated) = run.stated_privacy() {
        return Some(Claimed {
            epsilon: stated.epsilon,
            delta: stated.delta,
            by: "the training program".into(),
        });
    }
    let privacy = training.privacy.as_ref()?;
    Some(Claimed {
        epsilon: privacy.epsilon.filter(|epsilon| *epsilon > 0.0)?,
        delta: privacy.delta,
        by: "the accountant of private training".into(),
    })
}
