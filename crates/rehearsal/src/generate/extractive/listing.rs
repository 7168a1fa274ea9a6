//! Which of the sources speak of something, by name.

use std::collections::HashSet;

use super::reading::{Line, Reading};

/// How much of the topic a source must speak of.
const ENOUGH: f64 = 0.4;

/// The sources on a topic with their numbers; each document once.
pub fn list(topic: &str, reading: &Reading) -> Option<String> {
    if !reading.citing {
        return Some("I cannot name my sources.".to_owned());
    }
    let weights = reading.weigh(topic);
    let mut named = HashSet::new();
    let mut names = Vec::new();
    for (number, source) in reading.sources.iter().enumerate() {
        let lines: Vec<&Line> = reading
            .lines
            .iter()
            .filter(|line| line.source == number)
            .collect();
        if weights.covered_by(&lines) >= ENOUGH && named.insert(source.id) {
            let name = match source.title {
                Some(title) => format!("{title} ({})", source.id),
                None => source.id.to_owned(),
            };
            names.push(format!("[{}] {name}", number + 1));
        }
    }
    let text = format!("These documents discuss it: {}.", names.join("; "));
    (!names.is_empty()).then_some(text)
}
