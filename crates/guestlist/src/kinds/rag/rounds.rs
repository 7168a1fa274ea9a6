//! Asking in rounds: the first questions about every document of a block, and more only about those that
//! their answers do not settle.
//!
//! Nobody's truth is looked at. What signs are worth is learnt anew at every look from all documents of the
//! arm that were heard so far, so that the same answers lead to the same questions, in a run that was killed
//! and in a replay. A block that a budget left unfinished spares nothing: which of its documents were settled
//! soon must not decide who is judged.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use asking::rag::{Ask, Asked, Outcome, Tally};
use attacks::rag::ProbeAttack;
use attacks::rag::sequential::{
    Calibration, Counts, LEAST, Sequence, Sign, Step, Tally as Signs, counted, looks,
};
use attacks::signals::probes::{Arm, Document, Exchange, Probe, Reply};
use rayon::prelude::*;

use super::questions::Question;
use crate::Error;

/// Documents that are asked about together.
const BLOCK: usize = 8;

/// Questions to be asked as far as they are needed.
pub struct Rounds<'a> {
    pub attacks: &'a [&'static dyn ProbeAttack],
    pub documents: &'a [Document],
    pub questions: &'a [Question],
    /// Whether documents that are settled are left alone.
    pub adaptive: bool,
}

/// What was heard, question by question.
pub struct Heard {
    pub outcomes: Vec<Outcome>,
    /// Questions that were not needed.
    pub spared: Vec<bool>,
    /// Documents of blocks that were not finished.
    pub unfinished: HashSet<usize>,
    pub tally: Tally,
    /// Why the service was given up, where it was.
    pub given_up: Option<Box<Error>>,
    /// What signs are worth, by strategy, with retrieval.
    pub calibrations: BTreeMap<String, Calibration>,
}

/// One attack's questions about one document in one arm.
struct Track<'a> {
    document: usize,
    strategy: &'a str,
    sequence: &'a dyn Sequence,
    /// Where its questions are.
    places: Vec<usize>,
    steps: Vec<Step>,
    /// Steps that were begun, and those whose second questions were asked.
    begun: usize,
    followed: HashSet<usize>,
    settled: bool,
    /// What steps were found to be a sign of, with the answers that there were then: there are many looks.
    found: RefCell<HashMap<usize, (usize, Option<Sign>)>>,
}

/// Signs of documents, by arm and strategy: those of finished blocks.
type Learnt<'a> = BTreeMap<(Arm, &'a str), Signs>;

impl<'a> Rounds<'a> {
    /// Asks block by block with `ask`, which is given questions and their places, and answers them or says that
    /// it did not.
    pub fn ask(
        &self,
        mut ask: impl FnMut(&[usize], &[Ask]) -> Result<Asked, Error>,
    ) -> Result<Heard, Error> {
        let count = self.questions.len();
        let mut heard = Heard {
            outcomes: Vec::new(),
            spared: vec![false; count],
            unfinished: HashSet::new(),
            tally: Tally::default(),
            given_up: None,
            calibrations: BTreeMap::new(),
        };
        heard.outcomes.resize_with(count, Outcome::default);
        let mut learnt = Learnt::new();
        for block in self.blocks() {
            self.ask_block(&block, &mut heard, &mut learnt, &mut ask)?;
        }
        let not_asked = heard.outcomes.iter().zip(&heard.spared);
        let not_asked = not_asked.filter(|(outcome, spared)| is_open(outcome) && !**spared);
        heard.tally.not_asked = not_asked.count() as u64;
        let with = learnt.iter().filter(|((arm, _), _)| *arm == Arm::Retrieval);
        heard.calibrations = with
            .map(|((_, strategy), counts)| ((*strategy).to_owned(), Calibration::fit(counts)))
            .collect();
        Ok(heard)
    }

    /// How many questions are expected to be asked, by what signs were worth so far.
    pub fn expected(&self, calibrations: &BTreeMap<String, Calibration>) -> f64 {
        let everything: Vec<usize> = (0..self.questions.len()).collect();
        let [with, without] = [Arm::Retrieval, Arm::NoRetrieval].map(|arm| {
            let of_arm = everything.iter().copied();
            let of_arm = of_arm.filter(|place| self.questions[*place].arm == arm);
            self.tracks(&of_arm.collect::<Vec<_>>())
        });
        let usual = Calibration::default();
        let mut known: BTreeMap<(&str, usize), f64> = BTreeMap::new();
        let mut expected = self.questions.len() as f64;
        for track in with.iter().chain(&without) {
            let worth = calibrations.get(track.strategy).unwrap_or(&usual);
            let all = track.steps.len();
            let steps =
                *(known.entry((track.strategy, all))).or_insert_with(|| worth.expected_steps(all));
            let first: usize = track.steps.iter().map(|step| step.first.len()).sum();
            let then = (track.places.len() - first) as f64;
            let asked = first as f64 + then * worth.share_unclear();
            expected -= track.places.len() as f64 - asked * steps / all.max(1) as f64;
        }
        expected
    }

    /// Questions that stand together and go to one arm, about so many documents; all of them where nothing
    /// is spared.
    fn blocks(&self) -> Vec<Vec<usize>> {
        if !self.adaptive {
            return vec![(0..self.questions.len()).collect()];
        }
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        let mut documents: HashSet<usize> = HashSet::new();
        let mut last = None;
        for (place, question) in self.questions.iter().enumerate() {
            let kind = (question.arm, question.repeat > 0 || question.is_control());
            let full = documents.len() == BLOCK && !documents.contains(&question.document);
            if last != Some(kind) || full {
                blocks.push(Vec::new());
                documents.clear();
            }
            last = Some(kind);
            documents.insert(question.document);
            if let Some(block) = blocks.last_mut() {
                block.push(place);
            }
        }
        blocks
    }

    fn ask_block(
        &self,
        block: &[usize],
        heard: &mut Heard,
        learnt: &mut Learnt<'a>,
        ask: &mut impl FnMut(&[usize], &[Ask]) -> Result<Asked, Error>,
    ) -> Result<(), Error> {
        let mut tracks = self.tracks(block);
        let held_back: HashSet<usize> = tracks
            .iter()
            .flat_map(|track| track.places.clone())
            .collect();
        let mut now: Vec<usize> = block.to_vec();
        now.retain(|place| !held_back.contains(place));
        now.extend(tracks.iter_mut().flat_map(Track::go_on));
        now.sort_unstable();
        let mut finished = true;
        while !now.is_empty() && finished {
            self.ask_now(&now, heard, ask)?;
            finished = now.iter().all(|place| !is_open(&heard.outcomes[*place]));
            // Reading answers takes the time: every document's by itself.
            tracks.par_iter_mut().for_each(|track| {
                self.signs(track, heard);
            });
            now = self.look(&mut tracks, heard, learnt);
        }
        if finished {
            for place in block {
                heard.spared[*place] = is_open(&heard.outcomes[*place]);
            }
        } else if !tracks.is_empty() {
            let documents = block.iter().map(|place| self.questions[*place].document);
            heard.unfinished.extend(documents);
        }
        for track in &tracks {
            let arm = self.questions[track.places[0]].arm;
            let signs = learnt.entry((arm, track.strategy)).or_default();
            *signs.entry(self.signs(track, heard)).or_default() += 1;
        }
        Ok(())
    }

    fn ask_now(
        &self,
        now: &[usize],
        heard: &mut Heard,
        ask: &mut impl FnMut(&[usize], &[Ask]) -> Result<Asked, Error>,
    ) -> Result<(), Error> {
        if heard.given_up.is_some() {
            return Ok(());
        }
        let asks: Vec<Ask> = now
            .iter()
            .map(|place| self.questions[*place].ask())
            .collect();
        let Asked {
            outcomes,
            tally,
            given_up,
        } = ask(now, &asks)?;
        heard.tally.add(&tally);
        heard.given_up = given_up;
        for (place, outcome) in now.iter().zip(outcomes) {
            heard.outcomes[*place] = outcome;
        }
        Ok(())
    }

    /// What is asked next about documents that are not settled: second questions where first answers were no
    /// sign, and where none are left, more steps.
    fn look(&self, tracks: &mut [Track<'a>], heard: &Heard, learnt: &Learnt<'a>) -> Vec<usize> {
        let mut counts: Learnt<'a> = Learnt::new();
        for track in tracks.iter() {
            let key = (self.questions[track.places[0]].arm, track.strategy);
            let known = || learnt.get(&key).cloned().unwrap_or_default();
            let signs = counts.entry(key).or_insert_with(known);
            *signs.entry(self.signs(track, heard)).or_default() += 1;
        }
        let fitted: BTreeMap<(Arm, &str), Calibration> = (counts.into_iter())
            .map(|(key, counts)| (key, Calibration::fit(&counts)))
            .collect();
        let mut next = Vec::new();
        for track in tracks.iter_mut().filter(|track| !track.settled) {
            let arm = self.questions[track.places[0]].arm;
            let signs = self.signs(track, heard);
            track.settled = fitted[&(arm, track.strategy)].settles(&signs);
            if !track.settled {
                let second = track.follow(&self.unclear(track, heard));
                match second.is_empty() {
                    true => next.extend(track.go_on()),
                    false => next.extend(second),
                }
            }
        }
        next.sort_unstable();
        next
    }

    /// By document and strategy, where an attack asks one after the other.
    fn tracks(&self, block: &[usize]) -> Vec<Track<'a>> {
        let mut grouped: BTreeMap<(usize, &'a str), Vec<usize>> = BTreeMap::new();
        for &place in block {
            let question = &self.questions[place];
            if self.adaptive && question.repeat == 0 && !question.is_control() {
                let key = (question.document, question.probe.strategy.as_str());
                grouped.entry(key).or_default().push(place);
            }
        }
        let track = |((document, strategy), places): ((usize, &'a str), Vec<usize>)| {
            let mut attacks = self.attacks.iter();
            let attack = attacks.find(|attack| attack.card().id == strategy)?;
            let sequence = attack.sequence()?;
            let probes: Vec<&Probe> = (places.iter())
                .map(|place| &*self.questions[*place].probe)
                .collect();
            Some(Track {
                document,
                strategy,
                sequence,
                steps: sequence.steps(&probes),
                places,
                begun: 0,
                followed: HashSet::new(),
                settled: false,
                found: RefCell::default(),
            })
        };
        grouped.into_iter().filter_map(track).collect()
    }

    /// Of steps that were asked to their end, or are a sign for membership already: a fact that did not come
    /// back at first often does when it is asked for again, so that half a step is worth less than it looks.
    fn signs(&self, track: &Track, heard: &Heard) -> Counts {
        let ended = |(step, sign): &(usize, Sign)| *sign == Sign::For || track.is_asked(*step);
        let signs =
            (0..track.begun).filter_map(|step| Some((step, self.sign(track, step, heard)?)));
        counted(signs.filter(ended).map(|(_, sign)| sign))
    }

    fn sign(&self, track: &Track, step: usize, heard: &Heard) -> Option<Sign> {
        let places = || {
            track.steps[step]
                .first
                .iter()
                .chain(&track.steps[step].then)
        };
        let open = |at: &&usize| is_open(&heard.outcomes[track.places[**at]]);
        let answers = places().filter(|at| !open(at)).count();
        if let Some((with, sign)) = track.found.borrow().get(&step)
            && *with == answers
        {
            return *sign;
        }
        let exchanges = places().filter_map(|at| {
            let place = track.places[*at];
            let reply: &Arc<Reply> = match &heard.outcomes[place] {
                Outcome::Answered(reply) => reply,
                _ => return None,
            };
            Some(Exchange {
                probe: self.questions[place].probe.clone(),
                reply: Some(reply.clone()),
            })
        });
        let exchanges: Vec<Exchange> = exchanges.collect();
        let exchanges: Vec<&Exchange> = exchanges.iter().collect();
        let document = &self.documents[track.document];
        let sign = track.sequence.sign(document, &exchanges);
        track.found.borrow_mut().insert(step, (answers, sign));
        sign
    }

    /// Steps whose first answers are no sign for membership.
    fn unclear(&self, track: &Track, heard: &Heard) -> Vec<usize> {
        let open = (0..track.begun).filter(|step| !track.followed.contains(step));
        open.filter(|step| self.sign(track, *step, heard) != Some(Sign::For))
            .collect()
    }
}

impl Track<'_> {
    /// The questions of the steps up to the next look.
    fn go_on(&mut self) -> Vec<usize> {
        let mut looks = looks(self.steps.len()).into_iter();
        let Some(next) = looks.find(|look| *look > self.begun) else {
            return Vec::new();
        };
        let steps = &self.steps[self.begun..next];
        self.begun = next;
        let first = steps.iter().flat_map(|step| &step.first);
        first.map(|at| self.places[*at]).collect()
    }

    /// Whether nothing of a step that was begun is left to ask.
    fn is_asked(&self, step: usize) -> bool {
        self.steps[step].then.is_empty() || self.followed.contains(&step)
    }

    /// The second questions of these steps.
    fn follow(&mut self, unclear: &[usize]) -> Vec<usize> {
        self.followed.extend(unclear);
        let then = unclear.iter().flat_map(|step| &self.steps[*step].then);
        then.map(|at| self.places[*at]).collect()
    }
}

/// Which of a document's questions are asked whatever the others are answered.
pub fn always_asked(attacks: &[&'static dyn ProbeAttack], probes: &[Arc<Probe>]) -> Vec<bool> {
    let mut always = vec![true; probes.len()];
    for attack in attacks {
        let Some(sequence) = attack.sequence() else {
            continue;
        };
        let own = |place: &usize| probes[*place].strategy == attack.card().id;
        let places: Vec<usize> = (0..probes.len()).filter(own).collect();
        let asked: Vec<&Probe> = places.iter().map(|place| &*probes[*place]).collect();
        for (step, questions) in sequence.steps(&asked).into_iter().enumerate() {
            let later = match step < LEAST {
                true => questions.then,
                false => [questions.first, questions.then].concat(),
            };
            later.into_iter().for_each(|at| always[places[at]] = false);
        }
    }
    always
}

fn is_open(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::NotAsked)
}

#[cfg(test)]
mod tests;
