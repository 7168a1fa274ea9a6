//! Calls on records of unknown membership, beside a report that has everything else.

use judge::calls::{Asked, call};

use super::Audit;

/// Who calls, and at which level.
pub(crate) struct Calling<'a> {
    pub level: f64,
    /// Attacks that learnt from the known records: their scores of these and of others differ in kind.
    pub learnt: &'a [String],
    /// In this order where no member is known, so that none can be chosen.
    pub preferred: &'a [&'a str],
    /// The known rows that count, where not all do.
    pub known: Option<&'a [usize]>,
}

impl Audit {
    /// Calls the records of unknown membership, where there are any.
    pub(crate) fn calling(mut self, calling: &Calling) -> Self {
        if self.members.iter().all(Option::is_some) {
            return self;
        }
        let own = self.scores.iter();
        let own = own.filter(|(id, _)| !calling.learnt.contains(id));
        let attacks: Vec<_> = own.cloned().collect();
        self.calls = call(&Asked {
            attacks: &attacks,
            members: &self.members,
            known: calling.known,
            preferred: calling.preferred,
            level: calling.level,
        });
        self.report.unknown = self.calls.as_ref().map(|calls| calls.summary.clone());
        self
    }
}
