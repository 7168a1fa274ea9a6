//! Whether an answer answers.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use serde::{Deserialize, Serialize};
use text::is_unspaced;

use super::evasive::evasive;
use crate::rag::phrases::{Phrases, simplified};
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
    let beginning: String = match beginning.chars().any(is_unspaced) {
        true => beginning.chars().map(simplified).collect(),
        false => beginning,
    };
    let found = match &*SEARCH {
        // All phrases at once; the first in the list counts, wherever it stands.
        Some(search) => {
            let found = search.find_overlapping_iter(&beginning);
            found.map(|found| found.pattern().as_usize()).min()
        }
        None => first_said(&beginning),
    };
    match found {
        Some(place) => SAID[place].1,
        None => evasive(&beginning).unwrap_or(Kind::Answer),
    }
}

/// What shows that an answer is none, in every language, for a service may answer in another than it was asked
/// in. A filter's words count before those of somebody who does not know, and these before a refusal.
static SAID: LazyLock<Vec<(&'static str, Kind)>> = LazyLock::new(|| {
    let of = |of: fn(&Phrases) -> &'static [&'static str], kind: Kind| {
        Phrases::all().flat_map(move |words| of(words).iter().map(move |phrase| (*phrase, kind)))
    };
    let guardrail = of(|words| words.guardrail, Kind::Guardrail);
    let unknown = of(|words| words.unknown, Kind::Unknown);
    let refusal = of(|words| words.refusal, Kind::Refusal);
    guardrail.chain(unknown).chain(refusal).collect()
});

static SEARCH: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(SAID.iter().map(|(phrase, _)| phrase)).ok());

/// One phrase after the other.
fn first_said(beginning: &str) -> Option<usize> {
    let mut said = SAID.iter();
    said.position(|(phrase, _)| beginning.contains(phrase))
}

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
    fn other_languages_are_understood() {
        for answer in [
            "Das weiß ich nicht; in den Dokumenten steht nichts dazu.",
            "Je ne sais pas, d'après les documents disponibles.",
            "No lo sé según los documentos disponibles.",
            "根据现有文档，我不知道。",
            "資料中沒有相關內容。",
            "我不曉得。",
            "根據現有檔案，我不知道。",
            "文件沒有提到這一點。",
            "找不到答案，資訊不足。",
            "Die Dokumente enthalten keine Angaben dazu.",
            "El contexto no menciona eso: no se menciona ninguna cifra.",
        ] {
            assert_eq!(kind_of(answer), Kind::Unknown, "{answer}");
        }
        for answer in [
            "Es tut mir leid, aber ich kann diese Anfrage nicht bearbeiten.",
            "Désolé, je ne peux pas vous aider sur ce point.",
            "Lo siento, no puedo ayudarte con eso.",
            "抱歉，我无法协助处理这个请求。",
            "抱歉，我無法協助處理這個請求。",
            "很抱歉，無法提供這些資訊。",
        ] {
            assert_eq!(kind_of(answer), Kind::Refusal, "{answer}");
        }
        for answer in [
            "Die Studie schloss 420 Patienten ein, von denen 17 nicht erschienen.",
            "L'étude a inclus 420 patients, dont 17 ne sont pas venus.",
            "El estudio incluyó a 420 pacientes y duró un año.",
            "该研究纳入了420名患者，历时一年。",
            "該研究發現兩者沒有相關性。",
        ] {
            assert_eq!(kind_of(answer), Kind::Answer, "{answer}");
        }
    }

    #[test]
    fn all_phrases_at_once_are_found_as_one_after_the_other() {
        for (place, (phrase, kind)) in SAID.iter().enumerate() {
            for other in [0, place / 2, SAID.len() - 1] {
                let answer = format!("x {} {phrase}", SAID[other].0);
                let first = first_said(&answer).unwrap();
                assert!(first <= place.min(other));
                assert_eq!(kind_of(&answer), SAID[first].1, "{answer} {kind:?}");
            }
        }
        assert_eq!(first_said("the trial enrolled 420 patients"), None);
    }

    #[test]
    fn a_late_phrase_is_no_refusal() {
        let long = format!("{} I don't know.", "The study found an effect. ".repeat(20));
        assert_eq!(kind_of(&long), Kind::Answer);
    }
}
