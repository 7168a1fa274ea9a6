//! Lists with one entry per token: what a row has of the audited model and of the reference, and the
//! checks that make it signals.

use attacks::signals::tokens::TextSignals;

use super::raw::{Integers, Numbers};
use crate::texts::values::Wrong;

type Checked<T> = std::result::Result<T, Wrong>;

/// Rounding may lift a log-probability above what bounds it by this much.
const ROUNDING: f64 = 1e-3;

/// What one model made of a text.
pub struct OfModel {
    pub logprob: Option<Numbers>,
    pub rank: Option<Integers>,
    pub mean: Option<Numbers>,
    pub variance: Option<Numbers>,
    pub max_logprob: Option<Numbers>,
}

pub struct Lists {
    pub target: OfModel,
    pub reference: OfModel,
}

/// The same, of positions that count.
struct Kept {
    logprob: Option<Vec<f64>>,
    rank: Option<Vec<u32>>,
    mean: Option<Vec<f64>>,
    variance: Option<Vec<f64>>,
    max_logprob: Option<Vec<f64>>,
}

impl Lists {
    /// Tokens with and without a prediction; none where no model has scored the text.
    pub fn length(&self) -> usize {
        self.target.logprob.as_ref().map_or(0, Vec::len)
    }

    /// Keeps the positions that every list has a value for: the first token has no prediction, and
    /// servers leave others out. A list without any value is none.
    pub fn signals(self) -> Checked<TextSignals> {
        let mut kept = vec![true; self.length()];
        let predicted = self.target.logprob.iter().flatten();
        for (kept, entry) in kept.iter_mut().zip(predicted) {
            *kept = entry.is_some();
        }
        let target = self.target.of_length(&mut kept, &TARGET)?;
        let reference = self.reference.of_length(&mut kept, &REFERENCE)?;
        let target = target.keep(&kept, &TARGET)?;
        let reference = reference.keep(&kept, &REFERENCE)?;
        Ok(TextSignals {
            logprob: target.logprob.unwrap_or_default(),
            rank: target.rank,
            mean: target.mean,
            variance: target.variance,
            max_logprob: target.max_logprob,
            reference: reference.logprob,
            ref_rank: reference.rank,
            ref_mean: reference.mean,
            ref_variance: reference.variance,
            ref_max_logprob: reference.max_logprob,
            ..TextSignals::default()
        })
    }
}

/// What messages call the columns of a model.
struct Names {
    logprob: &'static str,
    rank: &'static str,
    mean: &'static str,
    variance: &'static str,
    max_logprob: &'static str,
}

const TARGET: Names = Names {
    logprob: "logprob",
    rank: "rank",
    mean: "mean",
    variance: "variance",
    max_logprob: "max_logprob",
};

const REFERENCE: Names = Names {
    logprob: "ref_logprob",
    rank: "ref_rank",
    mean: "ref_mean",
    variance: "ref_variance",
    max_logprob: "ref_max_logprob",
};

impl OfModel {
    fn of_length(self, kept: &mut [bool], names: &Names) -> Checked<Self> {
        Ok(Self {
            logprob: of_length(self.logprob, names.logprob, kept)?,
            rank: of_length(self.rank, names.rank, kept)?,
            mean: of_length(self.mean, names.mean, kept)?,
            variance: of_length(self.variance, names.variance, kept)?,
            max_logprob: of_length(self.max_logprob, names.max_logprob, kept)?,
        })
    }

    fn keep(self, kept: &[bool], names: &Names) -> Checked<Kept> {
        let numbers = |list: Option<Numbers>| list.map(|list| keep(list, kept));
        let rank = self.rank.map(|list| {
            let list = keep(list, kept);
            whole(list.into_iter().map(Some).collect(), names.rank, 1)
        });
        let of = |list, name| numbers(list).map(|list| logprobs(list, name)).transpose();
        let model = Kept {
            logprob: of(self.logprob, names.logprob)?,
            rank: rank.transpose()?,
            mean: of(self.mean, names.mean)?,
            variance: variances(numbers(self.variance), names.variance)?,
            max_logprob: of(self.max_logprob, names.max_logprob)?,
        };
        model.first_choices_come_first(names)?;
        Ok(model)
    }
}

impl Kept {
    /// No token is likelier than the first choice.
    fn first_choices_come_first(&self, names: &Names) -> Checked<()> {
        let (Some(own), Some(most)) = (&self.logprob, &self.max_logprob) else {
            return Ok(());
        };
        let mut pairs = own.iter().zip(most);
        match pairs.find(|(own, most)| **most < **own - ROUNDING) {
            None => Ok(()),
            Some((own, most)) => Err((
                format!(
                    "{} has {most} where {} has {own}",
                    names.max_logprob, names.logprob
                ),
                "the first choice is at least as likely as the token itself: take both from the \
                 same pass of the same model",
            )),
        }
    }
}

/// A list as long as the mask, and its gaps in the mask; nothing where it is all gaps.
fn of_length<T>(
    list: Option<Vec<Option<T>>>,
    name: &str,
    kept: &mut [bool],
) -> Checked<Option<Vec<Option<T>>>> {
    let length = kept.len();
    let Some(list) = list.filter(|list| length == 0 || list.iter().any(Option::is_some)) else {
        return Ok(None);
    };
    if list.len() != length {
        let message = format!("{name} has {} entries but logprob has {length}", list.len());
        let hint = "every list has one entry per token; target and reference must be asked about \
                    the same tokens";
        return Err((message, hint));
    }
    for (kept, entry) in kept.iter_mut().zip(&list) {
        *kept &= entry.is_some();
    }
    Ok(Some(list))
}

fn keep<T>(list: Vec<Option<T>>, kept: &[bool]) -> Vec<T> {
    let entries = list.into_iter().zip(kept);
    entries
        .filter_map(|(entry, kept)| entry.filter(|_| *kept))
        .collect()
}

fn variances(list: Option<Vec<f64>>, name: &str) -> Checked<Option<Vec<f64>>> {
    match list.iter().flatten().find(|v| v.is_nan() || **v < 0.0) {
        None => Ok(list),
        Some(wrong) => Err((
            format!("{name} has {wrong}"),
            "a variance is a number from 0",
        )),
    }
}

pub fn logprobs(list: Vec<f64>, name: &str) -> Checked<Vec<f64>> {
    match list
        .iter()
        .find(|value| value.is_nan() || **value > ROUNDING)
    {
        None => Ok(list),
        Some(wrong) => Err((
            format!("{name} has {wrong}"),
            "log-probabilities are natural logarithms: numbers up to 0, and null where there is \
             no prediction",
        )),
    }
}

/// Whole numbers from `least`, none missing.
pub fn whole(list: Integers, name: &str, least: i64) -> Checked<Vec<u32>> {
    let number = |value: Option<i64>| {
        let value = value.filter(|value| *value >= least);
        value
            .and_then(|value| u32::try_from(value).ok())
            .ok_or_else(|| {
                let message = format!("{name} has an entry that is no whole number from {least}");
                let hint = match least {
                    1 => "1 is the model's first choice",
                    _ => "give the ids as the tokenizer numbers them",
                };
                (message, hint)
            })
    };
    list.into_iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing() -> OfModel {
        OfModel {
            logprob: None,
            rank: None,
            mean: None,
            variance: None,
            max_logprob: None,
        }
    }

    fn model(logprob: &[Option<f64>]) -> OfModel {
        OfModel {
            logprob: Some(logprob.to_vec()),
            ..nothing()
        }
    }

    #[test]
    fn a_gap_in_any_list_of_either_model_leaves_the_position_out() {
        let reference = OfModel {
            rank: Some(vec![None, Some(7), None, Some(2)]),
            mean: Some(vec![None; 4]),
            max_logprob: Some(vec![None, Some(-0.5), Some(-0.5), Some(-0.25)]),
            ..model(&[None, Some(-3.0), Some(-2.0), Some(-1.0)])
        };
        let target = model(&[None, Some(-1.0), Some(-2.0), Some(-4.0)]);
        let signals = Lists { target, reference }.signals().unwrap();
        assert_eq!(signals.logprob, [-1.0, -4.0]);
        assert_eq!(signals.reference, Some(vec![-3.0, -1.0]));
        assert_eq!(signals.ref_rank, Some(vec![7, 2]));
        assert_eq!(signals.ref_max_logprob, Some(vec![-0.5, -0.25]));
        assert_eq!((signals.ref_mean, signals.max_logprob), (None, None));
    }

    #[test]
    fn impossible_values_are_named_by_their_column() {
        let own = [None, Some(-1.0)];
        let with = |change: fn(&mut OfModel)| {
            let mut reference = model(&own);
            change(&mut reference);
            let target = model(&own);
            Lists { target, reference }.signals().unwrap_err().0
        };
        let wrong = with(|model| model.max_logprob = Some(vec![None, Some(-1.5)]));
        assert_eq!(wrong, "ref_max_logprob has -1.5 where ref_logprob has -1");
        let wrong = with(|model| model.max_logprob = Some(vec![None, Some(0.5)]));
        assert_eq!(wrong, "ref_max_logprob has 0.5");
        let wrong = with(|model| model.variance = Some(vec![None, Some(-1.0)]));
        assert_eq!(wrong, "ref_variance has -1");
        let wrong = with(|model| model.mean = Some(vec![Some(-1.0)]));
        assert_eq!(wrong, "ref_mean has 1 entries but logprob has 2");
        let wrong = with(|model| model.rank = Some(vec![None, Some(0)]));
        assert!(wrong.starts_with("ref_rank has an entry"), "{wrong}");
    }
}
