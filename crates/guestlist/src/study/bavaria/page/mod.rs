//! The page: our tables with the paper's rows beside them, and which of its findings hold here.

mod against;
mod far;
mod findings;

use super::measured::{Point, SetMeasured};
use super::published::{self, Row};
use super::{Bavaria, FPRS};
use crate::study::doubts;
use crate::study::markdown::{code, header, row};
use judge::summary::{AttackSummary, MeanOver};
use report::escape_markdown;

/// What a table shows of an attack.
#[derive(Clone, Copy)]
enum Measure {
    Auc,
    /// The place in `FPRS`.
    Tpr(usize),
}

impl Measure {
    fn name(self) -> String {
        match self {
            Self::Auc => "AUC".to_owned(),
            Self::Tpr(place) => format!("TPR at {}%", FPRS[place] * 100.0),
        }
    }
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
    let doubted = study.sets.iter();
    page += &doubts::section(doubted.map(|set| (set.name.as_str(), set.doubts.as_slice())));
    for set in &study.sets {
        page += &scaling(set);
    }
    page += &against::with_the_most(study);
    page += &against::by_shadows(study);
    for table in &TABLES {
        page += &beside(study, table);
    }
    page += &normality(study);
    page += &offline(study);
    page += &findings::findings(study);
    page += AGAIN;
    page
}

/// Where data come from that anybody can have.
const AGAIN: &str = "
## Again

The digits come with guestlist. Fashion-MNIST is a package of Debian, and Location30 (Loc-3) lies at
github.com/privacytrustlab/datasets; `examples/fashion-mnist` and `examples/location30` train models on them.
Shadow signals of other data, such as those of the paper, come from a `guestlist run` of your own.

```sh
guestlist study bavaria                           # digits alone, 67 models
apt-get install dataset-fashion-mnist
(cd examples/fashion-mnist && guestlist run)      # 257 perceptrons, into fashion/ there
(cd examples/location30 && guestlist run)         # the same of Location30, into location/ there
guestlist study bavaria digits Loc-3=examples/location30/location Fashion=examples/fashion-mnist/fashion --models 257
```

`guestlist explain bavaria-t`, `guestlist explain lira` and so on say what each attack does.
";

fn head(study: &Bavaria) -> String {
    let mut text = format!(
        "# BaVarIA's experiments, run again\n\n\
         This page is made by {}; every number of ours in it was measured by that command (seed {}). \
         The paper is R. Brännvall, \"Exponential-Family Membership Inference: From LiRA and RMIA to BaVarIA\" \
         (arXiv:2603.11799), which has twelve data sets with 256 models each; named here as there, a data set has the \
         paper's row beside ours. Attacks that tie are judged as everywhere in guestlist: one point per distinct \
         score, no interpolation.\n\n\
         As many models as the table says take the target's place in turn, as in the paper (32 of 256), each attacked \
         with shadows drawn for it alone from all the others but its own opposite. Means are over targets, and ± is the standard error of such a mean: \
         the luck of a target and of its draw of shadows are both in it. Three things are not, and make it too small: \
         targets are each other's shadows; the more of the models are drawn, the more shadows targets have in common, \
         until with the most all share all; and the records are the same throughout. Differences between attacks are \
         taken target by target, where most of what is shared cancels.\n\n\
         | data | records | models | targets |\n|---|---:|---:|---:|\n",
        code(&study.command),
        study.seed
    );
    for set in &study.sets {
        text += &format!(
            "| {} | {} | {} | {} |\n",
            escape_markdown(&set.name),
            set.records,
            set.models,
            set.targets
        );
    }
    text
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
            escape_markdown(&set.name)
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
                escape_markdown(why)
            ));
        }
    }
    if !skipped.is_empty() {
        text += &format!("\nNot judged: {}.\n", skipped.join("; "));
    }
    text
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
        rows += &row(&escape_markdown(&set.name), cells);
        if let Some(found) = published::row(table.rows, &set.name) {
            let values = found.values.iter().map(|value| format!("{value:.3}"));
            rows += &row(&found.label(&set.name), values);
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
        "\n## Is φ normal? (table 5)\n\nAnderson–Darling, record by record under all shadows of the first target, on a sample \
         where there are more than 2,048 records, at the 5% level (critical value 0.752 with \
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
        text += &row(&escape_markdown(&set.name), cells);
        if let Some(found) = published::row(&published::NORMALITY, &set.name) {
            let [a, b, c, d] = found.values else {
                continue;
            };
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
             twelve, so that only the differences within a row compare, and these with care: our offline attacks look \
             at a record's OUT shadows alone, about half of the shadows that the row names, so that what is offline loses \
             a part of its samples with them. The paper's have as many OUT shadows of a record as the row names: no \
             shadow of theirs trained on it, and all of them are counted (its appendix I).\n\n{}{rows}",
            header("attack", &columns)
        ),
    }
}
