//! Runs of eight words of all texts. Of very many a part is kept that the runs themselves choose: a run
//! that is kept of one text is kept of all, so that copies are found however few runs speak for a text.

/// So many are kept, at twelve bytes each.
const MOST: usize = 1 << 23;

/// Runs with the text that each is of.
pub(super) struct Runs {
    /// A run counts whose hash is no larger.
    limit: u64,
    hashes: Vec<u64>,
    /// In order: runs come text by text.
    texts: Vec<u32>,
    most: usize,
}

impl Default for Runs {
    fn default() -> Self {
        Self::with_room(MOST)
    }
}

impl Runs {
    pub(super) fn with_room(most: usize) -> Self {
        Self {
            limit: u64::MAX,
            hashes: Vec::new(),
            texts: Vec::new(),
            most,
        }
    }

    pub(super) fn add(&mut self, text: usize, runs: &[u64]) {
        for run in runs.iter().filter(|run| **run <= self.limit) {
            self.hashes.push(*run);
            self.texts.push(text as u32);
        }
        while self.hashes.len() > self.most && self.limit > 0 {
            self.limit /= 2;
            self.thin();
        }
    }

    fn thin(&mut self) {
        let mut kept = 0;
        for place in 0..self.hashes.len() {
            if self.hashes[place] <= self.limit {
                self.hashes[kept] = self.hashes[place];
                self.texts[kept] = self.texts[place];
                kept += 1;
            }
        }
        self.hashes.truncate(kept);
        self.texts.truncate(kept);
    }

    /// One in how many runs is looked at.
    pub(super) fn one_in(&self) -> usize {
        (u64::MAX / self.limit.max(1)) as usize
    }

    /// Of each text that is no member: the share of its runs that members have, or nothing where none
    /// of its runs is looked at.
    pub(super) fn shares(&self, members: &[bool]) -> Vec<Option<f64>> {
        let own = self.hashes.iter().zip(&self.texts);
        let own = own.filter(|(_, text)| members[**text as usize]);
        let mut known: Vec<u64> = own.map(|(run, _)| *run).collect();
        known.sort_unstable();
        known.dedup();
        let mut counts = vec![(0u32, 0u32); members.len()];
        for (run, text) in self.hashes.iter().zip(&self.texts) {
            let text = *text as usize;
            if !members[text] {
                counts[text].0 += 1;
                counts[text].1 += u32::from(known.binary_search(run).is_ok());
            }
        }
        let share = |(all, there): (u32, u32)| match (all, self.one_in()) {
            // A text without words shares nothing.
            (0, 1) => Some(0.0),
            (0, _) => None,
            _ => Some(f64::from(there) / f64::from(all)),
        };
        counts.into_iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Texts of a hundred runs, the second half of them no members: each tenth of these is a copy.
    fn texts() -> (Vec<Vec<u64>>, Vec<bool>) {
        let runs = |salt: u64| {
            let run = |place: u64| text::runs(&format!("{salt} {place}"))[0];
            let mut runs: Vec<u64> = (0..100).map(run).collect();
            runs.sort_unstable();
            runs
        };
        let salt = |text: u64| match text >= 200 && text.is_multiple_of(10) {
            true => text - 200,
            false => text,
        };
        let texts = (0..400).map(|text| runs(salt(text))).collect();
        (texts, (0..400).map(|text| text < 200).collect())
    }

    #[test]
    fn copies_are_found_by_all_runs_and_by_few_of_them() {
        let (texts, members) = texts();
        let known: HashSet<u64> = texts[..200].iter().flatten().copied().collect();
        for most in [1 << 20, 4000, 1200] {
            let mut runs = Runs::with_room(most);
            for (text, own) in texts.iter().enumerate() {
                runs.add(text, own);
                assert!(runs.hashes.len() <= most);
            }
            assert_eq!(runs.one_in() == 1, most == 1 << 20);
            for (text, share) in runs.shares(&members).into_iter().enumerate().skip(200) {
                let slow = text::share_known(&texts[text], &known);
                assert!(
                    share.is_none_or(|share| share == slow),
                    "{text}: {share:?}, {slow}"
                );
                assert!(share.is_some() || most == 1200);
            }
        }
    }
}
