//! What is special to audits of sources.

use judge::source::{Evaluation, Mean};

use super::rag::requests;
use super::{NUMBERED, Room, heads, percent, source_sweeps};
use crate::blocks::Section;
use crate::detail::Detail;
use crate::document::Report;
use crate::source::{Attributed, Captioner, NullTable, OffArm, Source};

/// Documents that a file shows; report.json and attributions.jsonl have all.
const MANY: usize = 200;

pub fn sections(report: &Report, room: Room) -> Vec<Section> {
    let Detail::Source(source) = &report.detail else {
        return Vec::new();
    };
    let mut sections = vec![asked(source)];
    sections.extend(confusion(source));
    sections.push(counts(source));
    sections.extend(paper(source));
    sections.push(stopping(source));
    if room != Room::Page {
        sections.extend(documents(&source.documents));
    }
    sections.extend(source_sweeps::sections(source));
    sections.extend(source.nulls.as_ref().map(nulls));
    sections
}

fn asked(source: &Source) -> Section {
    let method = &source.method;
    let off = match &source.off_arm {
        OffArm::Switch => "Without retrieval: the same service, switched off.".to_owned(),
        OffArm::StandIn { service } => format!(
            "Without retrieval: a stand-in, {service}. What the service's own model learnt beyond it \
             looks like retrieval."
        ),
    };
    let thresholds = match (method.tau, method.band) {
        (Some(tau), Some(band)) => format!("{}: τ {tau}, band {band}", method.mode),
        _ if method.level_of_a_look < method.level => format!(
            "calibrated by permutations at the level {}, {} at each look",
            method.level,
            short(method.level_of_a_look)
        ),
        _ => format!("calibrated by permutations at the level {}", method.level),
    };
    let mut remarks = vec![source.service.clone(), off];
    remarks.extend(source.captioner.as_ref().map(described));
    remarks.push(requests(&source.requests));
    remarks.push(format!(
        "{} inputs of each text by {}, {} of the words kept; answers compared with the {} by {}; \
         thresholds {thresholds}.",
        method.perturbations,
        method.perturbation,
        percent(method.keep),
        method.reference.replace('-', " "),
        method.similarity
    ));
    Section {
        title: "Who was asked, and how".into(),
        remarks,
        ..Section::default()
    }
}

fn described(captioner: &Captioner) -> String {
    format!(
        "Pictures with noise of {} described by {}: {}",
        captioner.noise,
        captioner.service,
        requests(&captioner.requests)
    )
}

/// Few digits, all of them telling.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn confusion(source: &Source) -> Option<Section> {
    let found = source.evaluation.as_ref()?;
    let mut titles = heads(&["source"]);
    titles.extend(
        found
            .per_class
            .iter()
            .map(|class| format!("called {}", class.label.as_str())),
    );
    titles.extend(heads(&["precision", "recall", "F1"]));
    let share = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.3}"));
    let classes = found.per_class.iter().zip(found.confusion);
    let rows = classes.map(|(class, counts)| {
        let mut row = vec![class.label.as_str().to_owned()];
        row.extend(counts.iter().map(u64::to_string));
        row.extend([class.precision, class.recall, class.f1].map(share));
        row
    });
    Some(Section {
        title: "Sources told apart".into(),
        heads: titles,
        rows: rows.collect(),
        remarks: accuracy(source, found),
        ..Section::default()
    })
}

fn accuracy(source: &Source, found: &Evaluation) -> Vec<String> {
    let (accuracy, f1, chance) = (&found.accuracy, &found.macro_f1, &found.chance);
    let classes: Vec<&str> = f1.classes.iter().map(|label| label.as_str()).collect();
    let mut remarks = vec![
        format!(
            "Accuracy {:.3} ({:.3}–{:.3}) of {} documents; chance gives {:.3}, always the most frequent \
             source {:.3}; p = {}.",
            accuracy.value,
            accuracy.low,
            accuracy.high,
            found.n,
            chance.expected_accuracy,
            chance.majority,
            short(chance.p_value)
        ),
        format!(
            "Macro F1 {:.3} ({:.3}–{:.3}) over {}; {}.",
            f1.value,
            f1.low,
            f1.high,
            classes.join(", "),
            f1.method
        ),
    ];
    remarks.extend(source.shuffled.as_ref().map(|shuffled| {
        format!(
            "With shuffled labels: accuracy {:.3}, from {:.3} to {:.3} in 95% of {} shuffles.",
            shuffled.mean, shuffled.low, shuffled.high, shuffled.shuffles
        )
    }));
    remarks
}

fn counts(source: &Source) -> Section {
    let row = |count: &crate::source::LabelCount| {
        vec![
            count.label.clone(),
            count.documents.to_string(),
            count.tokens.to_string(),
        ]
    };
    let reasons = source.abstained.iter();
    let mut remarks: Vec<String> = reasons
        .map(|(why, count)| format!("{count} items have none: {why}."))
        .collect();
    if source.echoes > 0 {
        remarks.push(format!(
            "{} documents called pretrained bring back hardly a word that was hidden: their answers \
             repeat the input.",
            source.echoes
        ));
    }
    Section {
        title: "Labels".into(),
        heads: heads(&["label", "documents", "words"]),
        rows: source.labels.iter().map(row).collect(),
        remarks,
        ..Section::default()
    }
}

fn paper(source: &Source) -> Option<Section> {
    let paper = &source.paper;
    let words = |mean: &Mean| format!("{:.3} ({:.3}–{:.3})", mean.value, mean.low, mean.high);
    let row = |name: &str, mean: &Option<Mean>| {
        let mean = mean.as_ref()?;
        Some(vec![name.to_owned(), words(mean), mean.n.to_string()])
    };
    let rows: Vec<Vec<String>> = [row("ACC", &paper.acc), row("coverage", &paper.coverage)]
        .into_iter()
        .flatten()
        .collect();
    (!rows.is_empty()).then(|| Section {
        title: "The paper's own measures, over documents that were retrieved".into(),
        heads: heads(&["measure", "mean", "documents"]),
        rows,
        remarks: vec![format!(
            "ACC is no accuracy: it is a cosine ({}) between the words called retrieved and the \
             document. Coverage is the share of the document's words that were called retrieved. \
             Neither counts a word that was called retrieved wrongly.",
            paper.acc_by
        )],
        ..Section::default()
    })
}

fn stopping(source: &Source) -> Section {
    let stopping = &source.stopping;
    let saved = stopping.saved as f64 / stopping.planned.max(1) as f64;
    let mut remarks = vec![match stopping.on {
        true => format!(
            "{} of {} questions were asked, {} ({}) saved: {} documents were left alone once their \
             labels stayed the same at two looks.",
            stopping.asked,
            stopping.planned,
            stopping.saved,
            percent(saved),
            stopping.stopped
        ),
        false => format!("Off: all {} questions were asked.", stopping.asked),
    }];
    if let (Some(documents), Some(tokens)) = (stopping.document_agreement, stopping.token_agreement)
    {
        remarks.push(format!(
            "{} settled documents were asked in full all the same: {} of their labels stayed, and {} \
             of their words'.",
            stopping.checked,
            percent(documents),
            percent(tokens)
        ));
    } else if stopping.on {
        remarks.push(
            "No settled document was asked in full: whether labels stayed is not known.".into(),
        );
    }
    Section {
        title: "Early stopping".into(),
        remarks,
        ..Section::default()
    }
}

fn documents(all: &[Attributed]) -> Option<Section> {
    let shown = all.len().min(MANY);
    let more = match all.len() - shown {
        0 => Vec::new(),
        more => vec![format!(
            "{more} more are in report.json; attributions.jsonl has every word of all."
        )],
    };
    let mut titles = heads(&["document", "label", "without (p)", "ADS (p)", "inputs"]);
    let named = all.iter().any(|document| document.id.is_some());
    let mut remarks = more;
    match named {
        true => titles.push("source".into()),
        false => remarks.push(NUMBERED.into()),
    }
    (!all.is_empty()).then(|| Section {
        title: "Documents".into(),
        heads: titles,
        rows: all[..shown].iter().map(document).collect(),
        remarks,
        ..Section::default()
    })
}

fn document(of: &Attributed) -> Vec<String> {
    let total = |pick: fn(&crate::source::Totals) -> (f64, f64)| {
        of.totals.as_ref().map_or("–".to_owned(), |totals| {
            let (value, p) = pick(totals);
            format!("{value:+.3} ({})", short(p))
        })
    };
    let inputs = match of.settled {
        true => format!("{} settled", of.rows),
        false => of.rows.to_string(),
    };
    let mut row = vec![
        of.name(),
        of.label.clone().unwrap_or_else(|| "none".into()),
        total(|totals| (totals.off, totals.off_p)),
        total(|totals| (totals.ads, totals.ads_p)),
        inputs,
    ];
    let source = || of.source.clone().unwrap_or_else(|| "?".into());
    row.extend(of.id.as_ref().map(|_| source()));
    row
}

fn nulls(table: &NullTable) -> Section {
    let row = |name: &str, rates: &crate::source::NullRates| {
        vec![
            name.to_owned(),
            percent(rates.words_retrieved),
            percent(rates.words_pretrained),
            percent(rates.documents_retrieved),
            percent(rates.documents_pretrained),
        ]
    };
    let fixed = match (table.tau, table.band) {
        (Some(tau), Some(band)) => format!("fixed, τ {tau} and band {band}"),
        _ => "the paper's".to_owned(),
    };
    Section {
        title: "What chance calls where there is nothing to find".into(),
        heads: heads(&[
            "thresholds",
            "words retrieved",
            "words pretrained",
            "documents retrieved",
            "documents pretrained",
        ]),
        rows: vec![
            row("calibrated", &table.calibrated),
            row(&fixed, &table.fixed),
        ],
        remarks: vec![format!(
            "{} made-up texts of {} key words, {} inputs each with {} of the words kept, asked and \
             labelled as in this audit, whose answers do not depend on the words; the calibrated \
             thresholds promise {} at most, but for the luck of so many texts.",
            table.documents,
            table.length,
            table.rows,
            percent(table.keep.unwrap_or(0.5)),
            percent(table.level)
        )],
        ..Section::default()
    }
}
