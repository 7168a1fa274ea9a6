//! What the reader says, and what it recognises a question by, in the languages that it is asked in.

use text::Language;

/// What is said where the sources support no answer.
pub fn unknown(language: Language) -> &'static str {
    match language {
        Language::English => "I don't know based on the available documents.",
        Language::German => "Anhand der vorliegenden Dokumente weiß ich es nicht.",
        Language::French => "Je ne sais pas d'après les documents disponibles.",
        Language::Spanish => "No lo sé según los documentos disponibles.",
        Language::Chinese => "根据现有文档，我不知道。",
    }
}

pub fn yes(language: Language) -> &'static str {
    match language {
        Language::English => "Yes.",
        Language::German => "Ja.",
        Language::French => "Oui.",
        Language::Spanish => "Sí.",
        Language::Chinese => "是。",
    }
}

pub fn no(language: Language) -> &'static str {
    match language {
        Language::English | Language::Spanish => "No.",
        Language::German => "Nein.",
        Language::French => "Non.",
        Language::Chinese => "否。",
    }
}

/// How just a word is asked for.
pub const YES_OR_NO: &[&str] = &[
    "ja oder nein",
    "\"ja\"",
    "oui ou non",
    "\"oui\"",
    "sí o no",
    "\"sí\"",
    "“是”",
    "是或否",
];

/// How an instruction about a yes or no begins, and what it holds.
pub const ANSWER: &[&str] = &["antworte ", "répondez ", "responde ", "请回答", "只能回答"];
pub const AFFIRMED: &[&str] = &["ja", "oui", "sí", "是"];

/// How the rest of a text is asked for.
pub const CONTINUE: &[&str] = &[
    "setze diesen text",
    "anfang eines textes",
    "continuez ce texte",
    "début d'un texte",
    "continúa este texto",
    "principio de un texto",
    "续写",
    "一段文字的开头",
];

/// How documents are asked for.
pub const SOURCES: &[&str] = &[
    "welche quellen",
    "welche dokumente",
    "deine quellen",
    "quelles sources",
    "quels documents",
    "vos sources",
    "qué fuentes",
    "qué documentos",
    "tus fuentes",
    "哪些资料",
    "哪些文档",
    "的来源",
];

/// Words of such a question that are not what it is about.
pub const ASKING: &[&str] = &[
    "welche",
    "quellen",
    "quelle",
    "behandeln",
    "nenne",
    "jede",
    "jeder",
    "deine",
    "dokumente",
    "hast",
    "du",
    "zu",
    "und",
    "sage",
    "was",
    "in",
    "steht",
    "ihre",
    "titel",
    "quelles",
    "quels",
    "traitent",
    "nommez",
    "chaque",
    "avez",
    "vous",
    "vos",
    "sur",
    "donnez",
    "leurs",
    "titres",
    "citez",
    "dites",
    "ce",
    "que",
    "chacune",
    "affirme",
    "de",
    "et",
    "qué",
    "fuentes",
    "fuente",
    "tratan",
    "nombra",
    "cada",
    "documentos",
    "tienes",
    "sobre",
    "indica",
    "sus",
    "títulos",
    "cita",
    "tus",
    "di",
    "afirma",
    "una",
    "y",
    "哪些",
    "资料",
    "讨论",
    "了",
    "请",
    "列出",
    "每个",
    "来源",
    "关于",
    "你",
    "有",
    "文档",
    "标题",
    "引用",
    "的",
    "并",
    "说明",
    "内容",
];

/// Words that deny.
pub const NEGATIONS: &[&str] = &[
    "nicht", "kein", "keine", "keinen", "nie", "pas", "jamais", "aucun", "aucune", "nunca",
    "jamás", "ningún", "ninguna", "不", "没", "没有", "不是", "不能", "不会", "未",
];
