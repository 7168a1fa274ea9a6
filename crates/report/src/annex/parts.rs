//! Which parts the annex has, and in which order.

use super::{
    Material, attackers, detail, evidence, glossary, guardrails, guidance, limits, result, sizes,
    subject, threat, thresholds,
};
use crate::blocks::Block;

/// A part under its own heading.
pub struct Part {
    pub id: &'static str,
    pub title: &'static str,
    /// Where the guidance that part 11 lists asks for it.
    pub guidance: &'static str,
    pub blocks: Vec<Block>,
}

/// Every part; those that have nothing to say say that.
pub fn parts(material: &Material<'_>) -> Vec<Part> {
    let part = |id, title, guidance, blocks| Part {
        id,
        title,
        guidance,
        blocks,
    };
    let mut parts = vec![
        part("result", "Result in brief", "", result::blocks(material)),
        part(
            "subject",
            "What was tested",
            "EDPB Opinion 28/2024 ¶55, ¶58",
            subject::blocks(material),
        ),
        part(
            "threat",
            "Threat model",
            "EDPB Opinion 28/2024 ¶46, ¶58(c)",
            threat::blocks(material),
        ),
        part(
            "attackers",
            "Attackers tried, and attackers not tried",
            "EDPB Opinion 28/2024 ¶55; OWASP AITG-MOD-04; OWASP AISVS 11.3.3",
            attackers::blocks(material),
        ),
        part(
            "sizes",
            "Sizes, and the smallest leak that would have been seen",
            "EDPB Opinion 28/2024 ¶55",
            sizes::blocks(material),
        ),
        part(
            "detail",
            "Results in detail",
            "EDPB Opinion 28/2024 ¶55, ¶58",
            detail::blocks(material),
        ),
        part(
            "thresholds",
            "Thresholds, and why they are what they are",
            "EDPB Opinion 28/2024 ¶58",
            thresholds::blocks(material),
        ),
        part(
            "guardrails",
            "Guardrails: could the test itself mislead?",
            "EDPB Opinion 28/2024 ¶55",
            guardrails::blocks(material),
        ),
        part(
            "limits",
            "What the outcome says, and what it does not say",
            "EDPB Opinion 28/2024 ¶55",
            limits::blocks(material),
        ),
        part(
            "evidence",
            "Evidence, and how to do it again",
            "EDPB Opinion 28/2024 ¶58",
            evidence::blocks(material),
        ),
        part(
            "guidance",
            "Where this stands in published guidance",
            "",
            guidance::blocks(material),
        ),
        part(
            "glossary",
            "Words used here",
            "",
            glossary::blocks(material),
        ),
    ];
    let appendix = attackers::appendix(material);
    parts.extend(appendix.map(|blocks| {
        part(
            "appendix",
            "Appendix: every attack that was tried",
            "",
            blocks,
        )
    }));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annex::{AnnexContext, Family, KnownAttack};
    use crate::document::Report;

    /// Parts refer to each other by number.
    #[test]
    fn parts_have_the_numbers_that_others_call_them_by() {
        let text = include_str!("../../tests/data/diagnosed.json");
        let report = Report::from_json(text).unwrap();
        let unknown = AnnexContext::default();
        let known = AnnexContext {
            attacks: (report.attacks.iter())
                .map(|attack| known_attack(&attack.id))
                .collect(),
            ..AnnexContext::default()
        };
        let ids = |context: &AnnexContext| -> Vec<&str> {
            let report = &report;
            let parts = parts(&Material { report, context });
            parts.iter().map(|part| part.id).collect()
        };
        assert_eq!(ids(&unknown), ids(&known)[..12]);
        assert_eq!(
            ids(&known),
            [
                "result",
                "subject",
                "threat",
                "attackers",
                "sizes",
                "detail",
                "thresholds",
                "guardrails",
                "limits",
                "evidence",
                "guidance",
                "glossary",
                "appendix"
            ]
        );
    }

    fn known_attack(id: &str) -> KnownAttack {
        KnownAttack {
            id: id.to_owned(),
            summary: String::new(),
            needs: String::new(),
            paper: String::new(),
            family: Family::Outputs,
            usual: true,
        }
    }
}
