//! Texts of made-up words, and a service that knows some by heart and looks others up.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::service::{Odd, said};

const ONSETS: [&str; 16] = [
    "b", "br", "d", "dr", "f", "g", "k", "kl", "l", "m", "n", "p", "r", "s", "t", "v",
];
const VOWELS: [&str; 6] = ["a", "e", "i", "o", "u", "ou"];

fn word(state: &mut u64) -> String {
    let mut draw = |below: usize| {
        *state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (*state >> 33) as usize % below
    };
    (0..3)
        .map(|_| format!("{}{}", ONSETS[draw(16)], VOWELS[draw(6)]))
        .collect()
}

/// Words that hardly any other text has.
pub fn text(number: usize, words: usize) -> String {
    let mut state = number as u64 * 104_729 + 71;
    let words: Vec<String> = (0..words).map(|_| word(&mut state)).collect();
    let sentences = words.chunks(8).map(|sentence| {
        let (first, rest) = sentence.split_at(1);
        format!("The {} of {}.", first[0], rest.join(" "))
    });
    sentences.collect::<Vec<_>>().join(" ")
}

/// So many texts of each source, in turns: pretrained, retrieved, non-member.
pub struct World {
    pub pretrained: Vec<String>,
    pub retrieved: Vec<String>,
    pub fresh: Vec<String>,
}

impl World {
    pub fn new(count: usize, words: usize) -> Self {
        let texts = |from: usize| (0..count).map(|n| text(3 * n + from, words)).collect();
        Self {
            pretrained: texts(0),
            retrieved: texts(1),
            fresh: texts(2),
        }
    }

    /// One file with the sources in its rows, or without them.
    pub fn write(&self, bench: &Bench, known: bool) {
        let sets = [
            ("pretrained", &self.pretrained),
            ("retrieved", &self.retrieved),
            ("non-member", &self.fresh),
        ];
        let mut rows = String::new();
        for (source, texts) in sets {
            for (place, text) in texts.iter().enumerate() {
                // An id tells nothing where sources are not known.
                let mut row = json!({"id": format!("{}-{place}", &source[..3]), "text": text});
                if known {
                    row["source"] = source.into();
                }
                rows += &(row.to_string() + "\n");
            }
        }
        bench.write("items.jsonl", &rows);
    }

    /// Answers with the whole text that a question has most words of: of its training always, of
    /// its store when it may look things up, else with a shrug.
    pub fn serve(&self) -> Odd {
        let all = |texts: &[String]| texts.iter().map(|text| known(text)).collect::<Vec<_>>();
        let (pretrained, retrieved) = (all(&self.pretrained), all(&self.retrieved));
        Odd::start(move |_, body, _| said(&answer(body, &pretrained, &retrieved)))
    }
}

type Known = (String, BTreeSet<String>);

fn known(text: &str) -> Known {
    (text.to_owned(), words(text))
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| word.len() > 3);
    words.map(str::to_lowercase).collect()
}

fn answer(body: &Value, pretrained: &[Known], retrieved: &[Known]) -> String {
    let asked = words(body["messages"][0]["content"].as_str().unwrap_or_default());
    let looks_up = body["retrieval"] != json!(false) && body["model"] != json!("base");
    let store = retrieved.iter().filter(|_| looks_up);
    let common = |known: &&Known| known.1.intersection(&asked).count();
    let best = pretrained.iter().chain(store).max_by_key(common);
    match best.filter(|known| common(known) >= 3) {
        Some((text, _)) => text.clone(),
        None => "I do not know anything about this.".to_owned(),
    }
}

/// A configuration for a service at this address, with further lines at its end.
pub fn configure(bench: &Bench, address: SocketAddr, more: &str) {
    bench.write(
        "guestlist.toml",
        &format!(
            "kind = \"source\"\n[items]\npath = \"items.jsonl\"\n\
             [target]\npreset = \"guestlist\"\nurl = \"http://{address}\"\n\
             [transport]\nconcurrency = 8\n{more}\n"
        ),
    );
}

/// Truth by row, label by column.
pub fn confusion(report: &Value) -> [[u64; 3]; 3] {
    serde_json::from_value(report["detail"]["evaluation"]["confusion"].clone()).unwrap()
}

pub fn report(bench: &Bench) -> Value {
    bench.json("guestlist-run/report.json")
}
