//! What is measured beside the attacks: labels against the truth, the paper's own measures, what
//! early stopping saved, and what chance does in texts like these.

use base::Progress;
use std::collections::BTreeMap;

use attacks::source::nulls::{Habits, nulls};
use attacks::source::settling::agreement;
use attacks::source::{Attribution, Label, Rules};
use judge::source::{Evaluation, Shuffled, coverage, evaluate, paper_accuracy, shuffled};
use report::source::{
    Attributed, LabelCount, NullRates, NullTable, PaperMeasures, Source, Stopping,
};
use text::cosine_of_counts;

use super::{Called, SourceRequest, attribute_first, swept};
use crate::kinds::source::{AskedText, fixed};

/// Documents whose words stand in the report itself.
const WITH_WORDS: usize = 200;
const SHUFFLES: usize = 999;
/// Made-up texts for the table of nulls.
const NULL_TEXTS: usize = 400;

/// True sources and labels, one for one.
pub type Pairs = (Vec<Label>, Vec<Label>);

impl SourceRequest {
    /// The part of the report that is special to sources.
    pub(super) fn source(
        &self,
        by_item: &[Option<(usize, &Called)>],
        called: &[Called],
        attributions: &[Attributed],
        progress: Progress<'_>,
    ) -> Source {
        let (evaluation, shuffled) = self.evaluation(by_item);
        Source {
            service: self.basis.service.clone(),
            off_arm: self.off_arm(),
            captioner: self.captioner(),
            method: self.method(),
            requests: self.taken.requests.clone(),
            documents: documents(attributions),
            labels: labels(by_item),
            echoes: self.echoes(by_item),
            abstained: abstained(attributions),
            evaluation,
            shuffled,
            paper: self.paper(by_item),
            stopping: self.stopping(called),
            sweeps: swept::sweeps(self, called, progress),
            nulls: self.nulls(),
        }
    }

    fn evaluation(
        &self,
        by_item: &[Option<(usize, &Called)>],
    ) -> (Option<Evaluation>, Option<Shuffled>) {
        let places = by_item.iter().flatten();
        let labels = places.filter_map(|(place, called)| {
            let truth = self.basis.items[self.subjects[*place].item].source?;
            Some((truth, called.as_ref().ok()?.document.label))
        });
        let (truth, labels): Pairs = labels.unzip();
        let confidence = self.context.measuring.confidence;
        let evaluation = evaluate(&truth, &labels, confidence, self.seed());
        (
            evaluation.ok(),
            shuffled(&truth, &labels, SHUFFLES, self.seed()),
        )
    }

    /// Documents called pretrained by answers that mostly repeat the input.
    fn echoes(&self, by_item: &[Option<(usize, &Called)>]) -> usize {
        let found = by_item
            .iter()
            .flatten()
            .filter_map(|(place, called)| Some((*place, called.as_ref().ok()?)));
        found
            .filter(|(_, found)| found.document.label == Label::Pretrained)
            .filter(|(place, found)| {
                let without = self.seen(*place, found).without;
                without.is_some_and(|without| without.is_echo())
            })
            .count()
    }

    /// Over documents that were retrieved. The document stands for what retrieval gave.
    fn paper(&self, by_item: &[Option<(usize, &Called)>]) -> PaperMeasures {
        let places = by_item.iter().flatten();
        let retrieved: Vec<(usize, &Attribution)> = places
            .filter(|(place, _)| {
                self.basis.items[self.subjects[*place].item].source == Some(Label::Retrieved)
            })
            .filter_map(|(place, called)| Some((*place, called.as_ref().ok()?)))
            .collect();
        let recovered: Vec<String> = retrieved
            .iter()
            .map(|(place, found)| self.recovered(*place, found))
            .collect();
        let pairs: Vec<(&str, &str)> = retrieved
            .iter()
            .zip(&recovered)
            .map(|((place, _), words)| (words.as_str(), self.subjects[*place].input.text()))
            .collect();
        let embedded = self.basis.settings.similarity.is_some();
        let embedded = embedded.then(|| self.basis.similarity.similarities(&pairs).ok());
        let (acc_by, similarities) = match embedded.flatten() {
            Some(found) => (self.basis.similarity.name(), found),
            None => (
                "cosine of word counts".to_owned(),
                pairs.iter().map(|(a, b)| cosine_of_counts(a, b)).collect(),
            ),
        };
        let is_retrieved = |label: &&Label| **label == Label::Retrieved;
        let counts: Vec<(u64, u64)> = retrieved
            .iter()
            .map(|(_, found)| {
                let called = found.labels.iter().filter(is_retrieved).count();
                (called as u64, found.labels.len() as u64)
            })
            .collect();
        let confidence = self.context.measuring.confidence;
        PaperMeasures {
            acc: paper_accuracy(&similarities, confidence),
            acc_by,
            coverage: coverage(&counts, confidence),
        }
    }

    /// The words that were called retrieved.
    fn recovered(&self, place: usize, found: &Attribution) -> String {
        let words = self.subjects[place].input.key_words().iter();
        let words = words
            .zip(&found.labels)
            .filter(|(_, label)| **label == Label::Retrieved);
        words
            .map(|(word, _)| word.written.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Of documents asked in full although settled: whether their labels stayed.
    fn stopping(&self, called: &[Called]) -> Stopping {
        let rules = self.rules();
        let planned = self.basis.settings.perturbations;
        let both = self.subjects.iter().zip(&self.heard);
        let mut agreed: Vec<(bool, f64)> = Vec::new();
        for ((subject, heard), called) in both.clone().zip(called) {
            let (Some(look), true) = (&heard.stopped, subject.checked) else {
                continue;
            };
            if look.rows == planned || called.is_err() {
                continue;
            }
            let full = attribute_first(subject, heard, planned, &rules, self.seed());
            if let Ok(full) = full {
                agreed.push((
                    look.document == full.document.label,
                    agreement(&look.tokens, &full.labels),
                ));
            }
        }
        let early = both.filter(|(subject, heard)| {
            !subject.checked && heard.stopped.is_some() && heard.rows() < planned
        });
        let scheduled = self.heard.iter().map(|heard| heard.questions().0).sum();
        let all = self.planned();
        let n = agreed.len() as f64;
        let mean = |values: f64| (!agreed.is_empty()).then_some(values / n);
        Stopping {
            on: self.basis.settings.early_stopping,
            planned: all,
            asked: self.heard.iter().map(|heard| heard.questions().1).sum(),
            saved: all.saturating_sub(scheduled),
            stopped: early.count(),
            checked: agreed.len(),
            document_agreement: mean(agreed.iter().filter(|(same, _)| *same).count() as f64),
            token_agreement: mean(agreed.iter().map(|(_, share)| share).sum()),
        }
    }

    /// Questions in both arms, were every text asked in full.
    fn planned(&self) -> usize {
        let plain = |heard: &AskedText| heard.plain.iter().flatten().count();
        let texts = self.subjects.iter().zip(&self.heard);
        let texts = texts.filter(|(subject, _)| !subject.input.is_empty());
        texts
            .map(|(subject, heard)| 2 * subject.masks.rows() + plain(heard))
            .sum()
    }

    /// For a text of the middle length, asked and labelled as this audit asks and labels.
    fn nulls(&self) -> Option<NullTable> {
        let mut lengths: Vec<usize> = self
            .subjects
            .iter()
            .map(|subject| subject.input.len())
            .filter(|length| *length > 0)
            .collect();
        lengths.sort_unstable();
        let length = *lengths.get(lengths.len() / 2)?;
        let settings = &self.basis.settings;
        let (rows, own) = (settings.perturbations, fixed(&settings.rules()));
        let found = nulls(length, rows, NULL_TEXTS, &self.habits(), self.seed());
        Some(NullTable {
            length,
            rows,
            keep: Some(settings.keep),
            tau: own.map(|(tau, _)| tau),
            band: own.map(|(_, band)| band),
            documents: found.documents,
            level: found.level,
            calibrated: NullRates {
                words_retrieved: found.calibrated_retrieved,
                words_pretrained: found.calibrated_pretrained,
                documents_retrieved: found.calibrated_document_retrieved,
                documents_pretrained: found.calibrated_document_pretrained,
            },
            fixed: NullRates {
                words_retrieved: found.fixed_retrieved,
                words_pretrained: found.fixed_pretrained,
                documents_retrieved: found.fixed_document_retrieved,
                documents_pretrained: found.fixed_document_pretrained,
            },
        })
    }
}

impl SourceRequest {
    /// Fixed thresholds are this audit's own where it has some, else the paper's.
    fn habits(&self) -> Habits {
        let settings = &self.basis.settings;
        Habits {
            keep: settings.keep,
            calibrated: Rules {
                penalty: settings.penalty,
                level: settings.level,
                ..Rules::default()
            },
            fixed: match fixed(&settings.rules()) {
                Some(_) => settings.rules(),
                None => Rules::paper(),
            },
            early_stopping: settings.early_stopping,
        }
    }
}

/// With their words, the first of them.
fn documents(attributions: &[Attributed]) -> Vec<Attributed> {
    let shown = attributions.iter().enumerate();
    shown
        .map(|(place, attributed)| match place < WITH_WORDS {
            true => attributed.clone(),
            false => Attributed {
                tokens: Vec::new(),
                ..attributed.clone()
            },
        })
        .collect()
}

fn labels(by_item: &[Option<(usize, &Called)>]) -> Vec<LabelCount> {
    let found: Vec<&Attribution> = by_item
        .iter()
        .flatten()
        .filter_map(|(_, called)| called.as_ref().ok())
        .collect();
    Label::ALL
        .into_iter()
        .map(|label| LabelCount {
            label: label.as_str().into(),
            documents: found
                .iter()
                .filter(|found| found.document.label == label)
                .count(),
            tokens: found
                .iter()
                .flat_map(|found| &found.labels)
                .filter(|found| **found == label)
                .count(),
        })
        .collect()
}

fn abstained(attributions: &[Attributed]) -> BTreeMap<String, usize> {
    let mut reasons = BTreeMap::new();
    for why in attributions.iter().filter_map(|one| one.why.as_ref()) {
        *reasons.entry(why.clone()).or_default() += 1;
    }
    reasons
}
