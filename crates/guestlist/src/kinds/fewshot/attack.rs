//! The few-shot audit: many small episodes, each attack on each of them, judged beside chance.

use base::{Progress, Unit};
use std::time::Instant;

use attacks::fewshot::{EpisodeAttack, WhiteBox};
use attacks::scores::Scores;
use judge::AttackMeasures;
use judge::attacker::Attacker;
use judge::fewshot::{self, Design, Entrant, Outcome, Records};
use judge::guardrails::{self, Evidence};
use report::fewshot::Fewshot;
use report::{Data, Detail, Provenance, Report};

use crate::Error;
use crate::kinds::fewshot::{AtHand, KnownRecords, Tunable};
use crate::pipeline::{Audit, AuditContext};

const WHO: &str = "knows the membership of a handful of records, sees what the audited model makes of all of \
                   them, and guesses about the others by what they are like";
const STRONGER: &str = "looks at how sure the model is of the true label: audit logits and labels of the same \
                        model without --kind fewshot, with shadow models where you can";

/// Runs of each attack that are timed: the fewest that make a series.
const TRIED: usize = 2;

/// Everything a few-shot audit needs.
pub struct EpisodeRequest {
    pub subject: KnownRecords,
    pub design: Design,
    pub attacks: Vec<&'static dyn EpisodeAttack>,
    pub context: AuditContext,
}

/// How long one attack takes.
pub struct Cost {
    pub attack: &'static str,
    /// Episodes, those with shuffled membership included.
    pub episodes: usize,
    /// On one thread.
    pub seconds: f64,
}

impl EpisodeRequest {
    /// Attacks, judges and reports.
    pub fn run(self, progress: Progress<'_>) -> Result<Audit, Error> {
        self.design.check(&self.subject.truth)?;
        let entrants = self.entrants();
        progress.phase(
            "episodes",
            fewshot::steps(&entrants, &self.design),
            Unit::Records,
        );
        let outcomes = self.outcomes(&entrants, progress)?;
        let (summaries, scores): (Vec<_>, Vec<_>) = outcomes.into_iter().map(named).unzip();
        let truth = &self.subject.truth;
        let mut judged = self.context.judge(&scores, truth, progress)?;
        judged.attacker = Some(Attacker::few_shot(WHO, STRONGER, self.context.wanted));
        let unnamed = judged.slice(&self.context, &scores, truth, |_| None)?;
        let features = self.subject.same_features();
        let guardrails = guardrails::check(&Evidence {
            features: Some(&features),
            ..judged.evidence(&self.context)
        });
        let provenance = self.provenance(&judged.attacks);
        let detail = Detail::Fewshot(self.detail(summaries));
        let report = Report {
            notes: [self.context.notes.clone(), unnamed].concat(),
            ..judged.report(&self.context, guardrails, detail, provenance)
        };
        Ok(Audit::new(
            self.context.show_records,
            report,
            scores,
            self.subject.truth.iter().collect(),
            self.subject.table.ids.map(Into::into),
            None,
        ))
    }

    /// Times one episode of every attack for each number of shots.
    pub fn costs(&self) -> Result<Vec<Cost>, Error> {
        self.design.check(&self.subject.truth)?;
        // One thread alone: how much work it is, whoever shares it.
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let alone = alone.map_err(|error| {
            Error::usage(
                format!("no thread can be started: {error}"),
                "end other programs",
            )
        })?;
        let mut costs = Vec::new();
        for entrant in self.entrants() {
            let tried = Entrant {
                runs: TRIED,
                control_runs: 0,
                ..entrant
            };
            let started = Instant::now();
            alone.install(|| self.outcomes(&[tried], Progress::unwatched()))?;
            let runs = entrant.runs + entrant.control_runs;
            costs.push(Cost {
                attack: entrant.attack.card().id,
                episodes: runs * self.design.shots.len(),
                seconds: started.elapsed().as_secs_f64() * runs as f64 / TRIED as f64,
            });
        }
        Ok(costs)
    }

    /// Whether an attack changes the weights of a model for every episode: that takes long.
    pub fn tunes_a_model(&self) -> bool {
        self.subject.model.is_some() && self.attacks.iter().any(|attack| attack.trains())
    }

    fn entrants(&self) -> Vec<Entrant> {
        let attacks = self.attacks.iter();
        attacks
            .map(|attack| Entrant::new(*attack, self.design.runs))
            .collect()
    }

    fn outcomes(
        &self,
        entrants: &[Entrant],
        progress: Progress<'_>,
    ) -> Result<Vec<Outcome>, Error> {
        let trained = match &self.subject.model {
            Some(AtHand::Trained(inside)) => Some(Tunable::new(inside)?),
            _ => None,
        };
        let model = match &self.subject.model {
            Some(AtHand::Outside { model, .. }) => Some(model.as_ref() as &dyn WhiteBox),
            _ => trained.as_ref().map(|model| model as &dyn WhiteBox),
        };
        let records = Records {
            features: &self.subject.table.features,
            truth: &self.subject.truth,
            model,
        };
        let settings = &self.context.settings;
        fewshot::run(records, entrants, &self.design, settings, progress)
    }

    fn detail(&self, attacks: Vec<fewshot::Summary>) -> Fewshot {
        Fewshot {
            models: self.subject.table.models,
            target: self.subject.target,
            features: self.subject.about(),
            white_box: self.subject.model.is_some(),
            design: report::fewshot::Design {
                validation: self.design.validation,
                query: self.design.query,
                runs: self.design.runs,
                thresholds: self.design.thresholds,
                selection: self.design.selection,
            },
            attacks,
        }
    }

    /// Judged were those that an episode drew, under the attack that most were drawn for.
    fn provenance(&self, judged: &[AttackMeasures]) -> Provenance {
        let counts = judged
            .iter()
            .map(|attack| (attack.n_members + attack.n_nonmembers, attack.n_members));
        let (records, members) = counts.max().unwrap_or_default();
        let table = &self.subject.table;
        let data = Data {
            format: table.format.into(),
            records: table.features.records(),
            judged_records: records as usize,
            judged_members: members as usize,
        };
        self.context.provenance::<super::Fewshot>(data)
    }
}

/// The summary, and the pooled scores under the name of attack and shots.
fn named(outcome: Outcome) -> (fewshot::Summary, (String, Scores)) {
    let Outcome { summary, pooled } = outcome;
    let id = format!("{}-{}-shot", summary.attack, summary.shots);
    (summary, (id, pooled))
}
