//! Differences to LiRA, target by target.

use super::super::measured::{Against, Point};
use super::super::published;
use super::{Bavaria, header, row, signed};
use report::escape_markdown;

const COMPARED: [&str; 4] = ["rmia", "base3", "bavaria-n", "bavaria-t"];

/// Table 2 of the paper.
pub fn with_the_most(study: &Bavaria) -> String {
    let mut text = "\n## Differences to LiRA with the most shadows (table 2)\n\n\
        Target by target, so that what a target and its shadows have in common cancels.\n\n"
        .to_owned();
    let columns: Vec<String> = COMPARED
        .iter()
        .flat_map(|id| [format!("{id} ΔAUC"), format!("{id} ΔTPR at 1%")])
        .collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    text += &header("data, shadows", &columns);
    for set in &study.sets {
        let Some(point) = set.points.last() else {
            continue;
        };
        let cells = COMPARED.iter().flat_map(|id| measured(point, id));
        text += &row(
            &format!("{}, {}", escape_markdown(&set.name), point.shadows),
            cells,
        );
        if let Some(found) = published::row(&published::AGAINST_LIRA, &set.name) {
            text += &row(
                "paper, 254",
                found.values.iter().map(|value| format!("{value:+.3}")),
            );
        }
    }
    if let Some(average) = published::row(&published::AGAINST_LIRA, published::AVERAGE) {
        text += &row(
            "paper, mean of its twelve",
            average.values.iter().map(|value| format!("{value:+.3}")),
        );
    }
    text
}

/// What the paper says of its figure 3, means over its twelve data sets: shadows, attack, which measure, value.
const SAID: [(usize, &str, usize, f64); 4] = [
    (4, "bavaria-n", 1, 0.003),
    (4, "bavaria-t", 0, 0.009),
    (4, "bavaria-t", 1, -0.016),
    (32, "bavaria-n", 1, 0.017),
];
const BAYESIAN: [&str; 2] = ["bavaria-n", "bavaria-t"];

/// Figure 3 of the paper: what the priors are worth with few shadows and with many.
pub fn by_shadows(study: &Bavaria) -> String {
    let mut text = "\n## Differences to LiRA by the number of shadows (figure 3)\n\n\
        LiRA takes one variance for all records with fewer than 64 shadows, and each record's own from there on; \
        BaVarIA goes from one to the other step by step.\n\n"
        .to_owned();
    text += &header(
        "data, shadows",
        &[
            "bavaria-n ΔAUC",
            "bavaria-n ΔTPR at 1%",
            "bavaria-t ΔAUC",
            "bavaria-t ΔTPR at 1%",
        ],
    );
    for set in &study.sets {
        for point in &set.points {
            let cells = BAYESIAN.iter().flat_map(|id| measured(point, id));
            text += &row(
                &format!("{}, {}", escape_markdown(&set.name), point.shadows),
                cells,
            );
        }
    }
    for shadows in [4, 32] {
        let cells = BAYESIAN
            .iter()
            .flat_map(|id| [0, 1].map(|measure| said(shadows, id, measure)));
        text += &row(&format!("paper, mean of its twelve, {shadows}"), cells);
    }
    text
}

fn measured(point: &Point, id: &str) -> [String; 2] {
    let found = find(point, id);
    let tpr = found.and_then(|found| found.tpr_at_fpr.first());
    [
        signed(found.map(|found| &found.auc)),
        signed(tpr.and_then(|tpr| tpr.over.as_ref())),
    ]
}

fn find<'a>(point: &'a Point, id: &str) -> Option<&'a Against> {
    point.against.iter().find(|against| against.id == id)
}

fn said(shadows: usize, id: &str, measure: usize) -> String {
    let found = SAID
        .iter()
        .find(|(at, of, place, _)| (*at, *of, *place) == (shadows, id, measure));
    found.map_or("–".into(), |(.., value)| format!("{value:+.3}"))
}
