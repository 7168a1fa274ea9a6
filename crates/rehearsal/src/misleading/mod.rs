//! How audits mislead: mistakes found in published code or habit, each made again on embedded data
//! beside what guestlist says of the same numbers.
//!
//! A case is one file, which holds the mistake as a small function, and a line in [`CASES`].

mod alike;
mod best_of_many;
mod blind;
mod canned;
mod coin;
mod copies;
mod digits;
mod echo;
mod edges;
mod interpolated;
mod inverted;
mod judged;
mod no_reference;
mod one_sided_rag;
mod rare_class;
mod refusals;
mod saturated;
mod severe;
mod speeches;
mod ties;

use serde::Serialize;

use guestlist::Error;

/// One mistake.
pub struct Case {
    pub id: &'static str,
    /// What is mistaken for what.
    pub title: &'static str,
    /// What people do, and why it looks right.
    pub habit: &'static str,
    /// Where it was found.
    pub source: &'static str,
    /// The data it is shown on.
    pub data: &'static str,
    /// What notices or prevents it here.
    pub notices: &'static str,
    show: fn(u64) -> Result<Sides, Error>,
}

/// What both ways say of the same numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sides {
    pub mistaken: Vec<Claim>,
    pub guestlist: Vec<Claim>,
}

/// One number, and what it is taken to mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    pub name: &'static str,
    pub value: f64,
    pub words: String,
}

impl Claim {
    fn new(name: &'static str, value: f64, words: String) -> Self {
        Self { name, value, words }
    }
}

impl Sides {
    /// A number of the mistaken way.
    pub fn mistaken(&self, name: &str) -> Option<f64> {
        value(&self.mistaken, name)
    }

    /// A number of ours.
    pub fn guestlist(&self, name: &str) -> Option<f64> {
        value(&self.guestlist, name)
    }
}

fn value(said: &[Claim], name: &str) -> Option<f64> {
    said.iter()
        .find(|said| said.name == name)
        .map(|said| said.value)
}

impl Case {
    /// Makes the mistake, and does it right.
    pub fn show(&self, seed: u64) -> Result<Sides, Error> {
        (self.show)(seed)
    }
}

/// Every case, in the order of the documentation.
pub static CASES: &[&Case] = &[
    &inverted::CASE,
    &ties::CASE,
    &blind::CASE,
    &severe::CASE,
    &best_of_many::CASE,
    &interpolated::CASE,
    &saturated::CASE,
    &edges::CASE,
    &one_sided_rag::CASE,
    &echo::CASE,
    &coin::CASE,
    &rare_class::CASE,
    &alike::CASE,
    &copies::CASE,
    &no_reference::CASE,
    &canned::CASE,
    &refusals::CASE,
];

/// The case of this name.
pub fn find(id: &str) -> Result<&'static Case, Error> {
    let found = CASES.iter().find(|case| case.id == id);
    found.copied().ok_or_else(|| {
        let ids: Vec<&str> = CASES.iter().map(|case| case.id).collect();
        Error::usage(
            format!("there is no case {id}"),
            format!("choose among {}, or all", ids.join(", ")),
        )
    })
}

/// A fault that embedded data cannot have.
fn broken(what: &str, error: impl std::fmt::Display) -> Error {
    Error::usage(
        format!("{what}: {error}"),
        "this is a fault of guestlist: please report it",
    )
}
