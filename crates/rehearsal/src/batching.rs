//! Questions that wait for one language model are answered side by side, where its device gains from it.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use lm::{Detokeniser, Finish, Generated, Generator, Sampling, Wanted};

use crate::{Error, ErrorKind, Result};

/// Answers that are written at once.
pub const AT_ONCE: usize = 96;
/// Tokens that are read at once, padding included.
const MOST_TOKENS: usize = 96 << 10;

/// A prompt that waits, and who waits for it.
struct Job {
    prompt: Vec<u32>,
    options: Sampling,
    told: Sender<Told>,
}

enum Told {
    Token(u32),
    Ended(Result<Generated>),
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Job>,
    closed: bool,
}

struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
    generator: Generator,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One thread that writes what others ask for.
pub struct Batches {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
}

impl Batches {
    pub fn new(generator: Generator) -> Result<Self> {
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            changed: Condvar::new(),
            generator,
        });
        let writers = Arc::clone(&shared);
        let writer = thread::Builder::new()
            .name("batches".into())
            .spawn(move || while write_next(&writers) {})
            .map_err(|error| {
                let message = format!("no thread for the language model: {error}");
                Error::new(ErrorKind::Device, message).hint("close other programs")
            })?;
        Ok(Self {
            shared,
            writer: Some(writer),
        })
    }

    /// Waits for its turn, and hears the text while it is written.
    pub fn generate(
        &self,
        prompt: Vec<u32>,
        options: Sampling,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Generated> {
        let model = self.shared.generator.model();
        model.check_prompt(&prompt)?;
        let length = prompt.len();
        let (told, heard) = mpsc::channel();
        self.shared.queue().waiting.push_back(Job {
            prompt,
            options,
            told,
        });
        self.shared.changed.notify_one();
        let mut pieces = Detokeniser::new(model.tokenizer());
        let mut tokens = Vec::new();
        loop {
            match heard.recv() {
                Ok(Told::Token(token)) => {
                    tokens.push(token);
                    // Dropping the channel ends the text.
                    if on_text(&pieces.push(token)?).is_break() {
                        return Ok(Generated {
                            text: model.tokenizer().decode(&tokens)?,
                            tokens,
                            prompt_tokens: length,
                            reused: 0,
                            finished: Finish::Stop,
                        });
                    }
                }
                Ok(Told::Ended(ended)) => {
                    let _ = on_text(&pieces.finish()?);
                    return ended;
                }
                Err(_) => return Err(stopped()),
            }
        }
    }
}

fn stopped() -> Error {
    Error::new(ErrorKind::Device, "the language model has stopped").hint("start the server again")
}

impl Drop for Batches {
    fn drop(&mut self) {
        self.shared.queue().closed = true;
        self.shared.changed.notify_all();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

/// Writes what waits, as much at once as fits; false where nothing is to come.
fn write_next(shared: &Shared) -> bool {
    let mut queue = shared.queue();
    while queue.waiting.is_empty() {
        if queue.closed {
            return false;
        }
        queue = shared
            .changed
            .wait(queue)
            .unwrap_or_else(PoisonError::into_inner);
    }
    let jobs = fitting(&mut queue.waiting);
    drop(queue);
    let mut tells: Vec<_> = jobs
        .iter()
        .map(|job| |token: u32| job.told.send(Told::Token(token)).is_ok())
        .collect();
    let mut wanted: Vec<Wanted> = jobs
        .iter()
        .zip(&mut tells)
        .map(|(job, tell)| Wanted {
            prompt: &job.prompt,
            options: job.options,
            on_token: tell,
        })
        .collect();
    let written = shared.generator.generate_together(&mut wanted);
    drop(wanted);
    match written {
        Ok(texts) => {
            for (job, text) in jobs.iter().zip(texts) {
                let _ = job.told.send(Told::Ended(Ok(text)));
            }
        }
        Err(error) => {
            for job in &jobs {
                let told = Error::new(error.kind, error.to_string());
                let _ = job.told.send(Told::Ended(Err(told)));
            }
        }
    }
    true
}

/// The first that wait, as many as may be read at once.
fn fitting(waiting: &mut VecDeque<Job>) -> Vec<Job> {
    let mut jobs: Vec<Job> = Vec::new();
    let mut longest = 0;
    while let Some(next) = waiting.front() {
        longest = longest.max(next.prompt.len() + next.options.max_tokens);
        let fits = longest * (jobs.len() + 1) <= MOST_TOKENS && jobs.len() < AT_ONCE;
        if !jobs.is_empty() && !fits {
            break;
        }
        jobs.extend(waiting.pop_front());
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_go_together_as_fit() {
        let job = |tokens: usize| Job {
            prompt: vec![0; tokens],
            options: Sampling {
                max_tokens: 0,
                ..Sampling::default()
            },
            told: mpsc::channel().0,
        };
        let mut waiting: VecDeque<Job> = [2 * MOST_TOKENS, 10, MOST_TOKENS / 2, MOST_TOKENS]
            .into_iter()
            .map(job)
            .collect();
        let sizes: Vec<usize> =
            std::iter::from_fn(|| Some(fitting(&mut waiting).len()).filter(|size| *size > 0))
                .collect();
        assert_eq!(sizes, [1, 2, 1]);
        let mut many: VecDeque<Job> = (0..AT_ONCE + 5).map(|_| job(1)).collect();
        assert_eq!(fitting(&mut many).len(), AT_ONCE);
        assert_eq!(fitting(&mut many).len(), 5);
    }
}
