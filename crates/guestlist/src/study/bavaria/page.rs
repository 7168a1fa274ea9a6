//! The page: our tables with the paper's rows beside them, and which of its findings hold here.

use judge::summary::{AttackSummary, MeanOver};
use report::printable;

use super::measured::{Point, SetMeasured};
use super::published::{self, Row};
use super::{Bavaria, FPRS};

/// What a table shows of an attack.
#[derive(Clone, Copy)]
enum Measure {
    Auc,
    /// The place in `FPRS`.
    Tpr(usize),
}

/// A table of the paper: its attacks with so many shadows, and what was published.
struct Published {
    title: &'static str,
    shadows: usize,
    measure: Measure,
    ids: &'static [&'static str],
    rows: &'static [Row],
}

const HIERARCHY: &[&str] = &["base1", "base2", "base3", "base4", "lira", "rmia"];
const FAMILIES: &[&str] = &["exponential", "base4", "gamma", "beta", "rmia"];
const BAYESIAN: &[&str] = &["bavaria-n", "bavaria-t", "lira", "rmia"];
const LEARNED: &[&str] = &[
    "lira",
    "rmia",
    "elsa1",
    "elsa2-phi",
    "elsa3-beta",
    "elsa3-gamma",
    "elsa3-phi",
    "elsa-full",
];
const SCALED: &[&str] = &[
    "rmia",
    "base2",
    "base3",
    "base4",
    "lira",
    "bavaria-n",
    "bavaria-t",
    "understudy",
];

const TABLES: [Published; 7] = [
    Published {
        title: "The hierarchy with 8 shadows: TPR at 1% (table 3)",
        shadows: 8,
        measure: Measure::Tpr(0),
        ids: HIERARCHY,
        rows: &published::HIERARCHY_8,
    },
    Published {
        title: "The hierarchy with 64 shadows: TPR at 1% (table 4)",
        shadows: 64,
        measure: Measure::Tpr(0),
        ids: HIERARCHY,
        rows: &published::HIERARCHY_64,
    },
    Published {
        title: "Families with 64 shadows: TPR at 1% (table 6; `base4` is the Gaussian of φ)",
        shadows: 64,
        measure: Measure::Tpr(0),
        ids: FAMILIES,
        rows: &published::FAMILIES_64,
    },
    Published {
        title: "BaVarIA with 8 shadows: AUC (table 7)",
        shadows: 8,
        measure: Measure::Auc,
        ids: BAYESIAN,
        rows: &published::BAYESIAN_8,
    },
    Published {
        title: "BaVarIA with 64 shadows: TPR at 0.1% (table 8)",
        shadows: 64,
        measure: Measure::Tpr(1),
        ids: BAYESIAN,
        rows: &published::BAYESIAN_64,
    },
    Published {
        title: "ELSA with 64 shadows: AUC (table 9)",
        shadows: 64,
        measure: Measure::Auc,
        ids: LEARNED,
        rows: &published::ELSA_AUC_64,
    },
    Published {
        title: "ELSA with 64 shadows: TPR at 0.1% (table 10)",
        shadows: 64,
        measure: Measure::Tpr(1),
        ids: LEARNED,
        rows: &published::ELSA_TPR_64,
    },
];

pub fn markdown(study: &Bavaria) -> String {
    let mut page = head(study);
    for set in &study.sets {
        page += &scaling(set);
    }
    page += &against_lira(study);
    for table in &TABLES {
        page += &beside(study, table);
    }
    page += &normality(study);
    page += &offline(study);
    page += &findings(study);
    page
}

fn head(study: &Bavaria) -> String {
    let mut text = format!(
        "# BaVarIA's experiments, run again\n\n\
         This page is made by `{}`; every number of ours in it was measured by that command (seed {}). \
         The paper has twelve data sets with 256 models each; named here as there, a data set has the paper's row \
         beside ours. Every mean is over targets, each attacked with shadows drawn for it alone, so that standard \
         errors (±) hold the luck of the draw; targets share models, so that these errors are somewhat too small. \
         Attacks that tie are judged as everywhere in guestlist: one point per distinct score, no interpolation.\n\n\
         | data | records | models | targets |\n|---|---:|---:|---:|\n",
        printable(&study.command).replace('`', "'"),
        study.seed
    );
    for set in &study.sets {
        text += &format!(
            "| {} | {} | {} | {} |\n",
            cell(&set.name),
            set.records,
            set.models,
            set.targets
        );
    }
    text
}

/// Text of the user's in a cell.
fn cell(text: &str) -> String {
    printable(text).replace('|', "\\|").replace('<', "&lt;")
}

fn scaling(set: &SetMeasured) -> String {
    let mut text = String::new();
    let there = |id: &&&str| set.points.iter().any(|point| find(point, id).is_some());
    let ids: Vec<&str> = SCALED.iter().filter(there).copied().collect();
    for (title, measure) in [
        ("AUC", Measure::Auc),
        ("TPR at 1%", Measure::Tpr(0)),
        ("TPR at 0.1%", Measure::Tpr(1)),
    ] {
        // A rate that needs more non-members than there are.
        let known = |point: &Point| ids.iter().any(|id| value(point, id, measure).is_some());
        if !set.points.iter().any(known) {
            continue;
        }
        text += &format!(
            "\n## {}: {title} by the number of shadows\n\n",
            cell(&set.name)
        );
        text += &header("shadows", &ids);
        for point in &set.points {
            let cells = ids.iter().map(|id| shown(value(point, id, measure)));
            text += &row(&point.shadows.to_string(), cells);
        }
    }
    let mut skipped: Vec<String> = Vec::new();
    for point in &set.points {
        for (id, why) in &point.skipped {
            skipped.push(format!(
                "`{id}` with {} shadows: {}",
                point.shadows,
                cell(why)
            ));
        }
    }
    if !skipped.is_empty() {
        text += &format!("\nNot judged: {}.\n", skipped.join("; "));
    }
    text
}

fn header(first: &str, ids: &[&str]) -> String {
    let names: String = ids.iter().map(|id| format!(" {id} |")).collect();
    format!("| {first} |{names}\n|---|{}\n", "---:|".repeat(ids.len()))
}

fn row(name: &str, cells: impl Iterator<Item = String>) -> String {
    let cells: String = cells.map(|cell| format!(" {cell} |")).collect();
    format!("| {name} |{cells}\n")
}

fn find<'a>(point: &'a Point, id: &str) -> Option<&'a AttackSummary> {
    point.attacks.iter().find(|attack| attack.id == id)
}

fn value<'a>(point: &'a Point, id: &str, measure: Measure) -> Option<&'a MeanOver> {
    let attack = find(point, id)?;
    match measure {
        Measure::Auc => Some(&attack.auc),
        Measure::Tpr(place) => attack.tpr_at_fpr.get(place)?.over.as_ref(),
    }
}

fn shown(value: Option<&MeanOver>) -> String {
    match value {
        Some(over) => match over.standard_error {
            Some(error) => format!("{:.3} ± {error:.3}", over.mean),
            None => format!("{:.3}", over.mean),
        },
        None => "–".into(),
    }
}

fn signed(value: Option<&MeanOver>) -> String {
    match value {
        Some(over) => match over.standard_error {
            Some(error) => format!("{:+.4} ± {error:.4}", over.mean),
            None => format!("{:+.4}", over.mean),
        },
        None => "–".into(),
    }
}

const COMPARED: [&str; 4] = ["rmia", "base3", "bavaria-n", "bavaria-t"];

fn against_lira(study: &Bavaria) -> String {
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
        let cells = COMPARED.iter().flat_map(|id| {
            let found = point.against.iter().find(|against| against.id == *id);
            let tpr = found.and_then(|found| found.tpr_at_fpr.first());
            [
                signed(found.map(|found| &found.auc)),
                signed(tpr.and_then(|tpr| tpr.over.as_ref())),
            ]
        });
        text += &row(&format!("{}, {}", cell(&set.name), point.shadows), cells);
        if let Some(values) = published::row(&published::AGAINST_LIRA, &set.name) {
            text += &row(
                "paper, 254",
                values.iter().map(|value| format!("{value:+.3}")),
            );
        }
    }
    let average = published::row(&published::AGAINST_LIRA, published::AVERAGE).unwrap_or(&[]);
    text += &row(
        "paper, mean of its twelve",
        average.iter().map(|value| format!("{value:+.3}")),
    );
    text
}

/// A table of ours, a row a data set, and the paper's row under it where it has one.
fn beside(study: &Bavaria, table: &Published) -> String {
    let mut rows = String::new();
    for set in &study.sets {
        let Some(point) = set
            .points
            .iter()
            .find(|point| point.shadows == table.shadows)
        else {
            continue;
        };
        let cells = table
            .ids
            .iter()
            .map(|id| shown(value(point, id, table.measure)));
        rows += &row(&cell(&set.name), cells);
        if let Some(values) = published::row(table.rows, &set.name) {
            rows += &row("paper", values.iter().map(|value| format!("{value:.3}")));
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    // Data that nobody here has: the paper's rows, to be read beside.
    for (name, values) in table.rows {
        if !study
            .sets
            .iter()
            .any(|set| published::row(&[(*name, *values)], &set.name).is_some())
        {
            rows += &row(
                &format!("paper, {name}"),
                values.iter().map(|value| format!("{value:.3}")),
            );
        }
    }
    format!(
        "\n## {}\n\n{}{rows}",
        table.title,
        header("data", table.ids)
    )
}

fn normality(study: &Bavaria) -> String {
    let columns = ["IN: median", "IN: rejected", "OUT: median", "OUT: rejected"];
    let mut text = format!(
        "\n## Is φ normal? (table 5)\n\nAnderson–Darling, record by record, at the 5% level (critical value 0.752 with \
         the small-sample factor; the paper's 0.748 is without it). A true normal has a median of 0.34 and is \
         rejected in 5%.\n\n{}",
        header("data", &columns)
    );
    for set in &study.sets {
        let classes = [&set.normality.inside, &set.normality.outside];
        let cells = classes.into_iter().flat_map(|class| {
            [
                class
                    .median
                    .map_or("–".into(), |median| format!("{median:.3}")),
                class
                    .rejection_rate
                    .map_or("–".into(), |rate| format!("{:.1}%", rate * 100.0)),
            ]
        });
        text += &row(&cell(&set.name), cells);
        if let Some(values) = published::row(&published::NORMALITY, &set.name) {
            let [a, b, c, d] = values else { continue };
            let cells = [
                format!("{a:.3}"),
                format!("{:.1}%", b * 100.0),
                format!("{c:.3}"),
                format!("{:.1}%", d * 100.0),
            ];
            text += &row("paper", cells.into_iter());
        }
    }
    text
}

fn offline(study: &Bavaria) -> String {
    let columns = [
        "AUC",
        "online less offline",
        "TPR at 1%",
        "online less offline",
    ];
    let mut rows = String::new();
    for (id, shadows, values) in published::OFFLINE {
        let points: Vec<&Point> = study
            .sets
            .iter()
            .filter_map(|set| set.points.iter().find(|point| point.shadows == shadows))
            .collect();
        let mean = |id: &str, measure: Measure| {
            let values = points
                .iter()
                .map(|point| value(point, id, measure).map(|over| over.mean));
            let values: Option<Vec<f64>> = values.collect();
            MeanOver::new(values?).map(|over| over.mean)
        };
        let away = format!("{id}-offline");
        let of = |measure: Measure| Some((mean(&away, measure)?, mean(id, measure)?));
        let (Some(auc), Some(tpr)) = (of(Measure::Auc), of(Measure::Tpr(0))) else {
            continue;
        };
        let cells = [
            format!("{:.3}", auc.0),
            format!("{:+.3}", auc.1 - auc.0),
            format!("{:.3}", tpr.0),
            format!("{:+.3}", tpr.1 - tpr.0),
        ];
        rows += &row(&format!("{id}, {shadows} shadows"), cells.into_iter());
        let [a, b, c, d] = values;
        let cells = [
            format!("{a:.3}"),
            format!("{b:+.3}"),
            format!("{c:.3}"),
            format!("{d:+.3}"),
        ];
        rows += &row("paper", cells.into_iter());
    }
    match rows.is_empty() {
        true => String::new(),
        false => format!(
            "\n## Offline (tables 12 and 13)\n\nMeans over the data sets: ours over those above, the paper's over its \
             twelve, so that only the differences within a row compare. Offline attacks look at a record's OUT shadows \
             alone.\n\n{}{rows}",
            header("attack", &columns)
        ),
    }
}

/// The paper's findings, held against what was measured.
fn findings(study: &Bavaria) -> String {
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
            format!("{}: {led}", cell(&set.name))
        })
        .collect();
    let meets: Vec<String> = study.sets.iter().filter_map(meeting).collect();
    let few: Vec<(f64, f64)> = points()
        .filter(|point| point.shadows <= 16)
        .filter_map(|point| {
            let tpr = |id: &str| value(point, id, Measure::Tpr(1)).map(|over| over.mean);
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
         What was not run again: data and networks of the paper that are not in the table above.\n",
        rmia.join("; "),
        if meets.is_empty() {
            "–".into()
        } else {
            meets.join("; ")
        },
        FPRS[1] * 100.0,
        safe.count(),
        few.len(),
    )
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
        cell(&set.name),
        point.shadows
    ))
}
