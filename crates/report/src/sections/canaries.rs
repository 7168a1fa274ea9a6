//! What canaries show: how far each tier and design was remembered, and how likely one is said.

use judge::canaries::{CanaryFinding, CanaryPart, Extracted, Extraction};

use super::{heads, percent};
use crate::blocks::Section;

pub fn sections(found: &CanaryFinding) -> Vec<Section> {
    let said = [
        (
            "Said word for word, the drawn part",
            &found.secret_extraction,
        ),
        ("Said word for word", &found.extraction),
    ];
    let said = said
        .into_iter()
        .filter_map(|(title, found)| extraction(title, found.as_ref()?));
    std::iter::once(section(found)).chain(said).collect()
}

fn section(found: &CanaryFinding) -> Section {
    Section {
        title: "Canaries".into(),
        heads: heads(&[
            "canaries",
            "drawn",
            "included",
            "AUC",
            "ε of one record",
            "ε as trained on",
            "most that they could show",
        ]),
        rows: found.parts.iter().map(row).collect(),
        remarks: remarks(found),
        ..Section::default()
    }
}

fn row(part: &CanaryPart) -> Vec<String> {
    vec![
        part.name.clone(),
        part.canaries.to_string(),
        part.included.to_string(),
        match &part.auc {
            Some(auc) => format!("{:.4} ({:.3}–{:.3})", auc.value, auc.low, auc.high),
            None => "–".into(),
        },
        format!("≥ {:.4}", part.epsilon),
        format!("≥ {:.4}", part.epsilon_together),
        format!("{:.3}", part.largest),
    ]
}

fn remarks(found: &CanaryFinding) -> Vec<String> {
    let confidence = found.parts.first().map_or(0.0, |part| part.confidence);
    let mut remarks = vec![format!(
        "Each canary was included by a fair coin of its own, so that guesses about them bound ε from one \
         training run. Bounds are by the best attack at {:.2}% confidence, which is corrected for the \
         number of attacks and not for the number of rows; a row of several tiers rests on the one that \
         was trained on least often.",
        100.0 * confidence
    )];
    if found.parts.iter().any(|part| part.repetitions > 1) {
        remarks.push(
            "What was trained on r times is a group of r records: a claim of ε and δ for one becomes rε \
             and δ·(e^{rε} − 1)/(e^ε − 1) for the group."
                .into(),
        );
    }
    if found.repetitions > 1 {
        remarks.push(format!(
            "No canary was trained on once: bounds and claims rest on those that were {} times.",
            found.repetitions
        ));
    }
    if found.missing > 0 {
        remarks.push(format!(
            "{} canaries were not scored; they count as guesses that were not made.",
            found.missing
        ));
    }
    if found.foreign > 0 {
        remarks.push(format!(
            "{} rows are no canaries and were not judged.",
            found.foreign
        ));
    }
    remarks
}

/// Nothing where no canary was scored.
fn extraction(title: &str, found: &Extraction) -> Option<Section> {
    let kinds = [("included", &found.included), ("held out", &found.held_out)];
    let rows: Vec<Vec<String>> = (kinds.into_iter())
        .filter_map(|(name, kind)| Some((name, kind.as_ref()?)))
        .flat_map(|(name, kind)| extracted(name, kind))
        .collect();
    let mut titles = heads(&["canaries", "texts", "ln p"]);
    let tries = found.tries.iter().map(|&tries| match tries {
        1 => "in 1 try".to_owned(),
        many => format!("in {many} tries"),
    });
    titles.extend(tries);
    (!rows.is_empty()).then(|| Section {
        title: title.into(),
        heads: titles,
        rows,
        remarks: vec![format!(
            "The probability of {}: exp Σ ln p of its tokens, and 1 − (1 − p)ⁿ for n tries. Those that were \
             held out show what guessing does. This decides nothing.",
            found.note
        )],
        ..Section::default()
    })
}

fn extracted(name: &str, kind: &Extracted) -> [Vec<String>; 2] {
    let row = |which: &str, ln: Option<f64>, chances: &[f64]| {
        let ln = ln.map_or_else(|| "−∞".into(), |ln| format!("{ln:.2}"));
        let mut row = vec![format!("{name}, {which}"), kind.texts.to_string(), ln];
        row.extend(chances.iter().map(|&chance| likely(chance)));
        row
    };
    [
        row("median", kind.median_ln, &kind.median),
        row("most exposed", kind.largest_ln, &kind.largest),
    ]
}

/// Shares as such, what is far smaller by its power of ten.
fn likely(chance: f64) -> String {
    match chance {
        0.0 => "0".into(),
        chance if chance < 1e-5 => format!("{chance:.1e}"),
        chance => percent(chance),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::canaries::PartKind;

    fn part(name: &str, repetitions: u64) -> CanaryPart {
        CanaryPart {
            kind: PartKind::Tier,
            name: name.into(),
            canaries: 500,
            included: 251,
            auc: None,
            epsilon: 0.5,
            attack: None,
            confidence: 0.995,
            epsilon_together: 0.5 * repetitions as f64,
            repetitions,
            bound_on: 500,
            largest: 4.5,
        }
    }

    #[test]
    fn every_part_has_a_row_and_groups_are_explained() {
        let mut found = CanaryFinding {
            canaries: 1000,
            included: 502,
            missing: 3,
            foreign: 2,
            repetitions: 1,
            parts: vec![part("all", 1), part("trained on 1×", 1)],
            extraction: Some(Extraction::of_texts(&[(-2.0, true), (-800.0, false)])),
            secret_extraction: None,
        };
        let [canaries, said] = sections(&found).try_into().unwrap();
        assert_eq!(canaries.rows[0][4], "≥ 0.5000");
        assert_eq!(canaries.rows.len(), 2);
        assert_eq!(canaries.remarks.len(), 3);
        assert!(
            canaries
                .rows
                .iter()
                .all(|row| row.len() == canaries.heads.len())
        );
        assert_eq!(said.rows.len(), 4);
        assert!(said.rows.iter().all(|row| row.len() == said.heads.len()));
        assert_eq!(&said.rows[0][3..5], ["13.5%", "100.000%"]);
        assert_eq!(&said.rows[3][2..4], ["-800.00", "0"]);
        found.secret_extraction = Some(Extraction::of_secrets(&[(-1.0, true)]));
        let [_, drawn, whole] = sections(&found).try_into().unwrap();
        assert!(
            drawn.title.ends_with("the drawn part")
                && drawn.remarks[0].contains("drawn part alone")
        );
        assert_eq!(
            (drawn.rows.len(), whole.title.as_str()),
            (2, "Said word for word")
        );
        found.secret_extraction = None;
        found.parts.push(part("trained on 8×", 8));
        found.extraction = None;
        let [canaries] = sections(&found).try_into().unwrap();
        assert!(canaries.remarks[1].contains("group of r records"));
    }
}
