//! Kinds of audits as they are typed: the registry's, each with what it says of itself.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use guestlist::kinds::KINDS;
use guestlist::pipeline::Entry;
use report::Kind;

/// What an input may be.
pub fn audited() -> impl TypedValueParser<Value = Kind> {
    let values: Vec<PossibleValue> = KINDS
        .iter()
        .map(|entry| value(entry, entry.input))
        .collect();
    PossibleValuesParser::new(values).try_map(|name: String| {
        let found = KINDS.iter().find(|entry| is_named(entry, &name));
        found.map(|entry| entry.kind).ok_or("no such kind")
    })
}

/// What `guestlist init` writes a file for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Configurable {
    Audit(Kind),
    Policy,
}

/// What has a configuration, and what several audits share.
pub fn configurable() -> impl TypedValueParser<Value = Configurable> {
    let with = || KINDS.iter().filter(|entry| entry.init.is_some());
    let mut values: Vec<PossibleValue> = with().map(|entry| value(entry, entry.subject)).collect();
    let policy = "No audit, but what audits must meet: criteria, thresholds and why";
    values.push(PossibleValue::new("policy").help(policy));
    PossibleValuesParser::new(values).map(move |name: String| {
        let named = with().find(|entry| is_named(entry, &name));
        named.map_or(Configurable::Policy, |entry| {
            Configurable::Audit(entry.kind)
        })
    })
}

fn value(entry: &'static Entry, help: &'static str) -> PossibleValue {
    let value = PossibleValue::new(entry.kind.name()).help(help);
    value.aliases(entry.aliases)
}

fn is_named(entry: &Entry, name: &str) -> bool {
    entry.kind.name() == name || entry.aliases.contains(&name)
}
