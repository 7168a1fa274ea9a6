//! What is special to services that answer from a store.

use super::{Room, heads, percent};
use crate::blocks::Section;
use crate::detail::Detail;
use crate::document::Report;
use crate::rag::{
    AnswerKinds, Exposed, Extracted, HitRate, Rag, ReplayedChange, Requests, SignalMeasure,
    Specification,
};
use judge::measure::Auc;

/// Characters of a quoted question or answer.
const QUOTED: usize = 240;

pub fn sections(report: &Report, room: Room) -> Vec<Section> {
    let Detail::Rag(rag) = &report.detail else {
        return Vec::new();
    };
    let mut sections = vec![cost(rag)];
    sections.extend(rag.specification.as_deref().map(specification));
    sections.extend(arms(report, rag));
    sections.extend(changes(report, &rag.changes));
    sections.extend(hits(&rag.hit_rates));
    sections.extend(kinds(&rag.answers));
    sections.extend(signals(&rag.signals));
    if room != Room::Page {
        sections.extend(exposed(&rag.exposed));
    }
    sections
}

fn cost(rag: &Rag) -> Section {
    let mut remarks: Vec<String> = rag.service.iter().cloned().collect();
    remarks.extend(rag.helpers.iter().map(|helper| format!("helper: {helper}")));
    let short = rag.requests.documents.iter();
    remarks.extend(short.filter(|documents| documents.ended.is_some()).map(|documents| {
        format!("{documents}: those that were asked completely are judged, a random sample of all")
    }));
    remarks.push(requests(&rag.requests));
    let days = rag.requests.days.iter();
    remarks.extend(days.map(|days| format!("answers of {days}")));
    Section {
        title: "The service and its answers".into(),
        remarks,
        ..Section::default()
    }
}

/// What the threat specification asks for, under its own names.
fn specification(found: &Specification) -> Section {
    let signals = [
        ("response_length", &found.response_length),
        ("confidence_phrases", &found.confidence_phrases),
        ("specificity_score", &found.specificity_score),
        ("citation_present", &found.citation_present),
    ];
    let row = |(name, signal): (&str, &Option<Extracted>)| {
        let signal = signal.as_ref()?;
        Some(vec![
            name.to_owned(),
            format!("{:.3}", signal.members),
            format!("{:.3}", signal.non_members),
            interval(&signal.auc),
        ])
    };
    let [low, high] = found.delong;
    let mut remark = format!(
        "membership_auc {:.4}, threshold {}; interval by DeLong {low:.4} to {high:.4}",
        found.membership_auc, found.threshold
    );
    if let Some([low, high]) = found.bootstrap {
        let replicates = found.bootstrap_replicates;
        remark += &format!(", by {replicates} bootstrap replicates {low:.4} to {high:.4}");
    }
    Section {
        title: "Under the names of the threat specification".into(),
        heads: heads(&["signal", "members", "non-members", "AUC"]),
        rows: signals.into_iter().filter_map(row).collect(),
        remarks: vec![remark + "."],
        ..Section::default()
    }
}

pub fn requests(requests: &Requests) -> String {
    let mut words = format!(
        "{} questions: {} answered ({} of them from the store), {} requests sent in this run, {} \
         of them again after a failure",
        requests.questions, requests.answered, requests.from_store, requests.sent, requests.retried
    );
    for (why, count) in &requests.failed {
        words += &format!("; {count} failed: {why}");
    }
    if !requests.faults.is_empty() {
        let faults: Vec<String> = requests
            .faults
            .iter()
            .map(|(why, count)| format!("{count} {why}"))
            .collect();
        words += &format!("; tries that failed: {}", faults.join(", "));
    }
    if requests.spared > 0 {
        words += &format!(
            "; {} further questions were not needed, as the first answers had settled their documents",
            requests.spared
        );
    }
    if requests.not_asked > 0 {
        words += &format!(
            "; {} not asked, because the budget was spent",
            requests.not_asked
        );
    }
    if requests.tokens_in + requests.tokens_out > 0 {
        let estimated = match requests.tokens_estimated {
            true => " (estimated)",
            false => "",
        };
        words += &format!(
            "; {} tokens in, {} out{estimated}",
            requests.tokens_in, requests.tokens_out
        );
    }
    words
}

fn interval(auc: &Auc) -> String {
    format!("{:.3} ({:.3}–{:.3})", auc.value, auc.low, auc.high)
}

fn arms(report: &Report, rag: &Rag) -> Option<Section> {
    let rows = report.strongest_first().into_iter().filter_map(|attack| {
        let found = rag.attacks.iter().find(|other| other.id == attack.id)?;
        let requests = match found.requests_per_document {
            0.0 => "–".to_owned(),
            count => format!("{count:.1}"),
        };
        let mut row = vec![attack.id.clone(), requests, interval(&attack.auc)];
        row.push(
            found
                .without_retrieval
                .as_ref()
                .map_or("–".into(), interval),
        );
        row.push(found.difference.as_ref().map_or("–".into(), |difference| {
            format!(
                "{:+.3} ({:+.3} to {:+.3})",
                difference.value, difference.low, difference.high
            )
        }));
        Some(row)
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let off = rag
        .attacks
        .iter()
        .any(|attack| attack.without_retrieval.is_some());
    let remark = match off {
        true => "What is said without retrieval is no leak of the store; the difference is paired.",
        false => "The service was not asked with retrieval off.",
    };
    (!rows.is_empty()).then(|| Section {
        title: "With and without retrieval".into(),
        heads: heads(&[
            "attack",
            "requests/document",
            "AUC with",
            "AUC without",
            "difference",
        ]),
        rows,
        remarks: vec![remark.into()],
        ..Section::default()
    })
}

/// What would have helped.
fn changes(report: &Report, changes: &[ReplayedChange]) -> Option<Section> {
    let after = |change: &ReplayedChange, id: &str| {
        let mut attacks = change.attacks.iter();
        let found = attacks.find(|attack| attack.id == id);
        found.map_or("finds nothing".into(), |found| interval(&found.auc))
    };
    let rows = report.strongest_first().into_iter().map(|attack| {
        let mut row = vec![attack.id.clone(), interval(&attack.auc)];
        row.extend(changes.iter().map(|change| after(change, &attack.id)));
        row
    });
    let mut names = vec!["attack".to_owned(), "as it is".to_owned()];
    names.extend(changes.iter().map(|change| change.change.to_string()));
    let altered = changes.iter();
    let altered = altered.map(|one| format!("{}: {} answers", one.change, one.altered));
    let altered: Vec<String> = altered.collect();
    (!changes.is_empty()).then(|| Section {
        title: "What would have helped: the same answers from a changed service".into(),
        heads: names,
        rows: rows.collect(),
        remarks: vec![
            format!("Answers that are others then, by change: {}.", altered.join("; ")),
            "Nothing was asked again, and the words of answers stay as they are: what a service writes that \
             is changed in earnest tells a further audit."
                .into(),
        ],
        ..Section::default()
    })
}

fn hits(rates: &[HitRate]) -> Option<Section> {
    let share = |[seen, all]: [usize; 2]| match all {
        0 => "–".to_owned(),
        _ => format!("{} ({seen} of {all})", percent(seen as f64 / all as f64)),
    };
    let row = |rate: &HitRate| {
        vec![
            rate.strategy.clone(),
            share(rate.members),
            share(rate.nonmembers),
        ]
    };
    (!rates.is_empty()).then(|| Section {
        title: "Retrieval: answers whose visible sources hold the document".into(),
        heads: heads(&["strategy", "members", "non-members"]),
        rows: rates.iter().map(row).collect(),
        remarks: vec![
            "Whether questions reach the store. What answers give away is measured apart, above. Sources \
             that are shown to those who ask belong under target.extract.citations, where they count \
             as a leak.".into(),
        ],
        ..Section::default()
    })
}

fn kinds(arms: &[AnswerKinds]) -> Option<Section> {
    let mut rows = Vec::new();
    for arm in arms {
        let name = match arm.retrieval {
            true => "with retrieval",
            false => "without",
        };
        let all: [usize; 2] =
            [0, 1].map(|kind| arm.kinds.values().map(|counts| counts[kind]).sum());
        for (kind, counts) in &arm.kinds {
            let share = |place: usize| match all[place] {
                0 => "–".to_owned(),
                all => format!(
                    "{} ({})",
                    percent(counts[place] as f64 / all as f64),
                    counts[place]
                ),
            };
            rows.push(vec![format!("{name}: {kind}"), share(0), share(1)]);
        }
    }
    (!rows.is_empty()).then(|| Section {
        title: "Kinds of answers".into(),
        heads: heads(&["kind", "about members", "about non-members"]),
        rows,
        ..Section::default()
    })
}

fn signals(signals: &[SignalMeasure]) -> Option<Section> {
    let mut sorted: Vec<&SignalMeasure> = signals.iter().collect();
    let strength = |signal: &SignalMeasure| (signal.auc.value - 0.5).abs();
    sorted.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
    let row = |signal: &&SignalMeasure| {
        vec![
            format!("{} {}", signal.strategy, signal.signal),
            interval(&signal.auc),
            signal
                .without_retrieval
                .as_ref()
                .map_or("–".into(), interval),
        ]
    };
    (!sorted.is_empty()).then(|| Section {
        title: "Signals alone".into(),
        heads: heads(&["strategy and signal", "AUC with", "AUC without"]),
        rows: sorted.iter().map(row).collect(),
        ..Section::default()
    })
}

fn exposed(exposed: &[Exposed]) -> Option<Section> {
    let remark = |found: &Exposed| {
        format!(
            "{}, asked by {}: “{}” answered “{}”",
            found.document,
            found.strategy,
            cut(&found.query),
            cut(&found.answer)
        )
    };
    (!exposed.is_empty()).then(|| Section {
        title: "Members that gave themselves away most".into(),
        remarks: exposed.iter().map(remark).collect(),
        ..Section::default()
    })
}

fn cut(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
