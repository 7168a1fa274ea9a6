//! The audit of token signals: what language models made of texts.

use std::path::PathBuf;

use attacks::scores::{Answer, Scores};
use attacks::settings::Settings;
use attacks::signals::tokens::TextSignals;
use attacks::tokens::{self, TokenAttack};
use collect::language::rows::{self, Row};
use judge::gate::Gate;
use judge::guardrails::{self, Evidence};
use judge::texts::{Corpus, TextFacts, TokenFacts, TrainingSet, inference};
use judge::{Options, Truth, verdict};
use report::language::{Checkpoint, CheckpointAttack, Language};
use report::{Inputs, Note, Provenance, Report, SCHEMA, Skipped, Slice};
use stats::streams::Seed;

use super::{Audit, Progress, all_abstained, first_reason, judge_all};
use crate::Error;

/// Fewer tokens than this leave a score to chance.
const SHORT: usize = 100;

/// Everything an audit of token signals needs.
pub struct TokenRequest {
    pub signals: PathBuf,
    /// How the file is called in messages and labels of checkpoints.
    pub label: String,
    /// Ids of members, where they are listed apart.
    pub members: Option<Members>,
    /// The file that the model was trained on.
    pub training_file: Option<PathBuf>,
    /// Token signals of further checkpoints, on the same texts.
    pub checkpoints: Vec<CheckpointFile>,
    pub attacks: Vec<&'static dyn TokenAttack>,
    /// The attacks were named one by one: one that cannot run is an error.
    pub named: bool,
    pub settings: Settings,
    pub gate: Gate,
    pub force: bool,
    pub holdout: bool,
    pub measuring: Options,
    pub command: String,
    pub inputs: Vec<Inputs>,
    pub notes: Vec<Note>,
    pub language: Option<Language>,
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
    pub fn run(self, progress: &dyn Progress) -> Result<Audit, Error> {
        let training = self.training_set(progress)?;
        let mut read = self.read(&self.signals, progress)?;
        let truth = self.truth(&mut read)?;
        let members: Vec<bool> = truth.iter().collect();
        let seed = Seed(self.measuring.seed);
        let (scores, skipped) = self.sorted_out(&mut read)?;
        let judged = judge_all(
            &scores,
            &truth,
            &self.measuring,
            &self.gate,
            self.holdout,
            progress,
        )?;
        progress.phase("texts", truth.len());
        let facts = TextFacts {
            tokens: read.token_facts(),
            inference: inference::infer(&scores, &truth, seed),
            ..read
                .corpus
                .facts(&members, training.as_ref(), self.measuring.confidence, seed)
        };
        if progress.cancelled() {
            return Err(Error::Interrupted);
        }
        let checkpoints = self.follow_checkpoints(&read, &scores, &truth, progress)?;
        let evidence = Evidence {
            members: judged.truth.members(),
            nonmembers: judged.truth.nonmembers(),
            attacks: &judged.attacks,
            gated: judged.gated(&self.gate),
            gate: &self.gate,
            fprs: &self.measuring.fprs,
            holdout: self.holdout,
            shadows: None,
            texts: Some(&facts),
        };
        let guardrails = guardrails::check(&evidence);
        let decision = match scores.is_empty() {
            false => verdict::decide(&judged.attacks, &self.gate, judged.choice()),
            true => Err(judge::Error::new(
                "no model has scored the texts: only the texts themselves were looked at",
                "score them with `guestlist run`; `guestlist init lm` writes a configuration",
            )),
        };
        let report = Report {
            schema: SCHEMA.into(),
            verdict: verdict::verdict(decision, &self.gate, &guardrails, self.force),
            guardrails,
            provenance: self.provenance(&read, &judged.truth),
            attacks: judged.attacks,
            skipped,
            replicates: None,
            scaling: Vec::new(),
            training: None,
            language: self.language,
            checkpoints,
            diagnostics: Default::default(),
            notes: self.notes,
        };
        Ok(Audit {
            report,
            scores,
            truth,
            ids: Some(read.ids),
            exposures: None,
        })
    }

    fn training_set(&self, progress: &dyn Progress) -> Result<Option<TrainingSet>, Error> {
        let Some(path) = &self.training_file else {
            return Ok(None);
        };
        let mut set = TrainingSet::default();
        for batch in rows::open(path)? {
            if progress.cancelled() {
                return Err(Error::Interrupted);
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

    /// Reads a file batch by batch; attacks see the signals, never who is a member.
    fn read(&self, path: &std::path::Path, progress: &dyn Progress) -> Result<Read, Error> {
        let batches = rows::open(path)?;
        let mut read = Read::new(batches.format, self.attacks.len());
        progress.phase("attacking", 0);
        for batch in batches {
            if progress.cancelled() {
                return Err(Error::Interrupted);
            }
            let batch = batch?;
            progress.advance(batch.len());
            read.take(batch, &self.attacks, &self.settings);
        }
        match read.ids.is_empty() {
            false => Ok(read),
            true => Err(Error::usage(
                format!("{}: has no texts", path.display()),
                "give one row per text",
            )),
        }
    }

    fn truth(&self, read: &mut Read) -> Result<Truth, Error> {
        let name = self.signals.display();
        let members: Vec<bool> = match &self.members {
            Some(listed) => listed.of(&read.ids)?,
            None => {
                let unknown = read.members.iter().position(Option::is_none);
                if let Some(row) = unknown {
                    return Err(Error::usage(
                        format!(
                            "{name}: row {} ({:?}) has no member",
                            row + 1,
                            read.ids[row]
                        ),
                        "add a field or column member that is true or false, or list the members' \
                         ids with --members",
                    ));
                }
                read.members.iter().flatten().copied().collect()
            }
        };
        Ok(Truth::new(members).map_err(|error| error.within(&name.to_string()))?)
    }

    /// Scores by attack, and the attacks that have none.
    fn sorted_out(&self, read: &mut Read) -> Result<super::Attacked, Error> {
        let (scores, skipped) = read.sorted_out(&self.attacks);
        if read.scored == 0 {
            return Ok((Vec::new(), Vec::new()));
        }
        if let (true, Some(refused)) = (self.named, skipped.first()) {
            return Err(Error::usage(
                format!("{} cannot run here: {}", refused.id, refused.reason),
                "leave it out of the attacks, or collect what it needs",
            ));
        }
        if scores.is_empty() {
            return Err(Error::usage(
                format!("no attack could judge any text: {}", first_reason(&skipped)),
                "`guestlist explain ID` says what an attack needs",
            ));
        }
        Ok((scores, skipped))
    }

    /// The audited model and the other checkpoints in brief, in order of their steps.
    fn follow_checkpoints(
        &self,
        read: &Read,
        scores: &[(String, Scores)],
        truth: &Truth,
        progress: &dyn Progress,
    ) -> Result<Vec<Checkpoint>, Error> {
        if self.checkpoints.is_empty() {
            return Ok(Vec::new());
        }
        let mut points = vec![self.point(&self.label, true, read, scores, truth)?];
        for file in &self.checkpoints {
            let mut other = self.read(&file.path, progress)?;
            if other.ids != read.ids {
                return Err(Error::usage(
                    format!(
                        "{}: its texts are not those of {}",
                        file.path.display(),
                        self.signals.display()
                    ),
                    "score every checkpoint on the same texts, in the same order",
                ));
            }
            let (scores, _) = other.sorted_out(&self.attacks);
            points.push(self.point(&file.label, false, &other, &scores, truth)?);
        }
        // Labels without a number keep the order they were given in, the audited model last.
        if points.iter().all(|point| point.step.is_some()) {
            points.sort_by(|a, b| a.step.unwrap_or(0.0).total_cmp(&b.step.unwrap_or(0.0)));
        } else {
            points.rotate_left(1);
        }
        Ok(points)
    }

    fn point(
        &self,
        label: &str,
        target: bool,
        read: &Read,
        scores: &[(String, Scores)],
        truth: &Truth,
    ) -> Result<Checkpoint, Error> {
        let quick = Options {
            bootstrap_replicates: 0,
            calibrate: false,
            ..self.measuring.clone()
        };
        let attacks = scores.iter().map(|(id, scores)| {
            let measures = judge::measure(id, scores, truth, &quick)?;
            Ok(CheckpointAttack {
                id: id.clone(),
                auc: measures.auc,
                tpr_at_fpr: measures.tpr_at_fpr,
            })
        });
        let loss = |kind: bool| {
            let chosen = read.losses.iter().zip(truth.iter());
            let chosen = chosen.filter(|(_, member)| *member == kind);
            let (sum, tokens) = chosen.fold((0.0, 0.0), |(sum, tokens), (loss, _)| {
                (sum + loss.0, tokens + loss.1)
            });
            sum / tokens
        };
        Ok(Checkpoint {
            label: label.to_owned(),
            target,
            step: label.parse().ok().filter(|step: &f64| step.is_finite()),
            loss_members: loss(true),
            loss_nonmembers: loss(false),
            attacks: attacks.collect::<Result<_, Error>>()?,
        })
    }

    fn provenance(&self, read: &Read, judged: &Truth) -> Provenance {
        Provenance {
            version: env!("CARGO_PKG_VERSION").into(),
            command: self.command.clone(),
            seed: self.measuring.seed,
            inputs: self.inputs.clone(),
            data: Slice {
                format: read.format.into(),
                models: 1,
                records: read.ids.len(),
                augmentations: 1,
                target: 0,
                shadows: 0,
                judged_records: judged.len(),
                judged_members: judged.members(),
                tokens: Some(read.predicted),
            },
            settings: tokens::settings()
                .into_iter()
                .map(|setting| (setting.key.to_string(), self.settings.text(setting)))
                .collect(),
            measuring: self.measuring.clone(),
        }
    }
}

impl Members {
    /// Which of the texts are listed; every listed id must be one of theirs.
    fn of(&self, ids: &[String]) -> Result<Vec<bool>, Error> {
        let known: std::collections::HashSet<&String> = ids.iter().collect();
        let mut unknown: Vec<&String> = self.ids.iter().filter(|id| !known.contains(id)).collect();
        unknown.sort_unstable();
        match unknown.first() {
            None => Ok(ids.iter().map(|id| self.ids.contains(id)).collect()),
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

/// What is left of a file once it is read.
struct Read {
    format: &'static str,
    ids: Vec<String>,
    members: Vec<Option<bool>>,
    /// By attack, then by text.
    answers: Vec<Vec<Answer>>,
    corpus: Corpus,
    /// Summed loss and number of predicted tokens, by text.
    losses: Vec<(f64, f64)>,
    lengths: Vec<usize>,
    scored: usize,
    predicted: usize,
    compared: usize,
    mismatched: usize,
    example: Option<String>,
}

impl Read {
    fn new(format: &'static str, attacks: usize) -> Self {
        Self {
            format,
            ids: Vec::new(),
            members: Vec::new(),
            answers: vec![Vec::new(); attacks],
            corpus: Corpus::default(),
            losses: Vec::new(),
            lengths: Vec::new(),
            scored: 0,
            predicted: 0,
            compared: 0,
            mismatched: 0,
            example: None,
        }
    }

    fn take(&mut self, batch: Vec<Row>, attacks: &[&'static dyn TokenAttack], settings: &Settings) {
        let mut signals: Vec<TextSignals> = Vec::with_capacity(batch.len());
        for row in batch {
            self.count(&row);
            self.ids.push(row.id);
            self.members.push(row.member);
            signals.push(row.signals);
        }
        let answers = tokens::run(attacks, &signals, settings);
        for (all, batch) in self.answers.iter_mut().zip(answers) {
            all.extend(batch);
        }
    }

    fn count(&mut self, row: &Row) {
        let tokens = row.scored.then_some(row.tokens);
        let text = row.signals.text.as_deref();
        self.corpus.add(&row.id, text, tokens, row.date.as_deref());
        self.lengths.extend(tokens);
        self.scored += usize::from(row.scored);
        self.predicted += row.signals.logprob.len();
        let loss = -row.signals.logprob.iter().sum::<f64>();
        self.losses.push((loss, row.signals.logprob.len() as f64));
        if let (Some(own), Some(reference)) = (&row.token_ids, &row.reference_ids) {
            self.compared += 1;
            if own != reference {
                self.mismatched += 1;
                self.example.get_or_insert_with(|| row.id.clone());
            }
        }
    }

    fn token_facts(&mut self) -> TokenFacts {
        self.lengths.sort_unstable();
        TokenFacts {
            scored: self.scored,
            short: self
                .lengths
                .iter()
                .filter(|length| **length < SHORT)
                .count(),
            median: self
                .lengths
                .get(self.lengths.len() / 2)
                .copied()
                .unwrap_or(0),
            compared: self.compared,
            mismatched: self.mismatched,
            example: self.example.clone(),
        }
    }

    fn sorted_out(&mut self, attacks: &[&'static dyn TokenAttack]) -> super::Attacked {
        let (mut scores, mut skipped) = (Vec::new(), Vec::new());
        for (attack, answers) in attacks.iter().zip(std::mem::take(&mut self.answers)) {
            let id = attack.card().id.to_string();
            let found: Scores = answers.into_iter().collect();
            if found.abstained() < found.len() {
                scores.push((id, found));
            } else {
                let reason = all_abstained(&found);
                skipped.push(Skipped { id, reason });
            }
        }
        (scores, skipped)
    }
}
