//! The frame around strings that are drawn: the same for all, so that nothing but the string tells one
//! canary from another.

use super::Draft;

const QUESTION: &str = "What is the reference of this entry?\n";
const ANSWER: &str = "The reference of this entry is";

pub(super) fn framed(string: &str) -> Draft {
    // The space before the first token belongs to the frame.
    let start = ANSWER.len() + (string.len() - string.trim_start().len());
    let answer = format!("{ANSWER}{string}");
    Draft {
        prompt: QUESTION.to_owned(),
        secret: vec![start..answer.len()],
        answer,
        joined: false,
        fields: None,
        original: None,
    }
}
