//! Tables of numbers that somebody typed: nothing keeps them true.

use super::unsourced::unsourced;

/// The lines, from one on, at which tables begin that hold measured numbers and have no source. Options with one
/// default each are none: in two rows or more of such a table, two cells or more beside the first are numbers,
/// and one of them is no whole number or has a unit.
pub fn typed(page: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut begun, mut rows) = (0, 0);
    for (place, line) in unsourced(page) {
        if line.starts_with('|') {
            if begun == 0 {
                begun = place;
            }
            rows += usize::from(is_of_numbers(line));
            continue;
        }
        if rows >= 2 {
            found.push(begun);
        }
        (begun, rows) = (0, 0);
    }
    found
}

fn is_of_numbers(row: &str) -> bool {
    let cells = row.trim().trim_matches('|').split('|').skip(1);
    let numbers: Vec<&str> = cells
        .map(str::trim)
        .filter(|cell| is_number(cell))
        .collect();
    let is_measured = |cell: &&str| cell.contains(['.', '%']) || cell.split(' ').any(is_unit);
    numbers.len() >= 2 && numbers.iter().any(is_measured)
}

/// A number, a rate, a range, an interval, or several of them, each with its unit.
fn is_number(cell: &str) -> bool {
    let part = |letter: char| letter.is_ascii_digit() || ".,%±–−-+×/:()e".contains(letter);
    let mut words = cell.split_whitespace().filter(|word| !is_unit(word));
    cell.contains(|letter: char| letter.is_ascii_digit())
        && words.all(|word| word.chars().all(part))
}

/// As `format.rs` writes them, and others that people type.
fn is_unit(word: &str) -> bool {
    const UNITS: [&str; 13] = [
        "ns", "µs", "ms", "s", "min", "h", "kB", "MB", "GB", "MiB", "GiB", "×", "times",
    ];
    UNITS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::typed;

    const TABLE: &str =
        "| a | AUC | TPR |\n|---|---:|---:|\n| b | .714 | 3.4% |\n| c | .715 (.7–.8) | 13% |\n";

    #[test]
    fn a_typed_table_is_found_and_a_sourced_one_is_not() {
        assert_eq!(typed(&format!("# Page\n\n{TABLE}\nwords\n")), [3]);
        assert_eq!(typed(TABLE), [1]);
        for (begin, end) in [
            ("<!-- figures: x -->", "<!-- end of figures -->"),
            (
                "<!-- made by `cargo xtask gen`: change the code -->",
                "<!-- people write from here on -->",
            ),
        ] {
            assert!(typed(&format!("{begin}\n\n{TABLE}\n{end}\n")).is_empty());
            assert_eq!(typed(&format!("{begin}\n\n{TABLE}\n{end}\n{TABLE}")), [9]);
        }
        assert!(typed(&format!("# Page\n\nThis page is made by `us`.\n\n{TABLE}")).is_empty());
    }

    #[test]
    fn times_and_sizes_are_numbers() {
        let times =
            "| a | time | memory |\n|---|---:|---:|\n| b | 175 ms | 109 MB |\n| c | 2 s | 1 GB |\n";
        assert_eq!(typed(times), [1]);
        let times =
            "| a | time | ratio |\n|---|---:|---:|\n| b | 3 times | 10 |\n| c | 2 times | 4 |\n";
        assert_eq!(typed(times), [1]);
    }

    #[test]
    fn options_counts_and_words_are_no_measured_numbers() {
        let options =
            "| `rate` | 0.1 | how fast |\n|---|---|---|\n| `decay` | 0.9, 0.99 | how long |\n";
        let counts = "| a | 1 | 2 |\n|---|---|---|\n| b | 1,000 | 4 |\n";
        let words =
            "| a | AUC 0.136, PASS | AUC 0.5, FAIL |\n|---|---|---|\n| b | 5 of 7 | 0.5 |\n";
        for table in [options, counts, words] {
            assert!(typed(table).is_empty(), "{table}");
        }
    }
}
