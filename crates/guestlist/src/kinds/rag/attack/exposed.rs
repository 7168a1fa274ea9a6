//! Members that gave themselves away, with an exchange that shows why.

use attacks::rag::signals::telling;
use attacks::scores::Scores;
use attacks::signals::probes::{Exchange, Probed, Reply, SharedText};
use judge::{AttackMeasures, Truth};
use report::rag::Exposed;

use super::ArmView;

const MOST: usize = 20;
/// Characters of an answer that are kept in the report.
const QUOTED: usize = 2_000;

/// Nothing where the gated attack may be chance, at the confidence of the gate.
pub fn find(
    on: &ArmView,
    truth: &Truth,
    scores: &[(String, Scores)],
    measured: &[AttackMeasures],
    gated: Option<&str>,
    confidence: f64,
) -> Vec<Exposed> {
    let attack = measured
        .iter()
        .find(|attack| Some(attack.id.as_str()) == gated);
    let surely = |attack: &&AttackMeasures| attack.auc.at_confidence(confidence).low > 0.5;
    let Some(attack) = attack.filter(surely) else {
        return Vec::new();
    };
    let Some((_, scores)) = scores.iter().find(|(id, _)| *id == attack.id) else {
        return Vec::new();
    };
    let mut members: Vec<(usize, f64)> = (0..truth.len())
        .filter(|&place| truth.is_member(place) == Some(true))
        .filter_map(|place| Some((place, scores.get(place)?)))
        .collect();
    members.sort_by(|a, b| b.1.total_cmp(&a.1));
    let chosen = members.into_iter().take(MOST);
    chosen
        .filter_map(|(place, score)| exposed(&on.heard.documents[place], &attack.id, score, on))
        .collect()
}

fn exposed(probed: &Probed, attack: &str, score: f64, on: &ArmView) -> Option<Exposed> {
    let own = |exchange: &&&Exchange| exchange.probe.strategy == attack;
    let any = probed.exchanges.iter().any(|exchange| own(&exchange));
    let answered = probed
        .exchanges
        .iter()
        .filter(|exchange| exchange.reply.is_some());
    let candidates = answered.filter(|exchange| !any || own(exchange));
    let worth = |exchange: &&&Exchange| telling(probed.document, exchange, on.frequencies);
    let best = candidates.max_by(|a, b| worth(a).total_cmp(&worth(b)))?;
    let reply = best.reply.as_deref()?;
    Some(Exposed {
        document: probed.document.id.clone(),
        score,
        strategy: best.probe.strategy.clone(),
        query: best.probe.query.chars().take(QUOTED).collect(),
        answer: whole(reply).chars().take(QUOTED).collect(),
    })
}

/// The answer, and the texts beside it with their places.
fn whole(reply: &Reply) -> String {
    let mut whole = reply.answer.to_string();
    for aside in &reply.asides {
        let part = |part: &Option<SharedText>| part.as_deref().unwrap_or_default().to_owned();
        let said = part(&aside.title) + &part(&aside.text);
        whole += &format!("\n[{}] {said}", part(&aside.id));
    }
    whole
}
