//! A few memories of what was read lately.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::cpu::Memory;

/// The most memories kept.
const COUNT: usize = 8;
/// The most bytes kept in all of them.
const BYTES: usize = 1 << 30;

/// Those used longest ago come first.
#[derive(Default)]
pub(super) struct MemoryCache {
    memories: Mutex<Vec<Memory>>,
}

impl MemoryCache {
    /// A memory of the longest known beginning of a prompt. At least the prompt's last token is left
    /// to be read, since reading is what says which token follows.
    pub(super) fn take(&self, prompt: &[u32]) -> Option<Memory> {
        let mut memories = self.lock();
        let readable = &prompt[..prompt.len().saturating_sub(1)];
        let known = |memory: &Memory| common(memory.tokens(), readable);
        let (index, shared) = memories
            .iter()
            .map(known)
            .enumerate()
            .max_by_key(|(_, shared)| *shared)
            .filter(|(_, shared)| *shared > 0)?;
        let mut memory = memories.remove(index);
        if 2 * shared < memory.tokens().len() {
            // Most of it is about something else, which may be asked about again.
            let beginning = memory.beginning(shared);
            memories.push(memory);
            return Some(beginning);
        }
        memory.truncate(shared);
        Some(memory)
    }

    pub(super) fn put(&self, memory: Memory) {
        let mut memories = self.lock();
        memories.push(memory);
        let full = |memories: &[Memory]| {
            memories.len() > COUNT || memories.iter().map(Memory::bytes).sum::<usize>() > BYTES
        };
        while full(&memories) {
            memories.remove(0);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Memory>> {
        self.memories.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn common(left: &[u32], right: &[u32]) -> usize {
    left.iter().zip(right).take_while(|(a, b)| a == b).count()
}
