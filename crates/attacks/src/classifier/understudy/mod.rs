//! `understudy` and `understudy-offline`: shadows stand in for the target, and a learner watches.
//!
//! Models differ as a whole; that is taken out first. Every shadow knows what it trained on. Two of them at a time play the target while the others
//! stay shadows. From these rehearsals published scores are weighed, and boosted trees learn what
//! those scores miss, as far as held-out records confirm it; then the audited model is shown. No
//! membership of the audited model is ever used.

mod halves;
mod learner;
mod lesson;
mod level;
mod offline;
mod online;
mod pairs;
mod rehearsal;
mod spread;

pub use self::offline::UnderstudyOffline;
pub use self::online::Understudy;

const CREDIT: &str = "guestlist; built on the shadow-trained attack models of Shokri et al. 2017, \
                      arXiv:1610.05820, on LiRA (Carlini et al. 2022, arXiv:2112.03570), on RMIA \
                      (Zarifzadeh et al. 2024, arXiv:2312.03262), on base1 (Lassila et al. 2025, \
                      arXiv:2505.24089) and on BaVarIA (Brännvall 2026, arXiv:2603.11799)";

#[cfg(test)]
mod tests;
