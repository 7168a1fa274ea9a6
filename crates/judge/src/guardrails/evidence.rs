//! What guardrails look at.

use serde::{Deserialize, Serialize};

use super::{
    Alike, Apart, CanaryFacts, DuplicateFacts, EarlierLevels, Joined, LeakingCheckpoint,
    LeftOutColumn, RecordOrder, RepeatedIds,
};
use crate::AttackMeasures;
use crate::attacker::Attacker;
use crate::diagnostics::Slices;
use crate::gate::Gate;
use crate::lm::TextFacts;
use crate::persons::Persons;
use crate::policy::Policy;
use crate::rag::ProbeFacts;
use crate::verdict::gated;

/// What is known of the shadow models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ShadowFacts {
    pub shadows: usize,
    /// Records that no shadow trained on, and that every shadow trained on.
    pub records_without_in: usize,
    pub records_without_out: usize,
    /// The median number of IN and of OUT shadows of a record.
    pub median_in: usize,
    pub median_out: usize,
    /// Stored values that pile up at the largest or smallest value.
    pub saturated_values: u64,
    pub stored_values: u64,
    /// Mean φ over all records: the audited model's, and the shadows' mean and deviation.
    pub target_mean: f64,
    pub shadow_mean: f64,
    pub shadow_deviation: f64,
    /// How much higher φ is where a shadow trained, over shadows, and the error of that mean.
    pub training_gain: f64,
    pub training_gain_error: f64,
    /// How much the gain differs between shadows, and what it is of the audited model; absent in reports
    /// of earlier versions, and where records of one kind alone are known.
    #[serde(default)]
    pub training_gain_deviation: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_gain: Option<f64>,
    /// How often φ is above zero where a shadow trained, and elsewhere, over shadows.
    #[serde(default)]
    pub right_inside: f64,
    #[serde(default)]
    pub right_outside: f64,
    /// The share of the commonest class among the records, where there are several and labels are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commonest_class: Option<f64>,
    /// How many standard errors the shadows' mean φ lies higher where the *target* trained.
    #[serde(default)]
    pub know_target: f64,
    /// How well shadows that did not train on a record, and labels, tell the target's members apart, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outsiders: Option<Apart>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Apart>,
    /// Shadows that were looked at for whose row of `keep` they follow, and those that follow another's.
    #[serde(default)]
    pub followed: usize,
    #[serde(default)]
    pub misplaced: usize,
    /// Models with the same outputs that trained on different records.
    #[serde(default)]
    pub alike: Vec<Alike>,
    /// Whether models agree on which records are hard, where enough is there to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<RecordOrder>,
    /// The AUC of the number of IN shadows against the truth: one half where splits tell nothing.
    pub count_auc: f64,
    /// Where no shadow trained on an audited record: how many reference records tell what training does,
    /// maybe none. The gain is then that of shadows on these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_records: Option<usize>,
}

/// What one further criterion of a policy looks at.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub gate: &'a Gate,
    /// The attack that it looks at.
    pub gated: Option<&'a str>,
    pub slices: Option<&'a Slices>,
}

/// Everything a guardrail may look at.
#[derive(Clone)]
pub struct Evidence<'a> {
    pub members: usize,
    pub nonmembers: usize,
    pub attacks: &'a [AttackMeasures],
    /// The attack the gate looks at.
    pub gated: Option<&'a str>,
    pub gate: &'a Gate,
    pub fprs: &'a [f64],
    pub holdout: bool,
    /// Absent where the audit has no shadow models.
    pub shadows: Option<&'a ShadowFacts>,
    /// Absent where the records are no texts.
    pub texts: Option<&'a TextFacts>,
    /// Absent where no service was asked.
    pub probes: Option<&'a ProbeFacts>,
    /// The records cut by label and by named columns; absent where there is nothing to cut by.
    pub slices: Option<&'a Slices>,
    /// Absent where nothing tells which records are the same.
    pub duplicates: Option<&'a DuplicateFacts>,
    /// Which records have the same features; absent where attacks look at something else.
    pub features: Option<&'a DuplicateFacts>,
    /// Who attacked; absent where nobody here did, as with scores made elsewhere.
    pub attacker: Option<&'a Attacker>,
    /// Absent where the gate alone decides.
    pub policy: Option<&'a Policy>,
    /// What its criteria look at beyond the first, which is above.
    pub further: Vec<View<'a>>,
    /// How many settings of private training are known to have been tried on these data; absent where
    /// no privacy is claimed.
    pub settings_tried: Option<usize>,
    /// The level of persons; absent where records belong to nobody.
    pub persons: Option<&'a Persons>,
    /// Records that share an id.
    pub repeated_ids: RepeatedIds,
    /// Absent where the records are no canaries.
    pub canaries: Option<CanaryFacts>,
    /// What all scores tell together; absent where attacks were made here, some of which join others.
    pub joined: Option<&'a Joined>,
    /// Checkpoints beside the audited one that would not pass the gate.
    pub leaking_checkpoints: &'a [LeakingCheckpoint],
    /// Columns of the table that hold no numbers, and nothing else that is known.
    pub left_out: &'a [LeftOutColumn],
    /// Absent where the scores are not those of an audit that judged more than records.
    pub earlier: Option<&'a EarlierLevels>,
}

impl<'a> Evidence<'a> {
    /// So many records and a gate; nothing else is known.
    pub fn new(members: usize, nonmembers: usize, gate: &'a Gate, fprs: &'a [f64]) -> Self {
        Evidence {
            members,
            nonmembers,
            attacks: &[],
            gated: None,
            gate,
            fprs,
            holdout: false,
            shadows: None,
            texts: None,
            probes: None,
            slices: None,
            duplicates: None,
            features: None,
            attacker: None,
            policy: None,
            further: Vec::new(),
            settings_tried: None,
            persons: None,
            repeated_ids: RepeatedIds::default(),
            canaries: None,
            joined: None,
            leaking_checkpoints: &[],
            left_out: &[],
            earlier: None,
        }
    }

    /// The same, looked at by another criterion.
    pub(super) fn seen_by(&self, view: &View<'a>) -> Self {
        Evidence {
            gate: view.gate,
            gated: view.gated,
            slices: view.slices,
            further: Vec::new(),
            ..self.clone()
        }
    }

    /// How many attacks the gated one was chosen from on the same records.
    pub(super) fn tried(&self) -> usize {
        match self.holdout {
            true => 1,
            false => self.attacks.len(),
        }
    }

    /// By person, the attack that the gate looks at: the one that was chosen beforehand, or that shows most.
    pub(super) fn gated_by_person(&self) -> Option<&AttackMeasures> {
        let attacks = &self.persons?.attacks;
        match self.holdout {
            // A measure that only people have was chosen for none by record.
            true if self.gated.is_some() => {
                (attacks.iter()).find(|attack| Some(attack.id.as_str()) == self.gated)
            }
            _ => gated(attacks, self.gate),
        }
    }

    /// An attack whose bounds rest on coins: any, for all guess about the same canaries.
    pub(super) fn guessing(&self) -> Option<&AttackMeasures> {
        self.attacks.iter().find(|attack| attack.coins.is_some())
    }

    pub(super) fn gated_attack(&self) -> Option<&AttackMeasures> {
        self.attacks
            .iter()
            .find(|attack| Some(attack.id.as_str()) == self.gated)
    }
}
