//! Which parts a page has, and in which order: what is special to the kind of target comes before
//! what all of them have.

use maud::{Markup, html};

use super::{
    attacks, exchanges, figures, guardrails, notes, provenance, reading, records, sources,
};
use crate::blocks::{self, Place, Section};
use crate::document::Report;
use crate::figures::Figure;
use crate::sections::Room;

/// A part under its own heading.
pub struct Part {
    pub id: &'static str,
    pub title: &'static str,
    body: Markup,
}

impl Part {
    /// The part at the end of a page.
    pub fn markup(&self) -> Markup {
        let heading = format!("{}-heading", self.id);
        html! {
            section id=(self.id) aria-labelledby=(heading) {
                h2 id=(heading) { (self.title) }
                "\n" (self.body)
            }
            "\n"
        }
    }
}

/// Every part that has something to say.
pub fn parts(report: &Report, figures: &[Figure]) -> Vec<Part> {
    let material = Material {
        report,
        figures,
        sections: crate::sections::sections(report, Room::Page),
    };
    let mut parts = vec![
        material.part("reading", "How to read this", None, reading::part),
        material.part(
            "guardrails",
            "Can this audit be trusted?",
            None,
            guardrails::part,
        ),
    ];
    parts.extend(material.about_the_target());
    parts.push(material.part("more", "More", Some(Place::Elsewhere), nothing));
    parts.push(material.part("notes", "Notes", None, notes::part));
    parts.push(material.part("provenance", "How to do it again", None, provenance::part));
    parts.retain(|part| !part.body.0.is_empty());
    parts
}

/// What parts are made of.
struct Material<'a> {
    report: &'a Report,
    figures: &'a [Figure],
    sections: Vec<Section>,
}

impl Material<'_> {
    fn about_the_target(&self) -> Vec<Part> {
        let attacks = self.part("attacks", "Attacks", Some(Place::Attacks), attacks::part);
        let records = self.part("records", "Records", Some(Place::Records), records::part);
        let service = Some(Place::Service);
        let service = self.part("service", "The service", service, exchanges::part);
        let sources = Some(Place::Sources);
        let sources = self.part("sources", "Where answers come from", sources, sources::part);
        let few = self.part(
            "few-shot",
            "Few-shot episodes",
            Some(Place::FewShot),
            nothing,
        );
        let steps = Some(Place::Checkpoints);
        let steps = self.part("checkpoints", "Leakage over training", steps, nothing);
        let models = self.part("models", "Models", Some(Place::Models), nothing);
        vec![sources, few, attacks, records, service, steps, models]
    }

    /// Figures first, then what is written by hand, then every section of that place.
    fn part(
        &self,
        id: &'static str,
        title: &'static str,
        place: Option<Place>,
        by_hand: impl FnOnce(&Report) -> Markup,
    ) -> Part {
        let here = |figure: &&Figure| place.is_some() && figures::place(figure.section) == place;
        let drawn: Vec<&Figure> = self.figures.iter().filter(here).collect();
        let sections = self.sections.iter();
        let sections = sections.filter(|section| Some(section.place) == place);
        let body = html! {
            (figures::gallery(&drawn))
            (by_hand(self.report))
            @for section in sections {
                section class="plain" { (blocks::html::html(&section.blocks())) }
                "\n"
            }
        };
        Part { id, title, body }
    }
}

/// Where nothing is written by hand.
fn nothing(_: &Report) -> Markup {
    html! {}
}
