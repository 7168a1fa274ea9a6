//! Calls on records of unknown membership, beside a report that has everything else.

use judge::calls::{Asked, call, one_of_each};
use stats::streams::Seed;

use super::{Audit, AuditContext};

/// Who calls, and at which level.
pub(crate) struct Calling<'a> {
    pub context: &'a AuditContext,
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
        // Rows beside canaries are none of the audit's business.
        let beside = calling.context.canaries.is_some();
        if beside || self.members.iter().all(Option::is_some) {
            return self;
        }
        let own = self.scores.iter();
        let own = own.filter(|(id, _)| !calling.learnt.contains(id));
        let attacks: Vec<_> = own.cloned().collect();
        let of_people = calling.persons(&self.members);
        self.calls = call(&Asked {
            attacks: &attacks,
            members: &self.members,
            known: of_people.as_deref().or(calling.known),
            preferred: calling.preferred,
            level: calling.context.call_level,
        });
        if let (Some(calls), Some(_)) = (&mut self.calls, &of_people) {
            let method = &mut calls.summary.method;
            method.push_str("; one record of each known person calibrates");
        }
        self.report.unknown = self.calls.as_ref().map(|calls| calls.summary.clone());
        self
    }
}

impl Calling<'_> {
    /// One row of each known person, where records belong to persons.
    fn persons(&self, members: &[Option<bool>]) -> Option<Vec<usize>> {
        let persons = self.context.persons.as_ref()?;
        let seed = Seed(self.context.measuring.seed);
        Some(one_of_each(&persons.groups, members, self.known, seed))
    }
}
