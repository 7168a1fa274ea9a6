//! From what a model puts out to φ of every record, checked.

use std::path::Path;
use std::sync::Arc;

use attacks::signals::bytes::Bytes;
use attacks::signals::plane::{Number, Plane};
use attacks::signals::rescale::from_row;
use attacks::signals::shadow::{Meaning, ModelOutputs, Rescale};

use super::settings::OutputKind;
use super::training_data::TrainingData;
use crate::{Error, ErrorKind, Result};
use formats::array::{Array, Axes};
use formats::npy;
use formats::shadow::SUM_TOLERANCE;

/// φ of every record from logits [records, classes] in memory.
pub fn from_logits(logits: &[f32], labels: &[u32], classes: usize) -> Vec<f32> {
    let bytes: Vec<u8> = logits.iter().flat_map(|z| z.to_le_bytes()).collect();
    let plane = Plane {
        bytes: Bytes::new(bytes),
        number: Number::F32,
        big_endian: false,
        offset: 0,
        record_stride: 4 * classes,
        augmentation_stride: 0,
        class_stride: 4,
    };
    let meaning = Meaning::Logits {
        labels: Arc::from(labels),
        classes,
    };
    rescaled(plane, meaning, labels.len(), 1)
}

/// What a model makes of all records, as it is kept.
#[derive(Debug)]
pub struct Answers {
    /// [records, augmentations].
    pub phi: Vec<f32>,
    pub augmentations: usize,
    /// Whether each names the true class; absent where φ alone is known.
    pub right: Option<Vec<bool>>,
}

/// φ of every record from the file that a user's program wrote. Whatever is wrong with the file is said in
/// words.
pub fn from_file(path: &Path, kind: OutputKind, subject: &TrainingData) -> Result<Answers> {
    check_there(path)?;
    from_array(&npy::open(path)?, kind, subject)
}

/// The same from an array.
pub fn from_array(array: &Array, kind: OutputKind, subject: &TrainingData) -> Result<Answers> {
    let axes = axes(array, kind, subject)?;
    let augmentations = array.extent(axes.augmentation);
    check_finite(array)?;
    let plane = array.planes(&axes)?.remove(0);
    let labels = || subject.labels.clone().unwrap_or_default();
    let classes = array.extent(axes.class);
    let phi = match kind {
        OutputKind::Phi => rescaled(plane.clone(), Meaning::Phi, subject.records, augmentations),
        OutputKind::Logits => {
            let meaning = Meaning::Logits {
                labels: labels().into(),
                classes,
            };
            rescaled(plane.clone(), meaning, subject.records, augmentations)
        }
        OutputKind::Probabilities => {
            from_probabilities(array, &plane, &labels(), augmentations, classes)?
        }
    };
    check_width(&phi, augmentations, array)?;
    let right = match kind {
        OutputKind::Phi => None,
        OutputKind::Logits | OutputKind::Probabilities => {
            Some(right_answers(&plane, &labels(), augmentations, classes))
        }
    };
    Ok(Answers {
        phi,
        augmentations,
        right,
    })
}

/// Whether no class has more than the true one, record by record and augmentation by augmentation.
fn right_answers(plane: &Plane, labels: &[u32], augmentations: usize, classes: usize) -> Vec<bool> {
    let mut row = vec![0.0; classes];
    let mut right = Vec::with_capacity(labels.len() * augmentations);
    for (record, &label) in labels.iter().enumerate() {
        for augmentation in 0..augmentations {
            plane.read_classes(record, augmentation, &mut row);
            // A single logit is the log-odds of class 1 against class 0.
            right.push(match (classes, row.get(label as usize)) {
                (1, _) => (row[0] >= 0.0) == (label == 1) || row[0] == 0.0,
                (_, Some(truth)) => row.iter().all(|value| value <= truth),
                (_, None) => false,
            });
        }
    }
    right
}

/// Before it is opened: opening a pipe would wait for somebody who writes into it.
fn check_there(path: &Path) -> Result<()> {
    let wrong = match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => return Ok(()),
        Ok(_) => "the output is not a file",
        Err(_) => "no output was written",
    };
    Err(Error::new(ErrorKind::Training, wrong)
        .at(path)
        .hint("the program must write a .npy file to the path that the job names as output"))
}

fn rescaled(plane: Plane, meaning: Meaning, records: usize, augmentations: usize) -> Vec<f32> {
    let outputs = ModelOutputs {
        planes: vec![plane],
        meaning,
        labels: None,
        records,
        augmentations,
        levels: None,
        right: None,
    };
    let mut one = vec![0.0; records];
    let mut all = vec![0.0; records * augmentations];
    for augmentation in 0..augmentations {
        outputs.phi(0, 0..records, augmentation, Rescale::Exact, &mut one);
        let slots = all.iter_mut().skip(augmentation).step_by(augmentations);
        slots
            .zip(&one)
            .for_each(|(slot, value)| *slot = *value as f32);
    }
    all
}

fn from_probabilities(
    array: &Array,
    plane: &Plane,
    labels: &[u32],
    augmentations: usize,
    classes: usize,
) -> Result<Vec<f32>> {
    let mut row = vec![0.0; classes];
    let mut phi = Vec::with_capacity(labels.len() * augmentations);
    for (record, &label) in labels.iter().enumerate() {
        for augmentation in 0..augmentations {
            plane.read_classes(record, augmentation, &mut row);
            check_range(array, record, &row)?;
            let sum: f64 = row.iter().sum();
            if (sum - 1.0).abs() > SUM_TOLERANCE {
                return Err(wrong(
                    array,
                    format!("the probabilities of record {record} add up to {sum}"),
                )
                .hint("write probabilities of all classes, or say what the output is in command.output"));
            }
            phi.push(from_row(&row, label as usize) as f32);
        }
    }
    Ok(phi)
}

/// Rounding may lift a probability a little above 1, but puts none below 0.
fn check_range(array: &Array, record: usize, row: &[f64]) -> Result<()> {
    let possible = 0.0..=1.0 + SUM_TOLERANCE;
    match row.iter().position(|p| !possible.contains(p)) {
        None => Ok(()),
        Some(class) => Err(wrong(
            array,
            format!(
                "record {record} has {} as the probability of class {class}, which is not between \
                 0 and 1",
                row[class]
            ),
        )
        .hint("write probabilities, or say what the output is in command.output")),
    }
}

/// Which axis is which, by the number of axes and what the output is said to be.
fn axes(array: &Array, kind: OutputKind, subject: &TrainingData) -> Result<Axes> {
    let mut axes = Axes::default();
    let classes = match kind {
        OutputKind::Phi => None,
        OutputKind::Logits | OutputKind::Probabilities => subject.classes(),
    };
    let fits = match (kind, array.shape.len()) {
        (OutputKind::Phi, 1) => true,
        (OutputKind::Phi, 2) => {
            axes.augmentation = Some(1);
            true
        }
        (OutputKind::Phi, _) => false,
        (_, 2) => {
            axes.class = Some(1);
            true
        }
        (_, 3) => {
            axes.augmentation = Some(1);
            axes.class = Some(2);
            true
        }
        _ => false,
    };
    let enough = axes
        .class
        .is_none_or(|axis| array.shape[axis] >= classes.unwrap_or(2).max(2));
    if fits && enough && array.shape[0] == subject.records {
        return Ok(axes);
    }
    let records = subject.records;
    let wanted = match kind {
        OutputKind::Phi => format!("[{records}] or [{records}, augmentations]"),
        _ => {
            let classes = classes.map_or("classes".to_owned(), |classes| classes.to_string());
            format!("[{records}, {classes}] or [{records}, augmentations, {classes}]")
        }
    };
    Err(wrong(
        array,
        format!("the output has shape {:?}; wanted {wanted}", array.shape),
    )
    .hint("write one row per record of the whole data set, in its order"))
}

fn check_finite(array: &Array) -> Result<()> {
    let per_record: usize = array.shape[1..].iter().product();
    let elements = array.shape[0] * per_record;
    let mut indices = vec![0; array.shape.len()];
    for element in 0..elements {
        let mut rest = element;
        for axis in (0..indices.len()).rev() {
            indices[axis] = rest % array.shape[axis];
            rest /= array.shape[axis];
        }
        if !array
            .scalar(&indices)
            .is_some_and(|scalar| scalar.is_finite())
        {
            return Err(wrong(
                array,
                format!("the output at {indices:?} is not a finite number"),
            )
            .hint("check the training of this model: its loss may have left the numbers"));
        }
    }
    Ok(())
}

/// φ is kept in single precision, which ends at 3.4e38.
fn check_width(phi: &[f32], augmentations: usize, array: &Array) -> Result<()> {
    match phi.iter().position(|phi| !phi.is_finite()) {
        None => Ok(()),
        Some(place) => Err(wrong(
            array,
            format!(
                "φ of record {} is too large a number",
                place / augmentations
            ),
        )
        .hint("check the training of this model: its loss may have left the numbers")),
    }
}

fn wrong(array: &Array, message: String) -> Error {
    Error::new(ErrorKind::Training, message).at(&array.place.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject() -> TrainingData {
        TrainingData {
            records: 3,
            labels: Some(vec![0, 1, 1]),
            data: None,
            units: None,
            people: None,
            digest: String::new(),
            sources: Vec::new(),
        }
    }

    fn stored(shape: &[usize], values: &[f64]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("output.npy");
        let mut bytes = Vec::new();
        npy::write_header(&mut bytes, "<f8", shape).unwrap();
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    fn read(shape: &[usize], values: &[f64], kind: OutputKind) -> Result<(Vec<f32>, usize)> {
        let (_folder, path) = stored(shape, values);
        let answers = from_file(&path, kind, &subject())?;
        Ok((answers.phi, answers.augmentations))
    }

    #[test]
    fn logits_probabilities_and_phi_agree() {
        let logits: [f64; 6] = [1.0, -0.5, 0.25, 2.0, -1.0, 0.5];
        let (phi, augmentations) = read(&[3, 2], &logits, OutputKind::Logits).unwrap();
        assert_eq!(
            (phi.as_slice(), augmentations),
            (&[1.5f32, 1.75, 1.5][..], 1)
        );
        let probabilities: Vec<f64> = logits
            .chunks(2)
            .flat_map(|z| {
                let sum = z[0].exp() + z[1].exp();
                [z[0].exp() / sum, z[1].exp() / sum]
            })
            .collect();
        let (again, _) = read(&[3, 2], &probabilities, OutputKind::Probabilities).unwrap();
        for (a, b) in phi.iter().zip(&again) {
            assert!((a - b).abs() < 1e-6);
        }
        let single: Vec<f32> = logits.iter().map(|z| *z as f32).collect();
        assert_eq!(from_logits(&single, &[0, 1, 1], 2), phi);
        let same: Vec<f64> = phi.iter().map(|phi| f64::from(*phi)).collect();
        assert_eq!(read(&[3], &same, OutputKind::Phi).unwrap().0, phi);
    }

    #[test]
    fn augmentations_stay_beside_their_record() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let (phi, augmentations) = read(&[3, 2], &values, OutputKind::Phi).unwrap();
        assert_eq!(
            (phi.as_slice(), augmentations),
            (&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0][..], 2)
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let told = |shape: &[usize], values: &[f64], kind| {
            read(shape, values, kind).unwrap_err().to_string()
        };
        let short = told(&[2, 2], &[0.0; 4], OutputKind::Logits);
        assert!(short.contains("shape [2, 2]; wanted [3, 2]"), "{short}");
        let narrow = told(&[3, 1], &[0.0; 3], OutputKind::Logits);
        assert!(narrow.contains("wanted [3, 2]"), "{narrow}");
        let nan = told(
            &[3, 2],
            &[0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0],
            OutputKind::Logits,
        );
        assert!(nan.contains("[1, 0] is not a finite number"), "{nan}");
        let sums = told(
            &[3, 2],
            &[0.5, 0.5, 0.5, 1.0, 0.5, 0.5],
            OutputKind::Probabilities,
        );
        assert!(sums.contains("record 1 add up to 1.5"), "{sums}");
        for (value, rest) in [(3.0, -2.0), (-0.5, 1.5)] {
            let range = told(
                &[3, 2],
                &[0.5, 0.5, value, rest, 0.5, 0.5],
                OutputKind::Probabilities,
            );
            let words = format!("record 1 has {value} as the probability of class 0");
            assert!(range.contains(&words), "{range}");
        }
        let absent = from_file(Path::new("none.npy"), OutputKind::Phi, &subject());
        assert!(
            absent
                .unwrap_err()
                .to_string()
                .contains("no output was written")
        );
    }

    #[test]
    fn certainty_stays_finite() {
        let values = [1.0, 0.0, 1.0, 0.0, 0.5, 0.5];
        let (phi, _) = read(&[3, 2], &values, OutputKind::Probabilities).unwrap();
        assert!(phi[0] > 15.0 && phi[0].is_finite());
        assert!(phi[1] < -100.0 && phi[1].is_finite());
    }
}
