//! The truth: which records the audited model trained on. Attacks cannot see this type.

use std::borrow::Cow;

use attacks::scores::{Abstention, Scores};

use crate::Error;

/// One answer per record: was it a member? Nobody need know it of every record: those of unknown
/// membership are scored and called, and never enter a measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    member: Vec<Option<bool>>,
    members: usize,
    nonmembers: usize,
}

impl Truth {
    /// Refuses a truth no measure is defined on: fewer than two records, or only one kind.
    pub fn new(member: impl IntoIterator<Item = bool>) -> Result<Self, Error> {
        let truth = Truth::counted(member.into_iter().map(Some).collect());
        check_counts(truth.members, truth.nonmembers, "record")?;
        Ok(truth)
    }

    /// The same where some records are of unknown membership. Non-members must be known, for unknown
    /// records are held against them; without a known member nothing is measured, and records are
    /// called all the same.
    pub fn partly(member: impl IntoIterator<Item = Option<bool>>) -> Result<Self, Error> {
        let truth = Truth::counted(member.into_iter().collect());
        let known = truth.members + truth.nonmembers;
        if truth.unknown() == 0 {
            check_counts(truth.members, truth.nonmembers, "record")?;
        } else if known == 0 {
            return Err(Error::input(
                format!(
                    "of none of the {} records is known whether it is a member",
                    truth.len()
                ),
                "say so of some: records of unknown membership are held against known non-members",
            ));
        } else if truth.nonmembers == 0 {
            return Err(Error::input(
                format!(
                    "no record is known to be a non-member, and {} are of unknown membership",
                    truth.unknown()
                ),
                "add records that were surely not trained on: unknown ones are held against them",
            ));
        }
        Ok(truth)
    }

    fn counted(member: Vec<Option<bool>>) -> Self {
        let count = |kind: bool| member.iter().filter(|known| **known == Some(kind)).count();
        let (members, nonmembers) = (count(true), count(false));
        Truth {
            member,
            members,
            nonmembers,
        }
    }

    /// All records, of known membership and unknown.
    pub fn len(&self) -> usize {
        self.member.len()
    }

    /// Always false: a truth has at least one non-member.
    pub fn is_empty(&self) -> bool {
        self.member.is_empty()
    }

    pub fn members(&self) -> usize {
        self.members
    }

    pub fn nonmembers(&self) -> usize {
        self.nonmembers
    }

    /// How many records are of unknown membership.
    pub fn unknown(&self) -> usize {
        self.member.len() - self.members - self.nonmembers
    }

    /// Whether anything can be measured: there are members and non-members.
    pub fn decides(&self) -> bool {
        self.members > 0 && self.nonmembers > 0
    }

    /// Whether a record is a member; nothing where nobody knows, or when there is no such record.
    pub fn is_member(&self, record: usize) -> Option<bool> {
        self.member.get(record).copied().flatten()
    }

    /// Of every record; nothing where nobody knows.
    pub fn iter(&self) -> impl Iterator<Item = Option<bool>> + '_ {
        self.member.iter().copied()
    }

    /// The records of known membership.
    pub fn known(&self) -> impl Iterator<Item = (usize, bool)> + '_ {
        let all = self.member.iter().enumerate();
        all.filter_map(|(record, member)| Some((record, (*member)?)))
    }

    /// Scores and truth of the records of known membership alone.
    pub(crate) fn known_part<'a>(&'a self, scores: &'a Scores) -> (Cow<'a, Scores>, Cow<'a, Self>) {
        if self.unknown() == 0 || scores.len() != self.len() {
            return (Cow::Borrowed(scores), Cow::Borrowed(self));
        }
        let answers = self.known().map(|(record, _)| scores.answer(record));
        let truth = Truth::counted(self.known().map(|(_, member)| Some(member)).collect());
        (Cow::Owned(answers.collect()), Cow::Owned(truth))
    }

    /// Scores in which records of unknown membership are none of the attack's business.
    pub(crate) fn masked<'a>(&self, scores: &'a Scores) -> Cow<'a, Scores> {
        if self.unknown() == 0 {
            return Cow::Borrowed(scores);
        }
        let answer = |record: usize| match self.is_member(record) {
            Some(_) => scores.answer(record),
            None => Err(Abstention::NotAsked),
        };
        Cow::Owned((0..scores.len()).map(answer).collect())
    }
}

/// Both classes must be present. `what` names the records counted ("record", "judged record").
pub(crate) fn check_counts(members: usize, nonmembers: usize, what: &str) -> Result<(), Error> {
    let total = members + nonmembers;
    let refuse = |message: String| {
        Err(Error::input(
            message,
            "give held-out and training records both",
        ))
    };
    if total < 2 {
        let plural = if total == 1 { "" } else { "s" };
        return refuse(format!(
            "{total} {what}{plural}: a member and a non-member are the least that can be judged"
        ));
    }
    if members == 0 {
        return refuse(format!(
            "no {what} is a member of the target: AUC is undefined"
        ));
    }
    if nonmembers == 0 {
        return refuse(format!(
            "every {what} is a member of the target: AUC is undefined"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_both_kinds() {
        let truth = Truth::new([true, false, true]).unwrap();
        assert_eq!(
            (truth.len(), truth.members(), truth.nonmembers()),
            (3, 2, 1)
        );
        assert_eq!(truth.is_member(1), Some(false));
        assert_eq!(truth.is_member(3), None);
        let all = [true, false, true].map(Some);
        assert_eq!(truth.iter().collect::<Vec<_>>(), all);
    }

    #[test]
    fn what_nobody_knows_is_no_part_of_what_is_measured() {
        let truth = Truth::partly([Some(true), None, Some(false), None]).unwrap();
        assert_eq!((truth.len(), truth.unknown()), (4, 2));
        assert!(truth.decides());
        let scores: Scores = [Ok(1.0), Ok(9.0), Ok(0.0), Err(Abstention::NoRank)]
            .into_iter()
            .collect();
        let (known, own) = truth.known_part(&scores);
        assert_eq!(known.as_slice(), [1.0, 0.0]);
        assert_eq!((own.len(), own.unknown()), (2, 0));
        let masked = truth.masked(&scores);
        assert_eq!((masked.abstained(), masked.left_out()), (2, 0));
        let owner = Truth::partly([None, Some(false)]).unwrap();
        assert!(!owner.decides());
        for (members, words) in [
            (vec![None, None], "of none of the 2 records"),
            (
                vec![None, Some(true)],
                "no record is known to be a non-member",
            ),
            (vec![Some(true), Some(true)], "every record is a member"),
        ] {
            let error = Truth::partly(members).unwrap_err();
            assert!(error.message.starts_with(words), "{error}");
        }
    }

    #[test]
    fn refuses_what_cannot_be_judged() {
        for (records, words) in [
            (vec![], "0 records"),
            (vec![true], "1 record:"),
            (vec![false, false], "no record is a member of the target"),
            (vec![true, true], "every record is a member of the target"),
        ] {
            let error = Truth::new(records).unwrap_err();
            assert!(error.message.starts_with(words), "{error}");
            assert!(
                error
                    .to_string()
                    .ends_with("hint: give held-out and training records both")
            );
        }
    }
}
