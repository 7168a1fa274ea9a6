//! Kinds of answers, counted for members and for non-members.

use std::collections::BTreeMap;

use attacks::probes::reading::kind;
use attacks::signals::probes::Reply;
use serde_json::Value;

/// How many answers about members and about non-members are of which kind, by the name that
/// report.json has for it.
pub fn kinds<'a>(replies: impl Iterator<Item = (&'a Reply, bool)>) -> BTreeMap<String, [usize; 2]> {
    let mut kinds: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for (reply, member) in replies {
        if let Ok(Value::String(name)) = serde_json::to_value(kind(reply)) {
            kinds.entry(name).or_default()[usize::from(!member)] += 1;
        }
    }
    kinds
}
