//! Two audits compared, in words: what `guestlist diff` says.

use judge::compare::{Change, Strongest, told};
use judge::verdict::Outcome;
use serde::Serialize;

use crate::blocks::markdown::markdown_table;
use crate::blocks::terminal::align;
use crate::markdown::sign;
use crate::text::{folded, markdown as escape, printable};

/// The comparison of two reports.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Difference {
    pub outcome: Outcome,
    pub reason: String,
    /// A rise or a fall counts when its corrected p-value is at most this.
    pub level: f64,
    pub changes: Vec<Change>,
    /// The strongest attack of each; absent where attacks of the baseline were not tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strongest: Option<Strongest>,
    /// What else a reader should know, such as attacks that only one report has.
    pub remarks: Vec<String>,
}

impl Difference {
    /// Text for a terminal.
    pub fn terminal(&self) -> String {
        let word = self.outcome.word().to_uppercase();
        let mut text = format!("{word}: {}\n\n", printable(&self.reason));
        let rows: Vec<Vec<String>> = self.changes.iter().map(|one| self.cells(one)).collect();
        for line in align(&heads(), &rows) {
            text += &(line + "\n");
        }
        text += &format!("\n{}\n", self.method());
        for remark in &self.remarks {
            text += &format!("- {}\n", printable(remark));
        }
        text
    }

    /// GitHub-flavoured Markdown for a pull request: rises and falls in sight, the rest folded.
    pub fn markdown(&self) -> String {
        let mut text = format!("## guestlist diff: {}\n\n", sign(self.outcome));
        text += &format!("{}\n", escape(&self.reason));
        let moved = |change: &&Change| !self.mark(change).is_empty();
        let moved = self.changes.iter().filter(moved);
        let moved: Vec<Vec<String>> = moved.map(|change| self.cells(change)).collect();
        if !moved.is_empty() {
            text += &markdown_table(&heads(), &moved);
        }
        if !self.remarks.is_empty() {
            text.push('\n');
            let lines = self.remarks.iter().map(|line| escape(line));
            text.extend(lines.map(|line| format!("- {line}\n")));
        }
        let rows: Vec<Vec<String>> = self.changes.iter().map(|one| self.cells(one)).collect();
        let all = markdown_table(&heads(), &rows) + "\n" + &escape(&self.method()) + "\n";
        text + &folded(&format!("All {} measures", rows.len()), &all)
    }

    fn cells(&self, change: &Change) -> Vec<String> {
        let p_value = change.corrected();
        vec![
            change.attack.clone(),
            change.measured(),
            format!("{:.4}", change.before),
            format!("{:.4}", change.after),
            p_value.map_or_else(|| "too few".into(), |p| format!("{p:.3}")),
            self.mark(change).into(),
        ]
    }

    fn mark(&self, change: &Change) -> &'static str {
        match (change.is_rise(self.level), change.is_fall(self.level)) {
            (true, _) => "↑",
            (_, true) => "↓",
            _ => "",
        }
    }

    fn method(&self) -> String {
        format!(
            "p: chance of such a change, in its direction, between audits of equal leakage, corrected \
             for {} comparisons (Bonferroni); a rise or a fall counts at p ≤ {}.",
            told(&self.changes),
            self.level
        )
    }
}

fn heads() -> Vec<String> {
    ["attack", "measure", "before", "after", "p", "change"]
        .map(str::to_owned)
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference() -> Difference {
        let change = |measure: &str, p_value: Option<f64>| Change {
            attack: "lira".into(),
            measure: measure.into(),
            scope: None,
            before: 0.5,
            after: 0.75,
            p_value,
            corrected_p_value: p_value,
            fall_p_value: None,
            corrected_fall_p_value: None,
        };
        Difference {
            strongest: None,
            outcome: Outcome::Fail,
            reason: "1 of the compared measures rose".into(),
            level: 0.05,
            changes: vec![change("auc", Some(0.01)), change("tpr@0.01", None)],
            remarks: vec!["hostile <b>[x](y)\u{1b}[2J".into()],
        }
    }

    #[test]
    fn rises_are_marked_and_the_rest_is_said() {
        let text = difference().terminal();
        assert!(text.starts_with("FAIL: 1 of"), "{text}");
        assert!(
            text.contains("auc  0.5000  0.7500    0.010       ↑"),
            "{text}"
        );
        assert!(text.contains("too few"), "{text}");
        assert!(text.contains("corrected for 1 comparisons"), "{text}");
    }

    #[test]
    fn falls_are_marked_and_seen_in_a_pull_request() {
        let mut found = difference();
        found.changes[0] = Change {
            after: 0.25,
            p_value: Some(1.0),
            corrected_p_value: Some(1.0),
            fall_p_value: Some(0.002),
            corrected_fall_p_value: Some(0.004),
            ..found.changes[0].clone()
        };
        let text = found.terminal();
        assert!(text.contains("0.2500    0.004       ↓"), "{text}");
        let text = found.markdown();
        let (open, _) = text.split_once("<details>").unwrap();
        assert!(open.contains("| 0.2500 | 0.004 | ↓ |"), "{text}");
    }

    #[test]
    fn a_pull_request_sees_rises_first_and_no_markup_of_others() {
        let text = difference().markdown();
        assert!(text.starts_with("## guestlist diff: ❌ fail\n"), "{text}");
        let (open, folded) = text.split_once("<details>").unwrap();
        assert!(
            open.contains("| lira | auc |") && !open.contains("tpr@"),
            "{text}"
        );
        assert!(folded.contains("tpr@0.01"), "{text}");
        assert!(open.contains("hostile &lt;b&gt;\\[x\\](y)"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
