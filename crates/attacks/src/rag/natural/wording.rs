//! The words around what is asked: short, so that they lead to no document by themselves.

use text::Language;

use super::facts::{Fact, FactKind};

/// How somebody asks.
pub struct Wording {
    /// What it is about; `{}` stands for the phrases.
    about: [&'static str; 3],
    /// `{}` stands for what is counted.
    count: [&'static str; 2],
    share: [&'static str; 2],
    year: [&'static str; 2],
    value: [&'static str; 2],
    name: [&'static str; 2],
    term: [&'static str; 2],
    and: &'static str,
    /// Between phrases, between what it is about and what is asked, and between two questions.
    between: &'static str,
    comma: &'static str,
    also: &'static str,
    mark: &'static str,
    /// Short answers quote nothing, so that nothing that looks for quotations holds them back.
    brief: &'static str,
}

static ENGLISH: Wording = Wording {
    about: ["With {}", "On {}", "As for {}"],
    count: ["how many {} were there", "what was the number of {}"],
    share: ["what percentage was it", "how many percent was it"],
    year: ["which year was it", "in what year was it"],
    value: ["what was the number", "which figure was it"],
    name: ["which name is there", "who or what is named"],
    term: ["what else is there", "which term is there"],
    and: " and ",
    between: ", ",
    comma: ", ",
    also: ", and ",
    mark: "?",
    brief: " Answer in a few words.",
};

static GERMAN: Wording = Wording {
    about: ["Bei {}", "Zu {}", "Im Fall von {}"],
    count: ["wie viele {} waren es", "wie groß war die Zahl der {}"],
    share: ["wie viel Prozent waren es", "wie hoch war der Anteil"],
    year: ["welches Jahr war es", "in welchem Jahr war es"],
    value: ["welche Zahl war es", "wie hoch war der Wert"],
    name: ["welcher Name gehört dazu", "wer oder was ist dabei genannt"],
    term: ["was gehört noch dazu", "welcher Begriff gehört dazu"],
    and: " und ",
    between: ", ",
    comma: ", ",
    also: ", und ",
    mark: "?",
    brief: " Antworte in wenigen Worten.",
};

static FRENCH: Wording = Wording {
    about: ["Pour {}", "Avec {}", "Dans le cas de {}"],
    count: ["combien de {} y avait-il", "quel était le nombre de {}"],
    share: ["quel était le pourcentage", "combien pour cent était-ce"],
    year: ["quelle année était-ce", "en quelle année était-ce"],
    value: ["quel était le chiffre", "quelle était la valeur"],
    name: ["quel nom y est donné", "qui ou quoi y est nommé"],
    term: ["quoi d'autre y est lié", "quel terme y est lié"],
    and: " et ",
    between: ", ",
    comma: ", ",
    also: ", et ",
    mark: " ?",
    brief: " Réponds en quelques mots.",
};

static SPANISH: Wording = Wording {
    about: ["Con {}", "Sobre {}", "En el caso de {}"],
    count: ["¿cuántos {} había", "¿cuál era el número de {}"],
    share: ["¿qué porcentaje era", "¿cuánto por ciento era"],
    year: ["¿qué año era", "¿en qué año fue"],
    value: ["¿cuál era la cifra", "¿qué valor tenía"],
    name: ["¿qué nombre aparece", "¿quién o qué se nombra"],
    term: ["¿qué más aparece", "¿qué término aparece"],
    and: " y ",
    between: ", ",
    comma: ", ",
    also: ", y ",
    mark: "?",
    brief: " Responde en pocas palabras.",
};

static CHINESE: Wording = Wording {
    about: ["关于{}", "就{}而言", "说到{}"],
    count: ["有多少{}", "{}的数量是多少"],
    share: ["百分比是多少", "占百分之多少"],
    year: ["是哪一年", "那是在哪一年"],
    value: ["数字是多少", "数值是多少"],
    name: ["有哪个名字", "提到谁或什么"],
    term: ["还有什么", "有哪个词"],
    and: "和",
    between: "、",
    comma: "，",
    also: "，还有",
    mark: "？",
    brief: "请用几个词回答。",
};

pub fn of(language: Language) -> &'static Wording {
    match language {
        Language::English => &ENGLISH,
        Language::German => &GERMAN,
        Language::French => &FRENCH,
        Language::Spanish => &SPANISH,
        Language::Chinese => &CHINESE,
    }
}

impl Wording {
    /// For a fact among these phrases; no mark at its end.
    pub fn ask(&self, fact: &Fact, phrases: &[&str], turn: usize) -> String {
        let about = self.about[turn % self.about.len()].replace("{}", &self.list(phrases));
        let pick = |wordings: &[&'static str; 2]| wordings[turn % 2];
        let asked = match fact.kind {
            FactKind::Count(noun) => pick(&self.count).replace("{}", noun),
            FactKind::Share => pick(&self.share).to_owned(),
            FactKind::Year => pick(&self.year).to_owned(),
            FactKind::Value => pick(&self.value).to_owned(),
            FactKind::Name => pick(&self.name).to_owned(),
            FactKind::Term => pick(&self.term).to_owned(),
        };
        format!("{about}{}{asked}", self.comma)
    }

    /// Two questions in one sentence.
    pub fn both(&self, one: &str, other: &str) -> String {
        let mut letters = other.chars();
        let other = letters
            .next()
            .map(|first| first.to_lowercase().chain(letters).collect::<String>());
        format!("{one}{}{}", self.also, other.unwrap_or_default())
    }

    /// A sentence, and the wish for a short answer.
    pub fn end(&self, asked: &str) -> String {
        format!("{asked}{}{}", self.mark, self.brief)
    }

    fn list(&self, phrases: &[&str]) -> String {
        match phrases.split_last() {
            None => String::new(),
            Some((last, [])) => (*last).to_owned(),
            Some((last, before)) => format!("{}{}{last}", before.join(self.between), self.and),
        }
    }
}
