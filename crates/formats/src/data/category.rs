//! Columns of categories: one feature per value, values in the order of their names.

use std::collections::HashMap;

use arrow_array::LargeStringArray;

use super::encoded::{Encoded, Part, Remark};
use super::number::FEWEST_NAMES;
use super::records::ColumnKind;
use super::wanted::Wanted;

/// A column with more values than this keeps one fewer, and calls the rest [`OTHER`].
pub(crate) const MOST_VALUES: usize = 100;
const MISSING: &str = "(missing)";
const OTHER: &str = "(other)";
/// From this share of numbers on, the other values are worth a remark.
const NEARLY_NUMBERS: f64 = 0.9;

/// Features of texts. Texts that name the record are kept only if `forced`.
pub(crate) fn encode(texts: &LargeStringArray, wanted: &Wanted, forced: bool) -> Encoded {
    let counted = Counted::new(texts, wanted);
    if !forced && counted.name_records() {
        let kind = ColumnKind::Ignored;
        let remark = counted.stray().map_or(Remark::NamesRecords, left_out);
        return Encoded::without(kind, counted.missing(), Some(remark));
    }
    let kept = counted.kept();
    let mut names: Vec<&str> = kept.clone();
    names.sort_unstable();
    names.dedup();
    if names.len() < 2 {
        let remark = Some(Remark::Constant);
        return Encoded::without(ColumnKind::Constant, counted.missing(), remark);
    }
    let code = |name: &&str| names.binary_search(name).unwrap_or_default() as u32;
    let codes: Vec<u32> = kept.iter().map(code).collect();
    Encoded {
        kind: ColumnKind::Category {
            values: names.len(),
        },
        missing: counted.missing(),
        remark: counted.remark(forced),
        parts: vec![Part::OneHot {
            codes: counted.codes.iter().map(|c| codes[*c as usize]).collect(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
        }],
    }
}

/// The different values in the order of their first appearance, and how often each is there.
struct Counted<'a> {
    values: Vec<Value<'a>>,
    /// For each record an index into `values`.
    codes: Vec<u32>,
}

struct Value<'a> {
    /// None is missing.
    name: Option<&'a str>,
    count: usize,
}

impl<'a> Counted<'a> {
    fn new(texts: &'a LargeStringArray, wanted: &Wanted) -> Self {
        let mut places: HashMap<Option<&str>, u32> = HashMap::new();
        let mut values: Vec<Value> = Vec::new();
        let mut place = |text: Option<&'a str>| {
            let code = *places.entry(text).or_insert_with(|| {
                let name = text.filter(|text| !wanted.means_missing(text));
                values.push(Value { name, count: 0 });
                (values.len() - 1) as u32
            });
            values[code as usize].count += 1;
            code
        };
        let codes = texts.iter().map(&mut place).collect();
        Self { values, codes }
    }

    fn missing(&self) -> usize {
        let missing = self.values.iter().filter(|value| value.name.is_none());
        missing.map(|value| value.count).sum()
    }

    fn named(&self) -> impl Iterator<Item = (&'a str, usize)> {
        let named = |value: &Value<'a>| Some((value.name?, value.count));
        self.values.iter().filter_map(named)
    }

    /// Whether no two records have the same value.
    fn name_records(&self) -> bool {
        self.named().count() >= FEWEST_NAMES && self.named().all(|(_, count)| count == 1)
    }

    /// What each of the different values is called.
    fn kept(&self) -> Vec<&'a str> {
        let mut frequent: Vec<_> = self.named().collect();
        if frequent.len() > MOST_VALUES {
            frequent.sort_unstable_by_key(|(name, count)| (usize::MAX - count, *name));
            frequent.truncate(MOST_VALUES - 1);
        }
        frequent.sort_unstable_by_key(|(name, _)| *name);
        let is_frequent = |name: &str| frequent.binary_search_by_key(&name, |(name, _)| name);
        let called = |value: &Value<'a>| match value.name {
            None => MISSING,
            Some(name) if is_frequent(name).is_ok() => name,
            Some(_) => OTHER,
        };
        self.values.iter().map(called).collect()
    }

    fn remark(&self, forced: bool) -> Option<Remark> {
        let stray = if forced { None } else { self.stray() };
        let many = self.named().count();
        let said = match (many > MOST_VALUES, stray) {
            (false, None) => return None,
            (true, None) => cut(many),
            (false, Some(stray)) => nearly(stray),
            (true, Some(stray)) => format!("{}; {}", cut(many), nearly(stray)),
        };
        Some(Remark::Sentence(said))
    }

    /// The first value that is no number in a column of nearly nothing but numbers.
    fn stray(&self) -> Option<&'a str> {
        let is_number = |text: &str| text.replace([',', ' '], "").parse::<f64>().is_ok();
        let numbers = self.named().filter(|(name, _)| is_number(name));
        let numbers: usize = numbers.map(|(_, count)| count).sum();
        let all = self.codes.len() - self.missing();
        let strange = |name: &&str| name.parse::<f64>().is_err();
        let nearly = numbers > 0 && numbers as f64 >= NEARLY_NUMBERS * all as f64;
        let stray = self.named().map(|(name, _)| name).find(strange);
        stray.filter(|_| nearly)
    }
}

fn cut(many: usize) -> String {
    let kept = MOST_VALUES - 1;
    format!("its {kept} most frequent of {many} values are kept, the others are one: {OTHER}")
}

fn left_out(stray: &str) -> Remark {
    Remark::Sentence(format!(
        "it is left out: values such as {stray:?} are not numbers, so it was read as categories, \
         and no two records have the same; list such values as missing, or write 1234.5 for \
         1,234.5, to read it as numbers"
    ))
}

fn nearly(stray: &str) -> String {
    format!(
        "it is read as categories because values such as {stray:?} are not numbers; list such \
         values as missing, or write 1234.5 for 1,234.5, to read it as numbers"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(texts: &[&str], forced: bool) -> Encoded {
        let texts = LargeStringArray::from(texts.to_vec());
        encode(&texts, &Wanted::label("y"), forced)
    }

    fn one_hot(encoded: &Encoded) -> (&[u32], &[String]) {
        match encoded.parts.as_slice() {
            [Part::OneHot { codes, names }] => (codes, names),
            _ => panic!("a category is one part"),
        }
    }

    fn said(encoded: &Encoded) -> &str {
        match &encoded.remark {
            Some(Remark::Sentence(said)) => said,
            _ => "",
        }
    }

    #[test]
    fn values_are_sorted_and_missing_is_one_of_them() {
        let encoded = encoded(&["red", "?", "blue", "NA", "red"], false);
        assert_eq!(encoded.missing, 2);
        let (codes, names) = one_hot(&encoded);
        assert_eq!(names, ["(missing)", "blue", "red"]);
        assert_eq!(codes, [2, 0, 1, 0, 2]);
    }

    #[test]
    fn rare_values_of_a_long_list_are_one() {
        // Value n is there n times, so 1 to 51 are the rarest of 150.
        let texts: Vec<String> = (1..=150)
            .flat_map(|n| vec![format!("v{n:03}"); n])
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let encoded = encoded(&texts, false);
        let (codes, names) = one_hot(&encoded);
        assert_eq!((names.len(), names[0].as_str()), (100, OTHER));
        assert_eq!(names[1], "v052");
        assert_eq!(codes[0], 0);
        assert!(said(&encoded).contains("99 most frequent of 150"));
    }

    #[test]
    fn texts_that_name_the_record_are_left_out_unless_forced() {
        let texts: Vec<String> = (0..20).map(|n| format!("patient {n}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(encoded(&texts, false).kind, ColumnKind::Ignored);
        assert_eq!(encoded(&texts, true).width(), 20);
        assert_eq!(encoded(&texts[..19], false).width(), 19);
    }

    #[test]
    fn nearly_numbers_are_remarked_on() {
        let mut texts = vec!["250.83"; 40];
        texts.extend(["1,234", "V57"]);
        assert!(said(&encoded(&texts, false)).contains("\"1,234\""));
        assert!(encoded(&texts, true).remark.is_none());
        assert!(encoded(&["a", "b", "1"], false).remark.is_none());
    }
}
