//! Reading token signals batch by batch: attacks see the signals, and what is left of a text is
//! its scores, its words and a few counts.

use attacks::lm::TokenAttack;
use attacks::scores::{Abstention, Answer, Scores};
use attacks::signals::tokens::TextSignals;
use formats::ids::Ids;
use formats::tokens::Row;
use judge::Truth;
use judge::canaries::Extraction;
use judge::lm::{Corpus, Looked, TokenFacts};
use rayon::prelude::*;
use report::Skipped;
use stats::streams::Seed;

use super::alike::Alike;
use super::by_token::Kinship;
use super::reference::{Agreement, Useless};
use super::shadow::{Fingerprints, fingerprints};
use crate::pipeline::TextsTold;
use crate::pipeline::skipped::{Attacked, all_abstained};

/// Fewer tokens than this leave a score to chance.
const SHORT: usize = 100;

/// What is left of a file once it is read.
pub struct Read {
    pub format: &'static str,
    pub ids: Ids,
    pub members: Vec<Option<bool>>,
    /// What rows say of members, whoever is believed.
    pub said: Vec<Option<bool>>,
    /// What rows say of the texts of canaries.
    pub texts: TextsTold,
    taught: bool,
    /// What each text is known by in the file of a shadow, where there is one.
    pub fingerprints: Vec<Fingerprints>,
    /// By attack, then by text.
    answers: Vec<Scores>,
    pub corpus: Corpus,
    /// Summed loss and number of predicted tokens, by text.
    pub losses: Vec<(f64, f64)>,
    /// ln p of the drawn tokens of canaries, where the file says which they are.
    secrets: Vec<Option<f64>>,
    lengths: Vec<usize>,
    /// Tokens of every text.
    pub tokens: Vec<usize>,
    /// Predicted tokens of every text that was scored.
    predictions: Vec<usize>,
    pub scored: usize,
    pub predicted: usize,
    compared: usize,
    mismatched: usize,
    example: Option<usize>,
    /// Texts with a reference, and those of them where it differs from the target anywhere.
    pub referenced: usize,
    /// The reference's mean log-probability of every text.
    pub reference: Scores,
    differing: usize,
    agreement: Agreement,
    alike: Alike,
    kinship: Kinship,
    reference_kinship: Kinship,
}

impl Read {
    /// `taught`: whether texts must be known again that a shadow has.
    pub fn new(format: &'static str, attacks: usize, taught: bool, seed: Seed) -> Self {
        Self {
            format,
            ids: Ids::default(),
            members: Vec::new(),
            said: Vec::new(),
            texts: TextsTold::default(),
            taught,
            fingerprints: Vec::new(),
            answers: vec![Scores::default(); attacks],
            corpus: Corpus::seeded(seed),
            losses: Vec::new(),
            secrets: Vec::new(),
            lengths: Vec::new(),
            tokens: Vec::new(),
            predictions: Vec::new(),
            scored: 0,
            predicted: 0,
            compared: 0,
            mismatched: 0,
            example: None,
            referenced: 0,
            reference: Scores::default(),
            differing: 0,
            agreement: Agreement::default(),
            alike: Alike::default(),
            kinship: Kinship::default(),
            reference_kinship: Kinship::default(),
        }
    }

    pub fn take(
        &mut self,
        batch: Vec<Row>,
        member: impl Fn(&Row) -> Option<bool>,
        known: impl Fn(&Row) -> bool,
        attack: impl FnOnce(&[TextSignals]) -> Vec<Vec<Answer>>,
    ) {
        let mut signals: Vec<TextSignals> = Vec::with_capacity(batch.len());
        let looked: Vec<Option<Looked>> = (batch.par_iter())
            .map(|row| row.signals.text.as_deref().map(Looked::at))
            .collect();
        if self.taught {
            self.fingerprints
                .par_extend(batch.par_iter().map(fingerprints));
        }
        for (row, looked) in batch.into_iter().zip(looked) {
            let member = member(&row);
            self.count(&row, looked, known(&row));
            self.said.push(row.member);
            self.ids.push(&row.id);
            self.members.push(member);
            signals.push(row.signals);
        }
        let answers = attack(&signals);
        for (all, batch) in self.answers.iter_mut().zip(answers) {
            all.extend(batch);
        }
    }

    /// Texts of unknown membership are no part of what the sets give away.
    fn count(&mut self, row: &Row, looked: Option<Looked>, known: bool) {
        let tokens = row.scored.then_some(row.tokens);
        let text = row.signals.text.as_deref();
        if known {
            let (row_number, date) = (self.ids.len(), row.date.as_deref());
            self.corpus
                .add_looked(row_number, text.zip(looked), tokens, date);
        }
        self.lengths.extend(tokens);
        self.tokens.push(row.tokens);
        let predicted = row.signals.logprob.len();
        self.predictions.extend(row.scored.then_some(predicted));
        self.scored += usize::from(row.scored);
        self.predicted += predicted;
        self.alike.add(&row.signals.logprob);
        if let Some(ids) = &row.token_ids {
            self.kinship.add(ids, &row.signals.logprob);
        }
        let loss = -row.signals.logprob.iter().sum::<f64>();
        self.losses.push((loss, predicted as f64));
        self.secrets.push(row.secret);
        let reference = row.signals.reference.as_ref();
        let mean = |list: &Vec<f64>| list.iter().sum::<f64>() / list.len() as f64;
        let of_reference = reference.filter(|list| !list.is_empty()).map(mean);
        self.reference
            .extend([of_reference.ok_or(Abstention::NoReference)]);
        if let Some(reference) = reference {
            self.referenced += 1;
            self.differing += usize::from(*reference != row.signals.logprob);
            self.agreement.add(&row.signals.logprob, reference);
            if let Some(ids) = row.reference_ids.as_ref().or(row.token_ids.as_ref()) {
                self.reference_kinship.add(ids, reference);
            }
        }
        if let (Some(own), Some(reference)) = (&row.token_ids, &row.reference_ids) {
            self.compared += 1;
            if own != reference {
                self.mismatched += 1;
                self.example.get_or_insert(self.ids.len());
            }
        }
    }

    pub fn token_facts(&mut self) -> TokenFacts {
        self.lengths.sort_unstable();
        self.predictions.sort_unstable();
        TokenFacts {
            scored: self.scored,
            short: self
                .lengths
                .iter()
                .filter(|length| **length < SHORT)
                .count(),
            median: middle(&self.lengths),
            median_predicted: middle(&self.predictions),
            compared: self.compared,
            mismatched: self.mismatched,
            example: self.example,
            identical: self.identical(),
            predicted: self.alike.values,
            alike: self.alike.least(),
            by_token: self.kinship.shares(),
            reference_by_token: self.reference_kinship.shares(),
            reference: None,
        }
    }

    /// How likely each text of known membership is said word for word.
    pub fn extraction(&self, truth: &Truth) -> Extraction {
        let said = |(row, member): (usize, bool)| {
            let (loss, predicted) = self.losses[row];
            (predicted > 0.0).then_some((-loss, member))
        };
        let texts: Vec<(f64, bool)> = truth.known().filter_map(said).collect();
        Extraction::of_texts(&texts)
    }

    /// The same of what was drawn alone; nothing where the file does not say which tokens these are.
    pub fn extraction_of_secrets(&self, truth: &Truth) -> Option<Extraction> {
        let said = |(row, member): (usize, bool)| Some((self.secrets[row]?, member));
        let secrets: Vec<(f64, bool)> = truth.known().filter_map(said).collect();
        (!secrets.is_empty()).then(|| Extraction::of_secrets(&secrets))
    }

    /// Whether the reference never differs from the target: then it is the same model.
    pub fn identical(&self) -> bool {
        self.referenced > 0 && self.differing == 0
    }

    /// Why the reference tells nothing, where it does not.
    pub fn useless(&self) -> Option<Useless> {
        self.agreement.useless()
    }

    pub fn sorted_out(&mut self, attacks: &[&'static dyn TokenAttack]) -> Attacked {
        let (mut scores, mut skipped) = (Vec::new(), Vec::new());
        for (attack, found) in attacks.iter().zip(std::mem::take(&mut self.answers)) {
            let id = attack.card().id.to_string();
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

fn middle(sorted: &[usize]) -> usize {
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}
