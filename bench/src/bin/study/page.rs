//! What stands around the numbers, and tables in Markdown.

/// A GitHub table; the first column to the left, numbers to the right.
pub fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|---|", heads.join(" | "));
    text += &"---:|".repeat(heads.len() - 1);
    text.push('\n');
    for row in rows {
        text += &format!("| {} |\n", row.join(" | "));
    }
    text
}

/// A p-value with the digits that matter.
pub fn p_value(p: f64) -> String {
    match p {
        p if p < 1e-300 => "<1e-300".to_owned(),
        p if p < 1e-4 => format!("{p:.0e}"),
        p => format!("{p:.4}"),
    }
}

/// What a section has to say, and in one sentence.
pub struct Part {
    pub brief: Vec<String>,
    pub text: String,
}

pub fn head(runs: u64, parts: &[Part]) -> String {
    let brief = parts.iter().flat_map(|part| &part.brief);
    let brief: String = brief.map(|line| format!("- {line}\n")).collect();
    format!(
        "# Few-shot attacks and Log-MIA: what is published, what chance gives, what leaks

This page is made by `cargo xtask study few-shot --location DIR`; every number below is computed by
that command, {runs} runs per number of shots, seed 0. The paper is D. Jiménez-López, N.
Rodríguez-Barroso, M. V. Luzón and F. Herrera, \"Membership Inference Attacks fueled by Few-Shot
Learning to detect privacy leakage tackling data integrity\"; table numbers are its own.

Log-MIA counts the members caught with no false positive (regime A) or with FP_B = ⌈ln n⌉ of them
(regime B), on a logarithmic scale: ln(TP + 1) / ln(n₊ + 1). A score that says nothing also catches
members by luck. How many has an exact distribution (negative hypergeometric), so every value can be
put beside what chance gives.

In short:

{brief}"
    )
}

pub fn foot() -> String {
    "## Again

```sh
cargo xtask study few-shot                        # digits alone
cargo xtask study few-shot --location DIR         # and Location30
```

`guestlist explain log-mia`, `guestlist explain fes-ss` and [the guide](guide-few-shot.md) say what
the words mean.
"
    .into()
}
