//! Does the second answer to one and the same question tell what the first kept back? Attacks read first answers: a
//! service that gives a document away only to who asks again would pass them all.

use std::borrow::Cow;

use attacks::rag::reading::{Kind, kind};
use attacks::rag::signals::telling;
use attacks::signals::probes::Exchange;
use judge::Truth;
use judge::rag::AgainTells;
use stats::roc::Roc;
use stats::streams::{Seed, shuffle};

use super::{ArmView, AskedDocument, ProbeRequest};

/// By how much a second answer differs from the first.
type Differs<'a> = &'a (dyn Fn(&AskedDocument, &Exchange, &Exchange) -> f64 + Sync);

/// Labels are drawn so often to see what chance would show.
const DRAWS: usize = 9_999;

/// What second answers show beyond first ones and chance shows least often; nothing where none was asked for.
pub fn again_tells(request: &ProbeRequest, on: &ArmView, truth: &Truth) -> Option<AgainTells> {
    let more_told = |asked: &AskedDocument, first: &Exchange, second: &Exchange| {
        let told = |exchange| telling(&asked.document, exchange, on.frequencies);
        told(second) - told(first)
    };
    let answered =
        |_: &AskedDocument, first: &Exchange, second: &Exchange| answers(second) - answers(first);
    let reworded = |_: &AskedDocument, first: &Exchange, second: &Exchange| {
        f64::from(u8::from(words(first) != words(second)))
    };
    let all: [(&str, Differs); 3] = [
        ("how much more of the document it gives", &more_told),
        (
            "whether it is an answer where the first was none",
            &answered,
        ),
        ("whether it has other words", &reworded),
    ];
    let seed = Seed(request.context.measuring.seed);
    let told = all.into_iter().filter_map(|(what, differs)| {
        let documents = request.documents.iter().zip(truth.iter());
        let values = documents.filter_map(|(asked, member)| Some((most(asked, differs)?, member?)));
        let (auc, p) = beside_chance(values.collect(), seed)?;
        Some(AgainTells {
            what: what.to_owned(),
            auc,
            p: (p * all.len() as f64).min(1.0),
        })
    });
    // Of those that tell as much, the first.
    told.reduce(|least, one| if one.p < least.p { one } else { least })
}

/// The AUC, and how often labels that are drawn anew lie as far from one half.
fn beside_chance(values: Vec<(f64, bool)>, seed: Seed) -> Option<(f64, f64)> {
    let auc = |members: &[bool]| {
        let values = values.iter().map(|(value, _)| *value);
        Some(Roc::new(values.zip(members.iter().copied()))?.auc())
    };
    let mut members: Vec<bool> = values.iter().map(|(_, member)| *member).collect();
    let found = auc(&members)?;
    let far = |auc: f64| (auc - 0.5).abs() >= (found - 0.5).abs() - 1e-12;
    let mut stream = seed.stream("second answers");
    let mut as_far = 1;
    for _ in 0..DRAWS {
        shuffle(&mut stream, &mut members);
        as_far += usize::from(auc(&members).is_some_and(far));
    }
    Some((found, as_far as f64 / (DRAWS + 1) as f64))
}

/// Of the questions about a document that were asked twice, the one whose answers differ most.
fn most(asked: &AskedDocument, differs: Differs) -> Option<f64> {
    let pairs = asked.again.iter().filter_map(|second| {
        let same = |first: &&Exchange| first.probe.query == second.probe.query;
        let first = asked.on.iter().find(same)?;
        let both = first.reply.is_some() && second.reply.is_some();
        both.then(|| differs(asked, first, second))
    });
    pairs.reduce(f64::max)
}

fn answers(exchange: &Exchange) -> f64 {
    let of = exchange.reply.as_deref().map(kind);
    f64::from(u8::from(of == Some(Kind::Answer)))
}

fn words(exchange: &Exchange) -> Cow<'_, str> {
    let reply = exchange.reply.as_deref();
    reply.map_or(Cow::Borrowed(""), |reply| reply.answer.trim().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_counted_over_labels_drawn_anew() {
        let of = |tells: bool| -> Vec<(f64, bool)> {
            let value = |place: u32| f64::from(if tells { place / 10 } else { place % 2 });
            (0..20).map(|place| (value(place), place >= 10)).collect()
        };
        let (auc, p) = beside_chance(of(true), Seed(1)).unwrap();
        // Both sides: two of 184,756 ways.
        assert!(auc == 1.0 && p <= 5e-4, "{p}");
        let (auc, p) = beside_chance(of(false), Seed(1)).unwrap();
        assert!(auc == 0.5 && p == 1.0, "{p}");
        assert!(beside_chance(vec![(1.0, true); 4], Seed(1)).is_none());
        // Three of ten members, no other: as often on either side, (10 choose 3) of (20 choose 3) each.
        let few = (0..20).map(|place| (f64::from(u8::from(place < 3)), place < 10));
        let (_, p) = beside_chance(few.collect(), Seed(1)).unwrap();
        let exact = 2.0 * 120.0 / 1140.0;
        assert!((p - exact).abs() < 0.02, "{p} {exact}");
    }
}
