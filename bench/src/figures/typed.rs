//! Tables of numbers that somebody typed: nothing keeps them true.

use super::{BEGIN, END};

/// What begins and ends a part that comes from the code.
const GENERATED: &str = "<!-- made by `cargo xtask gen`";
const WRITTEN: &str = "<!-- people write from here on -->";

/// How a page begins that a command writes as a whole.
const WHOLE: [&str; 2] = ["made by `", "written by `"];

/// The lines, from one on, at which tables begin that hold measured numbers and have no source. Options with one
/// default each are none: in two rows or more of such a table, two cells or more beside the first are numbers,
/// and one of them is no whole number.
pub fn typed(page: &str) -> Vec<usize> {
    let mut head = page
        .lines()
        .take(8)
        .filter(|line| !line.starts_with("<!--"));
    if head.any(|line| WHOLE.iter().any(|made| line.contains(made))) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (mut sourced, mut begun, mut rows) = (false, 0, 0);
    for (place, line) in page.lines().chain([""]).enumerate() {
        if line.starts_with('|') {
            if begun == 0 {
                begun = place + 1;
            }
            rows += usize::from(is_of_numbers(line));
            continue;
        }
        if rows >= 2 && !sourced {
            found.push(begun);
        }
        (begun, rows) = (0, 0);
        if line.starts_with(BEGIN) || line.starts_with(GENERATED) {
            sourced = true;
        } else if line.trim_end() == END || line.starts_with(WRITTEN) {
            sourced = false;
        }
    }
    found
}

fn is_of_numbers(row: &str) -> bool {
    let cells = row.trim().trim_matches('|').split('|').skip(1);
    let numbers: Vec<&str> = cells
        .map(str::trim)
        .filter(|cell| is_number(cell))
        .collect();
    numbers.len() >= 2 && numbers.iter().any(|cell| cell.contains(['.', '%']))
}

/// A number, a rate, a range, an interval, or several of them.
fn is_number(cell: &str) -> bool {
    let part = |letter: char| letter.is_ascii_digit() || ".,%±–−-+×/:() e".contains(letter);
    cell.contains(|letter: char| letter.is_ascii_digit()) && cell.chars().all(part)
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
