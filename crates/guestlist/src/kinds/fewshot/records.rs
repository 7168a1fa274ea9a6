//! The records of a few-shot audit: their features, the truth, and the model where it is at hand.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use attacks::fewshot::WhiteBox;
use formats::features::{self, FeatureTable, Wanted};
use formats::left_out::LeftOut;
use judge::Truth;
use judge::guardrails::DuplicateFacts;

use super::white_box::AtHand;
use crate::Error;
use crate::pipeline::columns::refuse_doubted;
use crate::pipeline::{AuditContext, read_listed};

/// What a few-shot audit is about.
pub struct KnownRecords {
    pub table: FeatureTable,
    pub truth: Truth,
    /// The model itself, for attacks that change its weights.
    pub model: Option<AtHand>,
    /// Every file that was read.
    pub sources: Vec<PathBuf>,
    pub target: usize,
}

impl KnownRecords {
    /// Reads a file of features, or a run's folder; `members` lists who is one where that is told
    /// apart.
    pub fn open(path: &Path, wanted: &Wanted, members: Option<&Path>) -> Result<Self, Error> {
        let (table, model) = match shadows::features::is_run(path) {
            true => {
                let (table, inside) = shadows::features::open_run(path, wanted)?;
                (table, Some(AtHand::Trained(Box::new(inside))))
            }
            false => (features::read(path, wanted)?, None),
        };
        let name = path.display();
        let listed = match (members, &table.members) {
            (Some(list), _) => read_listed(list, table.features.records(), table.ids.as_deref())?,
            (None, Some(members)) => members.clone(),
            (None, None) => {
                return Err(Error::usage(
                    format!("{name}: does not say who is a member"),
                    "list the members' ids (or row numbers from 0) with --members, or store member \
                     [records] beside the features",
                ));
            }
        };
        let truth = Truth::new(listed).map_err(|error| error.within(&name.to_string()))?;
        let sources = table.sources.iter().cloned();
        Ok(Self {
            sources: sources.chain(members.map(Path::to_owned)).collect(),
            table,
            truth,
            model,
            target: wanted.target,
        })
    }

    /// Columns beside the features: one that may be a feature in another form is refused.
    pub fn tell_left_out(&self, context: &mut AuditContext) -> Result<(), Error> {
        let others = self.table.others.iter();
        let others: Vec<LeftOut> = others
            .filter(|other| !context.takes(&other.name))
            .cloned()
            .collect();
        refuse_doubted(
            &others,
            "or take the column out of the file if it is no feature",
        )?;
        context.tell_left_out(&others);
        Ok(())
    }

    /// Features that a program holds in memory, and the model that it tunes itself, where it has one.
    pub fn given(
        table: FeatureTable,
        truth: Truth,
        model: Option<(Box<dyn WhiteBox + Send>, String)>,
    ) -> Self {
        Self {
            table,
            truth,
            model: model.map(|(model, about)| AtHand::Outside { model, about }),
            sources: Vec::new(),
            target: 0,
        }
    }

    /// Which records have the same features, to the last bit: no attack on these tells them apart.
    pub fn same_features(&self) -> DuplicateFacts {
        let features = &self.table.features;
        let mut units: HashMap<u64, usize> = HashMap::new();
        let unit_of = |(record, member): (usize, bool)| {
            let mut digest = DefaultHasher::new();
            // −0 is 0.
            let row = features.row(record).iter();
            row.for_each(|value| (value + 0.0).to_bits().hash(&mut digest));
            let next = units.len();
            (*units.entry(digest.finish()).or_insert(next), member)
        };
        DuplicateFacts::new(self.truth.known().map(unit_of))
    }

    /// The features in a line.
    pub fn about(&self) -> String {
        let features = &self.table.features;
        let model = match self.table.models {
            1 => String::new(),
            models => format!(" of model {} of {models}", self.target),
        };
        let at_hand = match &self.model {
            Some(model) => format!("; the model itself is at hand: {}", model.about()),
            None => String::new(),
        };
        format!(
            "{}, {} numbers per record{model}{at_hand}",
            self.table.layer,
            features.width()
        )
    }
}
