//! Columns that a reader leaves out because they hold no numbers, and whether one of them may hold some after
//! all: numbers with a comma, with a percent sign, in quotes. Left out in silence, they would take a leak with them.

use std::path::Path;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use serde_json::Value;

use crate::Result;
use crate::convert::{Misfits, convert};
use crate::parts::Parts;

/// A column that is left out.
#[derive(Clone, Debug)]
pub struct LeftOut {
    pub name: String,
    /// In the plural, such as "texts".
    pub holds: String,
    /// Why it may hold numbers all the same.
    pub doubt: Option<Doubt>,
}

/// Why a column may hold numbers that are not read as such, and how to write them.
#[derive(Clone, Debug)]
pub struct Doubt {
    pub why: String,
    pub remedy: String,
}

impl LeftOut {
    pub(crate) fn new(name: &str, holds: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            holds: holds.into(),
            doubt: None,
        }
    }

    /// What is no text, date or time, and could be a number in another form.
    pub(crate) fn doubted(name: &str, holds: impl Into<String>) -> Self {
        let holds = holds.into();
        let doubt = Doubt {
            why: format!("holds {holds}"),
            remedy: "store one number per record".to_owned(),
        };
        Self {
            doubt: Some(doubt),
            ..Self::new(name, holds)
        }
    }

    /// A column of texts that a program holds.
    pub fn of_texts<'a>(name: &str, texts: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let mut look = Look::default();
        for (row, text) in texts.into_iter().enumerate() {
            look.take(row, text.unwrap_or_default());
        }
        look.left_out(name, |row| format!("row {row}"))
    }
}

/// From this share on, the texts of a column are numbers that somebody wrote.
const NUMBERS: f64 = 0.5;
/// So many texts tell what a column holds.
const ENOUGH: usize = 1000;
/// Texts may be long.
const ROWS_PER_BATCH: usize = 1 << 12;
/// Texts that say that there is no value.
const MISSING: [&str; 8] = ["", "-", "?", "na", "n/a", "nan", "none", "null"];

/// What the texts of a column look like so far.
#[derive(Default)]
pub(crate) struct Look {
    present: usize,
    numbers: usize,
    /// The first that is a number, its row, and how it is written.
    first: Option<(usize, String, Writing)>,
}

impl Look {
    pub(crate) fn take(&mut self, row: usize, text: &str) {
        let text = text.trim();
        if MISSING.contains(&text.to_ascii_lowercase().as_str()) {
            return;
        }
        self.present += 1;
        if let Some(writing) = writing(text) {
            self.numbers += 1;
            self.first
                .get_or_insert_with(|| (row, text.to_owned(), writing));
        }
    }

    /// Texts in whatever encoding; so many rows came before.
    fn take_column(&mut self, column: &ArrayRef, first_row: usize) -> Result<()> {
        if self.is_enough() {
            return Ok(());
        }
        let texts = convert(column, &DataType::LargeUtf8, Misfits::BecomeNull)?;
        for (row, text) in texts.as_string::<i64>().iter().enumerate() {
            self.take(first_row + row, text.unwrap_or_default());
        }
        Ok(())
    }

    fn is_enough(&self) -> bool {
        self.present >= ENOUGH
    }

    /// `place` says how a user finds a row.
    pub(crate) fn left_out(self, name: &str, place: impl FnOnce(usize) -> String) -> LeftOut {
        let many = self.numbers as f64 >= NUMBERS * self.present as f64;
        let doubt = self.first.filter(|_| many).map(|(row, text, writing)| {
            let shown: String = text.chars().take(40).collect();
            Doubt {
                why: format!(
                    "holds numbers as texts: {} is {shown:?}{}",
                    place(row),
                    writing.why()
                ),
                remedy: writing.remedy().to_owned(),
            }
        });
        LeftOut {
            doubt,
            ..LeftOut::new(name, "texts")
        }
    }
}

/// How a number is written that is no plain one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Writing {
    /// As a number, but in a text.
    Quoted,
    Comma,
    Dressed,
}

impl Writing {
    pub(crate) fn why(self) -> &'static str {
        match self {
            Writing::Quoted | Writing::Dressed => "",
            Writing::Comma => ", which has a comma where a number has a point",
        }
    }

    pub(crate) fn remedy(self) -> &'static str {
        match self {
            Writing::Quoted => "store numbers, as float(x) or pandas' astype(float) make them",
            Writing::Comma => {
                "write numbers with a point, as pandas.read_csv(…, decimal=\",\") and to_csv do"
            }
            Writing::Dressed => "write the number alone, without signs or brackets around it",
        }
    }
}

/// How a text is written, if it is one number: 0,53, 12.30%, "1.5", [0.5], tensor(0.5).
pub(crate) fn writing(text: &str) -> Option<Writing> {
    let plain = |text: &str| text.parse::<f64>().is_ok();
    let signed = text.trim().replace('\u{2212}', "-");
    if plain(&signed) {
        return Some(Writing::Quoted);
    }
    let bare = undressed(&signed);
    if !bare.contains(|sign: char| sign.is_ascii_digit()) {
        return None;
    }
    if plain(&bare) {
        return Some(Writing::Dressed);
    }
    let one_comma = bare.matches(',').count() == 1;
    let european = bare.replace('.', "").replacen(',', ".", 1);
    let thousands = bare.replacen(',', "", 1);
    (one_comma && (plain(&european) || plain(&thousands))).then_some(Writing::Comma)
}

/// Without what is written around a number: brackets with a word before them, quotes, signs of money and shares.
fn undressed(text: &str) -> String {
    let around = |sign: char| sign.is_whitespace() || "\"'%‰€$£;".contains(sign);
    let mut bare = text.trim_matches(around);
    while let Some((word, inside)) = bare
        .strip_suffix([')', ']'])
        .and_then(|open| open.split_once(['(', '[']))
    {
        if word.contains(|sign: char| sign.is_ascii_digit() && !word.contains("float")) {
            break;
        }
        bare = inside.trim_end_matches(',').trim_matches(around);
    }
    bare.replace(['\u{a0}', '\u{202f}'], "")
}

/// What a column of Arrow's holds, as far as its type tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Holds {
    /// Numbers and truths, in whatever encoding.
    Numbers,
    Texts,
    /// Neither a number nor made of one: dates and times, texts in lists, nothing at all.
    Others,
    /// What could be numbers in another form: lists, structures, bytes.
    Doubtful,
}

impl Holds {
    pub(crate) fn of(kind: &DataType) -> Self {
        use DataType::*;
        match kind {
            kind if kind.is_numeric() => Holds::Numbers,
            Boolean => Holds::Numbers,
            Dictionary(_, values) => Holds::of(values),
            Utf8 | LargeUtf8 | Utf8View => Holds::Texts,
            Null | Date32 | Date64 | Time32(_) | Time64(_) | Timestamp(..) => Holds::Others,
            List(item) | LargeList(item) | FixedSizeList(item, _)
                if matches!(Holds::of(item.data_type()), Holds::Texts | Holds::Others) =>
            {
                Holds::Others
            }
            _ => Holds::Doubtful,
        }
    }
}

/// Columns of texts of a Parquet table, looked at until enough is known of each.
pub(crate) fn texts_of(path: &Path, names: &[String]) -> Result<Vec<LeftOut>> {
    let mut looks: Vec<Look> = names.iter().map(|_| Look::default()).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let mut read = 0;
    for batch in Parts::open(path)?.read(|field| names.contains(field.name()), ROWS_PER_BATCH) {
        let batch = batch?;
        for (name, look) in names.iter().zip(&mut looks) {
            if let Some(column) = batch.columns.column_by_name(name) {
                look.take_column(column, read)
                    .map_err(|e| e.at(&batch.path))?;
            }
        }
        read += batch.columns.num_rows();
        if looks.iter().all(Look::is_enough) {
            break;
        }
    }
    let looked = names.iter().zip(looks);
    let left_out = looked.map(|(name, look)| look.left_out(name, |row| format!("row {row}")));
    Ok(left_out.collect())
}

/// Whether there is a number or a truth anywhere in a list or object.
pub(crate) fn holds_number(value: &Value) -> bool {
    match value {
        Value::Number(_) | Value::Bool(_) => true,
        Value::Null | Value::String(_) => false,
        Value::Array(items) => items.iter().any(holds_number),
        Value::Object(fields) => fields.values().any(holds_number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_known_however_they_are_written() {
        for text in ["0.53", "-1e-3", "\u{2212}0.5", "7"] {
            assert_eq!(writing(text), Some(Writing::Quoted), "{text}");
        }
        for text in [
            "0,53",
            "-0,5",
            "1.234,5",
            "1,234.5",
            "1\u{a0}234,5",
            "12,30 %",
        ] {
            assert_eq!(writing(text), Some(Writing::Comma), "{text}");
        }
        for text in [
            "12.30%",
            "'1.5'",
            "\"0.5\"",
            "[0.5]",
            "(0.5,)",
            "tensor(0.5)",
            "np.float64(0.5)",
            "array([0.5])",
            "$ 3",
        ] {
            assert_eq!(writing(text), Some(Writing::Dressed), "{text}");
        }
        for text in [
            "train",
            "a1",
            "2024-01-02",
            "12:30",
            "1,2,3",
            "10.0.0.1",
            "3 apples",
            "10 20",
            "2024_01",
            "V45",
            "%",
            "",
        ] {
            assert_eq!(writing(text), None, "{text}");
        }
    }

    fn doubt(texts: &[&str]) -> Option<String> {
        let texts = texts.iter().map(|text| Some(*text));
        LeftOut::of_texts("leak", texts)
            .doubt
            .map(|doubt| doubt.why)
    }

    #[test]
    fn a_column_is_doubted_where_most_of_its_texts_are_numbers() {
        let found = doubt(&["n/a", "0,53", "-", "0,54", "see note"]).unwrap();
        assert!(
            found.contains("row 1 is \"0,53\", which has a comma"),
            "{found}"
        );
        assert!(doubt(&["ada", "bob", "7"]).is_none());
        assert!(doubt(&["", "-"]).is_none());
    }
}
