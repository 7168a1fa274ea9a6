//! Which parts a page has, and in which order: what is special to the kind of target comes before
//! what all of them have.

use super::writer::Html;
use super::{
    attacks, exchanges, figures, guardrails, models, notes, provenance, reading, records, sections,
    sources,
};
use crate::document::Report;
use crate::figures::Figure;
use crate::section::{Place, Section};
use crate::sections::Room;

/// A part under its own heading.
pub struct Part {
    pub id: &'static str,
    pub title: &'static str,
    body: Html,
}

impl Part {
    /// Writes the part at the end of a page.
    pub fn write(self, html: &mut Html) {
        let heading = format!("{}-heading", self.id);
        let attributes = [("id", self.id), ("aria-labelledby", heading.as_str())];
        html.tag("section", &attributes, |html| {
            html.line("h2", &[("id", &heading)], self.title);
            html.append(self.body);
        });
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
        material.part("reading", "How to read this", None, reading::write),
        material.part(
            "guardrails",
            "Can this audit be trusted?",
            None,
            guardrails::write,
        ),
    ];
    parts.extend(material.about_the_target());
    parts.push(material.part("more", "More", Some(Place::Elsewhere), |_, _| {}));
    parts.push(material.part("notes", "Notes", None, notes::write));
    parts.push(material.part("provenance", "How to do it again", None, provenance::write));
    parts.retain(|part| part.body.len() > 0);
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
        let attacks = self.part("attacks", "Attacks", Some(Place::Attacks), attacks::write);
        let records = self.part("records", "Records", Some(Place::Records), records::write);
        let service = Some(Place::Service);
        let service = self.part("service", "The service", service, exchanges::write);
        let sources = Some(Place::Sources);
        let sources = self.part(
            "sources",
            "Where answers come from",
            sources,
            sources::write,
        );
        let few = self.part(
            "few-shot",
            "Few-shot episodes",
            Some(Place::FewShot),
            |_, _| {},
        );
        let steps = Some(Place::Checkpoints);
        let steps = self.part("checkpoints", "Leakage over training", steps, |_, _| {});
        let models = self.part("models", "Models", Some(Place::Models), models::write);
        vec![sources, few, attacks, records, service, steps, models]
    }

    /// Figures first, then what is written by hand, then every section of that place.
    fn part(
        &self,
        id: &'static str,
        title: &'static str,
        place: Option<Place>,
        write: impl FnOnce(&mut Html, &Report),
    ) -> Part {
        let mut body = Html::default();
        let here = |figure: &&Figure| place.is_some() && figures::place(figure.section) == place;
        let here: Vec<&Figure> = self.figures.iter().filter(here).collect();
        figures::gallery(&mut body, &here);
        write(&mut body, self.report);
        for section in self
            .sections
            .iter()
            .filter(|section| Some(section.place) == place)
        {
            sections::write(&mut body, section);
        }
        Part { id, title, body }
    }
}
