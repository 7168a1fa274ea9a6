//! Helper models: one that writes questions about documents, one that reads answers.

use base::Progress;
use std::path::Path;

use asking::rag::{Ask, NativeHelper, Outcome, Service};
use asking::store::Store;
use attacks::signals::probes::{Arm, Document, YesNoQuestion};
use texts::{Model, ModelSettings, ScoringSettings, Text};

use super::Plan;
use crate::Error;

/// Characters of a document that a helper reads.
const LONGEST: usize = 6_000;

/// What a helper wrote about each document; nothing where there is no helper.
#[derive(Default)]
pub struct Helped {
    helper: Option<String>,
    /// By document: questions, and what it is about.
    written: Vec<(Vec<YesNoQuestion>, Option<String>)>,
    open: usize,
}

impl Helped {
    /// Before anything is sent: so many requests to a helper are to come.
    pub fn planned(plan: &Plan, store: Option<&Store>) -> Result<Self, Error> {
        if !wants_questions(plan) {
            return Ok(Self::default());
        }
        let prompts = prompts(plan);
        let mut helped = Self {
            open: prompts.len(),
            ..Self::default()
        };
        if let (Some(settings), Some(store)) = (&plan.config.helper.questions, store) {
            let service = Service::named("helper.questions", settings, &plan.config.transport)?;
            let asked = service.replay(&asks(&prompts), store)?;
            helped.take(plan, asked.outcomes.into_iter().map(answer).collect());
            helped.open = prompts.len() - service.stored(&asks(&prompts), store)?;
        }
        Ok(helped)
    }

    /// Has the helper write what it has not written yet.
    pub fn ask(
        plan: &Plan,
        store: &Store,
        replay: bool,
        progress: Progress<'_>,
    ) -> Result<Self, Error> {
        if !wants_questions(plan) {
            return Ok(Self::default());
        }
        let prompts = prompts(plan);
        let mut helped = Self::default();
        if let Some(settings) = &plan.config.helper.questions {
            let service = Service::named("helper.questions", settings, &plan.config.transport)?;
            let asks = asks(&prompts);
            let asked = match replay {
                true => service.replay(&asks, store)?,
                false => service.ask_all(&asks, store, progress)?,
            };
            helped.helper = Some(service.about());
            helped.take(plan, asked.outcomes.into_iter().map(answer).collect());
        } else if let Some(path) = &plan.config.helper.questions_model {
            let helper = NativeHelper::open(&plan.place.base.join(path))?;
            let answers = helper.answer_all(&prompts, store, progress)?;
            helped.helper = Some(helper.about());
            helped.take(plan, answers.into_iter().map(Some).collect());
        }
        Ok(helped)
    }

    fn take(&mut self, plan: &Plan, answers: Vec<Option<String>>) {
        let documents = plan.documents.iter();
        self.written = documents
            .zip(answers)
            .map(|(_, answer)| answer.map_or((Vec::new(), None), |answer| read(&answer)))
            .collect();
    }

    /// Puts what was written into the documents. Questions that came with a document stay.
    pub fn apply(&self, documents: &mut [Document]) {
        for (document, (questions, about)) in documents.iter_mut().zip(&self.written) {
            if document.questions.is_empty() {
                document.questions.clone_from(questions);
            }
            document.about = document.about.take().or_else(|| about.clone());
        }
    }

    /// Requests to the helper that are still to be sent.
    pub fn open(&self) -> usize {
        self.open
    }

    pub fn about(&self) -> Option<String> {
        let helper = self.helper.as_ref()?;
        let questions: usize = self
            .written
            .iter()
            .map(|(questions, _)| questions.len())
            .sum();
        Some(format!("{helper} wrote {questions} questions for ia"))
    }

    pub fn notes(&self) -> Vec<String> {
        let without = self
            .written
            .iter()
            .filter(|(questions, _)| questions.is_empty())
            .count();
        match (self.helper.is_some(), without) {
            (true, 1..) => vec![format!(
                "the helper wrote no readable questions about {without} documents: their statements \
                 are asked instead"
            )],
            _ => Vec::new(),
        }
    }
}

fn wants_questions(plan: &Plan) -> bool {
    let helper = &plan.config.helper;
    let asked = plan
        .resolved
        .attacks
        .iter()
        .any(|attack| attack.card().id == "ia");
    asked && (helper.questions.is_some() || helper.questions_model.is_some())
}

fn prompts(plan: &Plan) -> Vec<String> {
    let prompt = |text: &str| {
        let text: String = text.chars().take(LONGEST).collect();
        format!(
            "Read this text:\n\n{text}\n\nWrite ten questions that this text, and hardly any other, \
             answers with yes or no: five with the answer yes, five with the answer no. Each stands \
             on a line of its own, in the form\nQ: question? A: yes\nor\nQ: question? A: no\nThe \
             last line says in a few words what the text is about, in the form\nABOUT: topic"
        )
    };
    let documents = plan.documents.iter();
    documents
        .map(|listed| prompt(&listed.document.text))
        .collect()
}

fn asks(prompts: &[String]) -> Vec<Ask> {
    let ask = |query: &String| Ask {
        arm: Arm::Retrieval,
        query: query.clone(),
        repeat: 0,
    };
    prompts.iter().map(ask).collect()
}

fn answer(outcome: Outcome) -> Option<String> {
    match outcome {
        Outcome::Answered(reply) => Some(reply.answer.to_string()),
        _ => None,
    }
}

/// Questions and topic from a helper's answer, whatever else it says.
fn read(answer: &str) -> (Vec<YesNoQuestion>, Option<String>) {
    let mut questions = Vec::new();
    let mut about = None;
    for line in answer.lines() {
        let line = line
            .trim()
            .trim_start_matches(|c: char| c.is_numeric() || ".)-*# ".contains(c));
        if let Some(topic) = after(line, "about:") {
            about = Some(topic.to_owned()).filter(|topic| !topic.is_empty());
        }
        let Some((question, rest)) = line.split_once('?') else {
            continue;
        };
        let question = after(question, "q:").unwrap_or(question).trim();
        let said = rest.to_lowercase();
        let said: Vec<&str> = said.split(|c: char| !c.is_alphanumeric()).collect();
        let yes = match (said.contains(&"yes"), said.contains(&"no")) {
            (true, false) => true,
            (false, true) => false,
            _ => continue,
        };
        if question.split_whitespace().count() > 2 {
            questions.push(YesNoQuestion {
                question: format!("{question}?"),
                yes,
            });
        }
    }
    (questions, about)
}

/// What stands after a mark at the beginning, however it is written.
fn after<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let head = line.get(..mark.len())?;
    head.eq_ignore_ascii_case(mark)
        .then(|| line[mark.len()..].trim())
}

/// A helper that says how fluent answers are.
pub struct Perplexity {
    model: Model,
}

impl Perplexity {
    pub fn open(
        settings: &ModelSettings,
        base: &Path,
        scoring: &ScoringSettings,
    ) -> Result<Self, Error> {
        Ok(Self {
            model: Model::open("helper.perplexity", settings, base, scoring)?,
        })
    }

    pub fn about(&self) -> String {
        self.model.about()
    }

    /// exp of the mean loss of each answer; nothing for one of fewer than two words.
    pub fn read(
        &mut self,
        answers: &[String],
        store: &Store,
        progress: Progress<'_>,
    ) -> Result<Vec<Option<f64>>, Error> {
        let long = |answer: &&String| answer.split_whitespace().nth(1).is_some();
        let places: Vec<usize> = (0..answers.len())
            .filter(|&place| long(&&answers[place]))
            .collect();
        let texts: Vec<Text> = places
            .iter()
            .map(|&place| Text {
                id: format!("answer {}", place + 1),
                text: answers[place].clone(),
                member: None,
                date: None,
            })
            .collect();
        let mut values = vec![None; answers.len()];
        if texts.is_empty() {
            return Ok(values);
        }
        let asked = self.model.prepare(&texts, false)?;
        self.model.score(&asked, store, "perplexity", progress)?;
        let scored = self.model.fetch(&asked, 0..asked.len(), store)?;
        for (place, scored) in places.into_iter().zip(scored) {
            let known: Vec<f64> = scored
                .logprob
                .iter()
                .flatten()
                .map(|value| f64::from(*value))
                .collect();
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            values[place] = (!known.is_empty()).then(|| (-mean).exp());
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_helpers_write() {
        let answer = "Sure!\n1. Q: Did the plant grow 420 holes? A: Yes\n- **Q: Was it found in \
                      Peru? A: no**\nQ: Is this unclear? A: yes or no\nAbout: lace plants";
        let (questions, about) = read(answer);
        assert_eq!(about.as_deref(), Some("lace plants"));
        assert_eq!(questions.len(), 2, "{questions:?}");
        assert_eq!(questions[0].question, "Did the plant grow 420 holes?");
        assert!(questions[0].yes && !questions[1].yes);
        assert_eq!(read("nothing"), (Vec::new(), None));
    }
}
