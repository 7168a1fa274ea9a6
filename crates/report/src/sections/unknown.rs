//! What was said of records of unknown membership: how many were called, and what that is worth.

use judge::calls::Unknown;

use super::percent;
use crate::blocks::Section;

pub fn section(found: &Unknown) -> Section {
    Section {
        title: "Records of unknown membership".into(),
        points: vec![called(found), basis(found)],
        remarks: [limits(found), Some(ASSUMED.to_owned())]
            .into_iter()
            .flatten()
            .collect(),
        ..Section::default()
    }
}

/// The same in a sentence or two.
pub(crate) fn short(found: &Unknown) -> String {
    let called = format!(
        "Of {} records of unknown membership {} are called members at the {} level; calls.parquet says which",
        found.asked,
        found.called,
        percent(found.level)
    );
    match limits(found) {
        Some(limits) => format!("{called}. {limits}"),
        None => called + ".",
    }
}

const ASSUMED: &str = "This holds where the known non-members are like the records asked about would be, were \
                       they no members: drawn from the same source, at the same time. None of the records asked \
                       about is part of a measure; calls.parquet says what was said of each.";

fn called(found: &Unknown) -> String {
    let Unknown {
        asked,
        abstained,
        called,
        level,
        ..
    } = found;
    let silent = match abstained {
        0 => String::new(),
        count => format!("; the attack abstained on {count}, which are not called"),
    };
    format!(
        "{called} of {asked} are called members at the {} level: a non-member is called with a chance of at \
         most that, and of those called at most that share is expected to be wrong{silent}",
        percent(*level)
    )
}

fn basis(found: &Unknown) -> String {
    let chosen = match found.chosen_from {
        1 => String::new(),
        count => format!(
            ", the best of {count} on the known records, chosen so that p-values stay valid"
        ),
    };
    format!(
        "{} is held against {} known non-members{chosen}; no p-value can be below {}",
        found.attack,
        found.calibration,
        small(found.smallest_p)
    )
}

/// What so few non-members cannot show.
fn limits(found: &Unknown) -> Option<String> {
    let Unknown {
        calibration,
        asked,
        needed,
        level,
        ..
    } = found;
    if found.is_powerless() {
        let least = (1.0 / level).ceil() as usize - 1;
        return Some(format!(
            "{calibration} non-members cannot call anybody at the {} level, whatever the scores: give at least \
             {least}, and {needed} for one record that stands out among {asked}.",
            percent(*level)
        ));
    }
    (!found.calls_one()).then(|| {
        format!(
            "One record that stands out alone among {asked} could not be called: that takes {needed} \
             non-members. Ask about fewer, or add non-members."
        )
    })
}

fn small(p: f64) -> String {
    match p {
        p if p < 1e-300 => "<1e-300".to_owned(),
        p if p < 0.001 => format!("{p:.1e}"),
        p => format!("{p:.4}"),
    }
}
