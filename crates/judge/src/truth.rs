//! The truth: which records the audited model trained on. Attacks cannot see this type.

use crate::Error;

/// One answer per record: was it a member? Both kinds of record are present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    member: Vec<bool>,
    members: usize,
}

impl Truth {
    /// Refuses a truth no measure is defined on: fewer than two records, or only one kind.
    pub fn new(member: impl IntoIterator<Item = bool>) -> Result<Self, Error> {
        let member: Vec<bool> = member.into_iter().collect();
        let members = member.iter().filter(|&&is_member| is_member).count();
        check_counts(members, member.len() - members, "record")?;
        Ok(Truth { member, members })
    }

    pub fn len(&self) -> usize {
        self.member.len()
    }

    /// Always false: a truth has at least one member and one non-member.
    pub fn is_empty(&self) -> bool {
        self.member.is_empty()
    }

    pub fn members(&self) -> usize {
        self.members
    }

    pub fn nonmembers(&self) -> usize {
        self.member.len() - self.members
    }

    /// Whether a record is a member; nothing when there is no such record.
    pub fn is_member(&self, record: usize) -> Option<bool> {
        self.member.get(record).copied()
    }

    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        self.member.iter().copied()
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
        assert_eq!(truth.iter().collect::<Vec<_>>(), [true, false, true]);
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
