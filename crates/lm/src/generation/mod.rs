//! Continuing a text, token by token.
//!
//! What was read is remembered for a while: a prompt that begins like an earlier one is read from
//! where the two part.

mod cache;
mod choice;
#[cfg(test)]
mod tests;
mod together;

use std::sync::Arc;

pub use together::Wanted;

use crate::cpu::Memory;
use crate::model::Model;
use crate::{Error, ErrorKind, Result};
use cache::MemoryCache;
use choice::Chooser;

/// How tokens are chosen, and how many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    pub max_tokens: usize,
    /// 0 takes the likeliest token every time.
    pub temperature: f32,
    /// Draw among the likeliest tokens that together have this probability.
    pub top_p: f32,
    /// The same seed draws the same tokens.
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            max_tokens: 256,
            temperature: 0.0,
            top_p: 1.0,
            seed: 0,
        }
    }
}

impl Sampling {
    fn check(&self) -> Result<()> {
        if !(self.temperature >= 0.0 && self.temperature.is_finite()) {
            return Err(Error::new(
                ErrorKind::Setting,
                format!("temperature is {}", self.temperature),
            )
            .hint("choose 0 for the likeliest tokens, or a positive number"));
        }
        if !(self.top_p > 0.0 && self.top_p <= 1.0) {
            return Err(
                Error::new(ErrorKind::Setting, format!("top_p is {}", self.top_p))
                    .hint("choose a probability above 0 and up to 1"),
            );
        }
        Ok(())
    }
}

/// Why a text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model ended it, or whoever listened did.
    Stop,
    /// As many tokens as were asked for, or as the context holds.
    Length,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Without the token that ended the text.
    pub tokens: Vec<u32>,
    pub text: String,
    pub prompt_tokens: usize,
    /// How many of the prompt's tokens were remembered from earlier prompts.
    pub reused: usize,
    pub finished: Finish,
}

/// Continues texts with one model. Threads may share it: each text has a memory of its own, and a
/// memory serves one text at a time.
pub struct Generator {
    model: Arc<Model>,
    cache: MemoryCache,
}

impl Generator {
    pub fn new(model: Arc<Model>) -> Self {
        Self {
            model,
            cache: MemoryCache::default(),
        }
    }

    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// `on_token` hears every token as it comes, and stops the text by answering false.
    pub fn generate(
        &self,
        prompt: &[u32],
        options: &Sampling,
        on_token: &mut dyn FnMut(u32) -> bool,
    ) -> Result<Generated> {
        options.check()?;
        self.model.check_prompt(prompt)?;
        let mut memory = self.cache.take(prompt).or_else(|| self.model.memory());
        let reused = memory.as_ref().map_or(0, |memory| memory.tokens().len());
        let mut text = prompt.to_vec();
        let finished = self.write(&mut text, memory.as_mut(), options, on_token)?;
        if let Some(memory) = memory {
            self.cache.put(memory);
        }
        let tokens = text.split_off(prompt.len());
        Ok(Generated {
            text: self.model.tokenizer().decode(&tokens)?,
            tokens,
            prompt_tokens: prompt.len(),
            reused,
            finished,
        })
    }

    /// Put tokens behind the text until something ends it.
    fn write(
        &self,
        text: &mut Vec<u32>,
        mut memory: Option<&mut Memory>,
        options: &Sampling,
        on_token: &mut dyn FnMut(u32) -> bool,
    ) -> Result<Finish> {
        let mut chooser = Chooser::new(options);
        let end = text.len().saturating_add(options.max_tokens);
        let end = end.min(self.model.about().context);
        while text.len() < end {
            let logits = self.model.read(memory.as_deref_mut(), text)?;
            let token = chooser.choose(&logits)?;
            if self.model.ends_text(token) {
                return Ok(Finish::Stop);
            }
            text.push(token);
            if !on_token(token) {
                return Ok(Finish::Stop);
            }
        }
        Ok(Finish::Length)
    }
}
