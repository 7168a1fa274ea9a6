//! Several texts continued at once, where the device reads many tokens as fast as one.

use super::choice::Chooser;
use super::{Finish, Generated, Generator, Sampling};
use crate::Result;

/// A text that is to be continued.
pub struct Wanted<'a> {
    pub prompt: &'a [u32],
    pub options: Sampling,
    /// Hears every token as it comes, and stops the text by answering false.
    pub on_token: &'a mut (dyn FnMut(u32) -> bool + Send),
}

/// A text as far as it was written.
struct Written {
    tokens: Vec<u32>,
    finished: Option<Finish>,
    most: usize,
    chooser: Chooser,
}

impl Generator {
    /// Continues texts side by side on a device that gains from it, and one after another elsewhere.
    /// What one of them is has no influence on another beyond the rounding of sums.
    pub fn generate_together(&self, wanted: &mut [Wanted<'_>]) -> Result<Vec<Generated>> {
        for one in wanted.iter() {
            one.options.check()?;
            self.model.check_prompt(one.prompt)?;
        }
        if !self.model.grows_together() {
            return wanted
                .iter_mut()
                .map(|one| self.generate(one.prompt, &one.options, &mut *one.on_token))
                .collect();
        }
        let mut texts: Vec<Written> = wanted.iter().map(|one| self.unwritten(one)).collect();
        self.write_together(wanted, &mut texts)?;
        let pairs = wanted.iter().zip(texts);
        let generated = pairs.map(|(one, text)| {
            Ok(Generated {
                text: self.model.tokenizer().decode(&text.tokens)?,
                tokens: text.tokens,
                prompt_tokens: one.prompt.len(),
                reused: 0,
                finished: text.finished.unwrap_or(Finish::Length),
            })
        });
        generated.collect()
    }

    fn unwritten(&self, one: &Wanted) -> Written {
        let room = self.model.about().context - one.prompt.len();
        let most = one.options.max_tokens.min(room);
        Written {
            tokens: Vec::new(),
            finished: (most == 0).then_some(Finish::Length),
            most,
            chooser: Chooser::new(&one.options),
        }
    }

    fn write_together(&self, wanted: &mut [Wanted], texts: &mut [Written]) -> Result<()> {
        let open = |texts: &[Written], places: &[usize]| -> Vec<usize> {
            let open = |place: &&usize| texts[**place].finished.is_none();
            places.iter().filter(open).copied().collect()
        };
        let all: Vec<usize> = (0..texts.len()).collect();
        // Which text each row of the device is; rows of finished texts are read on until most are.
        let mut rows = open(texts, &all);
        let Some(room) = rows.iter().map(|place| texts[*place].most).max() else {
            return Ok(());
        };
        let drawn = wanted.iter().any(|one| one.options.temperature > 0.0);
        let prompts: Vec<&[u32]> = rows.iter().map(|place| wanted[*place].prompt).collect();
        let (mut growing, mut following) = self.model.begin(&prompts, room, drawn)?;
        loop {
            for (row, place) in rows.iter().enumerate() {
                let logits = following
                    .logits
                    .as_ref()
                    .map(|logits| logits[row].as_slice());
                let text = &mut texts[*place];
                if text.finished.is_none() {
                    let token = match logits {
                        Some(logits) => text.chooser.choose(logits)?,
                        None => following.likeliest[row],
                    };
                    self.append(text, token, &mut *wanted[*place].on_token);
                }
            }
            let left = open(texts, &rows);
            if left.is_empty() {
                return Ok(());
            }
            if 2 * left.len() <= rows.len() {
                let kept = |place: &usize| rows.iter().position(|row| row == place);
                let kept: Vec<usize> = left.iter().filter_map(kept).collect();
                self.model.keep(&mut growing, &kept)?;
                rows = left;
            }
            let last = |place: &usize| texts[*place].tokens.last().copied().unwrap_or(0);
            let tokens: Vec<u32> = rows.iter().map(last).collect();
            following = self.model.grow(&mut growing, &tokens, drawn)?;
        }
    }

    fn append(&self, text: &mut Written, token: u32, on_token: &mut dyn FnMut(u32) -> bool) {
        if self.model.ends_text(token) {
            text.finished = Some(Finish::Stop);
            return;
        }
        text.tokens.push(token);
        if !on_token(token) {
            text.finished = Some(Finish::Stop);
        } else if text.tokens.len() == text.most {
            text.finished = Some(Finish::Length);
        }
    }
}
