//! The measuring: every attack and every ablation on every data set, as audits measure them.

use std::path::PathBuf;

use attacks::lm::TokenAttack;
use attacks::scores::Scores;
use attacks::settings::Settings;
use attacks::signals::tokens::TextSignals;
use attacks::{Attack, lm};
use base::{Progress, Unit};
use formats::tokens::{self, Rows};
use judge::{Options, Truth};
use serde::{Deserialize, Serialize};

use super::{ABLATIONS, ATTACKS, EZ, FPRS, Studied};
use crate::kinds::lm::Lm;
use crate::pipeline::{AuditRequest, found};
use crate::study::{Doubt, doubts};
use crate::{Error, Result};

/// One data set: texts of which a fine-tune saw some.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetMeasured {
    pub name: String,
    pub members: usize,
    pub nonmembers: usize,
    /// Texts of unknown membership, which nothing is measured on.
    pub unknown: usize,
    pub attacks: Vec<Measured>,
    /// `ez` with one of its parts done otherwise.
    pub ablations: Vec<Measured>,
    /// What an audit finds against the data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
}

/// One attack, or one way of doing it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    pub name: String,
    /// With its 95% interval; absent where nothing could be judged.
    pub auc: Option<AucMeasured>,
    /// One per false-positive rate; absent where too few non-members show it.
    pub tpr: [Option<f64>; FPRS.len()],
    /// Texts that it does not judge, which count as knowing nothing.
    pub abstained: usize,
    /// Why nothing could be judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AucMeasured {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl SetMeasured {
    pub fn attack(&self, name: &str) -> Option<&Measured> {
        self.attacks.iter().find(|one| one.name == name)
    }

    pub fn ablation(&self, name: &str) -> Option<&Measured> {
        self.ablations.iter().find(|one| one.name == name)
    }
}

/// A file of token signals, about to be read.
pub struct Opened {
    path: PathBuf,
    rows: Rows,
}

pub fn open(set: &Studied, progress: Progress<'_>) -> Result<Opened> {
    let asked = AuditRequest {
        kind: Some(report::Kind::Lm),
        ..AuditRequest::default()
    };
    let path = found::within(&set.path, &asked, progress)?;
    let rows = tokens::open(&path)?;
    Ok(Opened { path, rows })
}

/// An attack with its settings, and what it said so far.
struct Way {
    name: &'static str,
    attack: &'static dyn TokenAttack,
    settings: Settings,
    scores: Scores,
}

impl Way {
    fn new(
        name: &'static str,
        id: &str,
        setting: Option<(&'static str, &'static str)>,
    ) -> Result<Self> {
        let known = <&'static dyn TokenAttack>::settings();
        let mut settings = Settings::default();
        if let Some((key, value)) = setting {
            settings.set(&known, key, value)?;
        }
        Ok(Self {
            name,
            attack: lm::find(id)?,
            settings,
            scores: Scores::default(),
        })
    }

    fn attack(&mut self, texts: &[TextSignals]) {
        let answers = lm::run(&[self.attack], texts, &self.settings);
        self.scores.extend(answers.into_iter().flatten());
    }

    fn measured(&self, truth: &Truth) -> Measured {
        let options = Options {
            fprs: FPRS.to_vec(),
            bootstrap_replicates: 0,
            ..Options::default()
        };
        let measured = judge::measure(self.name, &self.scores, truth, &options);
        let (auc, tpr, skipped) = match &measured {
            Ok(found) => {
                let auc = &found.auc;
                let auc = AucMeasured {
                    value: auc.value,
                    low: auc.low,
                    high: auc.high,
                };
                let rates = found.tpr_at_fpr.iter().map(|rate| rate.value);
                let mut tpr = [None; FPRS.len()];
                tpr.iter_mut().zip(rates).for_each(|(to, rate)| *to = rate);
                (Some(auc), tpr, None)
            }
            Err(error) => (None, [None; FPRS.len()], Some(self.why(&error.to_string()))),
        };
        Measured {
            name: self.name.to_owned(),
            auc,
            tpr,
            abstained: self.scores.abstained(),
            skipped,
        }
    }

    /// What most texts lack, where none has it; else what the judge says.
    fn why(&self, said: &str) -> String {
        let reasons = self.scores.abstentions();
        let most = reasons.iter().max_by_key(|(_, count)| **count);
        match most {
            Some((reason, _)) if self.scores.abstained() == self.scores.len() => {
                reason.as_str().to_owned()
            }
            _ => said.to_owned(),
        }
    }
}

pub fn measure(name: &str, opened: Opened, progress: Progress<'_>) -> Result<SetMeasured> {
    progress.phase(&format!("studying {name}"), 0, Unit::Records);
    let Opened { path, rows } = opened;
    let attacks = ATTACKS.iter().map(|id| Way::new(id, id, None));
    let mut attacks: Vec<Way> = attacks.collect::<Result<_>>()?;
    let ways = ABLATIONS.iter();
    let ways = ways.map(|ablation| Way::new(ablation.name, EZ, ablation.setting));
    let mut ablations: Vec<Way> = ways.collect::<Result<_>>()?;
    let mut members = Vec::new();
    for batch in rows {
        if progress.cancelled() {
            return Err(Error::interrupted());
        }
        let batch = batch?;
        progress.advance(batch.len());
        members.extend(batch.iter().map(|row| row.member));
        let texts: Vec<TextSignals> = batch.into_iter().map(|row| row.signals).collect();
        for way in attacks.iter_mut().chain(&mut ablations) {
            way.attack(&texts);
        }
    }
    let shown = path.display().to_string();
    if members.iter().all(Option::is_none) {
        return Err(Error::usage(
            format!("{shown}: no text says whether it was a member"),
            "a study wants a field or column member that is true or false: guestlist scores texts so",
        ));
    }
    let truth = Truth::partly(members).map_err(|error| error.within(&shown))?;
    let measured = |ways: &[Way]| ways.iter().map(|way| way.measured(&truth)).collect();
    let set = SetMeasured {
        name: name.to_owned(),
        members: truth.members(),
        nonmembers: truth.nonmembers(),
        unknown: truth.unknown(),
        attacks: measured(&attacks),
        ablations: measured(&ablations),
        doubts: Vec::new(),
    };
    match set.attack(EZ) {
        Some(Measured {
            auc: None,
            skipped: Some(why),
            ..
        }) => Err(Error::usage(
            format!("{shown}: ez judges no text of it: {why}"),
            "collect ranks and a reference's log-probabilities beside the model's own: [reference] in guestlist.toml, \
             or guestlist.collect.tokens with a reference",
        )),
        _ => {
            let doubts = doubts::audited::<Lm>(&path, &ATTACKS, 0, progress)?;
            doubts::tell(name, &doubts, progress);
            Ok(SetMeasured { doubts, ..set })
        }
    }
}
