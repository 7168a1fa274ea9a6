//! Guardrails: when an audit means little, or nothing. One file and one line each.

mod abstentions;
mod below_chance;
mod beyond_chance;
mod blind_baseline;
mod canary_coins;
mod class_balance;
mod controls;
mod cut_answers;
mod dataset_inference;
mod detectable_leak;
mod duplicates;
mod echo;
mod enough_nonmembers;
mod failed_requests;
mod few_members;
mod inverted_labels;
mod missing_canaries;
mod models_alike;
mod multiple_attacks;
mod near_duplicates;
mod other_joins;
mod persons;
mod policy_attackers;
mod policy_sizes;
mod private_settings;
mod query_variations;
mod raised_threshold;
mod reached;
mod record_counts;
mod reference_model;
mod refusals;
mod repeatability;
mod repeated_ids;
mod same_service;
mod same_tokens;
mod saturated_signals;
mod shadow_coverage;
mod short_texts;
pub(crate) mod slices;
mod store_contents;
mod target_gain;
mod target_unlike_shadows;
mod telling_splits;
mod text_dates;
mod text_lengths;
mod tied_scores;
mod topics;
mod training_file;
mod unseen_canaries;
mod weak_access;
mod without_retrieval;

pub use models_alike::Alike;
use serde::{Deserialize, Serialize};

use crate::AttackMeasures;
use crate::attacker::Attacker;
use crate::canaries::Visibility;
use crate::diagnostics::Slices;
use crate::epsilon::coins::CoinGuesses;
use crate::gate::Gate;
use crate::lm::TextFacts;
use crate::measure::Auc;
use crate::persons::Persons;
use crate::policy::Policy;
use crate::rag::ProbeFacts;
use crate::verdict::best;

pub use duplicates::DuplicateFacts;

/// How bad it is. A violated guardrail makes the outcome that it [`Blocks`] inconclusive.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
    Warn,
    Violated,
}

/// Which outcome a violated guardrail makes untrustworthy.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Blocks {
    /// What it caught can only hide a leak: a fail stands all the same.
    Pass,
    /// What it caught can only feign a leak: a pass stands all the same.
    Fail,
    /// What it caught can do either.
    #[default]
    Both,
}

impl Blocks {
    fn is_both(&self) -> bool {
        *self == Blocks::Both
    }

    pub fn pass(self) -> bool {
        self != Blocks::Fail
    }

    pub fn fail(self) -> bool {
        self != Blocks::Pass
    }

    /// For cards and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Blocks::Pass => "It can only hide a leak: violated, it blocks a pass and never a fail",
            Blocks::Fail => "It can only feign a leak: violated, it blocks a fail and never a pass",
            Blocks::Both => "It can hide a leak or feign one: violated, it blocks both verdicts",
        }
    }
}

impl std::fmt::Display for Blocks {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str(self.as_str())
    }
}

/// What a guardrail found, in words that say what to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Finding {
    pub id: String,
    pub status: Status,
    /// Where nothing is written, both, as in reports of earlier versions.
    #[serde(default, skip_serializing_if = "Blocks::is_both")]
    pub blocks: Blocks,
    pub detail: String,
    /// The criteria of the policy that it speaks of, from 0; where nothing is written, all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<usize>,
    /// The smallest value of the gated measure that the records could show, from the one guardrail that
    /// asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detectable: Option<f64>,
}

impl Finding {
    /// Whether it speaks of this criterion.
    pub fn concerns(&self, criterion: usize) -> bool {
        self.criteria.is_empty() || self.criteria.contains(&criterion)
    }
}

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
    /// How many standard errors the shadows' mean φ lies higher where the *target* trained.
    #[serde(default)]
    pub know_target: f64,
    /// Shadows that were looked at for whose row of `keep` they follow, and those that follow another's.
    #[serde(default)]
    pub followed: usize,
    #[serde(default)]
    pub misplaced: usize,
    /// Models with the same outputs that trained on different records.
    #[serde(default)]
    pub alike: Vec<Alike>,
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
    /// Records that have the id of an earlier one.
    pub repeated_ids: usize,
    /// Absent where the records are no canaries.
    pub canaries: Option<CanaryFacts>,
}

/// How many canaries were drawn, how their coins fell, and how many nobody scored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CanaryFacts {
    pub canaries: usize,
    pub included: usize,
    pub missing: usize,
    pub visibility: Visibility,
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
            attacker: None,
            policy: None,
            further: Vec::new(),
            settings_tried: None,
            persons: None,
            repeated_ids: 0,
            canaries: None,
        }
    }

    /// The same, looked at by another criterion.
    fn seen_by(&self, view: &View<'a>) -> Self {
        Evidence {
            gate: view.gate,
            gated: view.gated,
            slices: view.slices,
            further: Vec::new(),
            ..self.clone()
        }
    }

    /// How many attacks the gated one was chosen from on the same records.
    fn tried(&self) -> usize {
        match self.holdout {
            true => 1,
            false => self.attacks.len(),
        }
    }

    /// By person, the attack that the gate looks at: the one that was chosen beforehand, or the best.
    fn gated_by_person(&self) -> Option<&AttackMeasures> {
        let attacks = &self.persons?.attacks;
        match self.holdout {
            // A measure that only people have was chosen for none by record.
            true if self.gated.is_some() => {
                (attacks.iter()).find(|attack| Some(attack.id.as_str()) == self.gated)
            }
            _ => best(attacks, self.gate.measure),
        }
    }

    /// Guesses about coins that a bound rests on: of any attack, for they are about the same canaries.
    fn coins(&self) -> Option<&CoinGuesses> {
        self.attacks.iter().find_map(|attack| attack.coins.as_ref())
    }

    fn gated_attack(&self) -> Option<&AttackMeasures> {
        self.attacks
            .iter()
            .find(|attack| Some(attack.id.as_str()) == self.gated)
    }
}

type Check = fn(&Evidence) -> Option<(Status, String)>;

/// One guardrail: its name, what it blocks when violated and why, and how it looks.
struct Guardrail {
    id: &'static str,
    blocks: Blocks,
    why: &'static str,
    check: Check,
}

/// What it catches can only hide a leak.
const fn hides(id: &'static str, check: Check, why: &'static str) -> Guardrail {
    let blocks = Blocks::Pass;
    Guardrail {
        id,
        blocks,
        why,
        check,
    }
}

/// What it catches can only feign a leak.
const fn feigns(id: &'static str, check: Check, why: &'static str) -> Guardrail {
    let blocks = Blocks::Fail;
    Guardrail {
        id,
        blocks,
        why,
        check,
    }
}

/// What it catches can hide a leak or feign one.
const fn misleads(id: &'static str, check: Check, why: &'static str) -> Guardrail {
    let blocks = Blocks::Both;
    Guardrail {
        id,
        blocks,
        why,
        check,
    }
}

/// Every guardrail; one that does not apply to an audit says nothing.
static GUARDRAILS: &[Guardrail] = &[
    misleads(
        "class-balance",
        class_balance::check,
        "so few records give any value by chance, high or low",
    ),
    hides(
        "enough-nonmembers",
        enough_nonmembers::check,
        "the gated rate is not measured, so that nothing was tested",
    ),
    misleads(
        "inverted-labels",
        inverted_labels::check,
        "with the truth swapped, a leak looks like its opposite and its opposite like a leak",
    ),
    hides(
        "below-chance",
        below_chance::check,
        "scores below one half are a leak read backwards",
    ),
    hides(
        "persons",
        persons::check,
        "people who are members and non-members at once look like neither",
    ),
    hides(
        "other-joins",
        other_joins::check,
        "one way of joining records drowns what another one shows",
    ),
    feigns(
        "record-counts",
        record_counts::check,
        "scores that are joined by person grow with the number of records",
    ),
    hides(
        "repeated-ids",
        repeated_ids::check,
        "what the records of a person show together is not looked at",
    ),
    misleads(
        "canary-coins",
        canary_coins::check,
        "guesses about coins that are not fair are right or wrong without a model",
    ),
    hides(
        "missing-canaries",
        missing_canaries::check,
        "a canary that was not scored shows nothing of what the model remembers",
    ),
    hides(
        "unseen-canaries",
        unseen_canaries::check,
        "a canary that training never saw cannot be remembered",
    ),
    hides(
        "weak-access",
        weak_access::check,
        "a weaker attacker finds less than a stronger one",
    ),
    hides(
        "tied-scores",
        tied_scores::check,
        "records that share a score are not told apart, which pulls AUC towards one half",
    ),
    misleads(
        "abstentions",
        abstentions::check,
        "records were left out by what they are like, and the others may leak more or less",
    ),
    hides(
        "shadow-coverage",
        shadow_coverage::check,
        "noisy or missing estimates of a record make attacks weaker",
    ),
    hides(
        "models-alike",
        models_alike::check,
        "models that did not train on their own records show nothing of what training does",
    ),
    hides(
        "saturated-signals",
        saturated_signals::check,
        "values that were cut off become ties, which pulls AUC towards one half",
    ),
    hides(
        "target-gain",
        target_gain::check,
        "a truth that is not the model's own, or shadows of another recipe, show none of its leak",
    ),
    misleads(
        "target-unlike-shadows",
        target_unlike_shadows::check,
        "a shift between target and shadows moves all scores alike, and may do so by class or value",
    ),
    feigns(
        "telling-splits",
        telling_splits::check,
        "the count of shadows tells the truth to attacks that see it",
    ),
    feigns(
        "blind-baseline",
        blind_baseline::check,
        "attacks find the difference between the sets and not the training",
    ),
    hides(
        "duplicates",
        duplicates::check,
        "a copy of a member among the non-members is known to the model and looks like a member",
    ),
    hides(
        "near-duplicates",
        near_duplicates::check,
        "non-members that the model knows look like members",
    ),
    feigns(
        "text-lengths",
        text_lengths::check,
        "attacks find the length and not the training",
    ),
    feigns(
        "text-dates",
        text_dates::check,
        "attacks find the time and not the training",
    ),
    hides(
        "training-file",
        training_file::check,
        "members that were not trained on, or non-members that were, blur the two sets",
    ),
    misleads(
        "same-tokens",
        same_tokens::check,
        "differences of unrelated tokens mean nothing, whichever way they point",
    ),
    hides(
        "reference-model",
        reference_model::check,
        "what the reference has learned as well cancels out in every comparison",
    ),
    hides(
        "short-texts",
        short_texts::check,
        "a few tokens hardly tell, so that attacks find less than in longer texts",
    ),
    hides(
        "dataset-inference",
        dataset_inference::check,
        "it tells of the set what the gate asks of single texts",
    ),
    feigns(
        "topics",
        topics::check,
        "attacks find the topic and not the store",
    ),
    hides(
        "query-variations",
        query_variations::check,
        "one wording may miss a document that another finds",
    ),
    hides(
        "store-contents",
        store_contents::check,
        "documents that questions do not reach, or non-members in the store, blur the two sets",
    ),
    hides(
        "reached",
        reached::check,
        "questions that reach no document find nothing, whatever the store would give away",
    ),
    hides(
        "controls",
        controls::check,
        "what does not find a document that is there finds no leak either",
    ),
    misleads(
        "same-service",
        same_service::check,
        "another service may give away more or less",
    ),
    feigns(
        "without-retrieval",
        without_retrieval::check,
        "what the model says by itself is no leak of the store",
    ),
    misleads(
        "echo",
        echo::check,
        "repeating the input looks like knowing it",
    ),
    hides(
        "refusals",
        refusals::check,
        "what is refused shows nothing of what is known, and may tell by itself",
    ),
    hides(
        "failed-requests",
        failed_requests::check,
        "what was not answered shows nothing, and may tell by itself",
    ),
    hides(
        "cut-answers",
        cut_answers::check,
        "what an answer did not come to say shows nothing",
    ),
    hides(
        "repeatability",
        repeatability::check,
        "chance in the answers blurs scores",
    ),
    hides(
        detectable_leak::ID,
        detectable_leak::check,
        "so few records may miss a leak",
    ),
    hides(
        "slices",
        slices::check,
        "what leaks in a part drowns in the whole",
    ),
    misleads(
        "policy-sizes",
        policy_sizes::check,
        "the policy lets so few records decide nothing, one way or the other",
    ),
    hides(
        "policy-attackers",
        policy_attackers::check,
        "the policy wants to be safe from another attacker, who may find more",
    ),
    hides(
        "private-settings",
        private_settings::check,
        "choosing among settings by what they gave spends privacy that no ε of one of them counts",
    ),
    hides(
        "few-members",
        few_members::check,
        "a few exposed members hardly move an average over all",
    ),
    hides(
        "raised-threshold",
        raised_threshold::check,
        "a leak that the usual threshold catches passes a higher one",
    ),
    feigns(
        "beyond-chance",
        beyond_chance::check,
        "few records reach a high value by chance",
    ),
    feigns(
        "multiple-attacks",
        multiple_attacks::check,
        "the best of many is too high by chance",
    ),
];

/// The name of every guardrail.
pub fn ids() -> impl Iterator<Item = &'static str> {
    GUARDRAILS.iter().map(|guardrail| guardrail.id)
}

/// Which verdict the guardrail of that name blocks when it is violated, and why, for its card.
pub fn direction(id: &str) -> Option<String> {
    let found = GUARDRAILS.iter().find(|guardrail| guardrail.id == id)?;
    Some(format!("{} ({})", found.blocks.as_str(), found.why))
}

/// Asks every guardrail, for every criterion: what they say of each alike is one finding.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    let further = evidence.further.iter().map(|view| evidence.seen_by(view));
    let all: Vec<Evidence> = std::iter::once(evidence.clone()).chain(further).collect();
    GUARDRAILS
        .iter()
        .flat_map(|guardrail| findings(guardrail, &all))
        .collect()
}

/// What one guardrail finds, criterion by criterion.
fn findings(guardrail: &Guardrail, criteria: &[Evidence]) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for (place, evidence) in criteria.iter().enumerate() {
        let Some((status, detail)) = (guardrail.check)(evidence) else {
            continue;
        };
        let same = |one: &&mut Finding| one.status == status && one.detail == detail;
        match found.iter_mut().find(same) {
            Some(known) => known.criteria.push(place),
            None => found.push(Finding {
                id: guardrail.id.to_string(),
                status,
                blocks: guardrail.blocks,
                detail,
                criteria: vec![place],
                detectable: match guardrail.id {
                    detectable_leak::ID => detectable_leak::least(evidence),
                    _ => None,
                },
            }),
        }
    }
    for one in &mut found {
        if one.criteria.len() == criteria.len() {
            one.criteria.clear();
        }
    }
    found
}

/// Attacks whose whole interval, corrected for their number, lies below one half, but for those that
/// splits which tell the truth have pushed there.
fn significantly_below<'a>(evidence: &'a Evidence) -> Vec<&'a AttackMeasures> {
    let confidence = evidence.gate.confidence_for(evidence.attacks.len());
    let below = |attack: &&AttackMeasures| attack.auc.at_confidence(confidence).high < 0.5;
    let pushed = |attack: &&AttackMeasures| telling_splits::explain(evidence, attack);
    let below = evidence.attacks.iter().filter(below);
    below.filter(|attack| !pushed(attack)).collect()
}

/// With its interval at 99%, where that leaves one half aside.
fn tells(auc: &Auc) -> Option<Auc> {
    let auc = auc.at_confidence(0.99);
    (auc.low > 0.5 || auc.high < 0.5).then_some(auc)
}

fn percent(part: f64, whole: f64) -> String {
    format!("{:.1}%", 100.0 * part / whole)
}

#[cfg(test)]
mod tests;
