//! Exchanges that were recorded elsewhere.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use asking::rag::transcript::{self, Recorded, Transcript};
use attacks::signals::probes::{Arm, CONTROL, Document};
use judge::rag::{Repeats, SourcesNamed};
use report::rag::Requests;

use super::attack::{AskedDocument, ProbeRequest};
use super::repeats::repeated;
use super::{Rag, controls};
use crate::Error;
use crate::pipeline::slicing::{LENGTH, Slicing};
use crate::pipeline::{AuditRequest, PersonsWanted, digests};

/// What the judge is handed of a transcript, and of the texts of its documents where they are apart.
pub fn read(input: &Path, request: &AuditRequest) -> Result<ProbeRequest, Error> {
    let resolved = request.options.resolve::<Rag>()?;
    let files = std::iter::once(input).chain(request.documents.as_deref());
    let inputs = digests(files.map(Path::to_owned), None)?;
    let Transcript {
        documents,
        exchanges,
    } = transcript::read(input)?;
    let files = Files {
        transcript: input,
        documents: request.documents.as_deref(),
    };
    let mut talk = files.sorted(documents, &exchanges)?;
    let (requests, repeats) = (requests(&exchanges), repeats(&exchanges));
    let failed = failures(&exchanges);
    for recorded in exchanges {
        talk.take(recorded);
    }
    let mut context = request.context(&resolved, 0, inputs);
    context.slicing = slicing(context.slicing, request, &talk.heard)?;
    context.resample();
    context.belong_to(files.persons(&talk.heard, request)?);
    Ok(ProbeRequest {
        format: "transcript",
        controls: controls::found(&talk.controls),
        documents: talk.heard,
        stored: None,
        repeats,
        sources_named: SourcesNamed::No,
        failed,
        left_out_tells: None,
        context,
        attacks: resolved.attacks,
        service: None,
        helpers: Vec::new(),
        requests,
    })
}

/// What documents are cut by stands in the file of the documents: a transcript has none of it.
fn slicing(
    slicing: Slicing,
    request: &AuditRequest,
    heard: &[AskedDocument],
) -> Result<Slicing, Error> {
    let of_files = slicing.names().iter().find(|name| *name != LENGTH);
    match (&request.documents, of_files) {
        (_, None) => Ok(slicing),
        (None, Some(name)) => Err(Error::usage(
            format!("a transcript does not say the {name} of its documents"),
            "give the documents' own file with --documents, or slice by length",
        )),
        (Some(path), Some(_)) => {
            let ids = heard.iter().map(|heard| heard.document.id.as_str());
            let ids: Vec<&str> = ids.collect();
            slicing.read_by_id(std::slice::from_ref(path), &ids, &[LENGTH])
        }
    }
}

/// A transcript, and the texts of its documents where they are apart.
struct Files<'a> {
    transcript: &'a Path,
    documents: Option<&'a Path>,
}

impl Files<'_> {
    /// Documents with invented facts apart from those that are audited.
    fn sorted(
        &self,
        documents: Vec<(Document, Option<bool>)>,
        exchanges: &[Recorded],
    ) -> Result<Talk, Error> {
        let invented: BTreeSet<usize> = (exchanges.iter())
            .filter(|recorded| is_control(recorded))
            .map(|recorded| recorded.document)
            .collect();
        let mut texts = self.texts()?;
        let mut talk = Talk::default();
        let nobody = documents.iter().all(|(_, member)| member.is_none());
        for (place, (document, member)) in documents.into_iter().enumerate() {
            match member {
                None if invented.contains(&place) => talk.control(document),
                None if nobody => {
                    let name = self.transcript.display();
                    return Err(Error::usage(
                        format!("{name}: document {:?} has no member", document.id),
                        "add member: true or false to its rows, and null where nobody knows",
                    ));
                }
                member => talk.audit(with_text(document, &mut texts), member),
            }
        }
        Ok(talk)
    }

    /// Whose the documents are, by a field of the file of documents.
    fn persons(
        &self,
        heard: &[AskedDocument],
        request: &AuditRequest,
    ) -> Result<Option<PersonsWanted>, Error> {
        let Some(group) = &request.options.group else {
            return Ok(None);
        };
        let Some(path) = self.documents else {
            return Err(Error::usage(
                format!(
                    "{} {group} needs the documents that a transcript names",
                    request.options.name("group")
                ),
                format!("give the file whose rows have id and {group} with --documents"),
            ));
        };
        let people = formats::persons::by_id(&[path.to_owned()], group)?;
        let ids = heard.iter().map(|heard| heard.document.id.clone());
        let ids: Vec<String> = ids.collect();
        let join = request.options.join;
        Ok(Some(PersonsWanted::of_ids(group, join, &people, &ids)))
    }

    fn texts(&self) -> Result<HashMap<String, Document>, Error> {
        let Some(path) = self.documents else {
            return Ok(HashMap::new());
        };
        let read = formats::texts::documents_of(path)?;
        Ok(read
            .into_iter()
            .map(|document| (document.id.clone(), document))
            .collect())
    }
}

fn with_text(mut document: Document, texts: &mut HashMap<String, Document>) -> Document {
    if let Some(known) = texts.remove(&document.id) {
        if document.text.is_empty() {
            document.text = known.text;
        }
        document.title = document.title.or(known.title);
    }
    document
}

/// Documents of a transcript by what they are for, and what was heard about them.
#[derive(Default)]
struct Talk {
    heard: Vec<AskedDocument>,
    controls: Vec<controls::Answered>,
    /// By the transcript's order: where a document stands, and among which.
    places: Vec<Place>,
}

enum Place {
    Audited(usize),
    Control(usize),
}

impl Talk {
    fn audit(&mut self, document: Document, member: Option<bool>) {
        self.places.push(Place::Audited(self.heard.len()));
        self.heard.push(AskedDocument {
            document,
            member,
            topic: None,
            date: None,
            failed: 0,
            on: Vec::new(),
            off: Vec::new(),
            again: Vec::new(),
        });
    }

    fn control(&mut self, document: Document) {
        self.places.push(Place::Control(self.controls.len()));
        self.controls.push(controls::Answered::new(document));
    }

    fn take(&mut self, recorded: Recorded) {
        let failed = recorded.exchange.reply.is_none();
        match self.places[recorded.document] {
            Place::Control(place) => {
                self.controls[place].add(recorded.repeat, recorded.exchange);
            }
            Place::Audited(place) if recorded.repeat > 0 => {
                if recorded.arm == Arm::Retrieval {
                    self.heard[place].again.push(recorded.exchange);
                }
            }
            Place::Audited(place) => self.heard[place].add(recorded.arm, recorded.exchange, failed),
        }
    }
}

fn is_control(recorded: &Recorded) -> bool {
    recorded.exchange.probe.strategy == CONTROL
}

/// How many of these have no answer, under the only reason that a transcript knows.
fn without_answer<'a>(exchanges: impl Iterator<Item = &'a Recorded>) -> BTreeMap<String, usize> {
    let failed = exchanges.filter(|recorded| recorded.exchange.reply.is_none());
    match failed.count() {
        0 => BTreeMap::new(),
        count => BTreeMap::from([("recorded as failed".to_owned(), count)]),
    }
}

fn requests(exchanges: &[Recorded]) -> Requests {
    let failed = without_answer(exchanges.iter());
    Requests {
        questions: exchanges.len(),
        answered: exchanges.len() - failed.values().sum::<usize>(),
        failed,
        ..Requests::default()
    }
}

fn failures(exchanges: &[Recorded]) -> BTreeMap<String, usize> {
    let counts = |recorded: &&Recorded| {
        recorded.arm == Arm::Retrieval && recorded.repeat == 0 && !is_control(recorded)
    };
    without_answer(exchanges.iter().filter(counts))
}

fn repeats(exchanges: &[Recorded]) -> Option<Repeats> {
    repeated(exchanges.iter().filter_map(|recorded| {
        let answer = recorded.exchange.reply.as_deref()?.answer.as_str();
        let query = recorded.exchange.probe.query.as_str();
        let counts = recorded.arm == Arm::Retrieval && !is_control(recorded);
        counts.then_some((query, recorded.repeat, answer))
    }))
}
