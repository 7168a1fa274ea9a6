//! Are the models different ones? A model that was loaded from a cache instead of being trained
//! reacts to nobody's records, and an audit of copies finds nothing in any of them.

use serde::{Deserialize, Serialize};

use super::{Evidence, ShadowFacts, Status, percent};

/// Fewer shadows than this do not show what shadows do on average.
const FEW: usize = 4;
/// Models that are right as often as this on what they never saw have either an easy task or seen it.
const ALWAYS_RIGHT: f64 = 0.999;
/// Standard errors of the training gain that count as none.
const NO_GAIN: f64 = 2.0;
/// So many models are named, the others counted.
const NAMED: usize = 12;

/// Models with the same outputs, or nearly so, that trained on different records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Alike {
    pub models: Vec<usize>,
    /// The audited model is one of them.
    pub target: bool,
    /// The share of records on which they agree to the last bit.
    pub agreement: f64,
    /// Copies of the target that trained on its records.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub same_records: bool,
}

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.shadows.filter(|facts| facts.shadows > 0)?;
    let (target, others): (Vec<&Alike>, Vec<&Alike>) =
        facts.alike.iter().partition(|group| group.same_records);
    if !others.is_empty() {
        let groups: Vec<String> = others.into_iter().map(Alike::describe).collect();
        let detail = format!(
            "{}, though they trained on different records: was one model copied, or loaded from a \
             cache instead of being trained? Among copies no attack finds anything; train each of \
             them anew on its own records",
            groups.join("; ")
        );
        return Some((Status::Violated, detail));
    }
    if let Some(group) = target.first() {
        let detail = format!(
            "{} and trained on the same records: the target stands among its shadows; remove the copy, or name \
             another model with --target",
            group.describe()
        );
        return Some((Status::Violated, detail));
    }
    if facts.misplaced * 2 > facts.followed {
        let detail = format!(
            "{} of {} shadows follow another row of keep than their own, or their own moved by a record: the \
             rows are in another order than the models, and what attacks compare with is none of theirs; \
             give each model its own row",
            facts.misplaced, facts.followed
        );
        return Some((Status::Violated, detail));
    }
    if shadow_the_target(facts) {
        return Some((Status::Violated, copied(facts)));
    }
    if saw_everything(facts) {
        return Some((Status::Violated, unmoved(facts)));
    }
    if learnt_nothing(facts) {
        return Some((Status::Violated, at_chance(facts)));
    }
    let unsure = unsure(facts);
    let status = match unsure.is_empty() {
        true => Status::Ok,
        false => Status::Warn,
    };
    let detail = format!(
        "{} shadows and the target give different outputs{unsure}",
        facts.shadows
    );
    Some((status, detail))
}

impl Alike {
    fn describe(&self) -> String {
        let target = if self.target {
            " (the target among them)"
        } else {
            ""
        };
        let how = if self.agreement == 1.0 {
            "give the same outputs to the last bit".to_owned()
        } else if self.agreement > 0.5 {
            let share = percent(self.agreement, 1.0);
            format!("give the same outputs to the last bit on {share} of the records")
        } else {
            "give outputs that differ by less than a hundredth of their spread, scale and offset aside".to_owned()
        };
        format!("models {}{target} {how}", named(&self.models))
    }
}

/// The numbers of models; of many, the first.
pub(super) fn named(models: &[usize]) -> String {
    let names: Vec<String> = models.iter().take(NAMED).map(usize::to_string).collect();
    let others = match models.len().saturating_sub(NAMED) {
        0 => String::new(),
        others => format!(" and {others} others"),
    };
    format!("{}{others}", names.join(", "))
}

/// Standard errors beyond which it is no chance that shadows are surer where the target trained.
const KNOWN: f64 = 4.0;

/// Surer of what the target trained on and not of what they trained on themselves: copies of the
/// target, however much noise was added.
fn shadow_the_target(facts: &ShadowFacts) -> bool {
    facts.shadows >= FEW && facts.know_target > KNOWN && no_gain(facts)
}

fn no_gain(facts: &ShadowFacts) -> bool {
    facts.training_gain <= NO_GAIN * facts.training_gain_error
}

fn copied(facts: &ShadowFacts) -> String {
    format!(
        "all {} shadows are surer of the records that the target trained on ({:.1} standard errors), and no \
         surer of their own: they are copies of the target with some noise, or keep belongs to other \
         models. Among copies no attack finds anything; train each of them anew on its own records",
        facts.shadows, facts.know_target
    )
}

/// What models that leak nothing and a keep of other models have in common: outputs do not tell them
/// apart, so that it is said.
fn unsure(facts: &ShadowFacts) -> String {
    // What shadows gain by training is not known where no record is there that they trained on.
    let known = facts.reference_records != Some(0);
    match known && facts.shadows >= FEW && no_gain(facts) {
        false => String::new(),
        true => format!(
            "; the shadows are no surer of their own training records (φ is {:+.3} ± {:.3} higher), as where \
             nothing leaks, and as where the rows of keep are not the models' own",
            facts.training_gain, facts.training_gain_error
        ),
    }
}

/// No surer of what they trained on than of the rest, and right no more often than whoever names the commonest class:
/// outputs of other records, or models that learnt nothing. Either way nothing was tested.
fn learnt_nothing(facts: &ShadowFacts) -> bool {
    facts.shadows >= FEW
        && no_gain(facts)
        && facts
            .commonest_class
            .is_some_and(|share| facts.right_inside <= share)
}

fn at_chance(facts: &ShadowFacts) -> String {
    format!(
        "the shadows are right on {} of their own training records, no more than by naming the commonest class, and \
         no surer of these than of the others: do outputs, labels and keep stand in the same order? A loader that shuffles \
         gives every record the output of another. Among such outputs no attack finds anything",
        percent(facts.right_inside, 1.0)
    )
}

/// No surer of what they trained on than of the rest, and right about both: as if they had trained
/// on everything. Models that generalise or are private are wrong about some of the rest.
fn saw_everything(facts: &ShadowFacts) -> bool {
    facts.shadows >= FEW
        && facts.right_outside.min(facts.right_inside) >= ALWAYS_RIGHT
        && no_gain(facts)
}

fn unmoved(facts: &ShadowFacts) -> String {
    format!(
        "all {} shadows do not react to their own training records: they are right on {} of them and \
         on {} of the others, and no surer of the former (φ is {:+.3} ± {:.3} higher); did every \
         model train on all records, or does keep belong to other models? Train each on the records \
         of its own row of keep",
        facts.shadows,
        percent(facts.right_inside, 1.0),
        percent(facts.right_outside, 1.0),
        facts.training_gain,
        facts.training_gain_error
    )
}
