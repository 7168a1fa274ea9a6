//! Whether an answer answers.

use serde::{Deserialize, Serialize};

use crate::signals::probes::Reply;

/// What an answer is, before one looks at what it says.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Answer,
    /// "I don't know": the service found nothing to say.
    Unknown,
    /// "I can't help with that": the service would not say.
    Refusal,
    /// A filter in front of the model spoke.
    Guardrail,
    Empty,
}

impl Kind {
    pub const ALL: [Kind; 5] = [
        Kind::Answer,
        Kind::Unknown,
        Kind::Refusal,
        Kind::Guardrail,
        Kind::Empty,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Answer => "answers",
            Kind::Unknown => "“I don't know”",
            Kind::Refusal => "refusals",
            Kind::Guardrail => "guardrail messages",
            Kind::Empty => "empty answers",
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str(self.as_str())
    }
}

/// Whether something kept the service from saying what it may know: it would not, a filter spoke,
/// or nothing was left of its answer.
pub fn withheld(kind: Kind) -> bool {
    matches!(kind, Kind::Refusal | Kind::Guardrail | Kind::Empty)
}

/// A refusal speaks early: what comes later may be quoted.
const BEGINNING: usize = 240;

pub fn kind(reply: &Reply) -> Kind {
    if reply.blocked.is_some() {
        return Kind::Guardrail;
    }
    let text = reply.answer.trim();
    if text.is_empty() {
        return Kind::Empty;
    }
    let beginning: String = text.chars().take(BEGINNING).collect();
    let beginning = beginning.to_lowercase().replace('’', "'");
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| beginning.contains(phrase));
    if says(GUARDRAIL) {
        Kind::Guardrail
    } else if says(UNKNOWN) {
        Kind::Unknown
    } else if says(REFUSAL) {
        Kind::Refusal
    } else {
        Kind::Answer
    }
}

static GUARDRAIL: &[&str] = &[
    "content filter",
    "content_filter",
    "content management policy",
    "flagged by",
    "has been flagged",
    "was flagged",
    "blocked by",
    "violates our",
    "violate our",
    "violates the usage",
    "responsible ai",
    "safety policy",
    "guardrail",
    "request was rejected",
    "request has been blocked",
];

static UNKNOWN: &[&str] = &[
    "i don't know",
    "i do not know",
    "don't have enough information",
    "do not have enough information",
    "don't have any information",
    "do not have any information",
    "don't have information",
    "do not have information",
    "don't have specific information",
    "not have access to the specific",
    "no relevant information",
    "no information about",
    "no information on",
    "there is no information",
    "couldn't find",
    "could not find",
    "can't find",
    "cannot find",
    "unable to find",
    "not able to find",
    "i'm not aware of",
    "i am not aware of",
    "not mentioned in",
    "not found in",
    "does not provide",
    "doesn't provide",
    "do not provide",
    "does not contain",
    "doesn't contain",
    "do not contain",
    "is not available in",
    "not enough context",
    "insufficient information",
    "cannot be determined",
    "can't be determined",
    "cannot answer based on",
    "can't answer based on",
    "unknown.",
];

static REFUSAL: &[&str] = &[
    "i can't help",
    "i cannot help",
    "i can't assist",
    "i cannot assist",
    "i'm unable to",
    "i am unable to",
    "i'm not able to",
    "i am not able to",
    "i can't provide",
    "i cannot provide",
    "i can't share",
    "i cannot share",
    "i can't disclose",
    "i cannot disclose",
    "i can't reveal",
    "i cannot reveal",
    "i can't quote",
    "i cannot quote",
    "i can't repeat",
    "i cannot repeat",
    "i can't answer",
    "i cannot answer",
    "i can't comply",
    "i cannot comply",
    "i can't discuss",
    "i cannot discuss",
    "i won't be able to",
    "i must decline",
    "i have to decline",
    "against my guidelines",
    "as an ai language model, i can",
    "sorry, but i can't",
    "sorry, i can't",
    "sorry, but i cannot",
    "sorry, i cannot",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(answer: &str) -> Kind {
        kind(&Reply {
            answer: answer.into(),
            ..Reply::default()
        })
    }

    #[test]
    fn tells_the_kinds_apart() {
        assert_eq!(kind_of("  \n"), Kind::Empty);
        assert_eq!(
            kind_of("I don’t know based on the available documents."),
            Kind::Unknown
        );
        assert_eq!(
            kind_of("I'm sorry, but I can't help with that."),
            Kind::Refusal
        );
        assert_eq!(
            kind_of("Your request was flagged by the moderation layer."),
            Kind::Guardrail
        );
        assert_eq!(kind_of("The trial enrolled 420 patients."), Kind::Answer);
        let blocked = Reply {
            answer: "anything".into(),
            blocked: Some("content_filter".into()),
            ..Reply::default()
        };
        assert_eq!(kind(&blocked), Kind::Guardrail);
    }

    #[test]
    fn a_late_phrase_is_no_refusal() {
        let long = format!("{} I don't know.", "The study found an effect. ".repeat(20));
        assert_eq!(kind_of(&long), Kind::Answer);
    }
}
