//! What a CSV does not say about itself: how values are told apart, and whether the first row
//! names the columns.

use ::csv::{ByteRecord, Reader, ReaderBuilder};

/// Where several would do, the first: a tab hardly ever lies inside a value, a comma often does.
const DELIMITERS: [u8; 4] = [b'\t', b';', b'|', b','];
/// Rows that are looked at.
const SAMPLE: usize = 20;

pub(crate) fn reader(text: &[u8], delimiter: u8) -> Reader<&[u8]> {
    ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text)
}

/// A row of one empty value is an empty line.
pub(crate) fn is_blank(row: &ByteRecord) -> bool {
    row.len() == 1 && row[0].trim_ascii().is_empty()
}

/// The delimiter that cuts all rows into equally many values, or else the one that cuts most.
pub(crate) fn delimiter(text: &[u8]) -> u8 {
    let looks: Vec<Look> = DELIMITERS.map(|d| Look::with(text, d)).into();
    let even = looks.iter().find(|look| look.is_even(0));
    let titled = || looks.iter().find(|look| look.is_titled());
    let most = || looks.iter().max_by_key(|look| look.cuts());
    let best = even.or_else(titled).or_else(most);
    best.map_or(b',', |look| look.delimiter)
}

/// How many values the first rows have under a delimiter.
struct Look {
    delimiter: u8,
    widths: Vec<usize>,
}

impl Look {
    fn with(text: &[u8], delimiter: u8) -> Self {
        let rows = reader(text, delimiter).into_byte_records();
        let rows = rows.map_while(Result::ok).filter(|row| !is_blank(row));
        let widths = rows.take(SAMPLE).map(|row| row.len()).collect();
        Self { delimiter, widths }
    }

    fn is_even(&self, first: usize) -> bool {
        let widths = self.widths.get(first..).unwrap_or_default();
        let even = |pair: &[usize]| pair[0] == pair[1];
        widths.first().is_some_and(|width| *width > 1) && widths.windows(2).all(even)
    }

    /// Whether a line of one value comes before even rows.
    fn is_titled(&self) -> bool {
        self.widths.first() == Some(&1) && self.is_even(1)
    }

    fn cuts(&self) -> usize {
        self.widths.iter().map(|width| width - 1).sum()
    }
}

/// Whether the first row holds names. A number in it speaks for data, unless it only counts the
/// columns; the label's name in it speaks for names.
pub(crate) fn is_header(first: &[&str], label: &str) -> bool {
    let is_name = !label.is_empty() && label.parse::<f64>().is_err();
    let names_label = is_name && first.contains(&label);
    names_label
        || !first
            .iter()
            .enumerate()
            .any(|(place, cell)| is_datum(place, cell))
}

fn is_datum(place: usize, cell: &str) -> bool {
    let counts = |number: usize| number.abs_diff(place) <= 1;
    cell.parse::<f64>().is_ok() && !cell.parse().is_ok_and(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_found() {
        for (text, wanted) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2,5\n", b';'),
            ("1,5;2,5\n3,5;4,5\n", b';'),
            ("a\tb\n1,2\t3\n", b'\t'),
            ("id,text\n1,a;b\n2,c;d\n", b','),
            ("a title\na;b\n1;2\n", b';'),
            ("a|b\n1,5|2\n", b'|'),
            ("1,5|2,5\n3,5|4,5\n", b'|'),
            ("film,kind\nx,a|b\ny,c|d\n", b','),
            ("|a title\n1, a\n2, b\n", b','),
            ("a; title\na|b\n1|2\n", b'|'),
            ("a,b,c\n1,2\n", b','),
            ("a\n1\n", b','),
            ("\"a;b\",c\n\"d;e\",f\n", b','),
            ("", b','),
        ] {
            let found = delimiter(text.as_bytes());
            assert_eq!(found as char, wanted as char, "{text:?}");
        }
    }

    #[test]
    fn headers_are_told_from_data() {
        assert!(is_header(&["age", "income"], "income"));
        assert!(is_header(&["0", "1", "2"], "2"));
        assert!(is_header(&["", "0", "1", "y"], "y"));
        assert!(is_header(&["1990", "1991", "y"], "y"));
        assert!(!is_header(&["39", "State-gov", "<=50K"], "#2"));
        assert!(!is_header(&["39", "State-gov", "<=50K"], "39"));
        assert!(!is_header(&["39", "", "<=50K"], ""));
    }
}
