//! Two audits side by side: what rose, what differs, and whether that is more than noise.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ::report::{Difference, Report};
use judge::guardrails::Finding;

use crate::http::post::link;
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::library::{Measure, Reading, Summary, named, readings};
use crate::markup::{Html, html};

use super::App;
use super::layout::{self, Place, table};
use super::numbers::{reading, status, value, verdict};
use super::running::parts;

/// One of the two.
struct Side {
    path: String,
    report: Report,
}

pub fn page(app: &App, query: &Query) -> Result<String, Problem> {
    let (a, b) = asked(app, query);
    let (Some(a), Some(b)) = (a.clone(), b.clone()) else {
        return Ok(layout::page(
            "Compare",
            Place::Compare,
            &choose(app, a.or(b)),
        ));
    };
    let (a, b) = (side(app, &a)?, side(app, &b)?);
    let found = (app.compare)(&a.report, &b.report);
    let body = html!(
        "<h1>Compare</h1>{}{}{}{}{}{}",
        choice(app, Some(&a.path), Some(&b.path)),
        verdicts(app, &a, &b),
        difference(&found),
        measures(&a.report, &b.report, found.as_ref().ok()),
        guardrails(&a.report, &b.report),
        differing(&a.report, &b.report)
    );
    Ok(layout::page("Compare", Place::Compare, &body))
}

/// As `a` and `b`, or as two ticks in the list, of which the older is the earlier one. Folders begin
/// with a slash, so that the root has a name.
fn asked(app: &App, query: &Query) -> (Option<String>, Option<String>) {
    let path = |text: &str| text.trim_matches('/').to_owned();
    let mut ticked: Vec<String> = query.all("run").map(path).take(2).collect();
    ticked.sort_by_key(|path| {
        let audit = app.library.audit(path);
        audit.map(|audit| audit.version.modified)
    });
    let mut ticked = ticked.into_iter();
    let a = query.get("a").map(path).or_else(|| ticked.next());
    let b = query.get("b").map(path).or_else(|| ticked.next());
    (a, b)
}

fn side(app: &App, path: &str) -> Result<Side, Problem> {
    let place = parts(path);
    place
        .iter()
        .try_for_each(|part| crate::folder::address::check(part))?;
    Ok(Side {
        report: app.report(&place)?,
        path: path.to_owned(),
    })
}

fn choose(app: &App, known: Option<String>) -> Html {
    html!(
        "<h1>Compare</h1><p>Which two? The earlier one first.</p>{}",
        choice(app, known.as_deref(), None)
    )
}

fn choice(app: &App, a: Option<&str>, b: Option<&str>) -> Html {
    let audits: Vec<Arc<Summary>> = app.library.audits();
    let mut audits: Vec<&Arc<Summary>> = audits
        .iter()
        .filter(|audit| audit.audited.is_ok())
        .collect();
    audits.sort_by_key(|audit| std::cmp::Reverse(audit.version.modified));
    let options = |chosen: Option<&str>| -> Html {
        let mut options: Html = html!("<option value=\"\">choose…</option>");
        for audit in &audits {
            let (name, value) = (audit.name(&app.root), format!("/{}", audit.path));
            options.push(&match chosen == Some(audit.path.as_str()) {
                true => html!("<option value=\"{}\" selected>{}</option>", value, name),
                false => html!("<option value=\"{}\">{}</option>", value, name),
            });
        }
        options
    };
    html!(
        "<form class=\"filters\" method=\"get\" action=\"/compare\"><label>Earlier<select name=\"a\">{}</select></label>\
         <label>Later<select name=\"b\">{}</select></label><button>Compare</button></form>",
        options(a),
        options(b)
    )
}

fn verdicts(app: &App, a: &Side, b: &Side) -> Html {
    let one = |title: &str, side: &Side| {
        let verdict_of = &side.report.verdict;
        html!(
            "<section class=\"side\"><h2>{}: <a href=\"{}\">{}</a></h2><p class=\"large\">{}</p><p>{}</p></section>",
            title,
            link(&parts(&side.path)),
            named(&side.path, &app.root),
            verdict(verdict_of.outcome),
            verdict_of.reasons.first().map_or("", String::as_str)
        )
    };
    html!(
        "<div class=\"sides\">{}{}</div>",
        one("Earlier", a),
        one("Later", b)
    )
}

fn difference(found: &Result<Difference, String>) -> Html {
    match found {
        Ok(found) => {
            let remarks: Html = found
                .remarks
                .iter()
                .map(|remark| html!("<li>{}</li>", remark))
                .collect();
            html!(
                "<h2>Did leakage rise?</h2><p class=\"large\">{}</p><p>{}</p><ul>{}</ul>",
                verdict(found.outcome),
                found.reason,
                remarks
            )
        }
        Err(problem) => html!(
            "<h2>Did leakage rise?</h2><p class=\"problem\">It cannot be told: {}</p>",
            problem
        ),
    }
}

/// Of every attack that both have; the one that decided is in sight, the others are folded.
fn measures(a: &Report, b: &Report, found: Option<&Difference>) -> Html {
    let later: BTreeMap<&str, Vec<(Measure, Reading)>> = b
        .attacks
        .iter()
        .map(|attack| (attack.id.as_str(), readings(attack)))
        .collect();
    let decided: BTreeSet<&str> = [a, b]
        .iter()
        .filter_map(|report| report.verdict.gate.as_ref())
        .map(|gate| gate.attack.as_str())
        .collect();
    let mut sections = Html::default();
    let both = || {
        a.attacks
            .iter()
            .filter(|attack| later.contains_key(attack.id.as_str()))
    };
    let order = both()
        .filter(|attack| decided.contains(attack.id.as_str()))
        .chain(both().filter(|attack| !decided.contains(attack.id.as_str())));
    for attack in order {
        let id = attack.id.as_str();
        let rows: Html = readings(attack)
            .into_iter()
            .filter_map(|(measure, before)| {
                let (_, after) = later[id].iter().find(|(other, _)| *other == measure)?;
                Some(row(id, measure, before, *after, found))
            })
            .collect();
        let heads = ["Measure", "Earlier", "Later", "Difference", "Beyond noise?"];
        let caption = format!("Measures of {id}");
        let open = match decided.contains(id) {
            true => html!(" open"),
            false => Html::default(),
        };
        sections.push(&html!(
            "<details{}><summary>{}</summary>{}</details>",
            open,
            id,
            table(&caption, &heads, &rows)
        ));
    }
    match sections == Html::default() {
        true => html!("<h2>Measures</h2><p>The two have no attack in common.</p>"),
        false => html!("<h2>Measures</h2>{}", sections),
    }
}

fn row(
    attack: &str,
    measure: Measure,
    before: Reading,
    after: Reading,
    found: Option<&Difference>,
) -> Html {
    let name = measure.name();
    let change = found.and_then(|found| {
        let mut changes = found.changes.iter();
        let change = changes.find(|one| one.attack == attack && one.measure == name)?;
        Some((change.is_rise(found.level), change.corrected_p_value?))
    });
    let beyond = match change {
        Some((true, p)) => html!(
            "<span class=\"verdict fail\">▲ a rise</span> (p {})",
            format!("{p:.2e}")
        ),
        Some((false, p)) => html!("no (p {})", format!("{p:.3}")),
        None => html!("not tested"),
    };
    let by = after.value - before.value;
    let sign = if by > 0.0 { "+" } else { "" };
    html!(
        "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td>\
         <td class=\"number\">{}{}</td><td>{}</td></tr>",
        measure.words(),
        reading(before),
        reading(after),
        sign,
        value(by),
        beyond
    )
}

fn guardrails(a: &Report, b: &Report) -> Html {
    let ids: BTreeSet<&str> = [a, b]
        .iter()
        .flat_map(|report| &report.guardrails)
        .map(|finding| finding.id.as_str())
        .collect();
    let find = |report: &Report, id: &str| -> Option<Finding> {
        report.guardrails.iter().find(|one| one.id == id).cloned()
    };
    let shown = |found: &Option<Finding>| match found {
        Some(found) => html!("{} {}", status(found.status), found.detail),
        None => html!("not looked at"),
    };
    let rows: Html = ids
        .into_iter()
        .map(|id| (id, find(a, id), find(b, id)))
        .filter(|(_, before, after)| before != after)
        .map(|(id, before, after)| {
            html!(
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>",
                id,
                shown(&before),
                shown(&after)
            )
        })
        .collect();
    section(
        "Guardrails that differ",
        &["Guardrail", "Earlier", "Later"],
        &rows,
        "All guardrails say the same.",
    )
}

/// Settings and inputs.
fn differing(a: &Report, b: &Report) -> Html {
    let settings = |report: &Report| -> BTreeMap<String, String> {
        let provenance = &report.provenance;
        let mut all = provenance.settings.clone();
        all.insert("seed".into(), provenance.seed.to_string());
        all.insert("version".into(), provenance.version.clone());
        all.insert("command".into(), provenance.command.clone());
        all.insert("records".into(), provenance.data.judged_records.to_string());
        let counts = report.detail.counts().into_iter();
        all.extend(counts.map(|(key, count)| (key.to_owned(), count.to_string())));
        all
    };
    let settings = rows(&settings(a), &settings(b));
    let inputs = rows(&inputs(a), &inputs(b));
    html!(
        "{}{}",
        section(
            "Settings that differ",
            &["Setting", "Earlier", "Later"],
            &settings,
            "All settings are the same."
        ),
        section(
            "Inputs that differ",
            &["File", "Earlier (SHA-256)", "Later (SHA-256)"],
            &inputs,
            "All inputs are the same."
        )
    )
}

/// By name alone where that is enough, so that the same file in another folder is the same file.
fn inputs(report: &Report) -> BTreeMap<String, String> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let inputs = &report.provenance.inputs;
    let alone = |path: &str| {
        let same = inputs
            .iter()
            .filter(|other| name(&other.path) == name(path));
        same.count() == 1
    };
    inputs
        .iter()
        .map(|input| match alone(&input.path) {
            true => (name(&input.path), input.sha256.clone()),
            false => (input.path.clone(), input.sha256.clone()),
        })
        .collect()
}

fn rows(a: &BTreeMap<String, String>, b: &BTreeMap<String, String>) -> Html {
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let shown = |value: Option<&String>| value.map_or("–", String::as_str).to_owned();
    keys.into_iter()
        .filter(|key| a.get(*key) != b.get(*key))
        .map(|key| {
            html!(
                "<tr><th scope=\"row\">{}</th><td class=\"long\">{}</td><td class=\"long\">{}</td></tr>",
                key,
                shown(a.get(key)),
                shown(b.get(key))
            )
        })
        .collect()
}

fn section(title: &str, heads: &[&str], rows: &Html, none: &str) -> Html {
    match *rows == Html::default() {
        true => html!("<h2>{}</h2><p>{}</p>", title, none),
        false => html!("<h2>{}</h2>{}", title, table(title, heads, rows)),
    }
}
