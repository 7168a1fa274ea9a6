//! The canaries that an audit is of: what whoever scores may see, and the truth once scores are there.

mod told;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use canaries::{Canary as Drawn, Kind, Manifest, Role, SealedTruth};
use formats::ids::Ids;
use judge::canaries::{Canaries, Canary, Draw, Told, TrainingFile, Visibility};
use judge::epsilon::Inclusion;
use judge::gate::{Gate, Measure, Rule};
use judge::guardrails::CanaryFacts;
use lm::LocatedToken;
use texts::Text;

pub use self::told::TextsTold;
use super::{AuditContext, AuditOptions, AuditRequest};
use crate::{Error, ErrorKind, Result};

/// A draw whose truth is still sealed.
#[derive(Clone)]
pub struct SealedCanaries {
    manifest: Manifest,
    roster: Vec<Drawn>,
    /// Where each id stands in the roster.
    ids: HashMap<String, usize>,
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
        let ids = roster.iter().enumerate();
        let ids = ids
            .map(|(place, canary)| (canary.id.clone(), place))
            .collect();
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
            options.refuse_mechanism()?;
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
        self.ids.contains_key(id)
    }

    /// The text that was drawn under an id.
    fn text(&self, id: &str) -> Option<&str> {
        self.roster[*self.ids.get(id)?].text.as_deref()
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

    /// Of texts that were cut into these tokens: the places of those that the drawn parts became.
    pub fn drawn_tokens(&self, texts: &[Vec<LocatedToken>]) -> Vec<Vec<usize>> {
        let pairs = self.roster.iter().zip(texts);
        pairs
            .map(|(canary, tokens)| canary.drawn_tokens(tokens))
            .collect()
    }

    /// The file of all canaries.
    pub fn roster(&self) -> Result<PathBuf> {
        self.manifest.place(Role::Canaries)
    }

    /// The manifest and the canaries, which it seals.
    pub fn files(&self) -> Result<[PathBuf; 2]> {
        Ok([self.manifest.path.clone(), self.roster()?])
    }

    /// Opens the truth for records that were scored: by id, each of which stands for one record. What the
    /// records themselves say of members is compared and not believed.
    pub fn open(&self, ids: &Ids, said: &[Option<bool>]) -> Result<Opened> {
        let rows = self.rows_by_id(ids)?;
        let truth = SealedTruth::open(&self.manifest)?;
        let designs: Vec<String> = (self.manifest.designs.iter())
            .map(|design| design.design.clone())
            .collect();
        let mut members = vec![None; ids.len()];
        let training = self.training()?;
        let mut canaries = Canaries {
            rows: vec![None; ids.len()],
            missing: Vec::new(),
            designs,
            draw: Draw {
                visibility: self.visibility(&training),
                training,
                ..Draw::default()
            },
        };
        for drawn in &self.roster {
            let canary = self.canary(drawn, &canaries.designs)?;
            let Some(included) = truth.included(&drawn.id) else {
                continue;
            };
            canaries.draw.included += usize::from(included);
            match rows.get(drawn.id.as_str()) {
                Some(&row) => {
                    canaries.rows[row] = Some(canary);
                    members[row] = Some(included);
                }
                None => canaries.missing.push((canary, included)),
            }
        }
        let told = said.iter().zip(&members);
        canaries.draw.told = Told::new(told.filter_map(|(said, coin)| (*said).zip(*coin)));
        Ok((members, canaries))
    }

    /// Whether the training file, where it lies beside the manifest, is as it was drawn.
    fn training(&self) -> Result<TrainingFile> {
        let named = self.manifest.files.iter();
        if named.filter(|file| file.role == Role::Training).count() == 0 {
            return Ok(TrainingFile::Absent);
        }
        let path = self.manifest.place(Role::Training)?;
        if !path.exists() {
            return Ok(TrainingFile::Absent);
        }
        match self.manifest.verified(Role::Training) {
            Ok(_) => Ok(TrainingFile::Unchanged),
            Err(error) if error.kind == ErrorKind::Mismatch => Ok(TrainingFile::Changed {
                file: report::printable(&path.display().to_string()),
            }),
            Err(error) => Err(error),
        }
    }

    /// What a check before training noted in the manifest. Of records, the training file is all that a check
    /// looks at, and it was looked at just now.
    fn visibility(&self, training: &TrainingFile) -> Visibility {
        let check = &self.manifest.check;
        match check["outcome"].as_str() {
            Some("visible") => Visibility::Visible,
            Some("invisible") => {
                let findings = check["findings"].as_array().into_iter().flatten();
                let violated = findings.filter(|finding| finding["status"] == "violated");
                let traps = violated.filter_map(|finding| finding["trap"].as_str());
                Visibility::Invisible {
                    canaries: check["invisible"].as_u64().map(|count| count as usize),
                    traps: traps.map(report::printable).collect(),
                }
            }
            _ => match (self.manifest.kind, training) {
                (Kind::Lm, _) => Visibility::Unknown,
                (Kind::Classifier, TrainingFile::Absent) => Visibility::NotThere,
                // What was changed since is said of the file itself.
                (Kind::Classifier, _) => Visibility::AsDrawn,
            },
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
    fn rows_by_id<'a>(&self, ids: &'a Ids) -> Result<HashMap<&'a str, usize>> {
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
        if canaries.draw.training == TrainingFile::Absent {
            self.notes.push(
                "the training file of the draw does not lie beside the manifest: whether it is as it was \
                 drawn was not looked at"
                    .into(),
            );
        }
        if self.holdout {
            self.notes.push(
                "bounds, claims and the table of canaries rest on the half of the canaries that no attack \
                 was chosen on"
                    .into(),
            );
        }
        self.canaries = Some(canaries);
    }

    /// How the coins fell, for guardrails.
    pub(crate) fn canary_facts(&self) -> Option<CanaryFacts> {
        let canaries = self.canaries.as_ref()?;
        Some(CanaryFacts {
            canaries: canaries.len(),
            missing: canaries.missing.len(),
            draw: canaries.draw.clone(),
        })
    }
}

/// Canaries are known by their ids.
pub(crate) fn ids_of(ids: Option<&Ids>) -> Result<&Ids> {
    ids.ok_or_else(|| {
        Error::usage(
            "the records have no ids, by which canaries are known",
            "store ids beside the signals: those of canaries.jsonl, and others for other records",
        )
    })
}
