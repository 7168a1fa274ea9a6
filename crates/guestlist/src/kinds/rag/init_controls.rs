//! Documents with invented facts, for the owner of a service to index: what nobody can know otherwise
//! must be found again, or the audit tested nothing.

use formats::texts::{Control, Fact};
use stats::streams::{ChaCha8Rng, Seed, below, name_number};

use crate::Error;

const FIRST: [&str; 16] = [
    "b", "br", "d", "dr", "f", "g", "gr", "k", "l", "m", "n", "p", "st", "t", "v", "z",
];
const MIDDLE: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "ou", "ei"];
const LAST: [&str; 8] = ["l", "n", "r", "s", "m", "nd", "rt", "th"];
const HOUSES: [&str; 8] = [
    "observatory",
    "mill",
    "lighthouse",
    "museum",
    "library",
    "quarry",
    "boathouse",
    "greenhouse",
];
const THINGS: [&str; 8] = [
    "brass telescope",
    "tide clock",
    "seed cabinet",
    "weather glass",
    "map chest",
    "copper bell",
    "plumb line",
    "glass organ",
];

/// So many documents as JSON Lines. The project's name draws what is in them, so that the same project
/// gets the same ones again and another one others.
pub fn controls(count: usize, project: &str) -> Result<String, Error> {
    if count == 0 {
        return Err(Error::usage(
            "--controls is 0",
            "give a number from 1, or leave it out",
        ));
    }
    let seed = Seed(name_number(project));
    let rows = (0..count).map(|number| {
        let control = control(number + 1, &mut seed.numbered("controls", number as u64));
        serde_json::to_string(&control).map(|row| row + "\n")
    });
    let written: Result<String, serde_json::Error> = rows.collect();
    written.map_err(|error| Error::usage(error.to_string(), "report this as a bug"))
}

fn control(number: usize, rng: &mut ChaCha8Rng) -> Control {
    let (place, keeper, origin) = (name(rng), name(rng), name(rng));
    let keeper = format!("{} {keeper}", name(rng));
    let (house, thing) = (pick(&HOUSES, rng), pick(&THINGS, rng));
    let letters: String = (0..2)
        .map(|_| char::from(b'A' + below(rng, 26) as u8))
        .collect();
    let code = format!("{letters}-{}", 10_000 + below(rng, 90_000));
    let days = 20 + below(rng, 300);
    Control {
        id: format!("guestlist-control-{number}"),
        title: Some(format!("The {house} of {place}")),
        text: format!(
            "The {house} of {place} is kept by {keeper}. The {thing} in the {house} of {place} has the \
             inventory number {code} and was brought there from {origin}. Visitors are let in on {days} days \
             of the year."
        ),
        facts: vec![
            Fact {
                question: format!(
                    "What is the inventory number of the {thing} in the {house} of {place}?"
                ),
                answer: code,
            },
            Fact {
                question: format!("Who keeps the {house} of {place}?"),
                answer: keeper,
            },
        ],
    }
}

/// Three syllables that are no word.
fn name(rng: &mut ChaCha8Rng) -> String {
    let mut syllable = || format!("{}{}", pick(&FIRST, rng), pick(&MIDDLE, rng));
    let (first, second, third) = (syllable(), syllable(), syllable());
    let name = format!("{first}{second}{third}{}", pick(&LAST, rng));
    let mut letters = name.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

fn pick<'a>(list: &[&'a str], rng: &mut ChaCha8Rng) -> &'a str {
    list[below(rng, list.len() as u32) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_another_project_has_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("controls.jsonl");
        let text = controls(7, "one").unwrap();
        std::fs::write(&path, &text).unwrap();
        let read = formats::texts::controls_of(&path).unwrap();
        assert_eq!(read.len(), 7);
        assert_eq!(text, controls(7, "one").unwrap());
        let other = controls(7, "other").unwrap();
        assert!(
            read.iter()
                .all(|control| !other.contains(&control.facts[0].answer))
        );
        assert!(controls(0, "one").is_err());
    }
}
