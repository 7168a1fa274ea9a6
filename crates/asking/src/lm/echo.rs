//! The `logprobs` of an echoed prompt, and what is known to go wrong with them.

use serde_json::Value;

use super::Prompt;
use super::reading::{at, excerpt, list, logprob, same_length, wrong};
use crate::{Error, ErrorKind, Result};

/// vLLM names tokens so when it is told to.
const ID: &str = "token_id:";
/// How often first choices must fit the *next* token before we say that all is shifted.
const SHIFTED: usize = 5;

pub(super) struct Echo<'a> {
    tokens: Vec<&'a str>,
    logprobs: &'a [Value],
    /// As many as tokens, or none.
    tops: &'a [Value],
    offsets: Option<&'a Vec<Value>>,
    /// What the server says that it generated.
    generated: Option<usize>,
    finish: &'a str,
}

impl<'a> Echo<'a> {
    pub fn new(answer: &'a Value) -> Result<Self> {
        let choice = at(answer, "/choices/0");
        let logprobs = match at(choice, "/logprobs") {
            Value::Null => return Err(absent(choice)),
            logprobs if logprobs.get("tokens").is_none() && logprobs.get("content").is_some() => {
                return Err(ignored());
            }
            logprobs => logprobs,
        };
        let names = list(at(logprobs, "/tokens"), "logprobs.tokens")?;
        let tokens = names.iter().enumerate().map(|(token, name)| {
            let name = name.as_str();
            name.ok_or_else(|| wrong(format!("logprobs.tokens[{token}] is no text")))
        });
        let tokens = tokens.collect::<Result<Vec<_>>>()?;
        let values = list(at(logprobs, "/token_logprobs"), "logprobs.token_logprobs")?;
        same_length("logprobs.token_logprobs", values.len(), tokens.len())?;
        let tops = match at(logprobs, "/top_logprobs") {
            Value::Null => &[],
            tops => list(tops, "logprobs.top_logprobs")?.as_slice(),
        };
        if !tops.is_empty() {
            same_length("logprobs.top_logprobs", tops.len(), tokens.len())?;
        }
        let count = |path| at(answer, path).as_u64().map(|count| count as usize);
        Ok(Self {
            tokens,
            logprobs: values,
            tops,
            offsets: at(logprobs, "/text_offset").as_array(),
            generated: count("/usage/completion_tokens"),
            finish: at(choice, "/finish_reason").as_str().unwrap_or_default(),
        })
    }

    /// How many of the tokens are the prompt's; the others were generated.
    pub fn prompt_tokens(&self, prompt: &Prompt) -> Result<usize> {
        let generated = self.generated_tokens(prompt);
        let tokens = self.tokens.len().saturating_sub(generated);
        if tokens == 0 {
            return Err(ignored());
        }
        let Prompt::Text(text) = prompt else {
            return Ok(tokens);
        };
        if self.repeats(text, tokens) {
            return Ok(tokens);
        }
        // A server that continues the text answers with other tokens, and few of them.
        if !self.shares(text) {
            return Err(ignored());
        }
        // All tokens are the prompt's although one was generated: it has no row left, because
        // every row stands one place too early.
        if generated == 1 && self.repeats(text, self.tokens.len()) {
            return Err(shifted());
        }
        Err(
            wrong("its tokens are not those of the text that was sent".into())
                .hint("the server may cut texts that are longer than the model's context"),
        )
    }

    fn generated_tokens(&self, prompt: &Prompt) -> usize {
        if let Some(generated) = self.generated {
            return generated;
        }
        let text = match prompt {
            Prompt::Text(text) => text,
            Prompt::Ids(ids) => return self.tokens.len().saturating_sub(ids.len()),
        };
        let characters = text.chars().count() as u64;
        match self.offsets {
            Some(offsets) => offsets
                .iter()
                .filter(|offset| offset.as_u64().is_some_and(|offset| offset >= characters))
                .count(),
            None => usize::from(self.finish != "stop"),
        }
    }

    /// Whether the first tokens are the text. Tokenizers differ in how they show spaces and bytes,
    /// and put marks in front: only printable ASCII is compared, from the end.
    /// Whether the answer has the beginning or the end of the text: a cut text has one of them, a
    /// continuation neither.
    fn shares(&self, text: &str) -> bool {
        const ENOUGH: usize = 12;
        let (all, text) = (comparable(&self.tokens.concat()), comparable(text));
        // Only plain characters are left, so that every place is a boundary.
        let start = &text[..text.len().min(ENOUGH)];
        let end = &text[text.len().saturating_sub(ENOUGH)..];
        all.contains(start) || all.contains(end)
    }

    fn repeats(&self, text: &str, tokens: usize) -> bool {
        let Some(pieces) = self.tokens.get(..tokens) else {
            return false;
        };
        let unclear = |piece: &&str| piece.starts_with(ID) || piece.contains("<0x");
        if pieces.iter().any(unclear) {
            return true;
        }
        comparable(&pieces.concat()).ends_with(&comparable(text))
    }

    /// Refuses rows that stand one place too early: there the first choice keeps being the next
    /// token. llama-cpp-python does that to models whose tokenizer adds no mark at the beginning.
    pub fn aligned(&self, tokens: usize) -> Result<()> {
        let mut here = 0;
        let mut next = 0;
        for (token, top) in self.tops.iter().enumerate().take(tokens) {
            let Some((first, _)) = first_choice(top) else {
                continue;
            };
            here += usize::from(self.tokens[token] == first);
            next += usize::from(self.tokens.get(token + 1) == Some(&first));
        }
        match next >= SHIFTED && next > 3 * here {
            true => Err(shifted()),
            false => Ok(()),
        }
    }

    pub fn logprobs(&self, tokens: usize) -> Result<Vec<Option<f32>>> {
        let values = self.logprobs[..tokens].iter().enumerate();
        values.map(|(token, value)| logprob(value, token)).collect()
    }

    /// 1 where the token was the first choice, 2 for "or worse".
    pub fn ranks(&self, own: &[Option<f32>]) -> Option<Vec<Option<u32>>> {
        if self.tops.is_empty() {
            return None;
        }
        let ranks = own.iter().enumerate().map(|(token, own)| {
            let own = (*own).filter(|_| token > 0)?;
            let top = &self.tops[token];
            let (_, best) = first_choice(top)?;
            // Bytes of a character that was cut in two share one text: then there is no telling.
            let unclear = |piece: &str| piece.is_empty() || piece.contains('\u{fffd}');
            let alone = top.as_object().is_some_and(|top| top.len() == 1);
            if alone && unclear(self.tokens[token]) {
                return None;
            }
            Some(if own >= best as f32 { 1 } else { 2 })
        });
        let ranks: Vec<Option<u32>> = ranks.collect();
        ranks.iter().any(Option::is_some).then_some(ranks)
    }

    /// Log-probabilities of the first choices; the token itself may be one that the list rounds off.
    pub fn first_choices(&self, own: &[Option<f32>]) -> Option<Vec<Option<f32>>> {
        let best = own.iter().zip(self.tops).enumerate();
        let best = best.map(|(token, (own, top))| {
            let own = (*own).filter(|_| token > 0)?;
            let (_, best) = first_choice(top)?;
            Some(own.max(best as f32).min(0.0))
        });
        let best: Vec<Option<f32>> = best.collect();
        best.iter().any(Option::is_some).then_some(best)
    }

    pub fn ids(&self, tokens: usize) -> Option<Vec<u32>> {
        let ids = self.tokens[..tokens].iter();
        ids.map(|token| token.strip_prefix(ID)?.parse().ok())
            .collect()
    }

    pub fn pieces(&self, tokens: usize) -> Vec<String> {
        let pieces = self.tokens[..tokens].iter();
        pieces.map(|&piece| piece.to_owned()).collect()
    }
}

/// What every tokenizer shows alike. Marks like `<|im_start|>` some servers leave out.
fn comparable(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (before, mark) = rest.split_at(start);
        kept.push_str(before);
        let length = mark_length(mark);
        kept.push_str(if length == 0 { "<" } else { "" });
        rest = &mark[length.max(1)..];
    }
    kept.push_str(rest);
    kept.retain(|letter| letter.is_ascii_graphic());
    kept
}

fn mark_length(text: &str) -> usize {
    if text.starts_with("<|") {
        return text.find("|>").map_or(0, |end| end + 2);
    }
    let plain = ["<s>", "</s>", "<bos>", "<eos>"];
    let found = plain.iter().find(|mark| text.starts_with(*mark));
    found.map_or(0, |mark| mark.len())
}

fn first_choice(top: &Value) -> Option<(&str, f64)> {
    let choices = top.as_object()?.iter();
    choices
        .filter_map(|(piece, value)| Some((piece.as_str(), value.as_f64()?)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
}

fn absent(choice: &Value) -> Error {
    match choice {
        Value::Null => wrong("there are no choices in it".into())
            .hint("this is not an OpenAI-style server; choose another dialect"),
        _ => Error::new(
            ErrorKind::Unsupported,
            format!(
                "the server returned no log-probabilities: logprobs is {}",
                excerpt(at(choice, "/logprobs"))
            ),
        )
        .hint("switch them on (llama-cpp-python: --logits_all true), or use another server"),
    }
}

fn ignored() -> Error {
    Error::new(
        ErrorKind::Unsupported,
        "the server ignored `echo`: it returns log-probabilities of generated tokens only",
    )
    .hint(
        "serve the model with vLLM or SGLang, or a GGUF file with llama-cpp-python and \
         --logits_all true",
    )
}

fn shifted() -> Error {
    Error::new(
        ErrorKind::Unsupported,
        "the server's log-probabilities stand one token too early: each belongs to the token after",
    )
    .hint(
        "llama-cpp-python does this where a tokenizer adds no beginning-of-text token; put that \
         token's text in front with `prefix`, or serve the model otherwise",
    )
}
