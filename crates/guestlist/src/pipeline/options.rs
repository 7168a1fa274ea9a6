//! What a user asks of attacks and judge, on the command line or in a configuration.

use std::collections::BTreeMap;

use attacks::settings::{Setting, Settings};
use judge::Options;
use judge::attacker::Wanted;
use judge::gate::{DEFAULT_AUC_THRESHOLD, Gate, Measure, Rule};
use serde::{Deserialize, Deserializer};

use crate::Error;
use crate::kinds::Kind;

/// Beyond this many records a bootstrap costs more than the audit; analytic intervals stay.
const BOOTSTRAP_RECORDS: usize = 200_000;

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
    pub fpr: Vec<f64>,
    pub gate: Rule,
    pub measure: String,
    pub threshold: Option<f64>,
    pub holdout: bool,
    /// The attacker to be safe from: the strongest, or one who asks the audited model alone.
    pub attacker: Wanted,
    pub force: bool,
    /// Ids, texts and memberships in the report.
    pub show_records: bool,
    pub confidence: f64,
    pub delta: f64,
    pub bootstrap: Option<u32>,
    #[serde(skip)]
    pub source: Source,
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
            fpr: Options::default().fprs,
            gate: Rule::Point,
            measure: "auc".into(),
            threshold: None,
            holdout: false,
            attacker: Wanted::default(),
            force: false,
            show_records: false,
            confidence: 0.95,
            delta: 1e-5,
            bootstrap: None,
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
    pub gate: Gate,
}

impl AuditOptions {
    /// Checks them for one kind of audit, before anything is read, trained or sent.
    pub fn resolve<K: Kind>(&self) -> Result<ResolvedOptions<K::Attack>, Error> {
        self.refuse_shadow_options::<K>()?;
        let gate = self.checked_gate()?;
        let (attacks, named) = self.chosen_attacks::<K>()?;
        let settings = self.attack_settings(&K::settings())?;
        self.check_numbers()?;
        Ok(ResolvedOptions {
            attacks,
            named,
            settings,
            gate,
        })
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
        let measure = Measure::parse(&self.measure)?;
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
        if !(0.0..=1.0).contains(&threshold) {
            return Err(Error::usage(
                format!("{} is {threshold}", self.name("threshold")),
                "every gated measure lies between 0 and 1",
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
            let attack = K::find(id)?;
            if !attacks.iter().any(|known| K::card(*known).id == id) {
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
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return Err(Error::usage(
                format!("{} is {}", self.name("confidence"), self.confidence),
                "give a level between 0 and 1, such as 0.95",
            ));
        }
        if !(0.0..1.0).contains(&self.delta) {
            return Err(Error::usage(
                format!("{} is {}", self.name("delta"), self.delta),
                "give a δ from 0 to below 1, such as 1e-5",
            ));
        }
        match self.fpr.iter().find(|fpr| !(**fpr > 0.0 && **fpr < 1.0)) {
            None => Ok(()),
            Some(wrong) => Err(Error::usage(
                format!("{} {wrong} is not a rate", self.name("fpr")),
                "give rates between 0 and 1, such as 0.01",
            )),
        }
    }

    /// How the judge measures. A gated rate is measured even if it was not listed.
    pub fn measuring(&self, records: usize, gate: &Gate, seed: u64) -> Options {
        let mut fprs = self.fpr.clone();
        if let Measure::TprAtFpr(fpr) = gate.measure
            && !fprs.contains(&fpr)
        {
            fprs.push(fpr);
        }
        let usual = if records <= BOOTSTRAP_RECORDS {
            1000
        } else {
            0
        };
        Options {
            confidence: self.confidence,
            fprs,
            delta: self.delta,
            bootstrap_replicates: self.bootstrap.map_or(usual, |n| n as usize),
            seed,
            ..Options::default()
        }
    }
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
    let text = |value: serde_json::Value| match value {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    };
    Ok(values
        .into_iter()
        .map(|(key, value)| (key, text(value)))
        .collect())
}
