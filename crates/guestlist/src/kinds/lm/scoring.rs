//! Scoring the texts with every model, and the audit of what came out.

use base::{Progress, Unit};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use asking::store::Store;
use report::Inputs;
use report::lm::{self, Scoring as Scored};
use stats::streams::Seed;
use texts::{Asked, Model, ScoredText, Text, TextFeatures, write};

use super::Plan;
use super::config::file_name;
use super::features;
use super::same_tokens::{comparable, same_tokens};
use crate::Error;
use crate::kinds::lm::attack::{CheckpointFile, TokenRequest};
use crate::pipeline::{digests, input};

/// Texts that are written at once.
pub(super) const TEXTS_AT_ONCE: usize = 512;
/// Texts that every model is tried out on before the work begins.
pub const TRIED: usize = 4;
/// Texts whose scoring is timed for an estimate, at the least.
pub const TIMED: usize = 16;
/// A trial that takes so long is believed.
const TRIAL: Duration = Duration::from_millis(500);

/// Every model, opened, and what each is asked.
pub struct Scoring<'a> {
    pub(super) plan: &'a Plan,
    /// Target, reference, checkpoints.
    pub(super) models: Vec<Opened>,
    /// The lower-cased texts for the target.
    lowercase: Option<Asked>,
    /// Of canaries, where the target's tokenizer is known: the drawn tokens of every text.
    secrets: Option<Vec<Vec<usize>>>,
}

pub(super) struct Opened {
    pub(super) model: Model,
    pub(super) asked: Asked,
    /// Tokens per second, measured on a few texts.
    rate: Option<f64>,
    pub(super) is_reference: bool,
}

/// What a run would do.
pub struct ScoringEstimate {
    pub texts: usize,
    pub members: usize,
    /// By pass: name, tokens where known, texts scored already, seconds for the rest.
    pub passes: Vec<PassEstimate>,
}

pub struct PassEstimate {
    pub name: String,
    pub about: String,
    pub texts: usize,
    pub tokens: Option<usize>,
    pub done: usize,
    pub seconds: Option<f64>,
    pub windowed: usize,
}

impl<'a> Scoring<'a> {
    /// Opens every model in turn, cuts the texts into tokens, compares those, and scores a few, so
    /// that whatever can go wrong does so now. `tried` says how many: [`TRIED`], or [`TIMED`].
    pub fn open(plan: &'a Plan, tried: usize, progress: Progress<'_>) -> Result<Self, Error> {
        let mut models: Vec<Opened> = Vec::new();
        let (mut lowercase, mut secrets) = (None, None);
        for (role, settings) in plan.roles() {
            if progress.cancelled() {
                return Err(Error::interrupted());
            }
            progress.note(&format!("opening {role}"));
            let mut model = Model::open(&role, settings, &plan.place.base, &plan.config.scoring)?;
            if models.is_empty() {
                features::check(&model, plan.config.scoring.features)?;
            }
            let asked = model.prepare(&plan.texts, false)?;
            if let (true, Some(canaries)) = (models.is_empty(), &plan.canaries) {
                let located = model.locate(&plan.texts)?;
                secrets = located.map(|located| canaries.drawn_tokens(&located));
            }
            if let Some(target) = models.first() {
                same_tokens(&plan.texts, &target.asked, &role, &asked)?;
            } else if plan.wants_lowercase() {
                lowercase = Some(model.prepare(&plan.texts, true)?);
            }
            progress.note(&format!("{role}: {}", model.about()));
            if models.is_empty() {
                progress.note(&plan.allowed(&model.gives()));
            }
            let mut rate = model.try_out(&asked, tried.min(TRIED))?;
            if tried > TRIED {
                rate = timed(&mut model, &asked, tried)?;
            }
            model.rest();
            models.push(Opened {
                is_reference: role == "reference",
                model,
                asked,
                rate,
            });
        }
        Ok(Self {
            plan,
            models,
            lowercase,
            secrets,
        })
    }

    /// What is there already and how long the rest takes.
    pub fn estimate(&self, store: Option<&Store>) -> Result<ScoringEstimate, Error> {
        let mut passes = Vec::new();
        for (place, opened) in self.models.iter().enumerate() {
            let lower = self.lowercase.as_ref().filter(|_| place == 0);
            let role = &opened.model.role;
            let asked = std::iter::once((role.clone(), &opened.asked))
                .chain(lower.map(|asked| (format!("{role}, lower case"), asked)));
            for (name, asked) in asked {
                let done = match store {
                    Some(store) => opened.model.stored(asked, store)?,
                    None => 0,
                };
                passes.push(opened.estimate(name, asked, done));
            }
        }
        let members = self
            .plan
            .texts
            .iter()
            .filter(|text| text.member == Some(true))
            .count();
        Ok(ScoringEstimate {
            texts: self.plan.texts.len(),
            members,
            passes,
        })
    }

    /// Scores whatever the store does not have.
    pub fn score(&mut self, store: &Store, progress: Progress<'_>) -> Result<(), Error> {
        let texts = &self.plan.texts;
        for (place, opened) in self.models.iter_mut().enumerate() {
            let role = opened.model.role.clone();
            progress.phase(&role, texts.len(), Unit::Texts);
            let named = |error: base::Error| name_text(error, &role, texts);
            let seed = Seed(self.plan.config.seed);
            let same = opened
                .model
                .check_stored(&opened.asked, store, seed, progress);
            same.map_err(named)?;
            opened
                .model
                .score(&opened.asked, store, &role, progress)
                .map_err(named)?;
            if let (0, Some(lowercase)) = (place, &self.lowercase) {
                let pass = format!("{role}, lower case");
                progress.phase(&pass, texts.len(), Unit::Texts);
                let scored = opened.model.score(lowercase, store, &pass, progress);
                scored.map_err(named)?;
            }
            if place == 0 && self.plan.config.scoring.features == Some(TextFeatures::Hidden) {
                let pass = format!("{role}, states");
                progress.phase(&pass, texts.len(), Unit::Texts);
                let read = opened.model.read_states(&opened.asked, store, progress);
                read.map_err(named)?;
            }
            opened.model.rest();
        }
        Ok(())
    }

    /// Writes token signals: of the target first, then of every checkpoint.
    pub fn write(&self, store: &Store) -> Result<Vec<CheckpointFile>, Error> {
        let reference = self.models.iter().find(|opened| opened.is_reference);
        let targets = self.models.iter().filter(|opened| !opened.is_reference);
        let mut files = Vec::new();
        for (place, target) in targets.enumerate() {
            let name = target.model.role.strip_prefix("checkpoint ");
            let label = name.map_or_else(|| self.plan.label(), str::to_owned);
            let path = self.path(name);
            let lowercase = self.lowercase.as_ref().filter(|_| place == 0);
            self.write_one(&path, target, reference, lowercase, store)?;
            files.push(CheckpointFile { label, path });
        }
        Ok(files)
    }

    fn path(&self, label: Option<&str>) -> PathBuf {
        let ending = self.plan.format.ending();
        let name = match label {
            None => format!("tokens.{ending}"),
            Some(label) => format!("tokens-{}.{ending}", file_name(label)),
        };
        self.plan.folder().join(name)
    }

    fn write_one(
        &self,
        path: &std::path::Path,
        target: &Opened,
        reference: Option<&Opened>,
        lowercase: Option<&Asked>,
        store: &Store,
    ) -> Result<(), Error> {
        let texts = &self.plan.texts;
        let mut first = 0;
        let mut next = || -> base::Result<Vec<ScoredText>> {
            let range = first..texts.len().min(first + TEXTS_AT_ONCE);
            first = range.end;
            let fetch = |opened: &Opened, asked: &Asked| {
                opened
                    .model
                    .fetch(asked, range.clone(), store)
                    .map(Vec::into_iter)
            };
            let mut references = reference.map(|r| fetch(r, &r.asked)).transpose()?;
            let mut lowered = lowercase.map(|asked| fetch(target, asked)).transpose()?;
            // The same tokenizer cuts for every checkpoint: other tokens were refused.
            let secret = |place: usize| Some(self.secrets.as_ref()?.get(place)?.as_slice());
            let scored = range.clone().zip(fetch(target, &target.asked)?);
            scored
                .map(|(place, own)| {
                    let text = &texts[place];
                    let reference = references.as_mut().and_then(Iterator::next);
                    if let Some(reference) = &reference {
                        comparable(text, &own, reference)?;
                    }
                    Ok(ScoredText {
                        text,
                        target: own,
                        reference,
                        lowercase: lowered.as_mut().and_then(Iterator::next),
                        secret: secret(place),
                    })
                })
                .collect()
        };
        write(path, self.plan.format, &mut next)
    }

    /// The audit of the files that were written.
    pub fn request(
        &self,
        store: &Store,
        files: Vec<CheckpointFile>,
        command: String,
    ) -> Result<TokenRequest, Error> {
        let Plan {
            config, resolved, ..
        } = self.plan;
        let options = &config.audit;
        let mut files = files.into_iter();
        let target = files.next().ok_or_else(Error::interrupted)?;
        let texts = self.plan.texts.len();
        let inputs = self.inputs()?;
        let mut context = options.context(resolved, texts, config.seed, command, inputs);
        context.measuring.calibrate = true;
        context.slicing = self.plan.slicing.clone();
        context.belong_to(self.plan.persons.clone());
        let seen =
            |path: &Option<PathBuf>| path.as_ref().map(|path| self.plan.place.base.join(path));
        Ok(TokenRequest {
            signals: target.path,
            rows: None,
            label: target.label,
            members: None,
            unknown: None,
            canaries: self.plan.canaries.clone(),
            training_file: seen(&config.texts.training_file),
            shadow: seen(&config.texts.shadow),
            checkpoints: files.collect(),
            attacks: resolved.attacks.clone(),
            context,
            scoring: Some(self.scored(store)?),
        })
    }

    /// What was read beforehand, what is read with the signals, and the models.
    fn inputs(&self) -> Result<Vec<Inputs>, Error> {
        let base = &self.plan.place.base;
        let texts = &self.plan.config.texts;
        let later = [&texts.training_file, &texts.shadow].into_iter().flatten();
        let later = digests(later.map(|path| base.join(path)), Some(base))?;
        let models = self.models.iter().flat_map(|opened| opened.model.files());
        let models = models.map(|(path, sha256)| input(path, sha256.clone(), base));
        let read = self.plan.inputs.iter().cloned();
        Ok(read.chain(later).chain(models).collect())
    }

    fn scored(&self, store: &Store) -> Result<Scored, Error> {
        let models = self.models.iter().map(|opened| {
            let dates = opened.model.dates(&opened.asked, store)?;
            Ok(lm::Model {
                role: opened.model.role.clone(),
                source: opened.model.source.clone(),
                about: opened.model.about(),
                answered: dates.map(|dates| dates.days()),
            })
        });
        let target = &self.models[0];
        Ok(Scored {
            models: models.collect::<Result<_, Error>>()?,
            texts: self.plan.texts.len(),
            tokens: target.asked.tokens().unwrap_or(0),
            windowed: target.model.windowed(&target.asked),
        })
    }
}

/// Tokens a second, once weights and threads are warm, on so many texts that it takes a while.
fn timed(model: &mut Model, asked: &Asked, least: usize) -> Result<Option<f64>, Error> {
    let mut texts = least;
    loop {
        let began = Instant::now();
        let rate = model.try_out(asked, texts)?;
        if began.elapsed() >= TRIAL || texts >= asked.len() {
            return Ok(rate);
        }
        texts *= 2;
    }
}

impl Opened {
    fn estimate(&self, name: String, asked: &Asked, done: usize) -> PassEstimate {
        let tokens = asked.tokens();
        let left = (asked.len() - done) as f64 / asked.len().max(1) as f64;
        let seconds = tokens.zip(self.rate);
        PassEstimate {
            name,
            about: self.model.about(),
            texts: asked.len(),
            tokens,
            done,
            seconds: seconds.map(|(tokens, rate)| left * tokens as f64 / rate),
            windowed: self.model.windowed(asked),
        }
    }
}

/// The id in place of a number.
fn name_text(mut error: base::Error, role: &str, texts: &[Text]) -> Error {
    let text = error.text.and_then(|place| texts.get(place));
    error.message = match text {
        Some(text) => format!("{role}, text {:?}: {}", text.id, error.message),
        None => format!("{role}: {}", error.message),
    };
    error
}
