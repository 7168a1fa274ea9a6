//! What a user asks of attacks and judge, on the command line or in a configuration.

use std::collections::BTreeMap;

use std::path::{Path, PathBuf};

use attacks::Attack;
use attacks::settings::{Setting, Settings};
use judge::Options;
use judge::attacker::Wanted;
use judge::calls::DEFAULT_LEVEL;
use judge::claim::Claimed;
use judge::gate::{CONFIDENCES, DEFAULT_AUC_THRESHOLD, Gate, Measure, Rule, is_confidence};
use judge::guardrails::View;
use judge::measure::FalsePositiveRule;
use judge::persons::Join;
use judge::policy::Policy;
use report::Inputs;
use serde::{Deserialize, Deserializer};

use super::input;
use crate::Error;
use crate::kinds::Kind;

/// Attacks, gate and measures, as they were asked for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuditOptions {
    /// Ids separated by commas, or `all`.
    #[serde(deserialize_with = "one_or_many")]
    pub attacks: String,
    /// Settings of attacks by key.
    #[serde(deserialize_with = "texts")]
    pub settings: BTreeMap<String, String>,
    /// How many models take the target's place in turn; none for zero.
    pub replicates: usize,
    /// Numbers of shadows to repeat the audit with.
    pub scaling: Vec<usize>,
    /// Columns to slice the audit by; `label` is the true class.
    pub slices: Vec<String>,
    /// The column or field that says whose a record is.
    pub group: Option<String>,
    /// How the scores of a person's records are joined.
    pub join: Option<Join>,
    pub fpr: Vec<f64>,
    pub gate: Rule,
    pub measure: String,
    pub threshold: Option<f64>,
    /// Criteria in a file of their own, instead of gate, measure and threshold.
    pub policy: Option<PathBuf>,
    /// The ε that is claimed of the audited model.
    pub claim: Option<ClaimSettings>,
    pub holdout: bool,
    /// The attacker to be safe from: the strongest, or one who asks the audited model alone.
    pub attacker: Wanted,
    pub force: bool,
    /// Ids, texts and memberships in the report.
    pub show_records: bool,
    pub confidence: f64,
    pub delta: f64,
    /// The level at which records of unknown membership are called.
    pub call_level: f64,
    /// False positives that regime B of Log-MIA allows: `ceil`, `floor` or `round` of ln n, or a number.
    #[serde(deserialize_with = "text")]
    pub log_mia_fp: String,
    pub bootstrap: Option<u32>,
    /// What the user calls what is audited; reports open with it.
    pub subject: Option<String>,
    #[serde(skip)]
    pub source: Source,
}

/// No number of records refutes a larger ε, and none protects anybody.
const LARGEST_CLAIM: f64 = 1e6;

/// A claimed ε, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimSettings {
    pub epsilon: f64,
    pub delta: f64,
    /// What the mechanism is taken to be where canaries test the claim; nothing is assumed where nothing is said.
    pub mechanism: Option<judge::epsilon::Mechanism>,
    /// How many settings of private training were tried on these data, where that is known.
    pub settings_tried: Option<usize>,
}

/// Where options were written, for messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    #[default]
    Configuration,
    CommandLine,
    /// Keyword arguments of a program.
    Program,
}

impl Default for AuditOptions {
    fn default() -> Self {
        Self {
            attacks: "all".into(),
            settings: BTreeMap::new(),
            replicates: 0,
            scaling: Vec::new(),
            slices: Vec::new(),
            group: None,
            join: None,
            fpr: Options::default().fprs,
            gate: Rule::Point,
            measure: "auc".into(),
            threshold: None,
            policy: None,
            claim: None,
            holdout: false,
            attacker: Wanted::default(),
            force: false,
            show_records: false,
            confidence: 0.95,
            delta: 1e-5,
            call_level: DEFAULT_LEVEL,
            log_mia_fp: "ceil".into(),
            bootstrap: None,
            subject: None,
            source: Source::default(),
        }
    }
}

/// AuditOptions that make sense: what an audit starts from.
pub struct ResolvedOptions<A> {
    pub attacks: Vec<A>,
    /// The attacks were named one by one: one that cannot run is an error.
    pub named: bool,
    pub settings: Settings,
    /// What decides; of a policy, its first criterion.
    pub gate: Gate,
    pub policy: Option<Policy>,
    /// The file that the policy was read from.
    pub policy_file: Option<Inputs>,
    pub claim: Option<Claimed>,
}

impl<A> ResolvedOptions<A> {
    /// What the criteria beyond the first look at, before anybody has attacked.
    pub(crate) fn further(&self) -> Vec<View<'_>> {
        let criteria = self.policy.iter().flat_map(|policy| &policy.criteria);
        (criteria.skip(1))
            .map(|criterion| View {
                gate: &criterion.gate,
                gated: None,
                slices: None,
            })
            .collect()
    }
}

impl AuditOptions {
    /// Checks them for one kind of audit, before anything is read, trained or sent. Files that they
    /// name are seen from where the user is.
    pub fn resolve<K: Kind>(&self) -> Result<ResolvedOptions<K::Attack>, Error> {
        self.resolve_from::<K>(Path::new(""))
    }

    /// The same of options in a configuration, which lies in this folder.
    pub fn resolve_from<K: Kind>(&self, base: &Path) -> Result<ResolvedOptions<K::Attack>, Error> {
        self.refuse_shadow_options::<K>()?;
        self.refuse_persons::<K>()?;
        if !K::AUDIT_OPTIONS.contains(&"canaries") {
            self.refuse_mechanism()?;
        }
        let policy = self.read_policy(base)?;
        let gate = match &policy {
            Some(policy) => leading(policy)?,
            None => self.checked_gate()?,
        };
        let claim = self.checked_claim()?;
        let (attacks, named) = self.chosen_attacks::<K>()?;
        let settings = self.attack_settings(&K::Attack::settings())?;
        self.check_numbers()?;
        Ok(ResolvedOptions {
            attacks,
            named,
            settings,
            gate,
            policy_file: self.policy_file(policy.as_ref(), base),
            policy,
            claim,
        })
    }

    /// A policy has its own thresholds: others beside it would be ignored in silence.
    fn read_policy(&self, base: &Path) -> Result<Option<Policy>, Error> {
        let Some(path) = &self.policy else {
            return Ok(None);
        };
        let usual = AuditOptions::default();
        let given = [
            (self.measure != usual.measure, "measure"),
            (self.threshold.is_some(), "threshold"),
            (self.gate != usual.gate, "gate"),
        ];
        if let Some((_, option)) = given.into_iter().find(|(given, _)| *given) {
            return Err(Error::usage(
                format!(
                    "{} and {} do not go together",
                    self.name("policy"),
                    self.name(option)
                ),
                format!(
                    "the policy says what decides: leave {} out, or write it into a criterion",
                    self.name(option)
                ),
            ));
        }
        crate::policy::read(&base.join(path)).map(Some)
    }

    /// The policy among the files that were read.
    fn policy_file(&self, policy: Option<&Policy>, base: &Path) -> Option<Inputs> {
        let path = base.join(self.policy.as_ref()?);
        Some(input(&path, policy?.sha256.clone(), base))
    }

    fn checked_claim(&self) -> Result<Option<Claimed>, Error> {
        let Some(settings) = self.claim else {
            return Ok(None);
        };
        let (by, names) = match self.source {
            Source::Configuration => ("the configuration", ["claim.epsilon", "claim.delta"]),
            Source::CommandLine => ("whoever audits", ["--claim-epsilon", "--claim-delta"]),
            Source::Program => ("whoever audits", ["claim's epsilon", "claim's delta"]),
        };
        let claimed = Claimed {
            epsilon: settings.epsilon,
            delta: settings.delta,
            by: by.into(),
        };
        claimed.check(names[0], names[1])?;
        if claimed.epsilon > LARGEST_CLAIM {
            return Err(Error::setting(
                format!("{} is {:e}", names[0], claimed.epsilon),
                format!(
                    "give an ε of {LARGEST_CLAIM:e} at the most: more promises nothing to anybody"
                ),
            ));
        }
        Ok(Some(claimed))
    }

    /// Only canaries are held against a mechanism: without them it would be ignored in silence.
    pub(crate) fn refuse_mechanism(&self) -> Result<(), Error> {
        if self.claim.is_none_or(|claim| claim.mechanism.is_none()) {
            return Ok(());
        }
        let (name, add) = match self.source {
            Source::CommandLine => (
                "--claim-mechanism",
                "add --canaries canaries/manifest.json, or leave it out",
            ),
            Source::Configuration => (
                "claim.mechanism",
                "leave it out, or audit canaries: texts.canaries of kind lm, or guestlist audit --canaries",
            ),
            Source::Program => (
                "claim's mechanism",
                "add canaries=\"canaries/manifest.json\", or leave it out",
            ),
        };
        Err(Error::usage(
            format!("{name} means nothing without canaries"),
            add,
        ))
    }

    /// The same where columns of a file take the place of attacks.
    pub fn resolve_columns<K: Kind>(&self) -> Result<ResolvedOptions<K::Attack>, Error> {
        let every = AuditOptions {
            attacks: "all".into(),
            ..self.clone()
        };
        Ok(ResolvedOptions {
            named: self.attacks != "all",
            ..every.resolve::<K>()?
        })
    }

    /// Replicates, scaling and slices are options like others in a configuration, too.
    fn refuse_shadow_options<K: Kind>(&self) -> Result<(), Error> {
        let asked = [
            (self.replicates > 0, "replicates"),
            (!self.scaling.is_empty(), "scaling"),
            (!self.slices.is_empty(), self.slices_name()),
        ];
        let takes = |option: &str| {
            let name = if option == "slices" { "slice" } else { option };
            K::AUDIT_OPTIONS.contains(&name)
        };
        match asked
            .iter()
            .find(|(asked, option)| *asked && !takes(option))
        {
            None => Ok(()),
            Some((_, option)) => Err(Error::usage(
                format!("{} is for shadow models", self.name(option)),
                format!("leave it out of an audit of kind {}", K::KIND.name()),
            )),
        }
    }

    /// A group means something where records may be a person's.
    fn refuse_persons<K: Kind>(&self) -> Result<(), Error> {
        let asked = [
            (self.group.is_some(), "group"),
            (self.join.is_some(), "join"),
        ];
        let takes = |option: &str| K::AUDIT_OPTIONS.contains(&option);
        let foreign = |(asked, option): &&(bool, &str)| *asked && !takes(option);
        match asked.iter().find(foreign) {
            None => Ok(()),
            Some((_, option)) => Err(Error::usage(
                format!(
                    "{} is not for audits of kind {}",
                    self.name(option),
                    K::KIND.name()
                ),
                "leave it out",
            )),
        }
    }

    /// Whether the user said what decides.
    pub(crate) fn names_gate(&self) -> bool {
        let usual = AuditOptions::default();
        let asked = self.threshold.is_some() || self.policy.is_some();
        asked || self.measure != usual.measure || self.gate != usual.gate
    }

    /// How these attacks are named.
    pub(crate) fn naming(&self, attacks: &[&str]) -> String {
        let (name, attacks) = (self.name("attacks"), attacks.join(","));
        match self.source {
            Source::CommandLine => format!("{name} {attacks}"),
            Source::Configuration | Source::Program => format!("{name} = {attacks:?}"),
        }
    }

    /// An option as the user knows it.
    pub(crate) fn name(&self, option: &str) -> String {
        match self.source {
            Source::CommandLine => format!("--{option}"),
            Source::Configuration => format!("audit.{option}"),
            Source::Program => option.to_owned(),
        }
    }

    fn slices_name(&self) -> &'static str {
        match self.source {
            Source::CommandLine => "slice",
            Source::Configuration | Source::Program => "slices",
        }
    }

    fn checked_gate(&self) -> Result<Gate, Error> {
        let measure = match Measure::parse(&self.measure)? {
            // δ is an option of its own already.
            Measure::Epsilon(_) if self.measure == "epsilon" => Measure::Epsilon(self.delta),
            measure => measure,
        };
        let threshold = match (self.threshold, measure) {
            (Some(threshold), _) => threshold,
            (None, Measure::Auc) => DEFAULT_AUC_THRESHOLD,
            (None, _) => {
                return Err(Error::usage(
                    format!(
                        "{} {} has no default threshold",
                        self.name("measure"),
                        self.measure
                    ),
                    format!("give one with {}", self.name("threshold")),
                ));
            }
        };
        if !measure.takes(threshold) {
            return Err(Error::usage(
                format!("{} is {threshold}", self.name("threshold")),
                measure.thresholds(),
            ));
        }
        if let (Measure::Epsilon(_), Rule::Conservative) = (measure, self.gate) {
            return Err(Error::usage(
                format!(
                    "{} conservative does not go with epsilon, of which only a lower end is known: no \
                     audit could pass",
                    self.name("gate")
                ),
                "leave it out",
            ));
        }
        Ok(Gate {
            measure,
            threshold,
            rule: self.gate,
            confidence: self.confidence,
        })
    }

    fn chosen_attacks<K: Kind>(&self) -> Result<(Vec<K::Attack>, bool), Error> {
        if self.attacks == "all" {
            return Ok((K::attacks(), false));
        }
        let ids = self.attacks.split(',').map(str::trim);
        let mut attacks: Vec<K::Attack> = Vec::new();
        for id in ids.filter(|id| !id.is_empty()) {
            let attack = K::Attack::find(id)?;
            if !attacks.iter().any(|known| K::Attack::card(*known).id == id) {
                attacks.push(attack);
            }
        }
        if attacks.is_empty() {
            return Err(Error::usage(
                format!("{} names no attack", self.name("attacks")),
                "give ids separated by commas, or all; `guestlist attacks` lists them",
            ));
        }
        Ok((attacks, true))
    }

    fn attack_settings(&self, known: &[&'static Setting]) -> Result<Settings, Error> {
        let mut settings = Settings::default();
        for (key, value) in &self.settings {
            settings.set(known, key, value)?;
        }
        Ok(settings)
    }

    fn check_numbers(&self) -> Result<(), Error> {
        if !is_confidence(self.confidence) {
            return Err(Error::usage(
                format!("{} is {}", self.name("confidence"), self.confidence),
                CONFIDENCES,
            ));
        }
        if !(0.0..1.0).contains(&self.delta) {
            return Err(Error::usage(
                format!("{} is {}", self.name("delta"), self.delta),
                "give a δ from 0 to below 1, such as 1e-5",
            ));
        }
        if !(self.call_level > 0.0 && self.call_level < 1.0) {
            let option = match self.source {
                Source::CommandLine => "call-level",
                Source::Configuration | Source::Program => "call_level",
            };
            return Err(Error::usage(
                format!("{} is {}", self.name(option), self.call_level),
                "give a level between 0 and 1, such as 0.05",
            ));
        }
        self.false_positive_rule()?;
        match self.fpr.iter().find(|fpr| !(**fpr > 0.0 && **fpr < 1.0)) {
            None => Ok(()),
            Some(wrong) => Err(Error::usage(
                format!("{} {wrong} is not a rate", self.name("fpr")),
                "give rates between 0 and 1, such as 0.01",
            )),
        }
    }

    /// How many false positives regime B of Log-MIA allows.
    pub fn false_positive_rule(&self) -> Result<FalsePositiveRule, Error> {
        let name = match self.source {
            Source::CommandLine => "--log-mia-fp".to_owned(),
            Source::Configuration | Source::Program => self.name("log_mia_fp"),
        };
        FalsePositiveRule::parse(&self.log_mia_fp).map_err(|error| error.within(&name))
    }

    /// How the judge measures. A gated rate is measured even if it was not listed.
    /// The bootstrap is left out unless somebody asks for it: DeLong's and Clopper and Pearson's intervals are
    /// what is shown and gated, at a thousandth of the cost.
    pub fn measuring(&self, gate: &Gate, seed: u64) -> Options {
        let mut fprs = self.fpr.clone();
        if let Measure::TprAtFpr(fpr) = gate.measure
            && !fprs.contains(&fpr)
        {
            fprs.push(fpr);
        }
        Options {
            confidence: self.confidence,
            fprs,
            delta: self.delta,
            // What cannot be read was refused before.
            false_positive_rule: self.false_positive_rule().unwrap_or_default(),
            bootstrap_replicates: self.bootstrap.map_or(0, |n| n as usize),
            seed,
            ..Options::default()
        }
    }
}

/// What evidence looks at first: the first criterion.
fn leading(policy: &Policy) -> Result<Gate, Error> {
    let first = policy.criteria.first();
    first
        .map(|criterion| criterion.gate)
        .ok_or_else(|| Error::usage("the policy has no criteria", "add a table [[criteria]]"))
}

/// A text, or a list of texts joined by commas.
fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(text) => text,
        OneOrMany::Many(texts) => texts.join(","),
    })
}

/// Numbers count as the texts they are written as.
fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    let values = BTreeMap::<String, serde_json::Value>::deserialize(deserializer)?;
    Ok(values
        .into_iter()
        .map(|(key, value)| (key, as_text(value)))
        .collect())
}

/// The same of one value.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    serde_json::Value::deserialize(deserializer).map(as_text)
}

fn as_text(value: serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    }
}
