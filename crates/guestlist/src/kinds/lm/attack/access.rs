//! Who attacks by token signals: somebody with a reference model to compare with, or without one.

use attacks::card::Access;
use attacks::lm;
use attacks::scores::Scores;
use attacks::signals::tokens::Need;
use judge::attacker::{Attacker, Wanted};
use judge::lm::ReferenceAlone;
use judge::{Options, Truth};

use super::read::Read;
use super::reference::Useless;

const WITH_REFERENCE: &str = "has the audited model's log-probabilities and those of the reference \
                              model on the same texts";
const ALONE: &str = "asks the audited model alone and has no other model to compare its \
                     log-probabilities with";

const NO_REFERENCE: &str = "compares with a reference model: score the same texts with the model that \
                            fine-tuning started from (reference in guestlist.toml, ref_logprob in a \
                            file of token signals)";

/// By the attacks that have scores. A reference counts where an attack used it on most texts of
/// both kinds, and where it is a model to compare with: no copy of the audited one, no constant, and of
/// the same tokens.
pub fn attacker(
    scores: &[(String, Scores)],
    truth: &Truth,
    read: &Read,
    wanted: Wanted,
) -> Attacker {
    let mut compared = scores
        .iter()
        .filter(|(id, scores)| compares(id) && on_most(scores, truth));
    match compared.next() {
        Some(_) if read.useless().is_none() && !read.identical() => {
            Attacker::strongest(WITH_REFERENCE)
        }
        _ => Attacker::target_only(ALONE, stronger(read), wanted),
    }
}

/// Where no reference was named: known before any model is asked.
pub fn without_reference(wanted: Wanted) -> Attacker {
    Attacker::target_only(ALONE, NO_REFERENCE, wanted)
}

/// What the reference's log-probabilities tell by themselves; nothing where it has none of a kind.
pub fn reference_alone(read: &Read, truth: &Truth) -> Option<ReferenceAlone> {
    let options = Options {
        bootstrap_replicates: 0,
        calibrate: false,
        confidence: 0.99,
        ..Options::default()
    };
    let auc = judge::measure("reference", &read.reference, truth, &options)
        .ok()?
        .auc;
    Some(ReferenceAlone {
        auc: auc.value,
        low: auc.low,
        high: auc.high,
    })
}

fn compares(id: &str) -> bool {
    let card = lm::find(id).map(|attack| attack.card());
    card.is_ok_and(|card| match card.access {
        Access::Tokens(needs) => needs.contains(&Need::Reference),
        _ => false,
    })
}

fn on_most(scores: &Scores, truth: &Truth) -> bool {
    [true, false].into_iter().all(|kind| {
        let of_kind = scores.iter().zip(truth.iter());
        let of_kind = of_kind.filter(|(_, member)| *member == Some(kind));
        let (judged, left): (Vec<_>, Vec<_>) = of_kind.partition(|(score, _)| score.is_some());
        judged.len() > left.len()
    })
}

/// What a stronger attacker would do, and so what to add.
fn stronger(read: &Read) -> String {
    let texts = read.scored;
    match read.referenced {
        0 => NO_REFERENCE.to_owned(),
        _ if read.identical() => "compares with the model that fine-tuning started from: the \
                                  reference is the audited model itself, so name that one in its \
                                  place"
            .to_owned(),
        some if 2 * some <= texts => format!(
            "compares every text with a reference model: {some} of {texts} texts have one, so score \
             the others with it too"
        ),
        _ if read.useless().is_some() => read.useless().map_or("", Useless::stronger).to_owned(),
        _ => {
            "compares with the reference model that is there: leave the choice of attacks out, or \
              add one that compares, such as ez, wbc or ratio"
                .to_owned()
        }
    }
}
