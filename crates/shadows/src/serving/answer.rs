//! What a program that serves writes to its output: answers, and words for the log.

use std::io::{self, BufRead, BufReader, Read};

use serde_json::Value;

/// No answer is longer; what is goes to the log as it comes, so that no line fills the memory.
const LONGEST: usize = 64 * 1024;
/// How much of a program's words a message shows.
const SHOWN: usize = 300;

/// One line, as far as we understand it.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A model is done, or failed for the reason that the program gives.
    Answer { model: usize, error: Option<String> },
    /// It is meant as an answer and is none; what is wrong, in words.
    Wrong(String),
    /// For the log.
    Words,
}

/// Reads a line. Programs and their libraries print what they like: only an object that names a
/// model by a number is taken for an answer, and then nothing else may be in it.
pub fn read(line: &[u8]) -> Line {
    let Ok(Value::Object(object)) = serde_json::from_slice(line) else {
        return Line::Words;
    };
    let Some(model) = object.get("model") else {
        return Line::Words;
    };
    let plain = object.keys().all(|key| key == "model" || key == "error");
    match model.as_u64().and_then(|model| usize::try_from(model).ok()) {
        Some(model) if plain => Line::Answer {
            model,
            error: object.get("error").and_then(words_of),
        },
        None if !plain && !model.is_number() => Line::Words,
        _ => Line::Wrong(shown(&String::from_utf8_lossy(line))),
    }
}

/// A failure in the program's words; nothing where it says null.
fn words_of(error: &Value) -> Option<String> {
    match error {
        Value::Null => None,
        Value::String(words) => Some(shown(words)),
        other => Some(shown(&other.to_string())),
    }
}

/// Words of a program's in one line that is not too long.
fn shown(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Where the parts of an output go.
pub trait Hearing {
    /// A whole line, its end included if it has one.
    fn line(&self, line: &[u8]);

    /// A part of a line that is too long to be an answer.
    fn part(&self, part: &[u8]);
}

/// Follows an output to its end.
pub fn follow(output: impl Read, hearing: &impl Hearing) -> io::Result<()> {
    let mut output = BufReader::new(output);
    let (mut line, mut too_long) = (Vec::new(), false);
    loop {
        let heard = match output.fill_buf() {
            Ok(heard) => heard,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = heard.iter().position(|byte| *byte == b'\n');
        let part = &heard[..end.map_or(heard.len(), |end| end + 1)];
        let (taken, over) = (part.len(), end.is_some() || part.is_empty());
        if !too_long && line.len() + taken > LONGEST {
            too_long = true;
            hearing.part(&line);
            line.clear();
        }
        match too_long {
            true => hearing.part(part),
            false => line.extend_from_slice(part),
        }
        output.consume(taken);
        if over && !line.is_empty() {
            hearing.line(&line);
            line.clear();
        }
        if taken == 0 {
            return Ok(());
        }
        too_long &= !over;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn done(model: usize) -> Line {
        Line::Answer { model, error: None }
    }

    fn failed(model: usize, error: &str) -> Line {
        Line::Answer {
            model,
            error: Some(error.into()),
        }
    }

    #[test]
    fn answers_are_told_from_words() {
        assert_eq!(read(b"{\"model\": 7}\n"), done(7));
        assert_eq!(read(b"{\"model\": 7, \"error\": null}"), done(7));
        let line = b"{\"error\": \"no\\n memory\", \"model\": 0}";
        assert_eq!(read(line), failed(0, "no memory"));
        assert_eq!(read(b"{\"model\": 1, \"error\": 3}"), failed(1, "3"));
        for words in [
            b"epoch 3 of 10".as_slice(),
            b"7",
            b"[{\"model\": 7}]",
            b"{\"loss\": 0.1}",
            b"{\"model\": \"resnet\", \"loss\": 0.1}",
            b"{\"model\": 7",
            b"\xff\xfe{\"model\": 7}",
            b"",
        ] {
            assert_eq!(read(words), Line::Words, "{words:?}");
        }
    }

    #[test]
    fn what_is_meant_as_an_answer_and_is_none_is_wrong() {
        for wrong in [
            b"{\"model\": \"7\"}".as_slice(),
            b"{\"model\": 7.5}",
            b"{\"model\": -1}",
            b"{\"model\": null}",
            b"{\"model\": 7, \"loss\": 0.1}",
        ] {
            let words = String::from_utf8_lossy(wrong).into_owned();
            assert_eq!(read(wrong), Line::Wrong(words));
        }
        let long = format!("{{\"model\": \"{}\"}}", "é".repeat(1000));
        let Line::Wrong(words) = read(long.as_bytes()) else {
            panic!("it must be wrong");
        };
        assert_eq!(words.chars().count(), SHOWN + 1);
    }

    #[derive(Default)]
    struct Heard(RefCell<(Vec<usize>, usize)>);

    impl Hearing for Heard {
        fn line(&self, line: &[u8]) {
            self.0.borrow_mut().0.push(line.len());
        }

        fn part(&self, part: &[u8]) {
            assert!(part.len() <= LONGEST);
            self.0.borrow_mut().1 += part.len();
        }
    }

    #[test]
    fn lines_come_whole_and_endless_ones_in_parts() {
        let mut text = b"one\n\ntwo".to_vec();
        text.extend(b"\n".iter().chain(&vec![b'x'; 3 * LONGEST]));
        text.extend(b"\nlast");
        let heard = Heard::default();
        follow(text.as_slice(), &heard).unwrap();
        let (lines, parts) = heard.0.into_inner();
        assert_eq!(lines, [4, 1, 4, 4]);
        assert_eq!(parts, 3 * LONGEST + 1);
        let heard = Heard::default();
        follow(&vec![b'y'; LONGEST + 1][..], &heard).unwrap();
        assert_eq!(heard.0.into_inner(), (Vec::new(), LONGEST + 1));
    }
}
