//! `guestlist.toml` of kind lm, read and checked as far as it can be without a model.

use std::path::PathBuf;

use attacks::card::{Access, Card};
use attacks::lm::TokenAttack;
use attacks::signals::tokens::Need;
use judge::guardrails::{self, Evidence, Finding};
use judge::lm::{Corpus, TextFacts};
use report::Inputs;
use serde::Deserialize;
use stats::streams::Seed;
use texts::{ModelSettings, ScoringSettings, Text, TextSettings, TokenFormat};

use super::Lm;
use super::attack::without_reference;
use crate::Error;
use crate::pipeline::slicing::{LENGTH, Slicing};
use crate::pipeline::{
    AuditOptions, ClaimSettings, PersonsWanted, Place, ResolvedOptions, SealedCanaries, seen_from,
};

/// The configuration of an audit of a language model.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub kind: report::Kind,
    #[serde(default)]
    pub seed: u64,
    pub texts: TextSettings,
    pub target: ModelSettings,
    pub reference: Option<ModelSettings>,
    /// Further checkpoints, adapters or epochs to compare with the target.
    #[serde(default)]
    pub checkpoints: Vec<ModelSettings>,
    #[serde(default)]
    pub scoring: ScoringSettings,
    #[serde(default)]
    pub run: RunSettings,
    #[serde(default)]
    pub audit: AuditOptions,
    /// The ε that is claimed of the target.
    pub claim: Option<ClaimSettings>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunSettings {
    /// Where scored texts and results go.
    pub folder: PathBuf,
    /// `parquet` or `jsonl`: how token signals are written.
    pub tokens: String,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            folder: "guestlist-run".into(),
            tokens: "parquet".into(),
        }
    }
}

/// A configuration that can be run as far as one can tell without opening a model.
pub struct Plan {
    pub config: Config,
    pub place: Place,
    pub resolved: ResolvedOptions<&'static dyn TokenAttack>,
    pub texts: Vec<Text>,
    pub format: TokenFormat,
    /// What the texts are cut by, as far as their files say it.
    pub slicing: Slicing,
    /// Whose the texts are, where that was said.
    pub persons: Option<PersonsWanted>,
    /// Canaries, where they are what is scored.
    pub canaries: Option<SealedCanaries>,
    /// The configuration and the texts, as they were read.
    pub inputs: Vec<Inputs>,
}

impl Plan {
    pub fn new(mut config: Config, place: Place) -> Result<Self, Error> {
        config.audit.claim = config.claim.or(config.audit.claim);
        let resolved = config.audit.resolve_from::<Lm>(&place.base)?;
        let format = match config.run.tokens.as_str() {
            "parquet" => TokenFormat::Parquet,
            "jsonl" => TokenFormat::JsonLines,
            other => {
                return Err(Error::usage(
                    format!("run.tokens is {other:?}"),
                    "give parquet or jsonl",
                ));
            }
        };
        config.scoring.check()?;
        for (role, settings) in roles(&config) {
            settings.check(&role)?;
        }
        check_labels(&config)?;
        let canaries = canaries(&config, &place)?;
        let texts = match &canaries {
            Some(canaries) => canaries.texts()?,
            None => config.texts.read(&place.base)?,
        };
        check_there(&config, &place)?;
        let slicing = slicing(&config, &place, &texts, canaries.as_ref())?;
        let persons = persons(&config, &place, &texts)?;
        let read = match &canaries {
            Some(canaries) => canaries.files()?.to_vec(),
            None => files(&config, &place),
        };
        Ok(Self {
            inputs: place.inputs(read)?,
            config,
            place,
            resolved,
            texts,
            format,
            slicing,
            persons,
            canaries,
        })
    }

    /// The run's folder.
    pub fn folder(&self) -> PathBuf {
        seen_from(&self.place.base, &self.config.run.folder)
    }

    /// Every model with its role: target, reference, then checkpoints by label.
    pub fn roles(&self) -> Vec<(String, &ModelSettings)> {
        roles(&self.config)
    }

    /// The target's name in tables and curves.
    pub fn label(&self) -> String {
        let label = self.config.target.label.as_ref();
        label.map_or_else(|| "target".to_owned(), |label| label.text())
    }

    /// A second pass that no attack asks for would cost time, or money, for nothing.
    pub fn wants_lowercase(&self) -> bool {
        let mut cards = self.resolved.attacks.iter().map(|attack| attack.card());
        let asked = cards.any(|card| match card.access {
            Access::Tokens(needs) => needs.contains(&Need::Lowercase),
            _ => false,
        });
        asked && self.config.scoring.lowercase
    }

    /// Which attacks can run with what the target gives, in words.
    pub fn allowed(&self, given: &[Need]) -> String {
        let there = |need: &Need| match need {
            Need::Text => true,
            Need::Reference => self.config.reference.is_some(),
            Need::Lowercase => self.wants_lowercase(),
            other => given.contains(other),
        };
        let runs = |card: &&'static Card| match card.access {
            Access::Tokens(needs) => needs.iter().all(there),
            _ => false,
        };
        let cards = self.resolved.attacks.iter().map(|attack| attack.card());
        let (run, rest): (Vec<&Card>, Vec<&Card>) = cards.partition(runs);
        let names = |cards: Vec<&Card>| -> String {
            let ids: Vec<&str> = cards.iter().map(|card| card.id).collect();
            ids.join(", ")
        };
        match rest.is_empty() {
            true => format!("attacks that this allows: {}", names(run)),
            false => format!(
                "attacks that this allows: {}; not {}",
                names(run),
                names(rest)
            ),
        }
    }

    /// What the texts give away before any model is asked, and what attacker there can be: only what
    /// is not in order.
    pub fn first_findings(&self) -> Vec<Finding> {
        let mut corpus = Corpus::default();
        let mut members: Vec<bool> = Vec::new();
        for (row, text) in self.texts.iter().enumerate() {
            if let Some(member) = text.member {
                corpus.add(row, Some(&text.text), None, text.date.as_deref());
                members.push(member);
            }
        }
        let count = members.iter().filter(|member| **member).count();
        // Who was included is told by nobody before scores are there: about half of the canaries.
        let (count, others) = match &self.canaries {
            Some(_) => (self.texts.len() / 2, self.texts.len().div_ceil(2)),
            None => (count, members.len() - count),
        };
        let confidence = self.config.audit.confidence;
        let facts: TextFacts = corpus.facts(&members, None, confidence, Seed(self.config.seed));
        let alone = without_reference(self.config.audit.attacker);
        let evidence = Evidence {
            attacker: Some(&alone).filter(|_| self.config.reference.is_none()),
            holdout: self.config.audit.holdout,
            texts: Some(&facts),
            policy: self.resolved.policy.as_ref(),
            further: self.resolved.further(),
            ..Evidence::new(count, others, &self.resolved.gate, &self.config.audit.fpr)
        };
        let found = guardrails::check(&evidence).into_iter();
        found
            .filter(|finding| finding.status != guardrails::Status::Ok)
            .collect()
    }
}

/// The canaries that are scored in place of texts whose membership is known.
fn canaries(config: &Config, place: &Place) -> Result<Option<SealedCanaries>, Error> {
    let Some(path) = &config.texts.canaries else {
        config.audit.refuse_mechanism()?;
        return Ok(None);
    };
    let beside = [
        (config.texts.members.is_some(), "texts.members"),
        (config.texts.nonmembers.is_some(), "texts.nonmembers"),
        (config.texts.unknown.is_some(), "texts.unknown"),
        (config.texts.file.is_some(), "texts.file"),
        (config.audit.group.is_some(), "audit.group"),
    ];
    if let Some((_, key)) = beside.into_iter().find(|(given, _)| *given) {
        return Err(Error::usage(
            format!("texts.canaries and {key} do not go together"),
            format!("canaries are both members and non-members: leave {key} out"),
        ));
    }
    SealedCanaries::read(&place.base.join(path), report::Kind::Lm).map(Some)
}

/// Fields of the texts that the audit is sliced by, read before anything is spent.
fn slicing(
    config: &Config,
    place: &Place,
    texts: &[Text],
    canaries: Option<&SealedCanaries>,
) -> Result<Slicing, Error> {
    let files = match canaries {
        Some(canaries) => vec![canaries.roster()?],
        None => files(config, place),
    };
    let ids: Vec<&str> = texts.iter().map(|text| text.id.as_str()).collect();
    Slicing::new(&config.audit.slices).read_by_id(&files, &ids, &[LENGTH])
}

/// Whose the texts are, by the field that was named.
fn persons(config: &Config, place: &Place, texts: &[Text]) -> Result<Option<PersonsWanted>, Error> {
    let Some(group) = &config.audit.group else {
        return Ok(None);
    };
    let people = formats::persons::by_id(&files(config, place), group)?;
    let ids: Vec<String> = texts.iter().map(|text| text.id.clone()).collect();
    let join = config.audit.join;
    Ok(Some(PersonsWanted::of_ids(group, join, &people, &ids)))
}

/// Files that are read after all scoring is done are there before it.
fn check_there(config: &Config, place: &Place) -> Result<(), Error> {
    let named = [
        (
            "training_file",
            &config.texts.training_file,
            "the file that the model was fine-tuned on",
        ),
        (
            "shadow",
            &config.texts.shadow,
            "token signals of a fine-tune whose members are known",
        ),
    ];
    for (key, file, what) in named {
        let missing = file.as_ref().filter(|file| !place.base.join(file).exists());
        if let Some(missing) = missing {
            return Err(Error::usage(
                format!("texts.{key}: {} is not there", missing.display()),
                format!("give {what}, or leave it out"),
            ));
        }
    }
    Ok(())
}

/// The files that the texts are read from.
fn files(config: &Config, place: &Place) -> Vec<std::path::PathBuf> {
    let read = TextSettings {
        training_file: None,
        shadow: None,
        canaries: None,
        ..config.texts.clone()
    };
    read.files(&place.base)
}

fn roles(config: &Config) -> Vec<(String, &ModelSettings)> {
    let mut roles = vec![("target".to_owned(), &config.target)];
    let reference = config.reference.as_ref();
    roles.extend(reference.map(|settings| ("reference".to_owned(), settings)));
    for (place, settings) in config.checkpoints.iter().enumerate() {
        let label = settings.label.as_ref();
        let name = label.map_or_else(|| (place + 1).to_string(), |label| label.text());
        roles.push((format!("checkpoint {name}"), settings));
    }
    roles
}

/// Labels become file names, and must tell checkpoints apart.
fn check_labels(config: &Config) -> Result<(), Error> {
    let own = config.target.label.as_ref().map(|label| label.text());
    let others = roles(config).into_iter().filter_map(|(role, _)| {
        let label = role.strip_prefix("checkpoint ");
        label.map(str::to_owned)
    });
    let mut seen: Vec<String> = Vec::new();
    for label in own.into_iter().chain(others) {
        let file = file_name(&label);
        if label.trim().is_empty() || seen.contains(&file) {
            return Err(Error::usage(
                format!(
                    "the label {label:?} is empty, or stands for two checkpoints in file names"
                ),
                "give target and every checkpoint a label of its own, such as its step",
            ));
        }
        seen.push(file);
    }
    Ok(())
}

/// A label as part of a file name.
pub(super) fn file_name(label: &str) -> String {
    let plain = |c: char| match c.is_ascii_alphanumeric() || "-.".contains(c) {
        true => c,
        false => '_',
    };
    label.chars().map(plain).collect()
}
