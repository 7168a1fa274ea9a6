//! Which of the paper's findings hold here, and where its numbers and ours part.

use super::super::measured::{Point, SetMeasured};
use super::super::{FPRS, published};
use super::{Bavaria, Measure, TABLES, value};
use report::escape_markdown;

/// The paper's findings, held against what was measured.
pub fn findings(study: &Bavaria) -> String {
    const RIVALS: [&str; 7] = [
        "rmia",
        "base1",
        "base2",
        "base3",
        "base4",
        "lira",
        "bavaria-n",
    ];
    let points = || study.sets.iter().flat_map(|set| set.points.iter());
    let auc = |point: &Point, id: &str| value(point, id, Measure::Auc).map(|over| over.mean);
    let leads = |point: &&Point, id: &str, others: &[&str]| {
        let own = auc(point, id);
        let rival = others
            .iter()
            .filter_map(|other| auc(point, other))
            .fold(f64::MIN, f64::max);
        // As printed: three digits.
        own.is_some_and(|own| own + 0.0005 >= rival)
    };
    let whole = points().count();
    let best = points()
        .filter(|point| leads(point, "bavaria-t", &RIVALS))
        .count();
    let gaussian = ["base3", "base4", "lira", "bavaria-n", "bavaria-t"];
    let rmia: Vec<String> = study
        .sets
        .iter()
        .map(|set| {
            let led = set
                .points
                .iter()
                .filter(|point| leads(point, "rmia", &gaussian));
            let led: Vec<String> = led.map(|point| point.shadows.to_string()).collect();
            let led = if led.is_empty() {
                "none".into()
            } else {
                led.join(", ")
            };
            format!("{}: {led}", escape_markdown(&set.name))
        })
        .collect();
    let meets: Vec<String> = study.sets.iter().filter_map(meeting).collect();
    let few: Vec<(f64, f64)> = points()
        .filter(|point| point.shadows <= 16)
        .filter_map(|point| {
            let tpr = |id: &str| value(point, id, Measure::Tpr(0)).map(|over| over.mean);
            Some((tpr("bavaria-n")?, tpr("bavaria-t")?))
        })
        .collect();
    let safe = few.iter().filter(|(normal, student)| normal >= student);
    format!(
        "\n## What the paper found, and what was found here\n\n\
         - BaVarIA-t has the best AUC of the Gaussian attacks and RMIA at every number of shadows: here in {best} of {whole} \
         cells (data set and number of shadows; equal to three digits counts).\n\
         - RMIA leads only with very few shadows: here it leads with {}.\n\
         - With many shadows the Gaussian attacks meet: largest |ΔAUC| to LiRA of BaVarIA and BASE4 with the most \
         shadows: {}.\n\
         - BaVarIA-n is safer than BaVarIA-t at low rates with few shadows: its TPR at {}% is at least as high in {} of {} \
         cells with up to 16 shadows.\n\n\
         {}\
         What was not run again: data and networks of the paper that are not in the table above.\n",
        rmia.join("; "),
        if meets.is_empty() {
            "–".into()
        } else {
            meets.join("; ")
        },
        FPRS[0] * 100.0,
        safe.count(),
        few.len(),
        far(study),
    )
}

/// By how much a value must differ from the paper's to be named.
const FAR: f64 = 0.05;

/// Where we and the paper do not agree, so that nobody has to look for it.
fn far(study: &Bavaria) -> String {
    let mut cells = Vec::new();
    for (table, set) in TABLES
        .iter()
        .flat_map(|table| study.sets.iter().map(move |set| (table, set)))
    {
        let point = set
            .points
            .iter()
            .find(|point| point.shadows == table.shadows);
        let published = published::row(table.rows, &set.name);
        for (id, theirs) in table.ids.iter().zip(published.unwrap_or(&[])) {
            let ours = point.and_then(|point| value(point, id, table.measure));
            let ours = ours.map(|over| over.mean);
            if let Some(ours) = ours.filter(|ours| (ours - theirs).abs() > FAR) {
                let measure = table.measure.name();
                cells.push(format!(
                    "{}, {id} with {} shadows, {measure}: {ours:.3} (paper {theirs:.3})",
                    escape_markdown(&set.name),
                    table.shadows
                ));
            }
        }
    }
    cells.dedup();
    match cells.is_empty() {
        true => String::new(),
        false => format!(
            "Further than {FAR} from the paper's: {}. Models and training differ, and the paper does not state the \
             penalty of ELSA's regressions or, for ELSA, which network it took.\n\n",
            cells.join("; ")
        ),
    }
}

fn meeting(set: &SetMeasured) -> Option<String> {
    let point = set.points.last()?;
    let known = |id: &&str| point.against.iter().find(|against| against.id == **id);
    let ids = ["bavaria-n", "bavaria-t", "base4"];
    let largest = ids
        .iter()
        .filter_map(known)
        .map(|against| against.auc.mean.abs());
    let largest = largest.fold(0.0, f64::max);
    Some(format!(
        "{} {largest:.4} ({} shadows)",
        escape_markdown(&set.name),
        point.shadows
    ))
}
