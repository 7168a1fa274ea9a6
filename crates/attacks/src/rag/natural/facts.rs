//! What a document says that can be asked for: numbers, names and rare words, with what stands around them.

use text::{DocumentFrequencies, Language, Word, is_name, is_number, is_unspaced, stem, words};

/// What kind of thing is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactKind<'a> {
    /// So many of these.
    Count(&'a str),
    Share,
    Year,
    Value,
    Name,
    Term,
}

#[derive(Clone, Debug)]
pub struct Fact<'a> {
    pub kind: FactKind<'a>,
    /// As the document writes it, folded.
    pub answer: String,
    /// What stands around it, in short runs of words, its own sentence first.
    pub phrases: Vec<&'a str>,
    telling: f64,
}

/// Words of a phrase at most.
const PHRASE: usize = 3;
/// Of a sentence and its neighbours.
const MOST_PHRASES: usize = 8;

impl Fact<'_> {
    /// Other ways to write the same.
    pub fn spellings(&self) -> Vec<String> {
        let word = &self.answer;
        let mut all = vec![word.clone()];
        let bare = word.trim_end_matches('%');
        if is_number(word) {
            all.extend([bare.replace(',', ""), bare.to_owned()]);
            if self.kind == FactKind::Share {
                all.extend(["percent", "per cent"].map(|unit| format!("{bare} {unit}")));
            }
        } else {
            all.extend([format!("{word}s"), word.trim_end_matches('s').to_owned()]);
        }
        let mut seen = std::collections::HashSet::new();
        all.retain(|spelling| spelling.chars().count() > 1 && seen.insert(spelling.clone()));
        all
    }
}

/// The facts of a text that few documents share, one of every sentence before the second of any, the most
/// telling first.
pub fn facts<'a>(
    text: &'a str,
    frequencies: &DocumentFrequencies,
    language: Language,
) -> Vec<Fact<'a>> {
    let sentences = language.sentences(text);
    let cut: Vec<Vec<Word>> = sentences.iter().map(|sentence| words(sentence)).collect();
    let mut found: Vec<(usize, Fact)> = Vec::new();
    for (place, sentence) in sentences.iter().enumerate() {
        let around = [Some(place), place.checked_add(1), place.checked_sub(1)];
        let around = around
            .into_iter()
            .flatten()
            .filter(|&near| near < sentences.len());
        let around: Vec<(&'a str, &[Word])> = around
            .map(|near| (sentences[near], cut[near].as_slice()))
            .collect();
        let mut here: Vec<(usize, FactKind, f64)> = (0..cut[place].len())
            .filter_map(|word| {
                let (kind, telling) = kind(sentence, &cut[place], word, frequencies, language)?;
                Some((word, kind, telling))
            })
            .collect();
        here.sort_by(|one, other| other.2.total_cmp(&one.2));
        let facts = here
            .into_iter()
            .filter_map(|(word, kind, telling)| {
                let phrases = phrases(&cut[place][word], kind, &around, language)?;
                Some(Fact {
                    kind,
                    answer: cut[place][word].folded.clone(),
                    phrases,
                    telling,
                })
            })
            .take(2);
        found.extend(facts.enumerate());
    }
    found.sort_by(|one, other| {
        let telling = other.1.telling.total_cmp(&one.1.telling);
        one.0.cmp(&other.0).then(telling)
    });
    let mut seen = std::collections::HashSet::new();
    let facts = found.into_iter().map(|(_, fact)| fact);
    facts
        .filter(|fact| seen.insert(fact.answer.clone()))
        .collect()
}

/// What stands around a word, its own sentence first; nothing where that is too little to ask by.
fn phrases<'a>(
    word: &Word,
    kind: FactKind,
    around: &[(&'a str, &[Word])],
    language: Language,
) -> Option<Vec<&'a str>> {
    let noun = match kind {
        FactKind::Count(noun) => Some(stem(noun.to_lowercase())),
        _ => None,
    };
    let answer = stem(word.folded.clone());
    let left_out = |other: &Word| {
        let stem = stem(other.folded.clone());
        stem == answer || Some(&stem) == noun.as_ref() || other.folded.contains(&word.folded)
    };
    let mut phrases: Vec<&str> = Vec::new();
    for (sentence, words) in around {
        for phrase in phrases_of(sentence, words, language, &left_out) {
            if phrases.len() < MOST_PHRASES && !phrases.contains(&phrase) {
                phrases.push(phrase);
            }
        }
    }
    (phrases.len() >= 2).then_some(phrases)
}

/// Numbers are told from each other best, then names, then rare words; what many documents hold is nothing.
fn kind<'a>(
    sentence: &'a str,
    all: &[Word],
    place: usize,
    frequencies: &DocumentFrequencies,
    language: Language,
) -> Option<(FactKind<'a>, f64)> {
    let word = &all[place];
    // Ranges and genitives are written in too many ways.
    let plain = !word.folded.contains(['\'', '’']);
    if !plain || !frequencies.is_rare(&word.folded) {
        return None;
    }
    let rarity = frequencies.rarity(&word.folded);
    if is_number(&word.folded) {
        let digits = word.folded.chars().filter(char::is_ascii_digit).count();
        let next = all.get(place + 1);
        let kind = number_kind(sentence, word, next, language);
        // One digit turns up in any answer.
        let range = word.folded.contains('-');
        return (digits >= 2 && !range).then_some((kind, 20.0 + digits as f64));
    }
    let letters = word
        .folded
        .chars()
        .filter(|letter| letter.is_alphabetic())
        .count();
    if is_name(sentence, word) && letters >= 3 {
        return Some((FactKind::Name, 10.0 + rarity));
    }
    let term = letters >= 6 || (letters >= 2 && word.folded.chars().all(is_unspaced));
    term.then_some((FactKind::Term, rarity))
}

/// In small letters, or where a language has others: nouns of German, and scripts without them.
fn is_a_word(written: &str) -> bool {
    let small = written.chars().skip(1).all(char::is_lowercase);
    match written.chars().all(is_unspaced) {
        true => written.chars().count() > 1,
        false => small && written.chars().count() > 3,
    }
}

fn number_kind<'a>(
    sentence: &'a str,
    word: &Word,
    next: Option<&Word>,
    language: Language,
) -> FactKind<'a> {
    let unit = next.map(|next| next.folded.as_str());
    if word.folded.ends_with('%')
        || matches!(unit, Some("percent" | "per" | "prozent" | "pour" | "por"))
    {
        return FactKind::Share;
    }
    let whole = word
        .folded
        .chars()
        .all(|letter| letter.is_ascii_digit() || letter == ',');
    let year = word
        .folded
        .parse::<u32>()
        .is_ok_and(|year| (1500..2100).contains(&year));
    if year && word.folded.len() == 4 {
        return FactKind::Year;
    }
    let noun = next.filter(|next| {
        let written = &sentence[next.range.clone()];
        sentence[word.range.end..next.range.start].trim().is_empty()
            && written.chars().all(char::is_alphabetic)
            && is_a_word(written)
            && language.is_content(&next.folded)
    });
    match noun {
        Some(noun) if whole => FactKind::Count(&sentence[noun.range.clone()]),
        _ => FactKind::Value,
    }
}

/// Runs of telling words with nothing but blanks between them, no longer than a few words each.
fn phrases_of<'a>(
    sentence: &'a str,
    all: &[Word],
    language: Language,
    left_out: &impl Fn(&Word) -> bool,
) -> Vec<&'a str> {
    let mut phrases: Vec<(usize, &str)> = Vec::new();
    let mut run: Vec<&Word> = Vec::new();
    let close = |run: &mut Vec<&Word>, phrases: &mut Vec<(usize, &'a str)>| {
        if let (Some(first), Some(last)) = (run.first(), run.last()) {
            let phrase = &sentence[first.range.start..last.range.end];
            phrases.push((run.len(), phrase));
        }
        run.clear();
    };
    for word in all {
        let fits = language.is_content(&word.folded) && !is_number(&word.folded) && !left_out(word);
        let touches = run
            .last()
            .is_none_or(|last| ["", " "].contains(&&sentence[last.range.end..word.range.start]));
        if !fits || !touches || run.len() == PHRASE {
            close(&mut run, &mut phrases);
        }
        if fits {
            run.push(word);
        }
    }
    close(&mut run, &mut phrases);
    // Longer ones say more; of equals the earlier.
    phrases.sort_by_key(|(words, _)| std::cmp::Reverse(*words));
    phrases.into_iter().map(|(_, phrase)| phrase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "A survey of 1,250 patients with chronic asthma compared steroid inhalers. Attacks fell by \
                        37% in the treated group. Poiret and Lamarck named the remedy in 1822 near Lyon.";

    #[test]
    fn kinds_are_told_by_what_stands_beside() {
        let frequencies = DocumentFrequencies::new([TEXT].into_iter());
        let found = facts(TEXT, &frequencies, Language::English);
        let kind_of = |answer: &str| {
            let mut facts = found.iter();
            facts
                .find(|fact| fact.answer == answer)
                .map(|fact| fact.kind)
        };
        assert_eq!(kind_of("1,250"), Some(FactKind::Count("patients")));
        assert_eq!(kind_of("37%"), Some(FactKind::Share));
        assert_eq!(kind_of("1822"), Some(FactKind::Year));
        assert!(
            found.iter().any(|fact| fact.kind == FactKind::Name),
            "{found:?}"
        );
        for fact in &found {
            assert!(
                fact.phrases.iter().all(|phrase| TEXT.contains(phrase)),
                "{fact:?}"
            );
            assert!(
                !fact
                    .phrases
                    .iter()
                    .any(|phrase| phrase.contains(&fact.answer)),
                "{fact:?}"
            );
        }
    }

    #[test]
    fn facts_are_found_in_other_languages() {
        for (text, answer, kind) in [
            (
                "In Lyon wurden 420 Patienten mit chronischem Asthma in zwei Gruppen behandelt.",
                "420",
                FactKind::Count("Patienten"),
            ),
            (
                "À Lyon, 37 pour cent des malades avec un asthme sévère ont reçu le traitement oral.",
                "37",
                FactKind::Share,
            ),
            (
                "在北京大学研究了420名哮喘患者的治疗效果。",
                "420",
                FactKind::Value,
            ),
        ] {
            let frequencies = DocumentFrequencies::new([text].into_iter());
            let found = facts(text, &frequencies, Language::of(text));
            let fact = found.iter().find(|fact| fact.answer == answer);
            assert_eq!(fact.map(|fact| fact.kind), Some(kind), "{found:?}");
        }
    }

    #[test]
    fn spellings_are_those_of_other_writers() {
        let fact = |answer: &str, kind| Fact {
            kind,
            answer: answer.into(),
            phrases: Vec::new(),
            telling: 0.0,
        };
        assert_eq!(
            fact("1,250", FactKind::Value).spellings(),
            ["1,250", "1250"]
        );
        let share = fact("37%", FactKind::Share).spellings();
        assert_eq!(share, ["37%", "37", "37 percent", "37 per cent"]);
        assert_eq!(
            fact("receptor", FactKind::Term).spellings(),
            ["receptor", "receptors"]
        );
    }

    #[test]
    fn what_many_say_is_no_fact() {
        let texts: Vec<String> = (0..40)
            .map(|number| format!("The common registry lists patient {number}{number}{number} with seasonal asthma."))
            .collect();
        let frequencies = DocumentFrequencies::new(texts.iter().map(String::as_str));
        let found = facts(&texts[3], &frequencies, Language::English);
        let answers: Vec<&str> = found.iter().map(|fact| fact.answer.as_str()).collect();
        assert_eq!(answers, ["333"]);
    }
}
