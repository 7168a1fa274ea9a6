//! What may be concluded, and what may not.

use judge::verdict::Outcome;

use super::Material;
use crate::blocks::Block;
use crate::caveats;
use crate::detail::Kind;

pub fn blocks(material: &Material<'_>) -> Vec<Block> {
    let report = material.report;
    let seen = match caveats::caveats(report).is_empty() {
        true => "A leak as large as the one stated in part 5 would most likely have been seen.",
        false => {
            "A leak as large as the one stated in part 5 would most likely have been seen, unless it is one that \
             the warnings of part 1 speak of."
        }
    };
    let says: &[&str] = match report.verdict.outcome {
        Outcome::Pass => &[
            "With the attacks of part 4, on the records of part 5, membership was not told better than the \
             threshold of part 7 allows.",
            seen,
        ],
        Outcome::Fail => &[
            "With an attack of part 4, membership was told better than the threshold of part 7 allows.",
            "The guardrails of part 8 found no reason to think that the test itself made it appear.",
        ],
        Outcome::Inconclusive => &[
            "Nothing about the model or service. Part 8 says what stood in the way, and the next steps below \
             what to change.",
        ],
    };
    let mut not = NOT_SAID.to_vec();
    not.extend(of_kind(report.kind()));
    if report.verdict.outcome == Outcome::Pass {
        not.push(
            "A pass is no proof. It is evidence about the attacks that were tried; stronger ones may be published \
             tomorrow.",
        );
    }
    let list = |lines: &[&str]| Block::List(lines.iter().map(|line| (*line).to_owned()).collect());
    let mut blocks = vec![
        Block::Heading("It says".into()),
        list(says),
        Block::Heading("It does not say".into()),
        list(&not),
    ];
    if let Some(steps) = crate::composed::next_steps(report) {
        blocks.push(Block::Heading("What the tool suggests next".into()));
        blocks.push(Block::Remark(SUGGESTIONS.to_owned()));
        blocks.push(steps);
    }
    blocks
}

const SUGGESTIONS: &str = "Suggestions for engineers. What is measured beside one is what the attacks tried here would \
    reach then, which is a minimum; none makes a model anonymous by itself, differential privacy included, whose \
    strength depends on the number ε that is chosen. After a change the test has to be done again.";

const NOT_SAID: [&str; 4] = [
    "That the model is anonymous, or that it is not, in the sense of data protection law. That is a legal \
     conclusion, for which this test is one piece of evidence.",
    "Anything about attacks of another kind than membership inference (part 4).",
    "Anything about another version of the model, other training data, or records unlike those that were judged.",
    "Whether the data were lawfully collected or used.",
];

fn of_kind(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Classifier => &[
            "How shadow models of another recipe would have done: the attacker is given models that were trained \
             as the audited one was, which is the cautious assumption.",
        ],
        Kind::Lm => &[
            "Whether the texts of pre-training leak, where members are texts of fine-tuning alone.",
        ],
        Kind::Rag => &[
            "What the language model behind the service learned in its own training: what it says without \
             retrieval is no leak of the store.",
        ],
        Kind::Source => &[
            "How exactly the service came to an answer: sources are inferred from how answers change.",
        ],
        Kind::Fewshot => {
            &["What an attacker reaches who knows more records than the few that were given here."]
        }
        Kind::Scores => &[
            "How the scores were made: whether the attack saw what it should not have cannot be seen from them.",
        ],
    }
}
