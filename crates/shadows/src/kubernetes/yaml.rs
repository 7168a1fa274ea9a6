//! YAML as manifests need it: maps, lists, numbers, truth and text; text is quoted, so that none is taken for
//! something else.

use serde_json::Value;

pub fn write(documents: &[Value]) -> String {
    let texts = documents.iter().map(|document| {
        let mut text = String::new();
        block(document, 0, &mut text);
        text
    });
    texts.collect::<Vec<_>>().join("---\n")
}

/// A value on lines of its own.
fn block(value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                *out += &format!("{indent}{}:", key(name));
                below(value, depth + 1, out);
            }
        }
        Value::Array(list) => {
            for value in list {
                let mut item = String::new();
                block(value, depth + 1, &mut item);
                // The first line of an item begins behind its dash.
                *out += &format!("{indent}- {}", item.trim_start_matches(' '));
            }
        }
        other => *out += &format!("{indent}{other}\n"),
    }
}

/// A value behind its name, or below it.
fn below(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push('\n');
            block(value, depth, out);
        }
        Value::Array(list) if !list.is_empty() => {
            out.push('\n');
            block(value, depth, out);
        }
        // What JSON writes, YAML reads.
        other => *out += &format!(" {other}\n"),
    }
}

fn key(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '-' | '_');
    match name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(plain) {
        true => name.to_owned(),
        false => Value::from(name).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_looks_as_people_write_it() {
        let document = json!({
            "kind": "Job",
            "spec": {"n": 3, "empty": {}, "list": [{"a": "x: y", "b": [1, "two"]}, "on"]},
        });
        let expected = "kind: \"Job\"\nspec:\n  empty: {}\n  list:\n    - a: \"x: y\"\n      b:\n        - 1\n        \
                        - \"two\"\n    - \"on\"\n  n: 3\n";
        assert_eq!(write(&[document]), expected);
        assert_eq!(
            write(&[json!({"a": 1}), json!({"b": 2})]),
            "a: 1\n---\nb: 2\n"
        );
    }
}
