//! The audit of token signals: what language models made of texts.

mod access;
mod alike;
mod by_token;
mod checkpoints;
mod read;
mod reference;
mod shadow;

use base::{Progress, Unit};
use std::path::{Path, PathBuf};

use attacks::lm::{TokenAttack, run_taught};
use attacks::signals::tokens::TextSignals;
use formats::ids::Ids;
use formats::tokens::{self, Rows};
use judge::Truth;
use judge::guardrails::{self, Evidence};
use judge::lm::{TextFacts, TokenFacts, TrainingSet, inference};
use judge::records::numbered;
use report::lm::{Lm, Scoring};
use report::{Data, Detail, Note, Provenance, Report, Typical};
use stats::streams::Seed;

pub use self::access::without_reference;
pub use self::checkpoints::check_labels;
use self::read::Read;
use self::shadow::Shadow;
use crate::Error;
use crate::pipeline::judged::undecided;
use crate::pipeline::persons::repeated_ids;
use crate::pipeline::skipped::{Attacked, check_named, first_reason, one_sided};
use crate::pipeline::slicing::{LENGTH, lengths};
use crate::pipeline::{Audit, AuditContext, Calling, SealedCanaries};

/// Who calls where no member is known: what does best where members are.
const PREFERRED: [&str; 6] = [
    "understudy-lm",
    "ez-smoothed",
    "ez",
    "ratio",
    "min-k-plus-plus",
    "lm-loss",
];

/// Everything an audit of token signals needs.
pub struct TokenRequest {
    pub signals: PathBuf,
    /// The rows themselves, where a program has them in memory; `signals` is then their name.
    pub rows: Option<Rows>,
    /// How the file is called in messages and labels of checkpoints.
    pub label: String,
    /// Ids of members, where they are listed apart.
    pub members: Option<Members>,
    /// Ids of texts of unknown membership, where they are listed apart.
    pub unknown: Option<Members>,
    /// Canaries, whose truth is opened once every text has its scores.
    pub canaries: Option<SealedCanaries>,
    /// The file that the model was trained on.
    pub training_file: Option<PathBuf>,
    /// Token signals of a fine-tune whose members are known, for the attacks that learn.
    pub shadow: Option<PathBuf>,
    /// Token signals of further checkpoints, on the same texts.
    pub checkpoints: Vec<CheckpointFile>,
    pub attacks: Vec<&'static dyn TokenAttack>,
    pub context: AuditContext,
    /// Which models scored the texts, where the audit asked them.
    pub scoring: Option<Scoring>,
}

/// A list of members.
pub struct Members {
    pub name: String,
    pub ids: std::collections::HashSet<String>,
}

/// A checkpoint's signals.
#[derive(Clone)]
pub struct CheckpointFile {
    pub label: String,
    pub path: PathBuf,
}

impl TokenRequest {
    /// Attacks, judges and reports. Without any scored text the texts alone are looked at.
    pub fn run(mut self, progress: Progress<'_>) -> Result<Audit, Error> {
        if let Some(path) = &self.training_file {
            formats::tokens::open(path)?;
        }
        let rows = match self.rows.take() {
            Some(rows) => rows,
            None => formats::tokens::open(&self.signals)?,
        };
        let seed = Seed(self.context.measuring.seed);
        let shadow = self.learn(seed, progress)?;
        let mut read = self.read(&self.signals, rows, shadow.as_ref(), progress)?;
        self.open_canaries(&mut read)?;
        let truth = self.truth(&read)?;
        if let Some(shadow) = &shadow {
            shadow.check(&read.fingerprints, &truth)?;
            self.context.notes.push(shadow.note());
        }
        if let Some(persons) = &self.context.persons {
            let told = persons.groups.check(truth.len());
            told.map_err(|error| error.within_file(&self.signals))?;
        }
        let members: Vec<bool> = truth.known().map(|(_, member)| member).collect();
        let (scores, skipped) = self.sorted_out(&mut read, &truth)?;
        let mut judged = self.context.judge(&scores, &truth, progress)?;
        let attacker = access::attacker(&scores, &truth, &read, self.context.wanted);
        judged.attacker = Some(attacker).filter(|_| !scores.is_empty());
        let unnamed = judged.slice(&self.context, &scores, &truth, |name| {
            (name == LENGTH).then(|| lengths(read.tokens.iter().copied()))
        })?;
        progress.phase("texts", truth.len(), Unit::Records);
        let training = self.training_set(&read, progress)?;
        let facts = TextFacts {
            tokens: TokenFacts {
                reference: access::reference_alone(&read, &truth),
                ..read.token_facts()
            },
            inference: inference::infer(&scores, &truth, seed),
            ..self.text_facts(&read, &members, training.as_ref(), seed)
        };
        if let Some(found) = &mut judged.canaries {
            found.extraction = Some(read.extraction(&truth));
            found.secret_extraction = read.extraction_of_secrets(&truth);
        }
        if progress.cancelled() {
            return Err(Error::interrupted());
        }
        let (checkpoints, leaking) =
            self.follow_checkpoints(&read, &scores, &truth, shadow.as_ref(), progress)?;
        let guardrails = guardrails::check(&Evidence {
            texts: Some(&facts),
            leaking_checkpoints: &leaking,
            repeated_ids: repeated_ids(Some(&read.ids), &truth),
            ..judged.evidence(&self.context)
        });
        let provenance = self.provenance(&read, &judged.truth);
        let detail = Detail::Lm(Lm {
            tokens: read.predicted,
            scoring: self.scoring,
            checkpoints,
        });
        let concluded = match scores.is_empty() {
            false => judged.report(&self.context, guardrails, detail, provenance),
            true => undecided(unscored(), &self.context, guardrails, detail, provenance),
        };
        let report = Report {
            skipped,
            typical: facts.blind.as_ref().and_then(Typical::from_blind),
            notes: [self.context.notes.clone(), unnamed, twice(&read.ids)].concat(),
            ..concluded
        };
        let audit = Audit::new(
            self.context.show_records,
            report,
            scores,
            truth.iter().collect(),
            Some(read.ids),
            None,
        );
        Ok(audit.calling(&Calling {
            context: &self.context,
            learnt: &[],
            preferred: &PREFERRED,
            known: None,
        }))
    }

    /// What of the audited texts is in the file that the model was trained on.
    fn training_set(
        &self,
        read: &Read,
        progress: Progress<'_>,
    ) -> Result<Option<TrainingSet>, Error> {
        let Some(path) = &self.training_file else {
            return Ok(None);
        };
        let mut set = read.corpus.training();
        for batch in formats::tokens::open(path)? {
            if progress.cancelled() {
                return Err(Error::interrupted());
            }
            for row in batch? {
                if let Some(text) = &row.signals.text {
                    set.add(text);
                }
            }
        }
        if set.texts == 0 {
            return Err(Error::usage(
                format!("{}: has no texts", path.display()),
                "give the file that the model was trained on, with a field or column text",
            ));
        }
        Ok(Some(set))
    }

    /// What a shadow teaches the attacks that learn; nothing where none of them was asked for.
    fn learn(&self, seed: Seed, progress: Progress<'_>) -> Result<Option<Shadow>, Error> {
        let Some(path) = &self.shadow else {
            return Ok(None);
        };
        if !self.attacks.iter().any(|attack| attack.learns()) {
            return Err(Error::usage(
                format!(
                    "{}: none of the attacks learns from a shadow",
                    path.display()
                ),
                "add understudy-lm to the attacks, or leave the shadow out",
            ));
        }
        Shadow::learn(path, seed, progress).map(Some)
    }

    /// Reads rows batch by batch; attacks see the signals, never who is a member.
    fn read(
        &self,
        path: &Path,
        batches: Rows,
        shadow: Option<&Shadow>,
        progress: Progress<'_>,
    ) -> Result<Read, Error> {
        let seed = Seed(self.context.measuring.seed);
        let mut read = Read::new(batches.format, self.attacks.len(), shadow.is_some(), seed);
        progress.phase("attacking", 0, Unit::Records);
        for batch in batches {
            if progress.cancelled() {
                return Err(Error::interrupted());
            }
            let batch = batch?;
            progress.advance(batch.len());
            let member = |row: &tokens::Row| self.member(&row.id, row.member);
            let known = |row: &tokens::Row| match &self.canaries {
                Some(canaries) => canaries.contains(&row.id),
                None => member(row).is_some(),
            };
            if let Some(sealed) = &self.canaries {
                let begun = read.ids.len();
                for (place, row) in batch.iter().enumerate() {
                    let text = row.signals.text.as_deref();
                    read.texts.add(sealed, begun + place, &row.id, text);
                }
            }
            let attack = |signals: &[TextSignals]| {
                let taught = shadow.map(|shadow| &shadow.taught);
                run_taught(&self.attacks, signals, &self.context.settings, taught)
            };
            read.take(batch, member, known, attack);
        }
        if let Some(sealed) = &self.canaries {
            read.texts.check(sealed, path)?;
        }
        match read.ids.is_empty() {
            false => Ok(read),
            true => Err(Error::usage(
                format!("{}: has no texts", path.display()),
                "give one row per text",
            )),
        }
    }

    /// Who was included, now that every attack has spoken.
    fn open_canaries(&mut self, read: &mut Read) -> Result<(), Error> {
        let Some(sealed) = &self.canaries else {
            return Ok(());
        };
        let opened = sealed.open(&read.ids, &read.said);
        let (members, canaries) = opened.map_err(|error| error.within_file(&self.signals))?;
        read.members = members;
        self.context.set_canaries(canaries);
        self.context.notes.extend(read.texts.note());
        Ok(())
    }

    /// What the texts give away. Canaries are alike by design: of them, only copies count.
    fn text_facts(
        &self,
        read: &Read,
        members: &[bool],
        training: Option<&TrainingSet>,
        seed: Seed,
    ) -> TextFacts {
        let confidence = self.context.measuring.confidence;
        let facts = read.corpus.facts(members, training, confidence, seed);
        match self.canaries {
            None => facts,
            Some(_) => TextFacts {
                duplicates: read.corpus.exact_copies(members),
                ..facts
            },
        }
    }

    fn truth(&self, read: &Read) -> Result<Truth, Error> {
        let name = self.signals.display();
        for list in [&self.members, &self.unknown].into_iter().flatten() {
            list.check(&read.ids)?;
        }
        if read.members.iter().all(Option::is_none) {
            return Err(Error::usage(
                format!("{name}: row 1 ({:?}) has no member", &read.ids[0]),
                "add a field or column member that is true or false, and null where nobody knows, or list \
                 the members' ids with --members",
            ));
        }
        let truth = Truth::partly(read.members.iter().copied());
        truth.map_err(|error| error.within(&name.to_string()))
    }

    /// Whether a text is a member, as its row says or as the lists do.
    fn member(&self, id: &str, own: Option<bool>) -> Option<bool> {
        let lists = |list: &Option<Members>| list.as_ref().map(|list| list.ids.contains(id));
        if self.canaries.is_some() {
            return None;
        }
        match lists(&self.unknown) {
            Some(true) => None,
            _ => lists(&self.members).or(own),
        }
    }

    /// Scores by attack, and the attacks that have none.
    fn sorted_out(&self, read: &mut Read, truth: &Truth) -> Result<Attacked, Error> {
        let (scores, skipped) = one_sided(read.sorted_out(&self.attacks), truth);
        if read.scored == 0 {
            return Ok((Vec::new(), Vec::new()));
        }
        check_named(
            &self.context,
            &skipped,
            "leave it out of the attacks, or collect what it needs",
        )?;
        if scores.is_empty() {
            return Err(Error::usage(
                format!("no attack could judge any text: {}", first_reason(&skipped)),
                "`guestlist explain ID` says what an attack needs",
            ));
        }
        Ok((scores, skipped))
    }

    fn provenance(&self, read: &Read, judged: &Truth) -> Provenance {
        let data = Data {
            format: read.format.into(),
            records: read.ids.len(),
            judged_records: judged.members() + judged.nonmembers(),
            judged_members: judged.members(),
        };
        self.context.provenance::<super::Lm>(data)
    }
}

fn unscored() -> judge::Error {
    judge::Error::input(
        "no model has scored the texts: only the texts themselves were looked at",
        "score them with `guestlist run`; `guestlist init lm` writes a configuration",
    )
}

/// Ids that stand for several texts.
fn twice(ids: &Ids) -> Vec<Note> {
    let again = ids.repeated();
    let note = |first: &usize| {
        format!(
            "{} texts have the id of an earlier one, such as {}: scores.parquet has a row for each",
            again.len(),
            numbered(&[*first])
        )
    };
    again.first().map(note).into_iter().collect()
}

impl Members {
    /// A list with one id per line.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Error::usage(
                format!("{}: cannot be read: {error}", path.display()),
                "give a text file with one id per line",
            )
        })?;
        let ids = text.lines().map(str::trim).filter(|line| !line.is_empty());
        Ok(Self {
            name: path.display().to_string(),
            ids: ids.map(str::to_owned).collect(),
        })
    }

    /// Every listed id must be that of a text.
    fn check(&self, ids: &Ids) -> Result<(), Error> {
        let listed = |id: &&str| self.ids.contains(*id);
        let known: std::collections::HashSet<&str> = ids.iter().filter(listed).collect();
        let mut unknown: Vec<&String> = self
            .ids
            .iter()
            .filter(|id| !known.contains(id.as_str()))
            .collect();
        unknown.sort_unstable();
        match unknown.first() {
            None => Ok(()),
            Some(id) => Err(Error::usage(
                format!(
                    "{}: {} listed ids are not among the texts, such as {id}",
                    self.name,
                    unknown.len()
                ),
                "list the ids of the signals file, or row numbers from 0 where it has none",
            )),
        }
    }
}
