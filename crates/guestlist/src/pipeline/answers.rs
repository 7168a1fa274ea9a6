//! Kinds of answers, counted for members and for non-members, and answers that were cut off.

use std::collections::BTreeMap;

use attacks::rag::reading::kind;
use attacks::signals::probes::Reply;
use judge::rag::CutShort;
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

/// How many of the answers the service stopped at its limit of tokens, as it says itself.
pub fn cut_short<'a>(replies: impl Iterator<Item = &'a Reply>) -> CutShort {
    replies.fold(CutShort::default(), |counted, reply| CutShort {
        answers: counted.answers + 1,
        cut_short: counted.cut_short + usize::from(reply.cut_short),
        shortened: counted.shortened + usize::from(reply.shortened),
    })
}
