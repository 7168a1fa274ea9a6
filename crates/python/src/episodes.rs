//! Few-shot audits of a model that Python holds: features in memory, and a function that tunes the model.

use std::sync::{Mutex, PoisonError};

use attacks::fewshot::{Labelled, Lesson, Tuned, WhiteBox};
use base::Error as AttackError;
use formats::in_memory::MemoryArray;
use guestlist::Error;
use guestlist::kinds::fewshot::{EpisodesGiven, OutsideEpisodes};
use pyo3::prelude::*;
use stats::head::{AdamForm, Recipe};

use crate::array::{NamedArray, held};
use crate::errors::{Outcome, Raised};
use crate::follow::{Listener, follow};
use crate::options;
use crate::outcome::Audit;

/// Audits a model by its features of records, and by tuning it where a function can.
#[pyfunction]
pub fn audit_episodes<'py>(
    py: Python<'py>,
    features: NamedArray<'py>,
    members: NamedArray<'py>,
    tune: Option<Bound<'py, PyAny>>,
    options: &str,
    listener: Listener<'py>,
) -> Outcome<Audit> {
    let mut request: OutsideEpisodes = options::request(options)?;
    request.audit.source = guestlist::pipeline::Source::Program;
    let (width, values) = rows(&held(&features)?)?;
    let members = held(&members)?.flags()?;
    let tuner = tune.map(|function| {
        Box::new(Tuner {
            function: function.unbind(),
            turn: Mutex::default(),
        }) as Box<dyn WhiteBox + Send>
    });
    let audit = follow(py, &listener, move |progress| {
        let given = EpisodesGiven {
            width,
            features: values,
            members,
            model: tuner,
        };
        request.run(given, progress)
    })?;
    Ok(audit.into())
}

/// Width and numbers of an array [records, width].
fn rows(array: &MemoryArray) -> Outcome<(usize, Vec<f64>)> {
    let [records, width] = *array.array.shape.as_slice() else {
        return Err(Raised::from(Error::usage(
            format!("{} has shape {:?}", array.name(), array.array.shape),
            "features are [records, width]",
        )));
    };
    let mut values = Vec::with_capacity(records * width);
    for record in 0..records {
        for column in 0..width {
            let scalar = array.array.scalar(&[record, column]);
            values.push(scalar.and_then(|one| one.exact()).unwrap_or(f64::NAN));
        }
    }
    Ok((width, values))
}

/// A model that a function of Python tunes, one episode at a time.
struct Tuner {
    function: Py<PyAny>,
    /// There is one model: whoever tunes it has it alone.
    turn: Mutex<()>,
}

/// Rows with the side that each belongs to.
type Sides = (Vec<usize>, Vec<bool>);

impl WhiteBox for Tuner {
    fn fine_tune(&self, lesson: &Lesson) -> base::Result<Vec<Tuned>> {
        // Taken before the interpreter: whoever waits for both in the other order would wait for ever.
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let (support, validation) = (sides(lesson.support), sides(lesson.validation));
        let recipe = recipe(lesson.recipe);
        let tuned: PyResult<Vec<(Vec<f64>, Vec<f64>)>> = Python::attach(|py| {
            let arguments = (
                support,
                validation,
                lesson.asked.to_vec(),
                lesson.temperatures.to_vec(),
                recipe,
            );
            self.function.bind(py).call1(arguments)?.extract()
        });
        let tuned = tuned.map_err(refused)?;
        let lengths = (lesson.validation.len(), lesson.asked.len());
        let answers = tuned.into_iter().map(|(validation, asked)| {
            let finite = validation
                .iter()
                .chain(&asked)
                .all(|score| score.is_finite());
            match finite && (validation.len(), asked.len()) == lengths {
                true => Ok(Tuned { validation, asked }),
                false => Err(AttackError::setting(
                    "fes-tt: the tuned model's answers are not finite",
                    "look at the model in float32, or leave fes-tt out",
                )),
            }
        });
        answers.collect()
    }
}

fn sides(known: &[Labelled]) -> Sides {
    known.iter().map(|one| (one.row, one.member)).unzip()
}

/// Learning rate, epochs, patience, whether inputs are held to length 1, ε, and whether Adam is as in Keras.
fn recipe(recipe: &Recipe) -> (f64, u32, u32, bool, f64, bool) {
    (
        recipe.learning_rate,
        recipe.epochs,
        recipe.patience,
        recipe.unit_length,
        recipe.epsilon,
        recipe.form == AdamForm::Keras,
    )
}

fn refused(error: PyErr) -> AttackError {
    AttackError::setting(
        format!("fes-tt: the model cannot be tuned: {error}"),
        "the whole model is tuned in float32 on its device: free memory there, or leave fes-tt out of attacks",
    )
}
