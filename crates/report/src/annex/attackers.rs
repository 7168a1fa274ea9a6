//! Every attack that ran with what it reached, every one that did not with why, and what this tool has no
//! attack for.

use judge::AttackMeasures;

use super::{KnownAttack, Material};
use crate::blocks::{Block, Table, cells};
use crate::detail::{Detail, Kind};
use crate::document::Report;
use crate::fewshot::measured_as;
use crate::sections::percent;
use crate::shown_rates::shown_rates;
use crate::table::rate;

pub fn blocks(material: &Material<'_>) -> Vec<Block> {
    let mut blocks = vec![Block::Heading("Tried".into())];
    blocks.extend(tried(material));
    blocks.push(Block::Heading("Not tried, though the tool has it".into()));
    blocks.extend(untried(material));
    blocks.push(Block::Heading(
        "Not tried, because it is another kind of attack".into(),
    ));
    blocks.push(Block::Remark(OTHERS.to_owned()));
    blocks.push(others(material.report));
    blocks
}

const OTHERS: &str = "A test for membership is no test for these. Nothing in this annex is evidence that the \
    model or service resists them.";

/// What attackers reach by what they have. Where that is not known, as of scores that were made elsewhere, every
/// attack is listed; otherwise that list is an appendix.
fn tried(material: &Material<'_>) -> Vec<Block> {
    let report = material.report;
    if report.attacks.is_empty() {
        return vec![Block::Remark("No attack was measured.".to_owned())];
    }
    let rates = rates(report);
    let mut blocks = vec![Block::Remark(format!(
        "{}. AUC 0.5 is guessing and 1 is certainty; “caught” is the share of members that are named while so \
         many of the others are wrongly accused (FPR), where guessing catches as many in a hundred as it accuses. \
         “Accuracy” is the mean of the shares of members and of others that are told rightly, at the best threshold \
         for these records (guessing: 50%); “ε ≥” is what the attack proves of ε, and 0.00 proves nothing. \
         “Strongest” is the one with the highest AUC; by another measure another can be. Intervals hold with {}% \
         confidence for each attack by itself. 0.0% is no sign of safety: scores of some attacks are too coarse for so \
         few false alarms.",
        plural(
            report.attacks.len(),
            "attack was tried",
            "attacks were tried"
        ),
        100.0 * report.provenance.measuring.confidence
    ))];
    match by_access(material, &rates) {
        Some(table) => blocks.extend([table, Block::Remark(APPENDED.to_owned())]),
        None => blocks.push(every(material, &rates)),
    }
    blocks.extend(abstained(report));
    blocks
}

const APPENDED: &str = "Every attack by itself stands in the appendix, part 13.";

/// Every attack that was tried, for specialists; nothing where part 4 lists them already.
pub fn appendix(material: &Material<'_>) -> Option<Vec<Block>> {
    let rates = rates(material.report);
    by_access(material, &rates)?;
    Some(vec![
        Block::Remark(
            "From the strongest to the weakest, in the words of part 4. This is for specialists; nothing in the \
             other parts needs it."
                .to_owned(),
        ),
        every(material, &rates),
    ])
}

/// The false-positive rates that are shown and that any attack was measured at, by their places.
fn rates(report: &Report) -> Vec<usize> {
    let measured = |place: &usize| {
        let mut all = report.attacks.iter();
        all.any(|attack| caught(attack, *place).is_some())
    };
    let rates = shown_rates(&report.provenance.measuring.fprs).into_iter();
    rates.filter(measured).collect()
}

/// The strongest attack of those that need the same: what each kind of access is worth to an attacker. Nothing
/// where an attack is not known.
fn by_access(material: &Material<'_>, rates: &[usize]) -> Option<Block> {
    let mut rows: Vec<(&str, usize, &AttackMeasures)> = Vec::new();
    for attack in material.report.strongest_first() {
        let needs = material.known(&attack.id)?.needs.as_str();
        match rows.iter_mut().find(|(known, ..)| *known == needs) {
            Some((_, count, _)) => *count += 1,
            None => rows.push((needs, 1, attack)),
        }
    }
    let rows: Vec<_> = rows
        .into_iter()
        .map(|(needs, count, strongest)| {
            let mut row = vec![needs.to_owned(), count.to_string(), strongest.id.clone()];
            row.extend(measures(material.report, strongest, rates));
            cells(&row)
        })
        .collect();
    let mut heads = vec![
        "what the attacker needs",
        "attacks",
        "the strongest of them",
    ];
    let reached = measure_heads(material.report, rates);
    heads.extend(reached.iter().map(String::as_str));
    (!rows.is_empty()).then(|| {
        Block::Table(Table::new(
            "What attackers reach by what they have",
            &heads,
            rows,
        ))
    })
}

const AUC: &str = "AUC (interval)";

fn every(material: &Material<'_>, rates: &[usize]) -> Block {
    let report = material.report;
    let rows = report.strongest_first().into_iter().map(|attack| {
        let known = material.known(&attack.id);
        let known = known.map_or("made elsewhere", |known| known.summary.as_str());
        let mut row = vec![attack.id.clone(), known.to_owned()];
        row.extend(measures(report, attack, rates));
        cells(&row)
    });
    let reached = measure_heads(report, rates);
    let mut heads = vec!["attack", "how it goes about it"];
    heads.extend(reached.iter().map(String::as_str));
    Block::Table(Table::new(
        "Attacks that were tried",
        &heads,
        rows.collect(),
    ))
}

fn measure_heads(report: &Report, rates: &[usize]) -> Vec<String> {
    let fprs = &report.provenance.measuring.fprs;
    let mut heads = vec![AUC.to_owned(), "accuracy".to_owned()];
    heads.extend(proves(report).then(|| "ε ≥".to_owned()));
    heads.extend(
        rates
            .iter()
            .map(|place| format!("caught at {} FPR", rate(fprs[*place]))),
    );
    heads
}

/// Records that went in or out together prove no ε.
fn proves(report: &Report) -> bool {
    report.persons.is_none()
}

fn measures(report: &Report, attack: &AttackMeasures, rates: &[usize]) -> Vec<String> {
    let auc = &attack.auc;
    let mut cells = vec![
        format!("{:.3} ({:.3}–{:.3})", auc.value, auc.low, auc.high),
        percent(attack.balanced_accuracy.value),
    ];
    let bound = attack.epsilon_lower_bound.value;
    cells.extend(proves(report).then(|| format!("{bound:.2}")));
    cells.extend(rates.iter().map(|place| {
        let share = caught(attack, *place);
        share.map_or("–".to_owned(), percent)
    }));
    cells
}

fn caught(attack: &AttackMeasures, place: usize) -> Option<f64> {
    attack.tpr_at_fpr.get(place).and_then(|found| found.value)
}

/// Records that attacks had nothing to say of.
fn abstained(report: &Report) -> Option<Block> {
    let said: Vec<String> = (report.attacks.iter())
        .filter(|attack| attack.abstained > 0)
        .map(|attack| format!("{} ({})", attack.id, attack.abstained))
        .collect();
    (!said.is_empty()).then(|| {
        Block::Remark(format!(
            "Some attacks had nothing to say of some records, which count as told apart by a coin: {}.",
            said.join(", ")
        ))
    })
}

fn untried(material: &Material<'_>) -> Vec<Block> {
    let report = material.report;
    if report.kind() == Kind::Scores {
        return vec![Block::Remark(
            "The scores were made by somebody else's attacks. Which attacks were open to them and were left out \
             is not known here."
                .to_owned(),
        )];
    }
    let ran = |id: &str| {
        let mut ids = report
            .attacks
            .iter()
            .map(|attack| of_card(report, &attack.id));
        ids.any(|one| one == id)
    };
    let skipped = report.skipped.iter().map(|one| {
        let needs = material
            .known(&one.id)
            .map_or("", |known| known.needs.as_str());
        vec![one.id.clone(), needs.to_owned(), one.reason.clone()]
    });
    let was_skipped = |id: &str| report.skipped.iter().any(|one| one.id == id);
    let others = (material.context.attacks.iter())
        .filter(|known| !ran(&known.id) && !was_skipped(&known.id))
        .map(|known| vec![known.id.clone(), known.needs.clone(), why(known, material)]);
    let rows: Vec<_> = skipped.chain(others).map(|row| cells(&row)).collect();
    let attacker = report.verdict.attacker.as_ref();
    let stronger = attacker.and_then(|attacker| attacker.stronger.as_ref());
    if rows.is_empty() {
        return vec![Block::Remark(match stronger {
            None => {
                "None: every attack that the tool has on this kind of target was tried.".to_owned()
            }
            Some(stronger) => format!(
                "Every attack that the tool has for such an attacker was tried. Those of a stronger one were not: \
                 {stronger}."
            ),
        })];
    }
    let heads = ["attack", "what it needs", "why it was not tried"];
    vec![Block::Table(Table::new(
        "Attacks that were not tried",
        &heads,
        rows,
    ))]
}

/// Why an attack that nobody says anything about did not run.
fn why(known: &KnownAttack, material: &Material<'_>) -> String {
    let made_by = &material.report.provenance.version;
    let same = *made_by == material.context.version;
    match (known.usual, same) {
        (false, true) => "it runs only where it is named, and nobody named it".to_owned(),
        (true, true) => {
            "whoever ran the test named the attacks to be tried, and not this one".to_owned()
        }
        (_, false) => {
            format!("not asked for, or not known to version {made_by}, which made the report")
        }
    }
}

/// The other classes of attacks that guidance names.
fn others(report: &Report) -> Block {
    let regurgitation = match looked_at_regurgitation(report) {
        true => {
            "Regurgitation of training data: looked at for canaries alone, which were made up for the test \
             (part 6); not for records of people"
        }
        false => "Regurgitation (the model says training data word for word): not tested",
    };
    Block::List(
        [
            "Attribute inference (learning something new about a person from the model): not tested",
            "Exfiltration (getting training data out of the model or the systems around it): not tested",
            regurgitation,
            "Model inversion (finding inputs that stand for a class or a person): not tested",
            "Reconstruction (working out training records from the model): not tested",
        ]
        .map(String::from)
        .into(),
    )
}

/// Whether it was measured how much of canaries the model says by itself.
pub fn looked_at_regurgitation(report: &Report) -> bool {
    let canaries = report.canaries.as_ref();
    canaries.is_some_and(|found| found.extraction.is_some())
}

impl Material<'_> {
    pub fn known(&self, id: &str) -> Option<&KnownAttack> {
        let id = of_card(self.report, id);
        self.context.attacks.iter().find(|known| known.id == id)
    }
}

/// The attack behind what was measured: a few-shot attack is measured once for every number of shots.
fn of_card<'a>(report: &'a Report, id: &'a str) -> &'a str {
    match &report.detail {
        Detail::Fewshot(few) => {
            let mut all = few.attacks.iter();
            let found = all.find(|summary| measured_as(summary) == id);
            found.map_or(id, |summary| summary.attack.as_str())
        }
        _ => id,
    }
}

pub fn plural(count: usize, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    }
}
