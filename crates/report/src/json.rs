//! JSON for people and programs: indented, but lists of plain numbers, and of pairs of them, on one
//! line, because a curve of two hundred points is one thing to look at.

use serde::Serialize;

/// Ends in a line feed.
pub fn pretty(document: &impl Serialize) -> Result<String, serde_json::Error> {
    Ok(fold(&serde_json::to_string_pretty(document)?))
}

/// Indented JSON has one value on a line, and no line break within a text: lists can be told by the
/// ends of lines.
fn fold(indented: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    // Where lists began that have held nothing but numbers so far.
    let mut plain: Vec<usize> = Vec::new();
    for line in indented.lines() {
        let value = line.trim_start();
        if value.starts_with(']') {
            if let Some(start) = plain.pop() {
                let items: Vec<&str> = lines[start + 1..].iter().map(|line| line.trim()).collect();
                let list = format!("{}{}{value}", lines[start], items.join(" "));
                lines.truncate(start);
                lines.push(list);
                continue;
            }
        } else if value.ends_with('[') {
            // A list that is a member of an object has its name before it, and is in no list.
            if value != "[" {
                plain.clear();
            }
            plain.push(lines.len());
        } else if !is_number(value) {
            plain.clear();
        }
        lines.push(line.to_owned());
    }
    lines.push(String::new());
    lines.join("\n")
}

fn is_number(value: &str) -> bool {
    let digits = value.strip_suffix(',').unwrap_or(value);
    digits.starts_with(|c: char| c == '-' || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn check(document: Value, expected: &str) {
        let text = pretty(&document).unwrap();
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), document);
    }

    #[test]
    fn numbers_stand_side_by_side() {
        check(
            json!({"a": [1, -2.5, 1e-9], "b": [[0, 1], [2, 3]], "c": [], "d": [1, null], "e": [[1], ["x"]]}),
            "{\n  \"a\": [1, -2.5, 1e-9],\n  \"b\": [[0, 1], [2, 3]],\n  \"c\": [],\n  \"d\": [\n    \
             1,\n    null\n  ],\n  \"e\": [\n    [1],\n    [\n      \"x\"\n    ]\n  ]\n}\n",
        );
    }

    #[test]
    fn texts_that_look_like_lists_are_left_alone() {
        check(
            json!({"a": ["[", "1", "]"], "b": [{"c": [1]}], "x[": "y["}),
            "{\n  \"a\": [\n    \"[\",\n    \"1\",\n    \"]\"\n  ],\n  \"b\": [\n    {\n      \
             \"c\": [1]\n    }\n  ],\n  \"x[\": \"y[\"\n}\n",
        );
        check(json!([[[1, 2], [3]], [4]]), "[[[1, 2], [3]], [4]]\n");
        check(json!("["), "\"[\"\n");
    }
}
