//! `guestlist.toml` of kind source, read and checked as far as it can be without asking anybody.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use asking::rag::{Picture, Service, TargetSettings, TransportSettings};
use attacks::signals::probes::Arm;
use attacks::source::attacks::SourceAttack;
use attacks::source::{Input, Label};
use formats::texts::{Item, ItemSettings};
use judge::guardrails::{self, Evidence, Finding, Status};
use judge::lm::Corpus;
use report::Inputs;
use serde::Deserialize;
use stats::streams::Seed;

use super::basis::{Basis, similarity};
use super::settings::{ImageSettings, SourceSettings};
use super::slices::check_slices;
use super::{Attributing, Source};
use crate::Error;
use crate::pipeline::{
    AuditOptions, Place, Probed, Question, ResolvedOptions, RunFolder, seen_from,
};

/// The configuration of an audit of sources.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub kind: report::Kind,
    #[serde(default)]
    pub seed: u64,
    pub items: ItemSettings,
    pub target: TargetSettings,
    /// A base model that is asked in place of the service without retrieval.
    pub stand_in: Option<TargetSettings>,
    #[serde(default)]
    pub transport: TransportSettings,
    #[serde(default)]
    pub source: SourceSettings,
    pub images: Option<ImageSettings>,
    #[serde(default)]
    pub run: RunFolder,
    #[serde(default)]
    pub audit: AuditOptions,
}

impl Config {
    /// Programs that answer are started where the configuration lies. Rounds follow from answers, so
    /// that nobody can be asked elsewhere.
    fn find_programs(&mut self, base: &Path) -> Result<(), Error> {
        if self.target.elsewhere == Some(true) {
            return Err(Error::usage(
                "target.elsewhere is for kind rag: what an audit of sources asks next depends on what it heard",
                "give target.url or target.command",
            ));
        }
        let endpoint = self.images.as_mut().map(|images| &mut images.endpoint);
        let targets = [Some(&mut self.target), self.stand_in.as_mut(), endpoint];
        for target in targets.into_iter().flatten() {
            target.base = base.to_owned();
        }
        Ok(())
    }
}

/// A configuration that can be run as far as one can tell without asking.
pub struct Plan {
    pub config: Config,
    pub place: Place,
    pub resolved: ResolvedOptions<&'static SourceAttack>,
    pub service: Service,
    /// Asked for the arm without retrieval, where the service has no switch.
    pub stand_in: Option<Service>,
    pub captioner: Option<Service>,
    pub basis: Arc<Basis>,
    /// The configuration and the files that it names, as they were read.
    pub inputs: Vec<Inputs>,
}

impl Plan {
    /// `max_requests` goes before the configuration's own.
    pub fn new(mut config: Config, place: Place, max_requests: Option<u64>) -> Result<Self, Error> {
        if max_requests.is_some() {
            config.transport.max_requests = max_requests;
        }
        let resolved = config.audit.resolve_from::<Source>(&place.base)?;
        config.source.check()?;
        config.find_programs(&place.base)?;
        let service = Service::new(&config.target, &config.transport)?;
        let stand_in = stand_in(&config, &service)?;
        let items = config.items.read(&place.base, Seed(config.seed))?;
        let captioner = captioner(&config, &items)?;
        let inputs = place.inputs(files(&config, &place, &items))?;
        check_words(&items)?;
        check_slices(&config.audit.slices, &items)?;
        check_pictures(&items)?;
        let settings = found_from(&place.base, &config.source);
        let endpoint = |service: &Option<Service>| service.as_ref().map(Service::endpoint);
        let basis = Basis {
            seed: config.seed,
            similarity: similarity(&settings)?,
            settings,
            deviations: (config.images.as_ref()).map_or(Vec::new(), ImageSettings::deviations),
            items,
            service: service.about(),
            stand_in: endpoint(&stand_in),
            captioner: endpoint(&captioner),
        };
        Ok(Self {
            config,
            place,
            resolved,
            service,
            stand_in,
            captioner,
            basis: Arc::new(basis),
            inputs,
        })
    }

    /// The run's folder.
    pub fn folder(&self) -> PathBuf {
        seen_from(&self.place.base, &self.config.run.folder)
    }

    /// Whom `guestlist probe` asks what.
    pub fn probed(self, question: &Question<'_>) -> Result<Probed, Error> {
        let query = match question.query {
            Some(query) => query.to_owned(),
            None => Attributing::first_question(&self).ok_or_else(|| {
                Error::usage(
                    "every item is a picture: what a run would ask first is not known yet",
                    "say what to ask with --query",
                )
            })?,
        };
        let (service, arm) = match (question.without_retrieval, self.stand_in) {
            (false, _) => (self.service, Arm::Retrieval),
            (true, Some(stand_in)) => (stand_in, Arm::Retrieval),
            (true, None) => (self.service, Arm::NoRetrieval),
        };
        Ok(Probed {
            service,
            query,
            arm,
        })
    }

    /// What the texts give away before anybody is asked: only what is not in order. Nothing where
    /// texts of one kind are missing, or of pictures.
    pub fn first_findings(&self) -> Vec<Finding> {
        let known: Vec<(&Item, bool)> = self
            .basis
            .items
            .iter()
            .filter_map(|item| Some((item, item.source? != Label::NonMember)))
            .collect();
        let members: Vec<bool> = known.iter().map(|(_, member)| *member).collect();
        let count = members.iter().filter(|member| **member).count();
        if count == 0 || count == members.len() || self.basis.pictures() > 0 {
            return Vec::new();
        }
        let mut corpus = Corpus::default();
        let listed = self.basis.items.iter().enumerate();
        for (row, item) in listed.filter(|(_, item)| item.source.is_some()) {
            corpus.add(row, item.text(), None, item.date.as_deref());
        }
        let seed = Seed(self.config.seed);
        let facts = corpus.facts(&members, None, self.config.audit.confidence, seed);
        let evidence = Evidence {
            holdout: self.config.audit.holdout,
            texts: Some(&facts),
            policy: self.resolved.policy.as_ref(),
            further: self.resolved.further(),
            ..Evidence::new(
                count,
                members.len() - count,
                &self.resolved.gate,
                &self.config.audit.fpr,
            )
        };
        let findings = guardrails::check(&evidence).into_iter();
        // Each attack has members of its own: how many there are is said of them.
        findings
            .filter(|finding| finding.status != Status::Ok && finding.id != "class-balance")
            .collect()
    }
}

/// Lists of items, and the pictures that they name.
fn files(config: &Config, place: &Place, items: &[Item]) -> Vec<PathBuf> {
    let pictures = items.iter().filter_map(Item::picture);
    let lists = config.items.files(&place.base).into_iter();
    lists.chain(pictures.map(Path::to_owned)).collect()
}

/// The settings with paths that mean the same wherever they are read.
fn found_from(base: &Path, settings: &SourceSettings) -> SourceSettings {
    let mut settings = settings.clone();
    if let Some(similarity) = &mut settings.similarity {
        let model = base.join(&similarity.model);
        similarity.model = std::path::absolute(&model).unwrap_or(model);
    }
    settings
}

/// A text of stop words alone has nothing to perturb.
fn check_words(items: &[Item]) -> Result<(), Error> {
    let empty = |item: &&Item| item.text().is_some_and(|text| Input::new(text).is_empty());
    match items.iter().find(empty) {
        None => Ok(()),
        Some(item) => Err(Error::usage(
            format!(
                "{}: row {} ({:?}) has no word that says anything: only articles, prepositions and \
                 the like",
                item.file.display(),
                item.row,
                item.id
            ),
            "leave it out, or give a longer text",
        )),
    }
}

/// Whoever answers without retrieval must be known before anything is sent.
fn stand_in(config: &Config, service: &Service) -> Result<Option<Service>, Error> {
    let Some(settings) = &config.stand_in else {
        if service.has_off() {
            return Ok(None);
        }
        return Err(Error::usage(
            "nobody answers without retrieval: the target has no [target.off], and there is no \
             [stand_in]",
            "say in [target.off] how the service is asked without its store, or name the endpoint \
             of its base model in [stand_in]",
        ));
    };
    if config.target.off.is_some() {
        return Err(Error::usage(
            "[target.off] and [stand_in] are both given",
            "the service's own switch is better evidence: leave out [stand_in]",
        ));
    }
    if settings.off.is_some() {
        return Err(Error::usage(
            "[stand_in] has an arm without retrieval of its own",
            "it is asked as it is: leave out [stand_in.off]",
        ));
    }
    if *settings == config.target {
        return Err(Error::usage(
            "[stand_in] is the same as [target]: the service would be compared with itself",
            "name the endpoint of the base model, which has no store",
        ));
    }
    Service::named("stand_in", settings, &config.transport).map(Some)
}

fn captioner(config: &Config, items: &[Item]) -> Result<Option<Service>, Error> {
    let picture = items.iter().find(|item| item.picture().is_some());
    let Some(images) = &config.images else {
        return match picture {
            None => Ok(None),
            Some(item) => Err(Error::usage(
                format!(
                    "{}: row {} ({:?}) is a picture, and nobody describes pictures",
                    item.file.display(),
                    item.row,
                    item.id
                ),
                "name a vision chat in [images.endpoint], such as preset = \"openai-vision\"",
            )),
        };
    };
    images.check()?;
    Service::named("images.endpoint", &images.endpoint, &config.transport).map(Some)
}

/// Every picture is decoded once before anything is spent.
fn check_pictures(items: &[Item]) -> Result<(), Error> {
    for path in items.iter().filter_map(Item::picture) {
        Picture::read(path)?;
    }
    Ok(())
}
