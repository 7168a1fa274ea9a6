//! The page, as browsers will read it: nothing in it acts, every number is the report's, and it stays
//! small. How it looks and behaves is tried in a real browser elsewhere.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

extern crate guestlist_report as report;

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use judge::histogram::Histogram;
use report::rag::{Exposed, Rag};
use report::records::{Record, Records};
use report::{Detail, Report};
use sha2::{Digest, Sha256};

const LEAKY: &str = include_str!("data/leaky.json");
const DIAGNOSED: &str = include_str!("data/diagnosed.json");
/// From `guestlist demo source`, cut to two attacks and six documents; the version is blanked.
const SOURCE: &str = include_str!("data/source.json");

fn diagnosed() -> Report {
    Report::from_json(DIAGNOSED).unwrap()
}

/// The diagnosed report with a table of records and a histogram.
fn whole() -> Report {
    let mut report = diagnosed();
    report.records = Some(Records {
        attack: "lira".into(),
        fpr: 0.01,
        total: 400,
        listed: (0..3).map(record).collect(),
    });
    for attack in &mut report.attacks {
        attack.histogram = Some(Histogram {
            edges: vec![-1.0, 0.0, 1.5],
            members: vec![3, 197],
            nonmembers: vec![150, 50],
        });
    }
    report
}

fn record(row: usize) -> Record {
    Record {
        row,
        id: Some(format!("record-{row}")),
        member: [Some(true), Some(false), None][row % 3],
        score: (row != 1).then_some(2.5 - row as f64 / 7.0),
        percentile: 0.995 - row as f64 / 1000.0,
        caught: row < 2,
        caught_by: 2 - row.min(2),
        exposure: None,
        catch_rate_low: None,
    }
}

/// One element's name and attributes, values as they stand between quotes.
type Element = (String, BTreeMap<String, String>);

/// Every element that begins in a page, but for what lies in its style and its script.
fn elements(page: &str) -> Vec<Element> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        if rest.starts_with(['/', '!']) {
            continue;
        }
        let end = rest.find('>').unwrap();
        let element = element(&rest[..end]);
        rest = &rest[end..];
        if ["style", "script"].contains(&element.0.as_str()) {
            rest = &rest[rest.find(&format!("</{}>", element.0)).unwrap()..];
        }
        found.push(element);
    }
    found
}

fn element(text: &str) -> Element {
    let text = text.trim_end_matches('/');
    let (name, mut rest) = text.split_once(' ').unwrap_or((text, ""));
    let mut attributes = BTreeMap::new();
    while let Some((key, after)) = rest.split_once("=\"") {
        let (value, after) = after.split_once('"').unwrap();
        attributes.insert(key.trim().to_owned(), value.to_owned());
        rest = after;
    }
    assert!(rest.trim().is_empty(), "{rest:?} in {text}");
    (name.to_owned(), attributes)
}

/// Between the first such element's marks.
fn inside<'a>(page: &'a str, name: &str) -> &'a str {
    let start = page.find(&format!("<{name}>")).unwrap() + name.len() + 2;
    let length = page[start..].find(&format!("</{name}>")).unwrap();
    &page[start..start + length]
}

fn numbers(value: &serde_json::Value, into: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Number(number) => {
            into.insert(number.to_string());
        }
        serde_json::Value::Array(values) => values.iter().for_each(|value| numbers(value, into)),
        serde_json::Value::Object(values) => {
            values.values().for_each(|value| numbers(value, into));
        }
        _ => {}
    }
}

/// What is shown is the number behind it, rounded to the digits that are shown.
fn assert_rounded(full: &str, shown: &str) {
    let scale = if shown.ends_with('%') { 100.0 } else { 1.0 };
    let plain = shown.trim_end_matches('%').replace(',', "");
    let digits = plain.split_once('.').map_or(0, |(_, behind)| behind.len());
    let unit = 10_f64.powi(-(digits as i32));
    let (full, shown): (f64, f64) = (full.parse().unwrap(), plain.parse().unwrap());
    let far = (full * scale - shown).abs();
    assert!(far <= 0.5 * unit + 1e-9, "{full} is shown as {shown}");
}

#[test]
fn every_number_is_one_of_report_json() {
    let stored = [LEAKY, SOURCE].map(|text| Report::from_json(text).unwrap());
    for report in stored.into_iter().chain([diagnosed(), whole()]) {
        let json = serde_json::from_str(&report.to_json().unwrap()).unwrap();
        let mut known = BTreeSet::new();
        numbers(&json, &mut known);
        let page = report::html(&report);
        let mut seen = 0;
        for part in page.split("<data value=\"").skip(1) {
            let (full, rest) = part.split_once("\">").unwrap();
            let (shown, _) = rest.split_once("</data>").unwrap();
            assert!(known.contains(full), "{full} is not in report.json");
            assert_rounded(full, shown);
            seen += 1;
        }
        assert!(seen > 50, "{seen} numbers");
    }
}

#[test]
fn the_policy_allows_the_pages_own_script_and_style_alone() {
    let page = report::html(&whole());
    let named = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let policy = report::html_policy();
    let expected = format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action \
         'none'",
        named(inside(&page, "script")),
        named(inside(&page, "style"))
    );
    assert_eq!(policy, expected);
    assert!(page.contains(&policy.replace('\'', "&#39;")));
    for (name, attributes) in elements(&page) {
        let acts = |key: &String| key.starts_with("on") || key == "style" || key == "src";
        assert!(!attributes.keys().any(acts), "{name}: {attributes:?}");
        let known = attributes.get("href").is_none_or(|to| to.starts_with('#'));
        assert!(known, "{name}: {attributes:?}");
    }
}

const HOSTILE: [&str; 6] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "[click](javascript:alert(1)) <a href='javascript:alert(1)'>here</a>",
    "</script></style></title><svg onload=alert(1)>",
    "gpj.\u{202e}txt.exe\u{1b}[2J\u{0}",
    "' onmouseover='alert(1)' x='&lt;script&gt;",
];

#[test]
fn hostile_texts_are_text() {
    assert_inert(hostile_report);
}

#[test]
fn hostile_words_are_text() {
    assert_inert(|text| {
        let mut report = Report::from_json(SOURCE).unwrap();
        let Detail::Source(source) = &mut report.detail else {
            panic!("another kind");
        };
        source.service = text.to_owned();
        let document = &mut source.documents[0];
        document.id = Some(text.to_owned());
        document.why = Some(text.to_owned());
        document.tokens[0].word = text.to_owned();
        document.tokens[1].label = text.to_owned();
        report
    });
}

/// The page has no other kinds of elements, attributes, scripts and links, whatever the text is. (How
/// many lines a figure has depends on how much room names take.)
fn assert_inert(make: impl Fn(&str) -> Report) {
    let plain = kinds(&report::html(&make("plain")));
    for text in HOSTILE {
        let page = report::html(&make(text));
        for (kind, count) in kinds(&page) {
            let expected = plain.get(&kind).copied();
            assert!(expected.is_some(), "{text} made {kind}");
            let fixed = ["script", "style", "a ", "meta", "input"];
            if fixed.iter().any(|name| kind.starts_with(name)) {
                assert_eq!(Some(count), expected, "{text} made {kind}");
            }
        }
        assert!(!page.contains(['\u{202e}', '\u{1b}', '\u{0}']), "{text}");
    }
}

/// How often an element stands there with these attributes.
fn kinds(page: &str) -> BTreeMap<String, usize> {
    let mut kinds = BTreeMap::new();
    for (name, attributes) in elements(page) {
        let keys: Vec<String> = attributes.into_keys().collect();
        *kinds
            .entry(format!("{name} {}", keys.join(" ")))
            .or_default() += 1;
    }
    kinds
}

/// A text from outside everywhere that one can stand.
fn hostile_report(text: &str) -> Report {
    let mut report = whole();
    let said = || text.to_owned();
    report.records.as_mut().unwrap().listed[0].id = Some(said());
    report.notes = vec![said()];
    report.verdict.reasons = vec![said()];
    report.guardrails[0].detail = said();
    report.provenance.command = said();
    report.provenance.inputs[0].path = said();
    report.provenance.settings = BTreeMap::from([(said(), said())]);
    report.provenance.data.format = said();
    report.attacks[0].epsilon_lower_bound.note = said();
    let slices = report.diagnostics.slices.as_mut().unwrap();
    slices.slices[0].value = said();
    report.detail = Detail::Rag(Rag {
        service: Some(said()),
        helpers: vec![said()],
        exposed: vec![Exposed {
            document: said(),
            score: 1.5,
            strategy: said(),
            query: said(),
            answer: format!("{text}\nsecond line"),
        }],
        ..Rag::default()
    });
    report
}

#[test]
fn records_that_are_not_shown_are_numbers_to_search_and_sort() {
    let page = report::html(&whole().without_records());
    assert!(!page.contains("record-1") && !page.contains("not a member"));
    assert!(page.contains("<th scope=\"row\"><data value=\"1\">1</data></th>"));
    assert!(page.contains("Records are numbered from 0 in the order of scores.parquet"));
    assert!(page.contains("<option value=\"above\">above the cut</option>"));
    let named = report::html(&whole());
    assert!(named.contains("record-1") && named.contains("not a member"));
}

#[test]
fn the_structure_of_a_page() {
    let page = report::html(&whole());
    let mut outline = String::new();
    let mut rest = page.as_str();
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let name: String = rest
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        let shown = ["h1", "h2", "h3", "h4", "caption", "figcaption", "summary"];
        if !shown.contains(&name.as_str()) {
            continue;
        }
        let body = &rest[rest.find('>').unwrap() + 1..];
        let body = &body[..body.find(&format!("</{name}>")).unwrap()];
        let words: String = body
            .split('<')
            .map(|part| part.split_once('>').map_or(part, |p| p.1))
            .collect();
        let words: String = words.chars().take(90).collect();
        outline += &format!("{name}: {words}\n");
    }
    insta::assert_snapshot!(outline);
}

#[test]
fn a_page_of_a_million_records_and_every_attack_stays_small() {
    let mut report = whole();
    let mut attack = report.attacks[0].clone();
    attack.roc.points = (0..=200)
        .map(|step| (step * 2_500, 2_500 * step + 123))
        .collect();
    attack.roc.bands = vec![(0.123_456_789_012_345, 0.987_654_321_098_765); 201];
    attack.histogram = Some(Histogram {
        edges: (0..=60).map(|edge| f64::from(edge) / 7.0).collect(),
        members: vec![123_456; 60],
        nonmembers: vec![98_765; 60],
    });
    (attack.n_members, attack.n_nonmembers) = (500_000, 500_000);
    report.attacks = vec![attack; 28];
    for (place, attack) in report.attacks.iter_mut().enumerate() {
        attack.id = format!("attack-with-a-long-name-{place}");
    }
    let listed = (0..500).map(record).map(|record| Record {
        id: Some(format!(
            "https://example.org/a/long/name/of/a/record/{}",
            record.row
        )),
        ..record
    });
    report.records = Some(Records {
        total: 1_000_000,
        listed: listed.collect(),
        ..report.records.unwrap()
    });
    let page = report::html(&report);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert!(page.contains("500 of 1,000,000 records"));
}

#[test]
fn reports_of_earlier_versions_have_a_page() {
    let page = report::html(&Report::from_json(LEAKY).unwrap());
    assert!(page.contains("✘ FAIL") && page.contains("How to do it again"));
    assert!(!page.contains("id=\"record-table\""));
}
