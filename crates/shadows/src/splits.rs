//! Which records each model trains on.
//!
//! Model 0 is the audited one and draws its own random half. The shadows come in pairs: one
//! trains on a random half, the other on the rest, so that every record is in exactly half of an
//! even number of shadows, and a pair that was drawn stays as it is when more are added. The
//! target is not part of that balance: if it were, the number of shadows that trained on a record
//! would give away whether the target did.
//!
//! In an offline design some records are set aside as reference records, at random: the target draws its
//! half of the others, the shadows theirs of the reference records.
//!
//! Copies of a record are one unit, in or out together: a copy of a member that counts as a
//! non-member is known to the model all the same, and hides the leak.

use std::collections::HashSet;

use attacks::signals::membership::MemberRow;
use base::Progress;
use stats::streams::{Seed, shuffle};

use crate::{Error, ErrorKind, Result};
use formats::data::Units;

/// With fewer records than this, two pairs may well draw the same halves.
const FEW_RECORDS: usize = 64;
/// More than this serves no attack, and would be a slip of the keyboard.
const MOST_SHADOWS: usize = 65_536;

/// The halves of all models of one audit.
pub struct Splits {
    records: usize,
    rows: Vec<MemberRow>,
    reference: Option<MemberRow>,
}

impl Splits {
    /// The target and so many shadows, every record drawn for itself.
    pub fn new(records: usize, shadows: usize, seed: Seed) -> Result<Self> {
        Self::drawn(records, shadows, seed, Progress::unwatched())
    }

    /// The same, told model by model, until somebody asks to stop.
    pub fn drawn(
        records: usize,
        shadows: usize,
        seed: Seed,
        progress: Progress<'_>,
    ) -> Result<Self> {
        check(records, shadows)?;
        let rows = halves(records, shadows, seed, progress)?;
        Ok(Self {
            records,
            rows,
            reference: None,
        })
    }

    /// An offline design: this share of the units is set aside as reference records, of which the
    /// shadows train on halves, and the target on a half of the others.
    pub fn offline(units: &Units, share: f64, shadows: usize, seed: Seed) -> Result<Self> {
        let count = units.count();
        let aside = (share * count as f64).round() as usize;
        let mut chosen = vec![false; count];
        chosen[..aside.min(count)].fill(true);
        shuffle(&mut seed.stream("reference records"), &mut chosen);
        let places = |wanted: bool| -> Vec<usize> {
            (0..count).filter(|&unit| chosen[unit] == wanted).collect()
        };
        let (audited, reference) = (places(false), places(true));
        let told = |error: Error, what: &str| Error {
            message: format!("of the {what} records: {}", error.message),
            ..about_copies(error, units)
        };
        check(audited.len(), 1).map_err(|error| told(error, "audited"))?;
        check(reference.len(), shadows).map_err(|error| told(error, "reference"))?;
        let spread = |places: &[usize], half: &MemberRow| {
            let mut inside = vec![false; count];
            for (place, &unit) in places.iter().enumerate() {
                inside[unit] = half.get(place);
            }
            MemberRow::from_fn(units.records(), |record| inside[units.unit(record)])
        };
        let target = half(audited.len(), seed, "target split", 0);
        let mut rows = vec![spread(&audited, &target)];
        let halves = halves(reference.len(), shadows, seed, Progress::unwatched())?;
        rows.extend(halves[1..].iter().map(|half| spread(&reference, half)));
        let aside = MemberRow::from_fn(units.records(), |record| chosen[units.unit(record)]);
        Ok(Self {
            records: units.records(),
            rows,
            reference: Some(aside),
        })
    }

    /// The records that are set aside, in an offline design.
    pub fn reference(&self) -> Option<&MemberRow> {
        self.reference.as_ref()
    }

    /// The same with the records of a unit drawn together: all of them in a half, or none. Units of
    /// one record each give the halves of [`Splits::new`].
    pub fn of_units(units: &Units, shadows: usize, seed: Seed) -> Result<Self> {
        let records = units.records();
        check(units.count(), shadows).map_err(|error| about_copies(error, units))?;
        let spread = |half: MemberRow| MemberRow::from_fn(records, |r| half.get(units.unit(r)));
        let halves = halves(units.count(), shadows, seed, Progress::unwatched())?.into_iter();
        Ok(Self {
            records,
            rows: halves.map(spread).collect(),
            reference: None,
        })
    }

    pub fn records(&self) -> usize {
        self.records
    }

    /// The target and the shadows.
    pub fn models(&self) -> usize {
        self.rows.len()
    }

    pub fn keep(&self, model: usize) -> &MemberRow {
        &self.rows[model]
    }

    /// The records that a model trains on, in ascending order.
    pub fn rows(&self, model: usize) -> Vec<u32> {
        let keep = self.keep(model);
        let kept = (0..self.records).filter(|&record| keep.get(record));
        kept.map(|record| record as u32).collect()
    }

    /// Every half must hold at least two classes, or nothing can be learned from it.
    pub fn check_classes(&self, labels: &[u32]) -> Result<()> {
        for model in 0..self.models() {
            let mut kept = self
                .rows(model)
                .into_iter()
                .map(|record| labels[record as usize]);
            let first = kept.next();
            if kept.all(|label| Some(label) == first) {
                return Err(Error::new(
                    ErrorKind::OutOfRange,
                    format!("the half that model {model} trains on holds one class only"),
                )
                .hint("give more records of the rare classes, or another seed"));
            }
        }
        Ok(())
    }
}

/// The target's half and those of the shadows.
fn halves(
    records: usize,
    shadows: usize,
    seed: Seed,
    progress: Progress<'_>,
) -> Result<Vec<MemberRow>> {
    let mut rows = vec![half(records, seed, "target split", 0)];
    let mut seen = HashSet::new();
    let mut draw = 0;
    while rows.len() <= shadows {
        progress.check()?;
        let first = half(records, seed, "shadow splits", draw);
        draw += 1;
        let second = MemberRow::from_fn(records, |record| !first.get(record));
        if records < FEW_RECORDS && !is_new(&mut seen, &first, &second) {
            continue;
        }
        rows.extend([first, second]);
        progress.advance(2);
    }
    rows.truncate(shadows + 1);
    Ok(rows)
}

/// Says why there are fewer records to draw from than the data have.
fn about_copies(mut error: Error, units: &Units) -> Error {
    if units.count() < units.records() {
        let (records, count) = (units.records(), units.count());
        error.message += &format!(
            "; of {records} records only {count} are different: copies, and the records of a person, are \
             drawn together"
        );
    }
    error
}

fn half(records: usize, seed: Seed, name: &str, index: u64) -> MemberRow {
    let mut inside = vec![false; records];
    inside[..records / 2].fill(true);
    shuffle(&mut seed.numbered(name, index), &mut inside);
    MemberRow::from_fn(records, |record| inside[record])
}

/// Whether neither half of a pair was drawn before.
fn is_new(seen: &mut HashSet<u64>, first: &MemberRow, second: &MemberRow) -> bool {
    let bits = |row: &MemberRow| {
        (0..row.len()).fold(0u64, |bits, record| bits << 1 | u64::from(row.get(record)))
    };
    seen.insert(bits(first)) & seen.insert(bits(second))
}

fn check(records: usize, shadows: usize) -> Result<()> {
    let refuse =
        |message: String, hint: String| Err(Error::new(ErrorKind::OutOfRange, message).hint(hint));
    if shadows == 0 {
        return refuse(
            "no shadows were asked for".into(),
            "ask for 2 or more; 16 to 64 are usual".into(),
        );
    }
    if shadows > MOST_SHADOWS {
        return refuse(
            format!("{shadows} shadows were asked for"),
            format!("ask for {MOST_SHADOWS} at most; 16 to 64 are usual"),
        );
    }
    if records < 4 {
        return refuse(
            format!("{records} records cannot be split into halves to train on"),
            "give more records; some hundreds at least make an audit worth its name".into(),
        );
    }
    if records > u32::MAX as usize {
        return refuse(
            format!("{records} records are more than can be numbered"),
            "audit a sample of them".into(),
        );
    }
    let most = different_halves(records);
    if shadows as f64 > most {
        return refuse(
            format!(
                "{shadows} shadows were asked for, but {records} records can be split into \
                 {most} different halves only"
            ),
            format!("ask for {most} shadows at most, or give more records"),
        );
    }
    Ok(())
}

/// How many different training sets there are: every way to choose half of the records, and,
/// where the number is odd, every rest as well.
fn different_halves(records: usize) -> f64 {
    let half = records / 2;
    let ways = (0..half).fold(1.0, |ways, step| {
        ways * (records - step) as f64 / (step + 1) as f64
    });
    let ways = ways.round();
    if records.is_multiple_of(2) {
        ways
    } else {
        2.0 * ways
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_number_of_shadows_is_balanced_exactly() {
        for records in [10, 501, 1000] {
            let splits = Splits::new(records, 16, Seed(3)).unwrap();
            for record in 0..records {
                let inside = (1..=16).filter(|&m| splits.keep(m).get(record)).count();
                assert_eq!(inside, 8);
            }
            assert_eq!(splits.keep(0).count(), records / 2);
        }
    }

    #[test]
    fn more_shadows_leave_the_earlier_ones_alone() {
        for records in [12, 300] {
            let few = Splits::new(records, 7, Seed(1)).unwrap();
            let many = Splits::new(records, 40, Seed(1)).unwrap();
            for model in 0..few.models() {
                assert_eq!(few.keep(model), many.keep(model));
            }
        }
    }

    #[test]
    fn small_data_use_every_half_once_and_no_more() {
        let splits = Splits::new(6, 20, Seed(0)).unwrap();
        let distinct: HashSet<Vec<u32>> = (1..=20).map(|model| splits.rows(model)).collect();
        assert_eq!(distinct.len(), 20);
        let error = Splits::new(6, 21, Seed(0)).err().unwrap().to_string();
        assert!(error.contains("20 different halves only"), "{error}");
        let odd = Splits::new(5, 20, Seed(0)).unwrap();
        let distinct: HashSet<Vec<u32>> = (1..=20).map(|model| odd.rows(model)).collect();
        assert_eq!(distinct.len(), 20);
        assert!(Splits::new(3, 2, Seed(0)).is_err());
        assert!(Splits::new(100, 0, Seed(0)).is_err());
    }

    #[test]
    fn counts_of_shadows_do_not_tell_the_target() {
        let splits = Splits::new(2000, 9, Seed(5)).unwrap();
        let count = |record: usize| (1..=9).filter(|&m| splits.keep(m).get(record)).count();
        let members: Vec<usize> = (0..2000).filter(|&r| splits.keep(0).get(r)).collect();
        let more = members.iter().filter(|&&r| count(r) == 5).count();
        // 1000 members, each with an even chance: five standard deviations are 79.
        assert!((421..=579).contains(&more), "{more}");
    }

    #[test]
    fn copies_are_in_or_out_together_and_balanced_all_the_same() {
        let units = Units::by_key((0..400).map(|record| record % 100));
        let splits = Splits::of_units(&units, 16, Seed(3)).unwrap();
        for record in 0..400 {
            let inside = (1..=16).filter(|&m| splits.keep(m).get(record)).count();
            assert_eq!(inside, 8);
            for model in 0..=16 {
                let keep = splits.keep(model);
                assert_eq!(keep.get(record), keep.get(record % 100));
            }
        }
        assert_eq!(splits.keep(0).count(), 200);
        let few = Units::by_key((0..400).map(|record| record % 3));
        let error = Splits::of_units(&few, 2, Seed(3)).err().unwrap();
        assert!(error.message.contains("only 3 are different"), "{error}");
    }

    #[test]
    fn records_without_copies_are_split_as_they_always_were() {
        let single = Splits::of_units(&Units::single(301), 9, Seed(4)).unwrap();
        let plain = Splits::new(301, 9, Seed(4)).unwrap();
        for model in 0..10 {
            assert_eq!(single.keep(model), plain.keep(model));
        }
    }

    #[test]
    fn offline_no_shadow_trains_on_what_is_audited_and_units_stay_whole() {
        let units = Units::by_key((0..400).map(|record| record % 100));
        let splits = Splits::offline(&units, 0.4, 8, Seed(3)).unwrap();
        let aside = splits.reference().unwrap();
        assert_eq!(aside.count(), 160);
        assert_eq!(splits.keep(0).count(), 120);
        for record in 0..400 {
            let inside = (1..=8).filter(|&m| splits.keep(m).get(record)).count();
            assert_eq!(inside, if aside.get(record) { 4 } else { 0 });
            assert!(!(aside.get(record) && splits.keep(0).get(record)));
            for model in 0..=8 {
                let keep = splits.keep(model);
                assert_eq!(keep.get(record), keep.get(record % 100));
            }
        }
        let more = Splits::offline(&units, 0.4, 12, Seed(3)).unwrap();
        assert!((0..=8).all(|model| more.keep(model) == splits.keep(model)));
        assert_eq!(more.reference(), splits.reference());
        let other = Splits::offline(&units, 0.4, 8, Seed(4)).unwrap();
        assert_ne!(other.reference(), splits.reference());
    }

    #[test]
    fn a_share_that_leaves_nobody_is_refused() {
        let units = Units::single(20);
        for (share, whose) in [(0.1, "reference"), (0.9, "audited")] {
            let error = Splits::offline(&units, share, 2, Seed(0)).err().unwrap();
            assert!(error.message.contains(whose), "{error}");
            assert!(error.hint.is_some());
        }
    }

    #[test]
    fn a_half_without_a_second_class_is_refused() {
        let splits = Splits::new(8, 2, Seed(0)).unwrap();
        let lonely = splits.rows(1);
        let labels: Vec<u32> = (0..8).map(|r| u32::from(!lonely.contains(&r))).collect();
        let error = splits.check_classes(&labels).unwrap_err().to_string();
        assert!(error.contains("one class only"), "{error}");
    }
}
