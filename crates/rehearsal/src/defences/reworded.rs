//! `paraphrase` without a language model: common words exchanged for others that mean the same, small
//! words left out, and sentences in another order. Names and numbers stay, as they would in anybody's words.

use text::split_sentences;

/// Words and what is said in their place.
#[rustfmt::skip]
static SYNONYMS: &[(&str, &str)] = &[
    ("also", "too"), ("although", "though"), ("analysis", "examination"), ("assess", "gauge"),
    ("assessed", "gauged"), ("associated", "linked"), ("because", "since"), ("caused", "led to"),
    ("children", "kids"), ("common", "frequent"), ("compared", "set against"), ("conclude", "hold"),
    ("contains", "has"), ("decrease", "drop"), ("decreased", "dropped"), ("demonstrate", "show"),
    ("demonstrated", "showed"), ("despite", "in spite of"), ("determine", "find out"),
    ("developed", "built"), ("due", "owing"), ("during", "in the course of"), ("effect", "influence"),
    ("effects", "influences"), ("evidence", "proof"), ("examined", "looked at"), ("fewer", "not as many"),
    ("found", "saw"), ("great", "large"), ("hence", "so"), ("however", "but"), ("identified", "spotted"),
    ("important", "weighty"), ("improve", "better"), ("improved", "bettered"), ("include", "take in"),
    ("included", "took in"), ("increase", "rise"), ("increased", "rose"), ("indicate", "suggest"),
    ("indicates", "suggests"), ("investigated", "looked into"), ("large", "big"), ("less", "not as much"),
    ("lower", "smaller"), ("lowered", "cut"), ("main", "chief"), ("many", "numerous"), ("method", "way"),
    ("methods", "ways"), ("more", "further"), ("nearly", "almost"), ("obtained", "got"), ("often", "frequently"),
    ("people", "persons"), ("performed", "done"), ("present", "current"), ("produced", "made"),
    ("provide", "give"), ("provides", "gives"), ("recorded", "noted"), ("reduce", "cut"), ("reduced", "cut"),
    ("required", "needed"), ("result", "outcome"), ("results", "outcomes"), ("revealed", "brought out"),
    ("severe", "grave"), ("showed", "made clear"), ("shown", "made clear"), ("shows", "makes clear"),
    ("significant", "marked"), ("significantly", "markedly"), ("similar", "alike"), ("small", "little"),
    ("studied", "looked at"), ("study", "work"), ("suggest", "hint"), ("therefore", "so"), ("treated", "cared for"),
    ("treatment", "therapy"), ("used", "made use of"), ("using", "by means of"), ("various", "several"),
    ("visited", "went to"), ("whether", "if"), ("while", "as"), ("within", "inside"), ("without", "lacking"),
];

/// Words that a paraphrase can do without.
static SPARED: &[&str] = &["a", "an", "the", "that", "very", "quite", "these", "those"];

pub fn reworded(answer: &str) -> String {
    let sentences: Vec<&str> = split_sentences(answer)
        .into_iter()
        .map(|sentence| &answer[sentence.range])
        .collect();
    let said: Vec<String> = sentences.into_iter().rev().map(sentence).collect();
    said.join(" ")
}

fn sentence(text: &str) -> String {
    let said = text.split_whitespace().filter_map(|written| {
        let word = written.trim_matches(|letter: char| !letter.is_alphanumeric());
        let lower = word.to_lowercase();
        if SPARED.contains(&lower.as_str()) && word == written {
            return None;
        }
        let other = SYNONYMS.iter().find(|(one, _)| *one == lower);
        Some(match other {
            Some((_, other)) => written.replacen(word, other, 1),
            None => written.to_owned(),
        })
    });
    let said = said.collect::<Vec<_>>().join(" ");
    let mut letters = said.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_change_and_facts_stay() {
        let text = "Thicker asphalt lowered the stress range by 18 percent. The study showed that repairs lasted.";
        assert_eq!(
            reworded(text),
            "Work made clear repairs lasted. Thicker asphalt cut stress range by 18 percent."
        );
        assert_eq!(reworded("Yes."), "Yes.");
        assert_eq!(reworded(""), "");
    }
}
