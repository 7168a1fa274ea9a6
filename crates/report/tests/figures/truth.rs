//! What is said: every number on a figure is the report's.

use report::figures::Figure;
use report::{Detail, Kind};
use roxmltree::Document;

use super::stored::{drawn, everything, find, report_of};

/// Everything that a reader is told when pointing at something.
fn tips(figure: &Figure) -> Vec<String> {
    let document = Document::parse(&figure.svg).unwrap();
    let mut tips = Vec::new();
    for node in document.descendants() {
        tips.extend(node.attribute("data-tip").map(str::to_owned));
        let many = node.attribute("data-tips").unwrap_or("");
        tips.extend(
            many.split('|')
                .filter(|tip| !tip.is_empty())
                .map(str::to_owned),
        );
    }
    tips
}

fn texts(figure: &Figure) -> Vec<String> {
    let document = Document::parse(&figure.svg).unwrap();
    let texts = document
        .descendants()
        .filter(|node| node.has_tag_name("text"));
    texts
        .filter_map(|node| node.text().map(str::to_owned))
        .collect()
}

#[test]
fn a_point_of_a_curve_tells_counts_rates_and_interval() {
    let report = report_of(Kind::Classifier);
    let attack = &report.attacks[0];
    let figure = find(&report, "roc");
    let tips = tips(&figure);
    let share = |count: u64, all: u64| count as f64 / all as f64;
    let percent = |share: f64| {
        let text = format!("{:.1}", 100.0 * share);
        match text == "0.0" && share > 0.0 || text == "100.0" && share < 1.0 {
            true => format!("{:.3}", 100.0 * share),
            false => text,
        }
    };
    let mut told = 0;
    for ((fp, tp), (low, high)) in attack.roc.points.iter().zip(&attack.roc.bands) {
        let expected = format!(
            "{}: FPR {}% ({fp} of {}), TPR {}% ({tp} of {}), 95% interval {}–{}%",
            attack.id,
            percent(share(*fp, attack.n_nonmembers)),
            attack.n_nonmembers,
            percent(share(*tp, attack.n_members)),
            attack.n_members,
            percent(*low),
            percent(*high)
        );
        told += usize::from(tips.contains(&expected));
    }
    // Points that cannot be told apart on the page share their words.
    let own = tips.iter().filter(|tip| tip.starts_with("lira: FPR"));
    assert_eq!(told, own.count());
    assert!(told > 20, "{told}");
}

#[test]
fn aucs_are_those_of_the_report_in_words_and_in_full() {
    let report = report_of(Kind::Classifier);
    let figure = find(&report, "forest");
    let (tips, texts) = (tips(&figure), texts(&figure));
    for attack in &report.attacks {
        let auc = &attack.auc;
        let (value, low, high) = (auc.value, auc.low, auc.high);
        let start = format!(
            "{}: AUC {value:.3}, 95% interval {low:.3}–{high:.3};",
            attack.id
        );
        assert!(tips.iter().any(|tip| tip.starts_with(&start)), "{start}");
        assert!(texts.contains(&format!("{value:.3} ({low:.3}–{high:.3})")));
        let row = figure
            .table
            .rows
            .iter()
            .find(|row| row[0] == attack.id)
            .unwrap();
        let read: Vec<f64> = row[1..4].iter().map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(read, [value, low, high]);
    }
}

#[test]
fn bins_tell_both_counts() {
    let figure = find(&report_of(Kind::Classifier), "histogram-lira");
    let told = tips(&figure);
    assert_eq!(
        told,
        [
            "lira: score -1.5000 to 0.0000: 3 members, 8 non-members",
            "lira: score 0.0000 to 0.2500: 0 members, 4 non-members",
            "lira: score 0.2500 to 12346: 9 members, 0 non-members",
        ]
    );
}

#[test]
fn what_chance_gives_as_well_is_hollow() {
    let mut report = report_of(Kind::Classifier);
    let level = |report: &mut report::Report, level| {
        for attack in &mut report.attacks {
            attack.log_mia.a.level = level;
            attack.log_mia.b.level = level;
        }
    };
    let hollow = |report: &report::Report| {
        let figure = find(report, "log-mia");
        // The legend has one of each.
        figure.svg.matches("mark paper").count() - 1
    };
    level(&mut report, judge::measure::Level::Severe);
    assert_eq!(hollow(&report), 0);
    level(&mut report, judge::measure::Level::Chance);
    assert_eq!(hollow(&report), 2 * report.attacks.len());
    let figure = find(&report, "log-mia");
    assert!(
        tips(&figure)
            .iter()
            .any(|tip| tip.ends_with("level: not distinguishable from chance"))
    );
}

#[test]
fn tables_have_all_digits() {
    let report = report_of(Kind::Fewshot);
    let Detail::Fewshot(few) = &report.detail else {
        panic!("another kind");
    };
    let figure = find(&report, "fewshot-auc");
    for (row, summary) in figure.table.rows.iter().zip(&few.attacks) {
        assert_eq!(row[1].parse::<f64>().unwrap(), summary.auc.mean);
    }
    let report = report_of(Kind::Source);
    let Detail::Source(source) = &report.detail else {
        panic!("another kind");
    };
    let figure = find(&report, "source-rows");
    for (row, point) in figure.table.rows.iter().zip(&source.sweeps.rows) {
        assert_eq!(row[1].parse::<f64>().unwrap(), point.accuracy);
        assert_eq!(row[5].parse::<f64>().unwrap(), point.chance);
    }
    let confusion = source.evaluation.as_ref().unwrap().confusion;
    let figure = find(&report, "source-confusion");
    let cells = figure.table.rows.iter().flat_map(|row| &row[1..]);
    let read: Vec<u64> = cells.map(|cell| cell.parse().unwrap()).collect();
    assert_eq!(read, confusion.concat());
}

#[test]
fn every_curve_has_words_for_each_of_its_points() {
    for figure in drawn(&everything()) {
        let document = Document::parse(&figure.svg).unwrap();
        for node in document.descendants() {
            let (points, tips) = (node.attribute("data-points"), node.attribute("data-tips"));
            assert_eq!(points.is_some(), tips.is_some());
            if let (Some(points), Some(tips)) = (points, tips) {
                assert_eq!(points.split(';').count(), tips.split('|').count());
            }
        }
    }
}
