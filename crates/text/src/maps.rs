//! Maps and sets by texts, for what is looked up word by word: as the standard library's, with a hash that takes
//! a part of the time. Its seed differs from run to run, so that nothing may rest on their order.

use foldhash::fast::RandomState;

pub type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;
pub type HashSet<K> = std::collections::HashSet<K, RandomState>;
