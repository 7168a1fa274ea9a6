//! Whoever answers the questions of an audit: services and their store, or what was recorded of them.

use asking::rag::{Ask, Asked, Service};
use asking::store::Store;
use attacks::signals::probes::Arm;
use base::Progress;

use super::Plan;
use crate::Error;

/// Texts that are asked about in one arm before they are in the other; one where a budget may end
/// at any time.
const AT_ONCE: usize = 32;

/// A question about one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    pub subject: usize,
    /// Of the perturbed input; nothing for the text as it is.
    pub row: Option<usize>,
}

pub trait Answering {
    /// Outcomes in the order of the questions, each with what is asked.
    fn answer(
        &self,
        arm: Arm,
        questions: &[(Question, String)],
        repeat: u32,
    ) -> Result<Asked, Error>;

    /// Whether anybody is asked, who may turn out to be somebody else.
    fn is_live(&self) -> bool;

    /// How many texts are asked about before the other arm is.
    fn at_once(&self) -> usize {
        AT_ONCE
    }
}

/// The services of a plan, asked for what the store does not have.
pub struct Services<'a> {
    pub plan: &'a Plan,
    pub store: &'a Store,
    /// Nobody is asked: the store answers alone.
    pub replay: bool,
    pub progress: Progress<'a>,
}

impl Answering for Services<'_> {
    fn answer(
        &self,
        arm: Arm,
        questions: &[(Question, String)],
        repeat: u32,
    ) -> Result<Asked, Error> {
        let (service, arm) = self.service(arm);
        let ask = |(_, query): &(Question, String)| Ask {
            arm,
            query: query.clone(),
            repeat,
        };
        let asks: Vec<Ask> = questions.iter().map(ask).collect();
        match self.replay {
            true => service.replay(&asks, self.store),
            false => service.ask_all(&asks, self.store, self.progress),
        }
    }

    fn is_live(&self) -> bool {
        !self.replay
    }

    fn at_once(&self) -> usize {
        match self.plan.config.transport.max_requests {
            Some(_) => 1,
            None => AT_ONCE,
        }
    }
}

impl Services<'_> {
    /// Who answers in this arm, and by which arm of its own.
    fn service(&self, arm: Arm) -> (&Service, Arm) {
        match (arm, &self.plan.stand_in) {
            (Arm::NoRetrieval, Some(stand_in)) => (stand_in, Arm::Retrieval),
            _ => (&self.plan.service, arm),
        }
    }
}
