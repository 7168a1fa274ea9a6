//! What a run would do, take and cost: for people in lines, for programs as facts.

use serde_json::Value;

/// Made by a plan; nothing was sent, trained or kept for it.
#[derive(Clone, Debug)]
pub struct Estimate {
    pub kind: report::Kind,
    /// For programs.
    pub facts: Value,
    /// For people: what, and how much.
    pub lines: Vec<(String, String)>,
    /// What else a reader should know.
    pub notes: Vec<String>,
    /// What to do next.
    pub next: String,
    /// A manifest for Kubernetes, where that was asked for.
    pub manifest: Option<String>,
    /// Questions as JSON Lines, where they were asked for.
    pub questions: Option<String>,
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let width = self.lines.iter().map(|(name, _)| name.chars().count());
        let width = width.max().unwrap_or(0);
        for (name, words) in &self.lines {
            let (name, words) = (report::printable(name), report::printable(words));
            writeln!(f, "{name:<width$}  {words}")?;
        }
        for note in &self.notes {
            writeln!(f, "note: {}", report::printable(note))?;
        }
        writeln!(f, "{}", self.next)
    }
}

/// How many of each kind there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    pub members: usize,
    pub nonmembers: usize,
    pub unknown: usize,
}

impl FromIterator<Option<bool>> for Sizes {
    fn from_iter<I: IntoIterator<Item = Option<bool>>>(members: I) -> Self {
        let mut sizes = Sizes::default();
        for member in members {
            match member {
                Some(true) => sizes.members += 1,
                Some(false) => sizes.nonmembers += 1,
                None => sizes.unknown += 1,
            }
        }
        sizes
    }
}

impl std::fmt::Display for Sizes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all = self.members + self.nonmembers + self.unknown;
        let (members, nonmembers) = (self.members, self.nonmembers);
        write!(f, "{all}: {members} members and {nonmembers} non-members")?;
        match self.unknown {
            0 => Ok(()),
            unknown => write!(f, ", and {unknown} of unknown membership, which are called"),
        }
    }
}

/// `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`.
pub fn span(seconds: f64) -> String {
    if seconds < 10.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::{Sizes, span};

    #[test]
    fn records_that_nobody_knows_are_no_non_members() {
        let sizes: Sizes = [Some(true), Some(false), None, None].into_iter().collect();
        let words = "4: 1 members and 1 non-members, and 2 of unknown membership, which are called";
        assert_eq!(sizes.to_string(), words);
        let known: Sizes = [Some(true), Some(false)].into_iter().collect();
        assert_eq!(known.to_string(), "2: 1 members and 1 non-members");
    }

    #[test]
    fn spans_read_well_at_every_size() {
        let said = [0.04, 9.96, 59.4, 61.0, 7500.0].map(span);
        assert_eq!(said, ["0.0 s", "10.0 s", "59 s", "1 min 1 s", "2 h 5 min"]);
    }
}
