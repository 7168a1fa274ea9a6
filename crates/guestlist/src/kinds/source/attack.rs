//! The audit of sources: what answers to perturbed texts say about where they come from.

mod attributed;
mod facts;
mod measured;
mod reach;
mod swept;
mod written;

use base::{Progress, Unit};
use std::sync::Arc;

use asking::rag::Outcome;
use attacks::scores::{Abstention, Scores};
use attacks::source::attacks::SourceAttack;
use attacks::source::settling::looks;
use attacks::source::{Attribution, Label, Responses, Rules, attribute};
use formats::texts::Item;
use judge::Truth;
use judge::attacker::Attacker;
use judge::rag::{Reach, Repeats};
use rayon::prelude::*;
use report::source::{Captioner, Method, OffArm, Source};
use report::{Data, Detail, Note, Provenance, Report, Skipped, Typical};
use stats::streams::Seed;

use crate::Error;
use crate::kinds::source::basis::{Basis, Taken};
use crate::kinds::source::slices::slice_column;
use crate::kinds::source::{AskedText, Mode, PerturbedText, fixed};
use crate::pipeline::judged::{Judged, undecided};
use crate::pipeline::skipped::{all_abstained, one_sided};
use crate::pipeline::{Audit, AuditContext};

/// Nobody has more: both arms, every text, and as many questions as the audit.
const WHO: &str = "knows the texts and asks the service about each as often as the audit did, with \
                   retrieval and without";

/// Everything an audit of sources needs.
pub struct SourceRequest {
    pub basis: Arc<Basis>,
    pub attacks: Vec<&'static SourceAttack>,
    pub subjects: Vec<PerturbedText>,
    /// In the order of the subjects.
    pub heard: Vec<AskedText>,
    /// Questions that were asked twice; nothing where none was.
    pub repeats: Option<Repeats>,
    pub taken: Taken,
    pub context: AuditContext,
}

/// One item's subject, where it has one, and what became of it.
type Called = Result<Attribution, Abstention>;

/// What is told of the texts whose source is known.
struct Told {
    /// Or why nothing was.
    judged: Result<Judged, judge::Error>,
    skipped: Vec<Skipped>,
    /// Of values by which texts were cut and that are not named.
    unnamed: Vec<Note>,
}

impl Told {
    fn undecided(why: judge::Error, skipped: Vec<Skipped>) -> Self {
        Told {
            judged: Err(why),
            skipped,
            unnamed: Vec::new(),
        }
    }
}

impl SourceRequest {
    /// Labels, judges and reports; the labels of every word come apart.
    pub fn run(self, progress: Progress<'_>) -> Result<Audit, Error> {
        progress.phase("attributing", self.subjects.len(), Unit::Records);
        let rules = self.rules();
        let called: Vec<Called> = (0..self.subjects.len())
            .into_par_iter()
            .map(|place| {
                progress.advance(1);
                self.attribution(place, &rules)
            })
            .collect();
        if progress.cancelled() {
            return Err(Error::interrupted());
        }
        let by_item = self.by_item(&called);
        let attributions = attributed::all(&self, &by_item);
        let scores = self.scores(&by_item);
        progress.phase("sweeping", self.subjects.len(), Unit::Records);
        let source = self.source(&by_item, &called, &attributions, progress);
        let sources = self.known_sources();
        let Told {
            judged,
            skipped,
            unnamed,
        } = self.judge(&scores, &sources, progress)?;
        let reach = self.reach(&by_item);
        let (mut report, scores) = self.report(source, judged, skipped, &sources, scores, reach);
        report.notes.extend(unnamed);
        let ids = self.basis.items.iter().map(|item| item.id.clone());
        let members = sources
            .iter()
            .map(|source| source.map(|source| source != Label::NonMember))
            .collect();
        let mut audit = Audit::new(
            self.context.show_records,
            report,
            scores,
            members,
            Some(ids.collect()),
            None,
        );
        audit.further.push(written::written(&attributions)?);
        Ok(audit)
    }

    /// With early stopping, every look has its share of the level.
    fn rules(&self) -> Rules {
        let settings = &self.basis.settings;
        match settings.early_stopping {
            true => settings.rules().shared(looks(settings.perturbations).len()),
            false => settings.rules(),
        }
    }

    fn seed(&self) -> Seed {
        Seed(self.basis.seed)
    }

    fn attribution(&self, place: usize, rules: &Rules) -> Called {
        let (subject, heard) = (&self.subjects[place], &self.heard[place]);
        // A text that was settled is called as it was then, whatever was asked to check that.
        let rows = match &heard.stopped {
            Some(look) => look.rows,
            None => heard.on.len(),
        };
        attribute_first(subject, heard, rows, rules, self.seed())
    }

    /// All answers in both arms are one, such as a refusal.
    fn says_one_thing(&self) -> bool {
        let outcomes = self
            .heard
            .iter()
            .flat_map(|heard| heard.with.iter().chain(&heard.without));
        let mut answers = outcomes.filter_map(|outcome| match outcome {
            Outcome::Answered(reply) => Some(reply.answer.trim()),
            _ => None,
        });
        let first = answers.next();
        answers.all(|answer| Some(answer) == first)
    }

    fn known_sources(&self) -> Vec<Option<Label>> {
        let items = self.basis.items.iter();
        items.map(|item| item.source).collect()
    }

    /// What each item was called, by the caption that counts; nothing for a picture without one.
    fn by_item<'c>(&self, called: &'c [Called]) -> Vec<Option<(usize, &'c Called)>> {
        let mut by_item = vec![None; self.basis.items.len()];
        for (place, subject) in self.subjects.iter().enumerate() {
            if !subject.swept {
                by_item[subject.item] = Some((place, &called[place]));
            }
        }
        by_item
    }

    /// Scores by attack; items of another source are left to the other attack.
    fn scores(&self, by_item: &[Option<(usize, &Called)>]) -> Vec<(String, Scores)> {
        let attacks = self.attacks.iter();
        let scored = attacks.map(|attack| {
            let items = self.basis.items.iter().zip(by_item);
            let score = items.map(|(item, called)| {
                let other = |source: Label| source != attack.source && source != Label::NonMember;
                if item.source.is_some_and(other) {
                    return Err(Abstention::OtherSource);
                }
                let (place, called) = called.as_ref().ok_or(Abstention::NoAnswer)?;
                let called = called.as_ref().map_err(|why| *why)?;
                attack.score(&self.seen(*place, called))
            });
            (attack.card().id.to_owned(), score.collect())
        });
        scored.collect()
    }

    /// The attacks on items whose source is known, where both kinds are; else why not.
    fn judge(
        &self,
        scores: &[(String, Scores)],
        sources: &[Option<Label>],
        progress: Progress<'_>,
    ) -> Result<Told, Error> {
        let known: Vec<usize> = (0..sources.len())
            .filter(|&place| sources[place].is_some())
            .collect();
        let member = |place: &usize| sources[*place] != Some(Label::NonMember);
        let truth = match Truth::new(known.iter().map(member)) {
            Ok(truth) => truth,
            Err(_) => return Ok(Told::undecided(unjudged(&known, sources), Vec::new())),
        };
        let of_known = |(id, scores): &(String, Scores)| {
            let scores = known.iter().map(|&place| scores.answer(place));
            (id.clone(), scores.collect::<Scores>())
        };
        let scores: Vec<(String, Scores)> = scores.iter().map(of_known).collect();
        let (whole, silent): (Vec<_>, Vec<_>) = scores
            .into_iter()
            .partition(|(_, scores)| scores.abstained() < scores.len());
        let skipped = silent.into_iter().map(|(id, scores)| Skipped {
            reason: all_abstained(&scores),
            id,
        });
        let (whole, skipped) = one_sided((whole, skipped.collect()), &truth);
        if whole.is_empty() {
            return Ok(Told::undecided(unjudged(&known, sources), skipped));
        }
        if self.says_one_thing() {
            let why = judge::Error::input(
                "the service says the same whatever it is asked, with retrieval and without: what it \
                 holds and knows cannot show",
                "look at transcript.jsonl: mend the question (source.question), or what keeps the \
                 service from answering",
            );
            return Ok(Told::undecided(why, skipped));
        }
        let mut judged = self.context.judge(&whole, &truth, progress)?;
        judged.attacker = Some(Attacker::strongest(WHO));
        let items: Vec<&Item> = known
            .iter()
            .map(|&place| &self.basis.items[place])
            .collect();
        let unnamed = judged.slice(&self.context, &whole, &truth, |name| {
            slice_column(name, &items)
        })?;
        Ok(Told {
            judged: Ok(judged),
            skipped,
            unnamed,
        })
    }

    fn report(
        &self,
        source: Source,
        judged: Result<Judged, judge::Error>,
        skipped: Vec<Skipped>,
        sources: &[Option<Label>],
        scores: Vec<(String, Scores)>,
        reach: Reach,
    ) -> (Report, Vec<(String, Scores)>) {
        let echoes = judge::rag::Echoes {
            called: called_pretrained(&source),
            echoes: source.echoes,
        };
        let known = sources.iter().flatten();
        let (judged_records, judged_members) = (
            known.clone().count(),
            known.filter(|source| **source != Label::NonMember).count(),
        );
        let (context, detail) = (&self.context, Detail::Source(Box::new(source)));
        let provenance = self.provenance(judged_records, judged_members);
        let concluded = match judged {
            Ok(judged) => {
                let texts = self.text_facts(sources);
                let guardrails = self.guardrails(&judged, sources, echoes, reach, &texts);
                Report {
                    typical: texts.blind.as_ref().and_then(Typical::from_blind),
                    ..judged.report(context, guardrails, detail, provenance)
                }
            }
            Err(why) => undecided(why, context, Vec::new(), detail, provenance),
        };
        let report = Report {
            skipped,
            notes: [self.context.notes.clone(), self.notes()].concat(),
            ..concluded
        };
        (report, scores)
    }

    fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.basis.stand_in.is_some() {
            notes.push(
                "a stand-in answered without retrieval: what the service's own model learnt beyond \
                 it looks like retrieval"
                    .to_owned(),
            );
        }
        if self.basis.pictures() > 0 {
            notes.push(
                "pictures were described first: what they give away by themselves was not looked at"
                    .to_owned(),
            );
        }
        notes
    }

    fn provenance(&self, judged_records: usize, judged_members: usize) -> Provenance {
        let data = Data {
            format: "sources of a service".into(),
            records: self.basis.items.len(),
            judged_records,
            judged_members,
        };
        self.context.provenance::<super::Source>(data)
    }

    fn method(&self) -> Method {
        let settings = &self.basis.settings;
        let fixed = fixed(&settings.rules());
        let mode = match (settings.mode, settings.tau.or(settings.band)) {
            (_, Some(_)) => "fixed",
            (Mode::Calibrated, None) => "calibrated",
            (Mode::Paper, None) => "paper",
        };
        Method {
            mode: mode.into(),
            tau: fixed.map(|(tau, _)| tau),
            band: fixed.map(|(_, band)| band),
            level: settings.level,
            level_of_a_look: self.rules().level,
            perturbations: settings.perturbations,
            perturbation: settings.perturbation.as_str().into(),
            keep: settings.keep,
            reference: settings.reference.as_str().into(),
            similarity: self.basis.similarity.name(),
            penalty: settings.penalty,
            length_weight: settings.length_weight,
            similarity_weight: settings.similarity_weight,
        }
    }

    fn off_arm(&self) -> OffArm {
        match &self.basis.stand_in {
            None => OffArm::Switch,
            Some(stand_in) => OffArm::StandIn {
                service: stand_in.clone(),
            },
        }
    }

    fn captioner(&self) -> Option<Captioner> {
        let service = self.basis.captioner.as_ref()?;
        let noise = *self.basis.deviations.first()?;
        (self.taken.captions > 0).then(|| Captioner {
            service: service.clone(),
            captions: self.taken.captions,
            noise,
            requests: self.taken.captioned.clone(),
        })
    }
}

/// By the first rows of what was heard about a text.
fn attribute_first(
    subject: &PerturbedText,
    heard: &AskedText,
    rows: usize,
    rules: &Rules,
    seed: Seed,
) -> Called {
    let responses = Responses {
        masks: &subject.masks,
        on: &heard.on[..rows.min(heard.on.len())],
        off: &heard.off[..rows.min(heard.off.len())],
    };
    attribute(&responses, rules, seed, subject.number)
}

/// Why nothing could be judged.
fn unjudged(known: &[usize], sources: &[Option<Label>]) -> judge::Error {
    let there = |source: Label| sources.contains(&Some(source));
    if known.is_empty() {
        return judge::Error::input(
            "no item says where it came from: labels are reported, and nothing is judged",
            "give items a source: pretrained, retrieved or non-member",
        );
    }
    match there(Label::NonMember) {
        false => judge::Error::input(
            "there is no non-member among the items: attacks have nothing to compare with",
            "add items that are neither in the store nor in the model's training",
        ),
        true => judge::Error::input(
            "no attack could judge items of both kinds",
            "add items that are pretrained or retrieved, or mend what kept them from being answered",
        ),
    }
}

fn called_pretrained(source: &Source) -> usize {
    let pretrained = Label::Pretrained.as_str();
    let labels = source.labels.iter();
    labels
        .filter(|count| count.label == pretrained)
        .map(|count| count.documents)
        .sum()
}
