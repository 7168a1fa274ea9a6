//! What was drawn lies in the prompt, and prompts are left out of the loss.

use serde_json::Value;

use super::finding::{Found, Trap};
use super::look::Look;
use crate::{Canary, Result};

pub(super) const TRAP: Trap = Trap {
    id: "masked-prompt",
    summary: "the loss leaves prompts out, and the drawn part lies in one",
    remedy: "draw from training texts with prompt and completion, or messages: the drawn part is then in \
             the answer; or train on whole texts",
    look,
};

fn look(look: &Look<'_>) -> Result<Option<Found>> {
    let settings = look.settings;
    if !settings.prompt_masked && settings.response_template.is_none() {
        return Ok(None);
    }
    let template = settings.response_template.as_deref();
    let hidden = |canary: &Canary| {
        let mask = masked(canary, template);
        canary.secret.iter().all(|part| part.end <= mask)
    };
    let canaries = look.canaries.iter().enumerate();
    let hidden: Vec<usize> = canaries
        .filter(|(_, c)| hidden(c))
        .map(|(place, _)| place)
        .collect();
    let count = hidden.len();
    Ok(match (count, template) {
        (0, _) => Found::ok("the drawn parts are in what the loss looks at"),
        (_, Some(template)) => Found::violated(
            hidden,
            format!("{count} canaries have their drawn part before {template:?}, or lack it"),
        ),
        (_, None) => Found::violated(
            hidden,
            format!(
                "{count} canaries are one text without a completion: a loss that leaves prompts out sees \
                 nothing of them"
            ),
        ),
    })
}

/// How many characters from the beginning the loss leaves out.
fn masked(canary: &Canary, template: Option<&str>) -> usize {
    let text = canary.text.as_deref().unwrap_or_default();
    if let Some(template) = template {
        let end = text.rfind(template).map(|start| start + template.len());
        return text[..end.unwrap_or(text.len())].chars().count();
    }
    match canary.row.get("prompt").and_then(Value::as_str) {
        Some(prompt) => prompt.chars().count(),
        // The drawn part of a conversation is in the assistant's turn.
        None if canary.row.contains_key("messages") => 0,
        None => text.chars().count(),
    }
}
