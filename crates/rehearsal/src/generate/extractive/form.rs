//! What kind of question it is.

use text::{
    Language, count_words_of_any_script as count_words, is_function_word, parts, plain, plain_parts,
};

use super::languages;
use super::phrases::{before_instruction, mask_numbers, matter, question, quoted, stated};

/// A question, taken apart.
#[derive(Debug, PartialEq)]
pub enum Form<'a> {
    /// A text with numbered gaps.
    Masks,
    /// Which documents there are on something.
    Sources {
        topic: String,
    },
    /// How a passage goes on.
    Continue {
        passage: &'a str,
    },
    Claim(Claim<'a>),
    /// Anything else: the question itself, and what was said around it.
    Open {
        focus: &'a str,
        rest: String,
    },
}

/// Something to be affirmed or denied.
#[derive(Debug, PartialEq)]
pub struct Claim<'a> {
    pub statement: &'a str,
    /// Whether it is a statement word for word, rather than a question.
    pub literal: bool,
    /// Whether only yes or no is asked for.
    pub brief: bool,
}

const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could", "will",
    "would", "should", "may", "might",
];

const CONTINUE: &[&str] = &[
    "continue",
    "complete this",
    "complete the",
    "finish this",
    "finish the",
    "comes next",
    "comes after",
    "goes on",
    "go on",
    "given the [query]",
    "rest of",
];

const COLLECTIONS: &[&str] = &[
    "source",
    "document",
    "article",
    "paper",
    "reference",
    "citation",
    "file",
    "record",
];

/// What stands for a word that was left out.
const GAP: &str = "___";

/// How just a word is asked for.
const YES_OR_NO: &[&str] = &["yes or no", "yes/no", "yes, no", "\"yes\"", "\"yes,\""];

pub fn parse(text: &str) -> Form<'_> {
    if mask_numbers(text).next().is_some() {
        return Form::Masks;
    }
    let quote = quoted(before_instruction(text));
    let around = match quote {
        Some(quote) => text.replacen(quote, " ", 1).to_lowercase(),
        None => text.to_lowercase(),
    };
    if let Some(passage) = passage(text, quote, &around) {
        return Form::Continue { passage };
    }
    if asks_for_sources(&around) {
        return Form::Sources {
            topic: quote.map_or_else(|| topic(text), str::to_owned),
        };
    }
    claim(text, quote, &around).map_or_else(|| open(text), Form::Claim)
}

fn passage<'a>(text: &'a str, quote: Option<&'a str>, around: &str) -> Option<&'a str> {
    let mut asking = CONTINUE.iter().chain(languages::CONTINUE);
    if !asking.any(|words| around.contains(words)) {
        return None;
    }
    let behind = || {
        text.split_once([':', '\n'])
            .map(|(_, behind)| behind.trim())
    };
    quote
        .or_else(behind)
        .filter(|passage| count_words(passage) >= 3)
}

/// "Which documents …", "Do you have any sources …", "List the articles …".
fn asks_for_sources(around: &str) -> bool {
    let plain = plain_parts(around);
    let near = |place: usize, reach: usize| {
        let mut next = plain.iter().skip(place + 1).take(reach);
        next.any(|word| is_collection(word))
    };
    if languages::SOURCES
        .iter()
        .any(|words| around.contains(words))
    {
        return true;
    }
    let leading = plain.iter().position(|word| word != "please").unwrap_or(0);
    plain
        .iter()
        .enumerate()
        .any(|(place, word)| match word.as_str() {
            "which" | "what" | "any" => near(place, 1),
            "list" | "name" | "cite" | "show" | "give" => place == leading && near(place, 3),
            _ => false,
        })
}

/// The words of a question about documents that are not about documents.
fn topic(text: &str) -> String {
    const ASKING: &[&str] = &[
        "list",
        "name",
        "cite",
        "show",
        "give",
        "please",
        "discuss",
        "discusses",
        "mention",
        "mentions",
        "contain",
        "contains",
        "cover",
        "covers",
    ];
    let matter = matter(text).join(" ");
    let foreign = Language::of(text) != Language::English;
    let telling = plain_parts(&matter).into_iter().filter(|word| {
        let asks = |list: &[&str]| list.contains(&word.as_str());
        let foreign = foreign && asks(languages::ASKING);
        !is_function_word(word) && !is_collection(word) && !asks(ASKING) && !foreign
    });
    telling.collect::<Vec<_>>().join(" ")
}

fn is_collection(word: &str) -> bool {
    COLLECTIONS.contains(&word.strip_suffix('s').unwrap_or(word))
}

fn claim<'a>(text: &'a str, quote: Option<&'a str>, around: &str) -> Option<Claim<'a>> {
    let mut asking = YES_OR_NO.iter().chain(languages::YES_OR_NO);
    let brief = asking.any(|words| around.contains(words));
    let question = question(text);
    let asks = question.is_some_and(asks_yes_or_no);
    let asked_of_quote = quote.is_some() && opens_with_auxiliary(around);
    if !brief && !asks && !asked_of_quote {
        return None;
    }
    if let Some(statement) = quote.filter(|_| asked_of_quote || brief) {
        return Some(Claim {
            statement,
            literal: true,
            brief,
        });
    }
    let whole = question
        .or_else(|| matter(text).last().copied())
        .unwrap_or(text);
    let statement = stated(whole);
    Some(Claim {
        statement: statement.unwrap_or(whole),
        literal: statement.is_some(),
        brief,
    })
}

fn asks_yes_or_no(question: &str) -> bool {
    let mut first = question.split_whitespace().map(plain);
    let auxiliary = first
        .next()
        .is_some_and(|word| AUXILIARIES.contains(&word.as_str()));
    // "Can you tell me …" is politeness.
    auxiliary && first.next().is_some_and(|word| word != "you")
}

fn opens_with_auxiliary(around: &str) -> bool {
    let first = parts(around).next().map(|span| &around[span]);
    first.is_some_and(|word| AUXILIARIES.contains(&word))
}

fn open(text: &str) -> Form<'_> {
    // A sentence with a gap is what is asked about: only in English are the words around it passed over.
    let gap = quoted(text).filter(|quote| quote.contains(GAP));
    if let Some(focus) = gap.filter(|_| Language::of(text) != Language::English) {
        return Form::Open {
            focus,
            rest: String::new(),
        };
    }
    let sentences = matter(text);
    let focus = question(text)
        .or_else(|| sentences.last().copied())
        .unwrap_or(text);
    let rest = sentences.into_iter().filter(|sentence| *sentence != focus);
    Form::Open {
        focus,
        rest: rest.collect::<Vec<_>>().join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claimed(statement: &str, literal: bool, brief: bool) -> Form<'_> {
        Form::Claim(Claim {
            statement,
            literal,
            brief,
        })
    }

    #[test]
    fn a_gap_is_asked_about_in_every_language() {
        for (question, focus) in [
            (
                "Que faut-il mettre dans le blanc de cette phrase ? \"Le moulin de la ville a été construit en _____ par les moines.\"",
                "Le moulin de la ville a été construit en _____ par les moines.",
            ),
            (
                "¿Qué va en el hueco de esta afirmación? \"El molino de la villa fue construido en el año _____ por los monjes.\"",
                "El molino de la villa fue construido en el año _____ por los monjes.",
            ),
        ] {
            let rest = String::new();
            assert_eq!(parse(question), Form::Open { focus, rest }, "{question}");
        }
    }

    #[test]
    fn the_questions_of_auditors_are_told_apart() {
        let text = "the cat sat on the mat.";
        for (question, form) in [
            (format!("Does this:\n\"{text}\"\n appear in the context? Answer with Yes or No."), claimed(text, true, true)),
            (format!("Is this: \"{text}\" right? Answer with \"Yes\" or \"No\"."), claimed(text, true, true)),
            (format!("Is this: \"{text}\" right? Answer with Yes or No."), claimed(text, true, true)),
            ("Is it true that cats sit on mats?".into(), claimed("cats sit on mats", true, false)),
            ("I read about cats. Do cats sit on mats? Answer only with \"Yes,\" \"No,\" or \"I don't know\".".into(), claimed("Do cats sit on mats?", false, true)),
            ("Which documents discuss cats and mats?".into(), Form::Sources { topic: "cats mats".into() }),
            ("Please list the sources on mats.".into(), Form::Sources { topic: "mats".into() }),
            (format!("Do you have any document that says \"{text}\"?"), Form::Sources { topic: text.into() }),
            (format!("Given the [Query]: \"{text}\".\nDo not include any introductory text."), Form::Continue { passage: text }),
            (format!("Continue this text: {text}"), Form::Continue { passage: text }),
            ("Fill in: the [Mask_1] sat on the [MASK_2].".into(), Form::Masks),
            ("What does the document say about cats?".into(), Form::Open { focus: "What does the document say about cats?", rest: String::new() }),
            ("Cats are soft. Can you tell me where they sit?".into(), Form::Open { focus: "Can you tell me where they sit?", rest: "Cats are soft.".into() }),
        ] {
            assert_eq!(parse(&question), form, "{question}");
        }
    }

    #[test]
    fn odd_words_are_open_questions() {
        for text in [
            "",
            " ",
            "\"",
            "[",
            "[mask",
            "[Mask_i]: answer_i",
            "“”",
            "?",
            "Continue:",
            "[mäsk_1]",
        ] {
            assert!(matches!(parse(text), Form::Open { .. }), "{text}");
        }
    }
}
