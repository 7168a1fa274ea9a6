//! Streams taken apart: server-sent events (as the HTML standard has them) and JSON per line.

use serde_json::Value;

/// One event. What is not JSON becomes a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event {
    pub name: Option<String>,
    pub json: Value,
}

/// All events of a stream, and whether it was brought to an end.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Events {
    pub events: Vec<Event>,
    /// The service said that this was all: `[DONE]`, `data:true`, an event named end or done.
    pub done: bool,
    /// Nothing hangs over at the end.
    pub whole: bool,
    /// A line that should be JSON and is not, from 1.
    pub broken: Option<usize>,
}

const DONE: &str = "[DONE]";

/// Whether a stream that is still open has said that it is over.
pub(super) fn says_done(body: &[u8]) -> bool {
    let tail = body.trim_ascii_end();
    tail.ends_with(b"data: [DONE]") || tail.ends_with(b"data:[DONE]")
}

pub(super) fn server_sent(body: &[u8]) -> Events {
    let text = String::from_utf8_lossy(body);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut events = Events {
        whole: true,
        ..Events::default()
    };
    let mut open = Open::default();
    for (line, ended) in lines(text) {
        if line.is_empty() {
            open.close(&mut events);
            continue;
        }
        open.line(line);
        events.whole = ended;
    }
    // A last event whose line is whole counts, although a blank line should follow it.
    if !events.whole && open.data.as_deref().map(str::trim) == Some(DONE) {
        events.whole = true;
    }
    if events.whole {
        open.close(&mut events);
    }
    events
}

/// An event whose lines are still coming.
#[derive(Default)]
struct Open {
    name: Option<String>,
    data: Option<String>,
}

impl Open {
    fn line(&mut self, line: &str) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.name = Some(value.to_owned()),
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            // Comments, ids and pauses say nothing about the answer.
            _ => {}
        }
    }

    fn close(&mut self, events: &mut Events) {
        let name = self.name.take();
        let ending = name.as_deref();
        events.done |= matches!(ending, Some("end" | "done"));
        let Some(data) = self.data.take() else {
            return;
        };
        if data.trim() == DONE {
            events.done = true;
            return;
        }
        let json = serde_json::from_str(&data).unwrap_or(Value::String(data));
        if is_true(&json) {
            events.done = true;
            return;
        }
        events.events.push(Event { name, json });
    }
}

/// RAGFlow ends its streams with `data:true`, bare or in its envelope.
fn is_true(json: &Value) -> bool {
    *json == Value::Bool(true) || json.get("data") == Some(&Value::Bool(true))
}

/// Lines with any of the three endings, and whether there was one.
fn lines(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(end) = rest.find(['\n', '\r']) else {
            return Some((std::mem::take(&mut rest), false));
        };
        let line = &rest[..end];
        let ending = if rest[end..].starts_with("\r\n") {
            2
        } else {
            1
        };
        rest = &rest[end + ending..];
        Some((line, true))
    })
}

pub(super) fn json_lines(body: &[u8]) -> Events {
    let mut events = Events {
        whole: true,
        ..Events::default()
    };
    let mut says = None;
    for (number, line) in body.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let ended = line.ends_with(b"\n");
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        match serde_json::from_slice::<Value>(line) {
            Ok(json) => {
                let done = json.get("done").and_then(Value::as_bool);
                says = done.map(|done| done || says == Some(true)).or(says);
                events.events.push(Event { name: None, json });
            }
            Err(_) if !ended => events.whole = false,
            Err(_) => {
                events.broken.get_or_insert(number + 1);
            }
        }
    }
    events.done = says == Some(true);
    // Those that say when they are done have not, if they have not.
    events.whole &= says != Some(false);
    events
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn data(body: &str) -> Vec<Value> {
        let events = server_sent(body.as_bytes()).events;
        events.into_iter().map(|event| event.json).collect()
    }

    #[test]
    fn reads_what_services_send() {
        let body = ": ping\r\n\r\nevent: token\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\nid: 7\nretry: \
                    5\ndata:{\"a\":2}\n\ndata: [DONE]\n\n";
        let events = server_sent(body.as_bytes());
        assert!(events.done && events.whole);
        assert_eq!(events.events[0].name.as_deref(), Some("token"));
        assert_eq!(data(body), [json!({"a": 1}), json!({"a": 2})]);
        assert_eq!(data("data: plain\n\n"), [json!("plain")]);
        assert!(server_sent(b"data:true\n\n").done);
        assert!(server_sent(b"data:{\"code\":0,\"data\":true}\n\n").done);
        assert!(server_sent(b"event: end\n\n").done);
        assert_eq!(data("\u{feff}data: 5\rdata: 6\r\r"), [json!("5\n6")]);
    }

    #[test]
    fn what_hangs_over_is_noticed() {
        for cut in ["data: {\"a\":1}\n\ndata: {\"a\"", "data: {\"a\":1}\n\nda"] {
            let events = server_sent(cut.as_bytes());
            assert!(!events.whole, "{cut}");
            assert_eq!(events.events.len(), 1);
        }
        assert!(server_sent(b"data: {}\n").whole);
        assert!(server_sent(b"data: {}\n\ndata: [DONE]").done);
        assert!(json_lines(b"{\"a\":1}\n{\"a\":2}\n").whole);
        assert!(!json_lines(b"{\"a\":1}\n{\"a\":").whole);
        assert!(!json_lines(b"{\"done\":false}\n").whole);
        assert!(json_lines(b"{\"done\":false}\n{\"done\":true}").done);
        assert_eq!(json_lines(b"{}\n<html>\n{}\n").broken, Some(2));
    }

    proptest! {
        #[test]
        fn any_events_come_back_whatever_the_line_ends(
            texts in prop::collection::vec(".{0,12}", 0..6),
            ends in prop::collection::vec(prop::sample::select(vec!["\n", "\r\n", "\r"]), 40),
            comments in any::<bool>(),
        ) {
            let mut ends = ends.iter().cycle();
            let mut end = || *ends.next().unwrap();
            let mut body = String::new();
            for text in &texts {
                if comments {
                    body += ": still here";
                    body += end();
                }
                // A lone carriage return followed by a line feed would be one end, not two.
                let pretty = serde_json::to_string_pretty(&json!({"delta": text})).unwrap();
                let mark = end();
                for line in pretty.lines() {
                    body += &format!("data: {line}{mark}");
                }
                body += mark;
            }
            let wanted: Vec<Value> = texts.iter().map(|text| json!({"delta": text})).collect();
            prop_assert_eq!(data(&body), wanted);
        }

        #[test]
        fn no_bytes_make_it_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
            server_sent(&body);
            json_lines(&body);
        }

        /// Cutting a stream anywhere never invents or changes an event.
        #[test]
        fn a_cut_stream_is_a_beginning(
            texts in prop::collection::vec("[a-zé世 ]{0,9}", 1..5),
            cut in any::<prop::sample::Index>(),
        ) {
            let lines: Vec<Value> = texts.iter().map(|text| json!({"delta": text})).collect();
            let body: String = lines.iter().map(|json| format!("data: {json}\n\n")).collect();
            let cut = cut.index(body.len());
            let events = server_sent(&body.as_bytes()[..cut]).events;
            let found: Vec<Value> = events.into_iter().map(|event| event.json).collect();
            prop_assert!(lines.starts_with(&found));
        }
    }
}
