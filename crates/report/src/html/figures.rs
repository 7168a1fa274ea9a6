//! Figures on the page: the drawing, what to see in it, and the same numbers as a table.

use maud::{Markup, html};

use super::tables::{Column, table};
use crate::blocks::Place;
use crate::figures::{Figure, Section};
use crate::markup::{drawing, text};

/// The part of the page that a figure belongs to; none where it stands beside the verdict.
pub fn place(section: Section) -> Option<Place> {
    Some(match section {
        Section::Verdict => return None,
        Section::Attacks => Place::Attacks,
        Section::Records => Place::Records,
        Section::Models => Place::Models,
        Section::Checkpoints => Place::Checkpoints,
        Section::Source => Place::Sources,
        Section::FewShot => Place::FewShot,
        Section::Retrieval => Place::Service,
    })
}

/// Figures side by side, where there is room.
pub fn gallery(figures: &[&Figure]) -> Markup {
    html! {
        @if !figures.is_empty() {
            div class="gallery" {
                @for shown in figures { (figure(shown, &html! { h3 { (text(&shown.title)) } })) }
            }
            "\n"
        }
    }
}

/// One figure under its heading.
pub fn figure(figure: &Figure, heading: &Markup) -> Markup {
    with_canvas(
        figure,
        heading,
        &html! { div class="canvas" { (drawing(figure)) } },
    )
}

/// One figure that is drawn anew for narrow screens.
pub fn in_two_widths(figure: &Figure, narrow: &Figure, heading: &Markup) -> Markup {
    let both = html! {
        div class="canvas wide" { (drawing(figure)) }
        div class="canvas narrow" { (drawing(narrow)) }
    };
    with_canvas(figure, heading, &both)
}

fn with_canvas(figure: &Figure, heading: &Markup, canvas: &Markup) -> Markup {
    html! {
        figure id={ "figure-" (figure.id) } class="stops" {
            (heading)
            (canvas)
            figcaption { (text(&figure.caption)) }
            (numbers(figure))
        }
        "\n"
    }
}

fn numbers(figure: &Figure) -> Markup {
    let heads = figure.table.headers.iter().enumerate();
    let columns: Vec<Column> = heads
        .map(|(place, head)| Column::new(head, place > 0))
        .collect();
    let rows = html! {
        @for row in &figure.table.rows {
            tr { @for cell in row { td { (text(cell)) } } }
            "\n"
        }
    };
    html! {
        @if !figure.table.rows.is_empty() {
            details class="numbers" {
                summary { "The numbers" }
                (table(&figure.title, &columns, &rows))
            }
        }
    }
}
