//! Thoughts that a model wrote down before its answer are not the answer.

const NAMES: [&str; 3] = ["think", "thinking", "reasoning"];

/// The text without blocks such as `<think>…</think>`. One that never ends takes the rest with it;
/// one that never begins, for some templates leave the beginning out, all before its end.
pub(super) fn without_reasoning(text: String) -> String {
    if !text.contains('<') {
        return text;
    }
    let mut text = text;
    for name in NAMES {
        text = without(&text, name);
    }
    text
}

fn without(text: &str, name: &str) -> String {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    // Tags are ASCII, so places in the one are places in the other.
    let lower = text.to_ascii_lowercase();
    let mut kept = String::new();
    let mut from = 0;
    let mut removed = false;
    loop {
        let start = lower[from..].find(&open).map(|at| from + at);
        let end = lower[from..].find(&close).map(|at| from + at);
        let (upto, next) = match (start, end) {
            (None, None) => break,
            (Some(start), None) => (start, text.len()),
            (Some(start), Some(end)) if start < end => (start, end + close.len()),
            (_, Some(end)) => (from, end + close.len()),
        };
        kept.push_str(&text[from..upto]);
        from = next;
        removed = true;
    }
    kept.push_str(&text[from..]);
    match removed {
        true => kept.trim().to_owned(),
        false => kept,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_taken_out() {
        for (text, wanted) in [
            ("plain < text", "plain < text"),
            ("<think>hm\nhm</think>\n\nYes.", "Yes."),
            ("a <THINK>b</Think> c <think>d</think>", "a  c"),
            ("hm</think> No.", "No."),
            ("Yes. <think>never ends", "Yes."),
            ("<thinking>x</thinking><reasoning>y</reasoning>z", "z"),
            ("<think></think>", ""),
            ("é<think>世</think>é", "éé"),
        ] {
            assert_eq!(without_reasoning(text.into()), wanted, "{text}");
        }
    }
}
