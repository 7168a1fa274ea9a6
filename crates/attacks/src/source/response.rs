//! An answer as one number: r = γ₁·words(y)/words(x̃) + γ₂·similarity(y, reference).

use serde::{Deserialize, Serialize};

use super::input::count_words;
use super::perturb::Perturbed;
use super::similarity::Similarity;

/// γ₁ and γ₂. The paper names no values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Weights {
    pub length: f64,
    pub similarity: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            length: 0.5,
            similarity: 0.5,
        }
    }
}

/// What an answer is compared with. The paper has it two ways.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Reference {
    /// The perturbed input itself (eq. 14): which of the words that were kept the answer holds.
    /// Where retrieval finds the document whatever is kept, the answer does not depend on the mask,
    /// and only this reference shows which of the document's words it holds.
    #[default]
    PerturbedInput,
    /// The text before it was perturbed: whether keeping a word brings more of the text into the
    /// answer. An answer that holds the whole text whatever is kept shows nothing.
    Input,
    /// The answer to the text before it was perturbed (sec. IV-E): whether keeping a word keeps
    /// the answer as it was. It takes one more request in each arm.
    Output,
}

impl Reference {
    pub const ALL: [Reference; 3] = [
        Reference::PerturbedInput,
        Reference::Input,
        Reference::Output,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Reference::PerturbedInput => "perturbed-input",
            Reference::Input => "input",
            Reference::Output => "output",
        }
    }
}

impl std::fmt::Display for Reference {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A perturbed copy, and what was answered to it in one arm.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    pub perturbed: &'a Perturbed,
    pub answer: Option<&'a str>,
}

/// One number per row that has an answer. `fixed` is the reference of every row, the text or the
/// answer before any perturbation; without it each row is compared with its own perturbed input.
pub fn responses(
    rows: &[Row],
    fixed: Option<&str>,
    similarity: &dyn Similarity,
    weights: Weights,
) -> Result<Vec<Option<f64>>, String> {
    let mut pairs: Vec<(&str, &str)> = Vec::with_capacity(rows.len());
    for row in rows {
        let reference = fixed.unwrap_or(&row.perturbed.text);
        pairs.extend(row.answer.map(|answer| (answer, reference)));
    }
    let found = similarity.similarities(&pairs)?;
    if found.len() != pairs.len() {
        return Err(format!(
            "{} gave {} similarities for {} pairs",
            similarity.name(),
            found.len(),
            pairs.len()
        ));
    }
    let mut found = found.into_iter();
    let response = |row: &Row<'_>| {
        let answer = row.answer?;
        let asked = row.perturbed.words.max(1) as f64;
        let length = count_words(answer) as f64 / asked;
        Some(weights.length * length + weights.similarity * found.next()?)
    };
    Ok(rows.iter().map(response).collect())
}

#[cfg(test)]
mod tests {
    use super::super::similarity::Lexical;
    use super::*;

    fn perturbed(text: &str) -> Perturbed {
        Perturbed {
            text: text.into(),
            words: count_words(text),
        }
    }

    #[test]
    fn a_response_is_worked_by_hand() {
        let copies = [perturbed("red ____ fox runs"), perturbed("a ____ hen")];
        let rows = [
            Row {
                perturbed: &copies[0],
                answer: Some("the red fox"),
            },
            Row {
                perturbed: &copies[1],
                answer: None,
            },
            Row {
                perturbed: &copies[1],
                answer: Some(""),
            },
        ];
        let found = responses(&rows, None, &Lexical, Weights::default()).unwrap();
        // 3 of 4 words long, 2 of 4 places found.
        assert_eq!(found, [Some(0.5 * 0.75 + 0.5 * 0.5), None, Some(0.0)]);
        let fixed = responses(&rows, Some("red fox"), &Lexical, Weights::default()).unwrap();
        assert_eq!(fixed[0], Some(0.5 * 0.75 + 0.5));
    }

    #[test]
    fn a_similarity_that_fails_or_miscounts_is_told() {
        struct Odd(Result<Vec<f64>, String>);
        impl Similarity for Odd {
            fn name(&self) -> String {
                "odd".into()
            }
            fn similarities(&self, _: &[(&str, &str)]) -> Result<Vec<f64>, String> {
                self.0.clone()
            }
        }
        let copy = perturbed("cat");
        let rows = [Row {
            perturbed: &copy,
            answer: Some("cat"),
        }];
        let of = |odd: Odd| responses(&rows, None, &odd, Weights::default());
        assert_eq!(of(Odd(Err("gone".into()))), Err("gone".into()));
        assert!(
            of(Odd(Ok(vec![])))
                .unwrap_err()
                .contains("0 similarities for 1")
        );
    }
}
