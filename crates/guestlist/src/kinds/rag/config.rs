//! `guestlist.toml` of kind rag, read and checked as far as it can be without asking anybody.

use std::path::{Path, PathBuf};

use asking::rag::{Service, TargetSettings, TransportSettings};
use attacks::rag::{DocumentFrequencies, ProbeAttack, ask};
use attacks::scores::Abstention;
use attacks::signals::probes::Arm;
use formats::texts::{Control, DocumentSettings, DocumentsRead, LabelledDocument};
use judge::guardrails::{self, Evidence, Finding, Status};
use judge::lm::Corpus;
use rayon::prelude::*;
use report::Inputs;
use serde::Deserialize;
use stats::streams::Seed;
use texts::{ModelSettings, ScoringSettings};

use super::Rag;
use super::sample::Sample;
use crate::Error;
use crate::pipeline::slicing::{LENGTH, Slicing, TOPIC, column};
use crate::pipeline::{
    AuditOptions, PersonsWanted, Place, Probed, Question, ResolvedOptions, RunFolder, RunOptions,
    Source, seen_from,
};

/// The configuration of an audit of a retrieval service.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub kind: report::Kind,
    #[serde(default)]
    pub seed: u64,
    pub documents: DocumentSettings,
    pub target: TargetSettings,
    #[serde(default)]
    pub transport: TransportSettings,
    #[serde(default)]
    pub probes: ProbeSettings,
    #[serde(default)]
    pub helper: HelperSettings,
    #[serde(default)]
    pub run: RunFolder,
    #[serde(default)]
    pub audit: AuditOptions,
}

impl Config {
    /// What was asked of this run goes before what is written.
    pub fn overrule(&mut self, options: &RunOptions) {
        options.overrule(&mut self.audit);
        self.seed = options.seed.unwrap_or(self.seed);
        self.documents.limit = options.limit.or(self.documents.limit);
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProbeSettings {
    /// Also ask without retrieval, where the target says how.
    pub without_retrieval: bool,
    /// So many questions are asked twice, to see whether answers differ.
    pub repeats: usize,
    /// Where answers of an earlier run are used, so many of them are asked again, to see whether it
    /// is still the same service.
    pub recheck: usize,
    /// Leave documents alone that the first answers settle.
    pub adaptive: bool,
}

impl Default for ProbeSettings {
    fn default() -> Self {
        Self {
            without_retrieval: true,
            repeats: 20,
            recheck: 16,
            adaptive: true,
        }
    }
}

impl ProbeSettings {
    /// Fewer answers could not show a change, whatever they say.
    pub(super) const LEAST_RECHECK: usize = 8;

    fn check(&self) -> Result<(), Error> {
        match self.recheck {
            0 | Self::LEAST_RECHECK.. => Ok(()),
            few => Err(Error::usage(
                format!(
                    "probes.recheck is {few}: so few answers do not show whether a service changed"
                ),
                "give a number from 8, or 0 to ask nothing again and go without a pass",
            )),
        }
    }
}

/// Models that help: none is needed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HelperSettings {
    /// A chat service that writes the questions of `ia`, such as preset openai-chat.
    pub questions: Option<TargetSettings>,
    /// The same by a model of this machine: a GGUF file or a folder.
    pub questions_model: Option<PathBuf>,
    /// Reads the answers for the perplexity that `s2-fitted` needs.
    pub perplexity: Option<ModelSettings>,
    pub scoring: ScoringSettings,
}

/// Whose the documents are, by the field that was named.
fn persons(
    config: &Config,
    place: &Place,
    documents: &[LabelledDocument],
) -> Result<Option<PersonsWanted>, Error> {
    let Some(group) = &config.audit.group else {
        return Ok(None);
    };
    let read = DocumentSettings {
        controls: None,
        ..config.documents.clone()
    };
    let people = formats::persons::by_id(&read.files(&place.base), group)?;
    let ids = documents.iter().map(|listed| listed.document.id.clone());
    let ids: Vec<String> = ids.collect();
    let join = config.audit.join;
    Ok(Some(PersonsWanted::of_ids(group, join, &people, &ids)))
}

/// A configuration that can be run as far as one can tell without asking.
pub struct Plan {
    pub config: Config,
    pub place: Place,
    pub resolved: ResolvedOptions<&'static dyn ProbeAttack>,
    pub service: Service,
    pub documents: Vec<LabelledDocument>,
    /// How common words are among all documents, those beyond the limit too.
    pub frequencies: DocumentFrequencies,
    /// Documents with invented facts, which are no part of what is measured.
    pub controls: Vec<Control>,
    /// What the documents are cut by, as far as their files say it.
    pub slicing: Slicing,
    /// Whose the documents are, where that was said.
    pub persons: Option<PersonsWanted>,
    /// The configuration and the files that it names, as they were read.
    pub inputs: Vec<Inputs>,
    /// Whether others are to ask the questions.
    pub hands_out: bool,
}

impl Plan {
    /// `max_requests` goes before the configuration's own.
    pub fn new(mut config: Config, place: Place, max_requests: Option<u64>) -> Result<Self, Error> {
        if max_requests.is_some() {
            config.transport.max_requests = max_requests;
        }
        config.target.base.clone_from(&place.base);
        if let Some(helper) = &mut config.helper.questions {
            helper.base.clone_from(&place.base);
        }
        let service = Service::new(&config.target, &config.transport)?;
        Self::of(config, place, service)
    }

    /// The same of a service that somebody else made; the configuration's target is not looked at.
    pub fn of(config: Config, place: Place, service: Service) -> Result<Self, Error> {
        let resolved = config.audit.resolve_from::<Rag>(&place.base)?;
        check_helpers(&config, &place.base)?;
        check_arms(&resolved, &config, &service)?;
        config.probes.check()?;
        if let Some(price) = &config.target.price {
            price.check()?;
        }
        let DocumentsRead {
            documents,
            frequencies,
        } = config.documents.read(&place.base, Seed(config.seed))?;
        check_questions(&resolved, &config, &documents, &frequencies)?;
        let controls = config.documents.controls(&place.base)?;
        let slicing = slicing(&config, &place, &documents)?;
        let persons = persons(&config, &place, &documents)?;
        let files = config.documents.files(&place.base);
        Ok(Self {
            inputs: place.inputs(files)?,
            config,
            place,
            resolved,
            service,
            documents,
            frequencies,
            controls,
            slicing,
            persons,
            hands_out: false,
        })
    }

    /// What the documents of a sample are cut by, and whose they are.
    pub(super) fn cut(&self, sample: &Sample) -> Result<(Slicing, Option<PersonsWanted>), Error> {
        if sample.is_all() {
            return Ok((self.slicing.clone(), self.persons.clone()));
        }
        let documents = sample.of(self.documents.clone());
        Ok((
            slicing(&self.config, &self.place, &documents)?,
            persons(&self.config, &self.place, &documents)?,
        ))
    }

    /// The run's folder.
    pub fn folder(&self) -> PathBuf {
        seen_from(&self.place.base, &self.config.run.folder)
    }

    /// Whom `guestlist probe` asks what.
    pub fn probed(self, question: &Question<'_>) -> Result<Probed, Error> {
        let query = question.query;
        let query = query.map_or_else(|| self.usual_question(), str::to_owned);
        Ok(Probed {
            query,
            service: self.service,
            arm: match question.without_retrieval {
                true => Arm::NoRetrieval,
                false => Arm::Retrieval,
            },
        })
    }

    /// The first that a run would ask about the first document.
    fn usual_question(&self) -> String {
        let (attacks, settings) = (&self.resolved.attacks, &self.resolved.settings);
        let documents = self.documents.iter().map(|listed| &listed.document);
        let first = documents
            .flat_map(|document| ask(attacks, document, &self.frequencies, settings))
            .next();
        first.map_or_else(
            || "What documents do you have?".to_owned(),
            |probe| probe.query,
        )
    }

    /// Whether questions are asked without retrieval, too.
    pub fn asks_without(&self) -> bool {
        self.config.probes.without_retrieval && self.service.has_off()
    }

    /// What the documents give away before anybody is asked: only what is not in order.
    pub fn first_findings(&self) -> Vec<Finding> {
        let mut corpus = Corpus::default();
        let (mut members, mut topics) = (Vec::new(), Vec::new());
        for (row, listed) in self.documents.iter().enumerate() {
            if let Some(member) = listed.member {
                let text = Some(listed.document.text.as_str());
                corpus.add(row, text, None, listed.date.as_deref());
                members.push(member);
                topics.push(listed.topic.clone());
            }
        }
        let count = members.iter().filter(|member| **member).count();
        let seed = Seed(self.config.seed);
        let facts = corpus.facts(&members, None, self.config.audit.confidence, seed);
        let probes = judge::rag::ProbeFacts {
            topics: judge::rag::compare_topics(&topics, &members, seed),
            ..Default::default()
        };
        let evidence = Evidence {
            holdout: self.config.audit.holdout,
            texts: Some(&facts),
            probes: Some(&probes),
            policy: self.resolved.policy.as_ref(),
            further: self.resolved.further(),
            ..Evidence::new(
                count,
                members.len() - count,
                &self.resolved.gate,
                &self.config.audit.fpr,
            )
        };
        // Nobody was asked yet: what is said of the arm without retrieval is for later.
        let early = |finding: &Finding| {
            let asked = finding.id == "without-retrieval" && self.asks_without();
            finding.status != Status::Ok && !asked
        };
        guardrails::check(&evidence)
            .into_iter()
            .filter(early)
            .collect()
    }
}

/// An attack that compares both arms must not find that out after all its questions.
fn check_arms(
    resolved: &ResolvedOptions<&'static dyn ProbeAttack>,
    config: &Config,
    service: &Service,
) -> Result<(), Error> {
    let both = resolved
        .attacks
        .iter()
        .find(|attack| attack.needs_both_arms());
    match both {
        Some(attack) if !(config.probes.without_retrieval && service.has_off()) => {
            Err(Error::usage(
                format!(
                    "{} names {}, which compares answers with and without retrieval, \
                     and nothing is asked without",
                    config.audit.name("attacks"),
                    attack.card().id
                ),
                match config.audit.source {
                    Source::Program => {
                        "give a second function as without_retrieval, or leave the attack out"
                    }
                    _ => {
                        "say in [target.off] how retrieval is switched off, and leave \
                         probes.without_retrieval at true; or leave the attack out"
                    }
                },
            ))
        }
        _ => Ok(()),
    }
}

/// That an attack which was asked for finds nothing to ask must not show after all other questions.
fn check_questions(
    resolved: &ResolvedOptions<&'static dyn ProbeAttack>,
    config: &Config,
    documents: &[LabelledDocument],
    frequencies: &DocumentFrequencies,
) -> Result<(), Error> {
    let helper = &config.helper;
    let helped = helper.questions.is_some() || helper.questions_model.is_some();
    let asks = |attack: &&'static dyn ProbeAttack| {
        // What a helper writes is not known yet.
        let later = attack.reads_only() || (helped && attack.card().id == "ia");
        let asks = |listed: &LabelledDocument| {
            let only = std::slice::from_ref(attack);
            !ask(only, &listed.document, frequencies, &resolved.settings).is_empty()
        };
        later || documents.par_iter().any(asks)
    };
    match resolved
        .attacks
        .iter()
        .find(|attack| resolved.named && !asks(attack))
    {
        None => Ok(()),
        Some(idle) => Err(Error::usage(
            format!(
                "{} cannot run here: abstained on every record: {}",
                idle.card().id,
                Abstention::NoQuestion.as_str()
            ),
            "leave it out of the attacks, or give documents that it finds something to ask about",
        )),
    }
}

/// Fields of the documents that the audit is sliced by, read before anything is asked.
fn slicing(
    config: &Config,
    place: &Place,
    documents: &[LabelledDocument],
) -> Result<Slicing, Error> {
    let read = DocumentSettings {
        controls: None,
        ..config.documents.clone()
    };
    let slicing = Slicing::new(&config.audit.slices);
    if slicing.names().iter().any(|name| name == TOPIC) {
        let topics = documents.iter().map(|document| document.topic.clone());
        column(TOPIC, &topics.collect::<Vec<_>>())?;
    }
    let ids: Vec<&str> = (documents.iter())
        .map(|document| document.document.id.as_str())
        .collect();
    slicing.read_by_id(&read.files(&place.base), &ids, &[LENGTH, TOPIC])
}

fn check_helpers(config: &Config, base: &Path) -> Result<(), Error> {
    let helper = &config.helper;
    if helper.questions.is_some() && helper.questions_model.is_some() {
        return Err(Error::usage(
            "helper.questions and helper.questions_model are both given",
            "one helper writes the questions: leave out one of them",
        ));
    }
    if let Some(model) = &helper.questions_model
        && !base.join(model).exists()
    {
        return Err(Error::usage(
            format!("helper.questions_model: {} is not there", model.display()),
            "give a GGUF file or a folder in Hugging Face's layout",
        ));
    }
    if let Some(settings) = &helper.questions {
        Service::named("helper.questions", settings, &config.transport)?;
    }
    if let Some(settings) = &helper.perplexity {
        settings.check("helper.perplexity")?;
    }
    helper.scoring.check()?;
    Ok(())
}
