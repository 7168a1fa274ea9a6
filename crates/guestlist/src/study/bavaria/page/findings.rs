//! Which of the paper's findings hold here: what it says of means over data sets is held against ours, and what it
//! says of single ones against single ones.

use super::super::measured::{Point, SetMeasured};
use super::super::{FPRS, published};
use super::{Bavaria, Measure, value};
use report::escape_markdown;

const GAUSSIAN: [&str; 5] = ["base3", "base4", "lira", "bavaria-n", "bavaria-t"];
/// Shadows up to which the paper speaks of few.
const FEW: usize = 16;

/// The paper's findings, held against what was measured.
pub fn findings(study: &Bavaria) -> String {
    [
        "\n## What the paper found, and what was found here\n\n\
         One attack leads where its AUC is above that of every other, with all digits that were measured.\n\n"
            .to_owned(),
        best_on_average(study),
        best_by_set(study),
        rmia(study),
        meeting(study),
        safer(study),
        "\n".to_owned(),
        super::far::far(study),
        "What was not run again: data and networks of the paper that are not in the table above.\n"
            .to_owned(),
    ]
    .concat()
}

/// Figure 2 has means over six data sets each.
fn best_on_average(study: &Bavaria) -> String {
    const OTHERS: [&str; 7] = [
        "rmia",
        "base1",
        "base2",
        "base3",
        "base4",
        "lira",
        "bavaria-n",
    ];
    let budgets = shared_budgets(study);
    let led = budgets.iter().filter(|shadows| {
        let auc = |id: &str| on_average(study, **shadows, id, Measure::Auc);
        leads(auc("bavaria-t"), OTHERS.map(auc))
    });
    format!(
        "- BaVarIA-t has the best AUC with every number of shadows, in means over six data sets of images and over six \
         of tables (figure 2): in means over the data sets here it leads with {}.\n",
        listed(led)
    )
}

/// What the paper says of table 7, whose columns these are, and of nothing else.
fn best_by_set(study: &Bavaria) -> String {
    const SHADOWS: usize = 8;
    let others = ["bavaria-n", "lira", "rmia"];
    let best = |values: &[f64]| {
        let [normal, student, lira, rmia] = *values else {
            return false;
        };
        leads(Some(student), [normal, lira, rmia].map(Some))
    };
    let theirs = published::BAYESIAN_8.iter();
    let theirs = theirs.filter(|(_, values)| best(values)).count();
    let points: Vec<&Point> = study
        .sets
        .iter()
        .filter_map(|set| point(set, SHADOWS))
        .collect();
    let ours = points
        .iter()
        .filter(|point| leads(auc(point, "bavaria-t"), others.map(|id| auc(point, id))));
    format!(
        "- Of single data sets the paper does not say so: with {SHADOWS} shadows BaVarIA-t leads BaVarIA-n, LiRA and RMIA \
         on {theirs} of its {} (table 7), and on {} of {} here.\n",
        published::BAYESIAN_8.len(),
        ours.count(),
        points.len()
    )
}

fn rmia(study: &Bavaria) -> String {
    let led = study.sets.iter().map(|set| {
        let led = set
            .points
            .iter()
            .filter(|point| leads(auc(point, "rmia"), GAUSSIAN.map(|id| auc(point, id))));
        let led: Vec<usize> = led.map(|point| point.shadows).collect();
        format!("{}: {}", escape_markdown(&set.name), listed(led.iter()))
    });
    format!(
        "- RMIA is competitive with LiRA at 4 shadows, and levels off where the Gaussian attacks go on: here it leads all \
         of them with {}.\n",
        led.collect::<Vec<_>>().join("; ")
    )
}

fn meeting(study: &Bavaria) -> String {
    let ids = ["bavaria-n", "bavaria-t", "base4"];
    let largest = |set: &SetMeasured| {
        let point = set.points.last()?;
        let known = |id: &&str| point.against.iter().find(|against| against.id == **id);
        let away = ids.iter().filter_map(known);
        let largest = away
            .map(|against| against.auc.mean.abs())
            .fold(0.0, f64::max);
        let (name, shadows) = (escape_markdown(&set.name), point.shadows);
        Some(format!("{name} {largest:.4} ({shadows} shadows)"))
    };
    let meets: Vec<String> = study.sets.iter().filter_map(largest).collect();
    format!(
        "- With many shadows the Gaussian attacks meet: largest |ΔAUC| to LiRA of BaVarIA and BASE4 with the most shadows: \
         {}.\n",
        if meets.is_empty() {
            "–".into()
        } else {
            meets.join("; ")
        }
    )
}

/// Figure 2 again: means.
fn safer(study: &Bavaria) -> String {
    let budgets = shared_budgets(study);
    let few: Vec<&usize> = budgets.iter().filter(|shadows| **shadows <= FEW).collect();
    let safe = few.iter().filter(|shadows| {
        let tpr = |id: &str| on_average(study, ***shadows, id, Measure::Tpr(0));
        tpr("bavaria-n")
            .zip(tpr("bavaria-t"))
            .is_some_and(|(normal, student)| normal > student)
    });
    format!(
        "- BaVarIA-n is safer than BaVarIA-t at low rates with few shadows, in the same means: here the mean of its TPR at \
         {}% is the higher with {}, of up to {FEW} shadows.\n",
        FPRS[0] * 100.0,
        listed(safe.copied())
    )
}

/// Numbers of shadows that every data set was measured with: means over fewer sets are others.
fn shared_budgets(study: &Bavaria) -> Vec<usize> {
    let Some((first, rest)) = study.sets.split_first() else {
        return Vec::new();
    };
    let all = first.points.iter().map(|point| point.shadows);
    all.filter(|shadows| rest.iter().all(|set| point(set, *shadows).is_some()))
        .collect()
}

fn on_average(study: &Bavaria, shadows: usize, id: &str, measure: Measure) -> Option<f64> {
    let of = |set: &SetMeasured| Some(value(point(set, shadows)?, id, measure)?.mean);
    let values: Option<Vec<f64>> = study.sets.iter().map(of).collect();
    let values = values.filter(|values| !values.is_empty())?;
    Some(values.iter().sum::<f64>() / values.len() as f64)
}

fn point(set: &SetMeasured, shadows: usize) -> Option<&Point> {
    set.points.iter().find(|point| point.shadows == shadows)
}

fn auc(point: &Point, id: &str) -> Option<f64> {
    value(point, id, Measure::Auc).map(|over| over.mean)
}

/// Above every other that was measured: one that is as high leads nobody.
fn leads(own: Option<f64>, others: impl IntoIterator<Item = Option<f64>>) -> bool {
    let mut others = others.into_iter().flatten();
    own.is_some_and(|own| others.all(|other| own > other))
}

fn listed<'a>(shadows: impl Iterator<Item = &'a usize>) -> String {
    let all: Vec<String> = shadows.map(usize::to_string).collect();
    match all.is_empty() {
        true => "none".into(),
        false => all.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::leads;

    #[test]
    fn who_is_as_high_or_printed_alike_leads_nobody() {
        assert!(leads(Some(0.640), [Some(0.639), None]));
        assert!(!leads(Some(0.6394), [Some(0.6398)]));
        assert!(!leads(Some(0.640), [Some(0.640)]));
        assert!(!leads(None, [Some(0.5)]));
    }
}
