//! What was found of an audit's files, as people read it.

use std::fmt;

use super::signature::Signature;
use super::verify::{Checked, State, Verification};

/// Of the files that an audit did not write, so many are named.
const MOST_OTHERS: usize = 12;

impl Verification {
    /// A line per file and input, then what follows from them.
    pub fn text(&self) -> String {
        let mut lines = self.lines();
        lines.extend([String::new(), self.conclusion(), String::new()]);
        lines.join("\n")
    }

    fn lines(&self) -> Vec<String> {
        let others = Self::count(&self.files, State::NotRecorded);
        let shown = |one: &&Checked| one.state != State::NotRecorded || others <= MOST_OTHERS;
        let files = self.files.iter().filter(shown);
        let says = self.says.iter();
        let mut lines: Vec<String> = says
            .map(|says| format!("{:<14}{}", "report", report::printable(says)))
            .collect();
        lines.extend(files.map(|one| line("", one)));
        if others > MOST_OTHERS {
            lines.push(format!(
                "{:<14}{others} other files, which the audit's report did not write",
                State::NotRecorded.word()
            ));
        }
        lines.extend(self.inputs.iter().map(|one| line("input ", one)));
        lines.push(format!("{:<14}{}", "signature", self.signature));
        lines
    }

    /// Whether it holds, on what, and what could not have been seen.
    pub fn conclusion(&self) -> String {
        if !self.holds() {
            return format!("✘ NOT VERIFIED: {}", self.trouble());
        }
        let files = Self::count(&self.files, State::Agrees);
        let read = Self::count(&self.inputs, State::Agrees);
        let inputs = match (self.inputs.len(), self.inputs.len() - read) {
            (0, _) => "it names no inputs".to_owned(),
            (all, 0) => format!("{all} of {all} inputs are those that it read"),
            (all, _) => format!(
                "{read} of {all} inputs were found and are those that it read; the others were not checked"
            ),
        };
        let standing = match &self.signature {
            Signature::By { identity, .. } => format!("signed by {}", report::printable(identity)),
            _ => {
                "nobody is known to have signed it: somebody who changed every file and SHA256SUMS with them \
                 would not be seen"
                    .to_owned()
            }
        };
        format!("✔ VERIFIED: {files} files are as the audit wrote them; {inputs}; {standing}")
    }

    /// What does not hold, in counts.
    fn trouble(&self) -> String {
        let mut said = Vec::new();
        for (what, all) in [("file", &self.files), ("input", &self.inputs)] {
            for state in [State::Changed, State::Missing] {
                let count = Self::count(all, state);
                let matters = what == "file" || state == State::Changed || self.inputs_wanted;
                if count > 0 && matters {
                    let plural = if count == 1 { "" } else { "s" };
                    said.push(format!("{count} {what}{plural} {}", state.word()));
                }
            }
        }
        if let Some(found) = &self.contradiction {
            said.push(format!(
                "report.json contradicts itself: {}",
                report::printable(found)
            ));
        }
        if self.names_nothing_that_was_wanted() {
            said.push("the report names no inputs that could be checked".to_owned());
        }
        let unknown = Self::count(&self.inputs, State::NotRecorded);
        if self.inputs_wanted && unknown > 0 {
            said.push(format!("{unknown} of its inputs are known by no digest"));
        }
        match &self.signature {
            Signature::Broken { why } => said.push(format!(
                "the signature does not hold: {}",
                report::printable(why)
            )),
            Signature::None if self.signature_wanted => {
                said.push("there is no signature".to_owned());
            }
            _ => {}
        }
        said.join("; ")
    }
}

fn line(what: &str, one: &Checked) -> String {
    let remark = match (one.state, &one.found, what.is_empty()) {
        (State::Changed, Some(place), false) => {
            let place = report::printable(&place.display().to_string());
            format!(": {place} is another one")
        }
        (State::Missing, _, false) => ": not found, not checked; --inputs says where".to_owned(),
        (State::NotRecorded, _, false) => ": known by no digest, not checked".to_owned(),
        _ => String::new(),
    };
    let path = report::printable(&one.path);
    format!("{:<14}{what}{path}{remark}", one.state.word())
}

impl fmt::Display for Signature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Signature::None => out.write_str("none"),
            Signature::By { identity, key } => {
                write!(out, "good: {}, with {key}", report::printable(identity))
            }
            Signature::Unvouched { key } => write!(
                out,
                "made with {key}; whose that is was not checked: --signers FILE does"
            ),
            Signature::Unchecked { why } => write!(out, "not checked: {}", report::printable(why)),
            Signature::Broken { why } => write!(out, "broken: {}", report::printable(why)),
        }
    }
}
