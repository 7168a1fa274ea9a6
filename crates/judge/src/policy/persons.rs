//! A criterion that people must meet.

use crate::Error;
use crate::gate::Gate;
use crate::persons::Persons;
use crate::policy::Scope;
use crate::verdict::{Choice, Decision, Level, decide};

/// Applies the gate to people.
pub fn decide_persons(
    persons: Option<&Persons>,
    gate: &Gate,
    choice: Choice,
) -> Result<Decision, Error> {
    let persons = persons.ok_or_else(|| no_persons(gate))?;
    Ok(Decision {
        scope: Scope::Person,
        level: Some(Level::Person),
        ..decide(&persons.attacks, gate, choice)?
    })
}

/// Nobody knows which records are whose.
pub fn no_persons(gate: &Gate) -> Error {
    Error::input(
        format!(
            "{} of persons cannot be decided: there are no persons in this audit",
            gate.measure
        ),
        "say which records are whose (--group), or leave scope = \"person\" out of the policy",
    )
}
