//! The page: attacks, ablations, and what is published beside ours.

use super::measured::{Measured, SetMeasured};
use super::published::{CHOICES, Choice, PUBLISHED, auc};
use super::{ABLATIONS, ATTACKS, EZ, Ez};
use crate::study::doubts;
use crate::study::markdown::{code, header, row};
use report::escape_markdown;

pub fn markdown(study: &Ez) -> String {
    let mut page = head(study);
    let doubted = study.sets.iter();
    page += &doubts::section(doubted.map(|set| (set.name.as_str(), set.doubts.as_slice())));
    page += &attacks(study);
    page += &ablations(study);
    page += &published(study);
    for choice in &CHOICES {
        page += &beside(study, choice);
    }
    page + OTHERWISE
}

/// Members that something is compared with in multiples.
const FEWEST: f64 = 10.0;

const OTHERWISE: &str = "
## What is done otherwise than in the paper

- **TPR at a rate** is the step rule's, never interpolated on the ROC curve: it is never above the published way of
  counting.
- **The epoch with the least loss on a validation set** is kept by the published code. Here a data set is what it is:
  give each epoch as one of its own.
- **`ez`** scores a text without an error, or without a fall, infinity, as the paper's formula has it; `ez-published` scores it 0, as
  the published code does.
- **Prompts for a distilled reference** come from wherever who made the signals took them.

## Again

```sh
guestlist study ez                                # the speeches that come with guestlist
guestlist study ez full-3=full.parquet lora-3=lora.parquet --out study
```

Token signals of models of your own come from `guestlist run` (kind `lm`) or, in Python, `guestlist.collect.tokens`.
`guestlist explain ez`, `guestlist explain ratio` and so on say what each attack does.
";

fn head(study: &Ez) -> String {
    let with = match &study.about {
        Some(_) => ", with what stands behind *About the data* as its `--about`",
        None => "",
    };
    let mut text = format!(
        "# EZ-MIA's experiments, run again\n\n\
         This page is made by {}{with}; every number of ours in it was measured by that command. The paper is \"Powerful \
         Training-Free Membership Inference Against Autoregressive Language Models\" (arXiv:2601.12104). What is marked \
         as published was taken from a third party's summary of it and not compared with the paper's own tables.\n\n",
        code(&study.command)
    );
    if let Some(about) = &study.about {
        text += &format!("*About the data*: {}\n\n", escape_markdown(about));
    }
    text += "An attack's AUC has half of its 95% interval behind ±, then come TPR at 1% and at 0.1%. Guessing gives 0.500 / \
             1.0% / 0.1%; a rate that takes more non-members than there are is left out (–).\n\n";
    text += &header("data", &["members", "non-members"]);
    for set in &study.sets {
        let counts = [set.members, set.nonmembers].into_iter();
        text += &row(
            &escape_markdown(&set.name),
            counts.map(|count| count.to_string()),
        );
    }
    let unknown: usize = study.sets.iter().map(|set| set.unknown).sum();
    if unknown > 0 {
        text += &format!("\nTexts of unknown membership were left out: {unknown}.\n");
    }
    text
}

fn attacks(study: &Ez) -> String {
    let mut text = format!("\n## Attacks\n\n{}", header("data", &ATTACKS));
    for set in &study.sets {
        let cells = ATTACKS.iter().map(|id| measures(set.attack(id)));
        text += &row(&escape_markdown(&set.name), cells);
    }
    let skipped: Vec<String> = study.sets.iter().flat_map(skipped).collect();
    match skipped.is_empty() {
        true => text,
        false => text + &format!("\nNot judged: {}.\n", skipped.join("; ")),
    }
}

fn skipped(set: &SetMeasured) -> impl Iterator<Item = String> {
    set.attacks.iter().filter_map(|attack| {
        let why = attack.skipped.as_deref()?;
        Some(format!(
            "`{}` of {}: {}",
            attack.name,
            escape_markdown(&set.name),
            escape_markdown(why)
        ))
    })
}

fn ablations(study: &Ez) -> String {
    let mut text = format!(
        "\n## Which of its parts matter\n\n{}",
        header("`ez` with", &columns(&[], study))
    );
    for ablation in &ABLATIONS {
        let cells = study.sets.iter();
        let cells = cells.map(|set| measures(set.ablation(ablation.name)));
        text += &row(ablation.name, cells);
    }
    text
}

fn published(study: &Ez) -> String {
    let mut text = format!(
        "\n## Published beside ours\n\nWhat is published is of full fine-tunes of other models on other texts, by the summary \
         named above.\n\n{}",
        header("", &columns(&["published"], study))
    );
    for one in &PUBLISHED {
        let here = study.sets.iter().map(|set| dashed((one.here)(set)));
        let cells = std::iter::once(one.said.to_owned()).chain(here);
        text += &row(one.name, cells);
    }
    text
}

/// Data sets whose names differ in one of the two words alone.
fn beside(study: &Ez, choice: &Choice) -> String {
    let [one, other] = choice.words;
    let mut rows = String::new();
    for set in &study.sets {
        let theirs = study.sets.iter().find(|theirs| {
            let mine = words(&set.name);
            mine.contains(&one.to_owned()) && swapped(&mine, one, other) == words(&theirs.name)
        });
        let Some(theirs) = theirs else { continue };
        let (ours, theirs_ez) = (set.attack(EZ), theirs.attack(EZ));
        let difference = auc(ours).zip(auc(theirs_ez));
        let difference = difference.map(|(a, b)| format!("{:+.3}", a - b));
        let rate = |place: usize| {
            let [one, other] = [ours, theirs_ez].map(|one| one.and_then(|one| one.tpr[place]));
            let caught = other.unwrap_or_default() * theirs.members as f64;
            times(one, other.filter(|_| caught >= FEWEST))
        };
        let cells = [
            measures(ours),
            measures(theirs_ez),
            dashed(difference),
            dashed(rate(0)),
            dashed(rate(1)),
        ];
        let name = format!(
            "{}, {}",
            escape_markdown(&set.name),
            escape_markdown(&theirs.name)
        );
        rows += &row(&name, cells.into_iter());
    }
    if rows.is_empty() {
        return String::new();
    }
    let columns = [
        one,
        other,
        "less, AUC",
        "times, TPR at 1%",
        "times, TPR at 0.1%",
    ];
    format!(
        "\n## {}\n\n{} How many times as often is left out where fewer than {FEWEST} members are caught: a few \
         more or less decide it.\n\n{}{rows}",
        choice.title,
        choice.said,
        header("`ez` on", &columns)
    )
}

fn words(name: &str) -> Vec<String> {
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    words.map(str::to_lowercase).collect()
}

fn swapped(words: &[String], one: &str, other: &str) -> Vec<String> {
    let swap = |word: &String| match word == one {
        true => other.to_owned(),
        false => word.clone(),
    };
    words.iter().map(swap).collect()
}

fn columns(first: &[&str], study: &Ez) -> Vec<String> {
    let names = study.sets.iter().map(|set| escape_markdown(&set.name));
    let first = first.iter().map(|name| (*name).to_owned());
    first.chain(names).collect()
}

fn measures(measured: Option<&Measured>) -> String {
    let Some((measured, auc)) = measured.and_then(|one| Some((one, one.auc?))) else {
        return "–".into();
    };
    let [hundredth, thousandth] = measured.tpr.map(|rate| dashed(rate.map(percent)));
    let half = (auc.high - auc.low) / 2.0;
    format!("{:.3} ± {half:.3} / {hundredth} / {thousandth}", auc.value)
}

fn dashed(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".into())
}

pub fn percent(rate: f64) -> String {
    format!("{:.1}%", 100.0 * rate)
}

/// How many times the one the other is; nothing where that is nothing.
pub fn times(one: Option<f64>, other: Option<f64>) -> Option<String> {
    let (one, other) = one.zip(other)?;
    (other > 0.0).then(|| format!("{:.1} times", one / other))
}
