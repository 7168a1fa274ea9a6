//! The canaries that an audit is of: what whoever scores may see, and the truth once scores are there.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use canaries::{Canary as Drawn, Manifest, Role, SealedTruth};
use judge::canaries::{Canaries, Canary, Visibility};
use judge::epsilon::Inclusion;
use judge::gate::{Gate, Measure, Rule};
use judge::guardrails::CanaryFacts;
use texts::Text;

use super::{AuditContext, AuditOptions, AuditRequest};
use crate::{Error, Result};

/// A draw whose truth is still sealed.
#[derive(Clone)]
pub struct SealedCanaries {
    manifest: Manifest,
    roster: Vec<Drawn>,
    ids: HashSet<String>,
}

/// Who was included, row by row, and the canaries as the judge sees them.
pub type Opened = (Vec<Option<bool>>, Canaries);

impl SealedCanaries {
    /// Reads a manifest and the canaries that it seals; the truth stays closed.
    pub fn read(path: &Path, kind: report::Kind) -> Result<Self> {
        let manifest = Manifest::read(path)?;
        let drawn = manifest.kind.to_string();
        if kind != report::Kind::Scores && kind.name() != drawn {
            return Err(Error::usage(
                format!(
                    "{}: has canaries of kind {drawn}, but the audit is of kind {}",
                    path.display(),
                    kind.name()
                ),
                "give the manifest of the canaries that were scored",
            ));
        }
        let roster = manifest.canaries()?;
        let ids = roster.iter().map(|canary| canary.id.clone()).collect();
        Ok(Self {
            manifest,
            roster,
            ids,
        })
    }

    /// The same for an audit of signals that exist already; nothing where none were named.
    pub fn of_request(request: &AuditRequest, kind: report::Kind) -> Result<Option<Self>> {
        let listed = [
            (request.members.is_some(), "members"),
            (request.unknown.is_some(), "unknown"),
        ];
        let listed = listed.into_iter().find(|(given, _)| *given);
        let listed = listed.map(|(_, option)| option);
        Self::named(request.canaries.as_deref(), listed, &request.options, kind)
    }

    /// The same of a program; `listed` is another truth that was given.
    pub fn named(
        path: Option<&Path>,
        listed: Option<&str>,
        options: &AuditOptions,
        kind: report::Kind,
    ) -> Result<Option<Self>> {
        let Some(path) = path else {
            return Ok(None);
        };
        let beside = [
            (options.group.is_some(), "group"),
            (options.replicates > 0, "replicates"),
            (!options.scaling.is_empty(), "scaling"),
        ];
        let beside = beside.into_iter().find(|(given, _)| *given);
        if let Some(option) = listed.or(beside.map(|(_, option)| option)) {
            let (own, other) = (options.name("canaries"), options.name(option));
            return Err(Error::usage(
                format!("{own} and {other} do not go together"),
                format!(
                    "each canary had a coin of its own, which truth.json tells: leave {other} out"
                ),
            ));
        }
        Self::read(path, kind).map(Some)
    }

    pub fn contains(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// The texts to score; who was included is in none of them.
    pub fn texts(&self) -> Result<Vec<Text>> {
        let text = |canary: &Drawn| {
            let text = canary.text.clone().ok_or_else(|| {
                Error::usage(
                    format!("the canary {:?} has no text", canary.id),
                    "give the manifest of canaries of kind lm",
                )
            })?;
            Ok(Text {
                id: canary.id.clone(),
                text,
                member: None,
                date: None,
            })
        };
        self.roster.iter().map(text).collect()
    }

    /// The file of all canaries.
    pub fn roster(&self) -> Result<PathBuf> {
        self.manifest.place(Role::Canaries)
    }

    /// The manifest and the canaries, which it seals.
    pub fn files(&self) -> Result<[PathBuf; 2]> {
        Ok([self.manifest.path.clone(), self.roster()?])
    }

    /// Opens the truth for records that were scored: by id, each of which stands for one record.
    pub fn open(&self, ids: &[String]) -> Result<Opened> {
        let rows = self.rows_by_id(ids)?;
        let truth = SealedTruth::open(&self.manifest)?;
        let designs: Vec<String> = (self.manifest.designs.iter())
            .map(|design| design.design.clone())
            .collect();
        let mut members = vec![None; ids.len()];
        let mut canaries = Canaries {
            rows: vec![None; ids.len()],
            missing: Vec::new(),
            designs,
            visibility: self.visibility(),
        };
        for drawn in &self.roster {
            let canary = self.canary(drawn, &canaries.designs)?;
            let Some(included) = truth.included(&drawn.id) else {
                continue;
            };
            match rows.get(drawn.id.as_str()) {
                Some(&row) => {
                    canaries.rows[row] = Some(canary);
                    members[row] = Some(included);
                }
                None => canaries.missing.push((canary, included)),
            }
        }
        Ok((members, canaries))
    }

    /// What the check before training noted in the manifest.
    fn visibility(&self) -> Visibility {
        let check = &self.manifest.check;
        match check["outcome"].as_str() {
            Some("visible") => Visibility::Visible,
            Some("invisible") => {
                let findings = check["findings"].as_array().into_iter().flatten();
                let violated = findings.filter(|finding| finding["status"] == "violated");
                let traps = violated.filter_map(|finding| finding["trap"].as_str());
                Visibility::Invisible {
                    canaries: check["invisible"].as_u64().unwrap_or(0) as usize,
                    traps: traps.map(report::printable).collect(),
                }
            }
            _ => Visibility::Unknown,
        }
    }

    fn canary(&self, drawn: &Drawn, designs: &[String]) -> Result<Canary> {
        let design = designs.iter().position(|design| *design == drawn.design);
        let design = design.ok_or_else(|| {
            Error::usage(
                format!(
                    "{}: names no design {:?}, which the canary {:?} has",
                    self.manifest.path.display(),
                    drawn.design,
                    drawn.id
                ),
                "draw again with guestlist canaries; a manifest is not edited",
            )
        })?;
        Ok(Canary {
            repetitions: u64::from(drawn.tier.max(1)),
            design,
        })
    }

    /// Where each canary was scored. Twice would count its coin twice.
    fn rows_by_id<'a>(&self, ids: &'a [String]) -> Result<HashMap<&'a str, usize>> {
        let mut rows: HashMap<&str, usize> = HashMap::new();
        for (row, id) in ids.iter().enumerate().filter(|(_, id)| self.contains(id)) {
            if let Some(first) = rows.insert(id, row) {
                return Err(Error::usage(
                    format!(
                        "rows {} and {} are both the canary {id:?}",
                        first + 1,
                        row + 1
                    ),
                    "score every canary once",
                ));
            }
        }
        match rows.is_empty() {
            false => Ok(rows),
            true => Err(Error::usage(
                format!(
                    "none of the {} rows is a canary of {}",
                    ids.len(),
                    self.manifest.path.display()
                ),
                "score canaries.jsonl and keep its ids, or give the manifest of what was scored",
            )),
        }
    }
}

impl AuditContext {
    /// What an audit of canaries is told: coins were flipped, and a claim decides where no other gate was
    /// asked for.
    pub(crate) fn set_canaries(&mut self, canaries: Canaries) {
        self.measuring.inclusion = Inclusion::IndependentCoins;
        if let Some(claim) = self.claim.as_ref().filter(|_| !self.gate_named) {
            self.gate = Gate {
                measure: Measure::Epsilon(claim.delta),
                threshold: claim.epsilon,
                rule: Rule::Point,
                confidence: self.gate.confidence,
            };
        }
        match canaries.foreign() {
            0 => {}
            count => self.notes.push(format!(
                "{count} rows are no canaries of the manifest: they were neither judged nor called"
            )),
        }
        self.canaries = Some(canaries);
    }

    /// How the coins fell, for guardrails.
    pub(crate) fn canary_facts(&self, truth: &judge::Truth) -> Option<CanaryFacts> {
        let canaries = self.canaries.as_ref()?;
        let missing = canaries.missing.iter().filter(|(_, included)| *included);
        Some(CanaryFacts {
            canaries: canaries.len(),
            included: truth.members() + missing.count(),
            missing: canaries.missing.len(),
            visibility: canaries.visibility.clone(),
        })
    }
}

/// Canaries are known by their ids.
pub(crate) fn ids_of(ids: Option<&[String]>) -> Result<&[String]> {
    ids.ok_or_else(|| {
        Error::usage(
            "the records have no ids, by which canaries are known",
            "store ids beside the signals: those of canaries.jsonl, and others for other records",
        )
    })
}
