//! May the values of a column be named in a report? A class can be a person, and a report is read by
//! more people than the data were meant for.

use super::slices::{REMAINDER, SliceColumn};

/// More values than this, or values of fewer records, may be people.
const MOST_VALUES: usize = 20;
const FEWEST_RECORDS: usize = 30;
/// A name with so many digits looks like the number of somebody.
const DIGITS: usize = 5;

impl SliceColumn {
    /// Whether no value can be somebody: ranges of numbers, few values that many records share,
    /// or mere class numbers.
    pub fn names_nobody(&self) -> bool {
        // A quarter of the records is nobody.
        let ranges = !self.numbers.is_empty();
        ranges || self.are_class_numbers() || (self.are_few_and_common() && !self.look_personal())
    }

    /// The same column with numbers in the place of names. What holds all other values is none of them.
    pub fn numbered(&self) -> Self {
        let name = |(place, name): (usize, &String)| match name == REMAINDER {
            true => name.clone(),
            false => number(place),
        };
        Self {
            names: self.names.iter().enumerate().map(name).collect(),
            ..self.clone()
        }
    }

    /// Numbers that go up to about their count, as those of classes do.
    fn are_class_numbers(&self) -> bool {
        let most = 2 * self.names.len() as u64;
        let plain = |name: &String| name.parse::<u64>().is_ok_and(|number| number <= most);
        self.names.iter().all(plain)
    }

    fn are_few_and_common(&self) -> bool {
        let mut counts = vec![0; self.names.len()];
        for value in &self.values {
            counts[*value as usize] += 1;
        }
        let present = counts.into_iter().filter(|count| *count > 0);
        let present: Vec<usize> = present.collect();
        present.len() <= MOST_VALUES && present.iter().all(|count| *count >= FEWEST_RECORDS)
    }

    fn look_personal(&self) -> bool {
        let digits = |name: &str| name.chars().filter(char::is_ascii_digit).count();
        let personal = |name: &String| name.contains('@') || digits(name) >= DIGITS;
        self.names.iter().any(personal)
    }
}

/// What a value is called whose name is not shown.
pub fn number(value: usize) -> String {
    format!("#{value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(names: &[&str], each: usize) -> SliceColumn {
        let values = (0..names.len() * each).map(|row| (row % names.len()) as u32);
        SliceColumn {
            name: "label".into(),
            values: values.collect(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            numbers: Vec::new(),
        }
    }

    #[test]
    fn people_are_not_named_and_classes_are() {
        assert!(column(&["fraud", "fine"], 40).names_nobody());
        assert!(column(&["0", "1", "2"], 4).names_nobody(), "class numbers");
        assert!(!column(&["ann", "bob"], 4).names_nobody());
        assert!(!column(&["ann@example.org", "bob@example.org"], 400).names_nobody());
        assert!(!column(&["700123", "700124"], 400).names_nobody());
        let many: Vec<String> = (0..150).map(|person| format!("person {person}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let people = column(&many, 40);
        assert!(!people.names_nobody());
        assert_eq!(people.numbered().names[17], "#17");
        let rest = column(&["(other)", "ann", "bob"], 4).numbered();
        assert_eq!(rest.names, ["(other)", "#1", "#2"]);
    }
}
