//! A demonstration from beginning to end: its files, its service, its audit.

use std::path::{Path, PathBuf};

use base::Progress;
use guestlist::pipeline::{self, Extra, Finished, RunOptions, Source};
use guestlist::{Error, Kind};
use serde::Deserialize;

use super::FewShotDemo;
use crate::{Defences, ServeRequest};

/// The kinds that there is a demonstration of.
pub const SHOWN: [Kind; 5] = [
    Kind::Classifier,
    Kind::Lm,
    Kind::Rag,
    Kind::Source,
    Kind::Fewshot,
];

/// What is to be shown.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DemoRequest {
    /// Folder for data, configuration, models and report; one named for the kind where nothing is said.
    pub out: Option<PathBuf>,
    pub seed: u64,
    /// `classifier`: train with DP-SGD that spends this ε.
    pub epsilon: Option<f64>,
    /// `rag`: defences of the service.
    pub defences: Vec<String>,
    /// Criteria in a file of their own, instead of the demonstration's gate.
    pub policy: Option<PathBuf>,
    /// What else was typed, as a shell takes it: the end of the command that gives the report again.
    pub flags: String,
    /// The day that the report bears, as 2026-01-31.
    pub date: Option<String>,
    /// Files beyond the usual ones.
    pub extras: Vec<Extra>,
    /// What gives this report again.
    pub command: Option<String>,
    /// Who asks, for messages.
    #[serde(skip)]
    pub source: Source,
}

impl Default for DemoRequest {
    fn default() -> Self {
        Self {
            out: None,
            seed: 0,
            epsilon: None,
            defences: Vec::new(),
            policy: None,
            flags: String::new(),
            date: None,
            extras: vec![Extra::Markdown],
            command: None,
            source: Source::Program,
        }
    }
}

/// What was shown, and the configuration that does it again.
pub struct Demonstrated {
    pub finished: Finished,
    pub config: PathBuf,
}

/// Every kind has a folder of its own, so that one demonstration can follow another.
pub fn usual_folder(kind: Kind) -> PathBuf {
    match kind {
        Kind::Classifier => "guestlist-demo".into(),
        kind => format!("guestlist-demo-{}", kind.name()).into(),
    }
}

/// A whole audit on embedded data, without a network.
pub fn show(
    kind: Kind,
    request: &DemoRequest,
    progress: Progress<'_>,
) -> Result<Demonstrated, Error> {
    request.check(kind)?;
    let out = request.out.clone().unwrap_or_else(|| usual_folder(kind));
    match kind {
        Kind::Classifier => classifier(&out, request, progress),
        Kind::Lm => language_model(&out, request, progress),
        Kind::Rag => retrieval_service(&out, request, progress),
        Kind::Source => sources(&out, request, progress),
        Kind::Fewshot => few_shot(&out, request, progress),
        other => Err(Error::usage(
            format!("there is no demonstration of kind {}", other.name()),
            format!("there is one of {}", SHOWN.map(Kind::name).join(", ")),
        )),
    }
}

fn classifier(
    out: &Path,
    request: &DemoRequest,
    progress: Progress<'_>,
) -> Result<Demonstrated, Error> {
    progress.note(
        "Who was in the training set? Models learn handwritten digits, each from half of them.",
    );
    let config = super::classifier(out, request.seed, request.epsilon)?;
    let epsilon = request
        .epsilon
        .map(|epsilon| format!(" --epsilon {epsilon}"));
    let again = format!(
        "demo --seed {}{}",
        request.seed,
        epsilon.unwrap_or_default()
    );
    request.audit(config, &again, progress)
}

fn language_model(
    out: &Path,
    request: &DemoRequest,
    progress: Progress<'_>,
) -> Result<Demonstrated, Error> {
    progress.note(
        "Which speeches was it fine-tuned on? A small language model and the one it started from \
         read 1,200 passages; 600 of them were in the fine-tuning set.",
    );
    let config = super::language_model(out, request.seed)?;
    request.audit(
        config,
        &format!("demo lm --seed {}", request.seed),
        progress,
    )
}

fn retrieval_service(
    out: &Path,
    request: &DemoRequest,
    progress: Progress<'_>,
) -> Result<Demonstrated, Error> {
    let names = &request.defences;
    let told = match Defences::parse(names)?.names().as_slice() {
        [] => "without defences".to_owned(),
        names => format!("defended by {}", names.join(", ")),
    };
    progress.note(&format!(
        "Which speeches are in its store? A service on this machine, {told}, answers questions about \
         300 passages; it holds 150 of them among 600."
    ));
    // The documents must be there before the service, and the service's port before its audit.
    let port = super::retrieval_port(out, request.seed, names)?;
    let serving = ServeRequest {
        port,
        defences: names.clone(),
        ..ServeRequest::new(&super::documents(out)?)
    }
    .start()?;
    let port = serving.running.address().port();
    let config = super::retrieval(out, request.seed, port, names)?;
    let on: String = names
        .iter()
        .map(|name| format!(" --defence {name}"))
        .collect();
    request.audit(
        config,
        &format!("demo rag --seed {}{on}", request.seed),
        progress,
    )
}

fn sources(
    out: &Path,
    request: &DemoRequest,
    progress: Progress<'_>,
) -> Result<Demonstrated, Error> {
    progress.note(
        "Where did it come from? A service on this machine answers with a small language model. It \
         knows some texts by heart, its store holds others, and 12 of each are asked about, with 12 that \
         are new to both.",
    );
    let port = super::source_port(out, request.seed)?;
    let served = super::source_files(out)?;
    let serving = ServeRequest {
        port,
        model: Some(served.model),
        ..ServeRequest::new(&served.store)
    }
    .start()?;
    let config = super::source(out, request.seed, serving.running.address().port())?;
    request.audit(
        config,
        &format!("demo source --seed {}", request.seed),
        progress,
    )
}

fn few_shot(
    out: &Path,
    request: &DemoRequest,
    progress: Progress<'_>,
) -> Result<Demonstrated, Error> {
    progress.note(
        "Who was in the training set? An attacker who knows it of 1, 5 or 10 records of each kind \
         guesses about others, from what a model of handwritten digits makes of them.",
    );
    let FewShotDemo { model, audit } = super::few_shot(out, request.seed)?;
    pipeline::collect(&model, &RunOptions::default(), progress)?;
    request.audit(
        audit,
        &format!("demo fewshot --seed {}", request.seed),
        progress,
    )
}

impl DemoRequest {
    /// Refuses what means nothing for this kind.
    fn check(&self, kind: Kind) -> Result<(), Error> {
        let (epsilon, defences) = (self.epsilon.is_some(), !self.defences.is_empty());
        if epsilon && kind != Kind::Classifier {
            return Err(self.foreign("epsilon", "the classifier"));
        }
        match defences && kind != Kind::Rag {
            true => Err(self.foreign("defence", "demo rag")),
            false => Ok(()),
        }
    }

    /// An option that another demonstration has.
    pub fn foreign(&self, option: &str, owner: &str) -> Error {
        let dashes = match self.source {
            Source::Program => "",
            _ => "--",
        };
        Error::usage(format!("{dashes}{option} is for {owner}"), "leave it out")
    }

    fn audit(
        &self,
        config: PathBuf,
        again: &str,
        progress: Progress<'_>,
    ) -> Result<Demonstrated, Error> {
        let options = RunOptions {
            extras: self.extras.clone(),
            command: Some(
                self.command
                    .clone()
                    .unwrap_or_else(|| format!("guestlist {again}{}", self.flags)),
            ),
            policy: self.policy.clone(),
            date: self.date.clone(),
            ..RunOptions::default()
        };
        let finished = pipeline::run(&config, &options, progress)?;
        Ok(Demonstrated { finished, config })
    }
}
