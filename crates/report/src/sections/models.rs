//! What was trained or asked: the audited model and its helpers, in sentences.

use super::heads;
use crate::blocks::Section;
use crate::classifier::{Column, Training};
use crate::document::Report;
use crate::lm::Scoring;

pub fn sections(report: &Report) -> Vec<Section> {
    let trained = report.detail.training().map(trained);
    let asked = report.detail.scoring().map(asked);
    trained.into_iter().chain(asked).collect()
}

fn trained(training: &Training) -> Section {
    let row = |column: &Column| {
        vec![
            column.name.clone(),
            column.treatment.clone(),
            column.missing.to_string(),
        ]
    };
    let shown = !training.columns.is_empty();
    Section {
        title: "Trained models".into(),
        points: training.sentences(),
        heads: match shown {
            true => heads(&["column", "what became of it", "missing"]),
            false => Vec::new(),
        },
        rows: match shown {
            true => training.columns.iter().map(row).collect(),
            false => Vec::new(),
        },
        ..Section::default()
    }
}

fn asked(scoring: &Scoring) -> Section {
    Section {
        title: "Language models".into(),
        points: scoring.sentences(),
        ..Section::default()
    }
}
