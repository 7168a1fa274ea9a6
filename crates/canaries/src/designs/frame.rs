//! The frame around strings that are drawn: the same for all, so that nothing but the string tells one
//! canary from another.

use super::Draft;

const QUESTION: &str = "What is the reference of this entry?\n";
const ANSWER: &str = "The reference of this entry is";

pub(super) fn framed(string: &str) -> Draft {
    Draft::framed(QUESTION.to_owned(), ANSWER, string, false)
}
