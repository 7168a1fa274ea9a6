//! A model's own chat template, rendered as transformers renders it.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{Environment, Error as JinjaError, ErrorKind as JinjaKind, context};

use super::ChatMessage;
use crate::{Error, ErrorKind, Result};

/// Steps after which a template is thought to run forever.
const FUEL: u64 = 20_000_000;

/// `ask` ends the text where the assistant's answer begins.
pub(super) fn render(
    template: &str,
    messages: &[ChatMessage],
    (begin, end): (&str, &str),
    ask: bool,
) -> Result<String> {
    let message = |message: &ChatMessage| {
        context! { role => message.role.as_str(), content => message.content.as_str() }
    };
    let messages: Vec<Value> = messages.iter().map(message).collect();
    let context = context! {
        messages => messages,
        add_generation_prompt => ask,
        bos_token => begin,
        eos_token => end,
        tools => (),
        documents => (),
    };
    environment()
        .render_str(template, context)
        .map_err(|error| complaint(&error))
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_syntax(whitespace());
    environment.set_fuel(Some(FUEL));
    environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    environment.add_function("raise_exception", raise_exception);
    environment.add_function("strftime_now", strftime_now);
    environment
}

/// As transformers sets it.
fn whitespace() -> SyntaxConfig {
    SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()
        .unwrap_or_default()
}

fn raise_exception(message: String) -> std::result::Result<Value, JinjaError> {
    Err(JinjaError::new(JinjaKind::InvalidOperation, message))
}

/// Every day is Friday, 26 July 2024, the date that Llama's templates fall back to: the same
/// question has the same tokens tomorrow.
fn strftime_now(format: String) -> std::result::Result<String, JinjaError> {
    let mut text = String::new();
    let mut characters = format.chars();
    while let Some(character) = characters.next() {
        if character != '%' {
            text.push(character);
            continue;
        }
        let code = characters.next();
        text.push_str(match code {
            Some('Y') => "2024",
            Some('m') => "07",
            Some('d') => "26",
            Some('b') => "Jul",
            Some('B') => "July",
            Some('a') => "Fri",
            Some('A') => "Friday",
            Some('H' | 'M' | 'S') => "00",
            Some('%') => "%",
            _ => {
                let message = format!("strftime_now does not know {format:?}");
                return Err(JinjaError::new(JinjaKind::InvalidOperation, message));
            }
        });
    }
    Ok(text)
}

fn complaint(error: &JinjaError) -> Error {
    let place = error.line().map_or(String::new(), |line| {
        format!(" (line {line} of the template)")
    });
    let what = error.detail().unwrap_or("it cannot be rendered");
    Error::new(
        ErrorKind::Text,
        format!("the model's chat template refuses this conversation: {what}{place}"),
    )
    .hint(
        "most templates want at most one system message first, then user and assistant in turn; \
         if this is such a conversation, the template uses something that is not supported",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(template: &str) -> Result<String> {
        let messages = [
            ChatMessage::new("system", "Be brief."),
            ChatMessage::new("user", "  Hello?\n"),
        ];
        render(template, &messages, ("<s>", "</s>"), true)
    }

    #[test]
    fn blocks_leave_no_blank_lines_and_strings_have_pythons_methods() {
        let template = "{{ bos_token }}{% for message in messages %}\n    {% if tools is not none \
                        %}tools{% endif %}\n{{ message['role'].upper() }}: {{ \
                        message.content.strip() }}\n{% endfor %}\n{% if add_generation_prompt \
                        %}>{% endif %}";
        assert_eq!(
            rendered(template).unwrap(),
            "<s>SYSTEM: Be brief.\nUSER: Hello?\n>"
        );
    }

    #[test]
    fn the_date_never_changes() {
        assert_eq!(
            rendered("{{ strftime_now('%d %b %Y') }}").unwrap(),
            "26 Jul 2024"
        );
        assert!(rendered("{{ strftime_now('%q') }}").is_err());
    }

    #[test]
    fn what_a_template_refuses_is_said_in_its_words() {
        let error = rendered("{{ raise_exception('no system messages') }}").unwrap_err();
        assert!(error.to_string().contains("no system messages"), "{error}");
        let error = rendered("{% for x in %}").unwrap_err();
        assert!(error.to_string().contains("line 1"), "{error}");
    }

    #[test]
    fn a_template_that_runs_on_is_stopped() {
        let template = "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in \
                        range(9999) %}{% endfor %}{% endfor %}{% endfor %}";
        assert!(rendered(template).is_err());
    }
}
