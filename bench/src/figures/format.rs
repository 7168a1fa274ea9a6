//! How a value is shown: two digits or so where it is a time, a size or a ratio, as none of these repeats better.

use serde_json::Value;

use crate::Failed;

/// Nothing for words and whole numbers; `seconds`, `times` (a ratio), `count` (a whole number), `bytes`,
/// `percent`, `.3` (so many decimals), `table`.
pub fn show(value: &Value, how: &str) -> Result<String, Failed> {
    match (how, value) {
        ("", Value::String(text)) => Ok(text.clone()),
        ("", Value::Number(number)) if number.is_u64() => Ok(grouped(number.as_f64())),
        ("table", table) => shown_table(table),
        ("", _) => Err(Failed("say how to show it".into())),
        _ => shown_number(number(value)?, how),
    }
}

fn number(value: &Value) -> Result<f64, Failed> {
    let number = value.as_f64().filter(|number| number.is_finite());
    number.ok_or_else(|| Failed(format!("{value} is no number")))
}

fn shown_number(number: f64, how: &str) -> Result<String, Failed> {
    Ok(match how {
        "seconds" if number < 1.0 => format!("{} ms", two_digits(number * 1e3)),
        "seconds" => format!("{} s", two_digits(number)),
        "times" => two_digits(number),
        "count" => grouped(Some(number)),
        "bytes" if number < 1e9 => format!("{} MB", two_digits(number / 1e6)),
        "bytes" => format!("{:.2} GB", number / 1e9),
        "percent" => format!("{:.1}%", number * 100.0),
        _ => match how.strip_prefix('.').and_then(|n| n.parse::<usize>().ok()) {
            Some(decimals) => format!("{number:.decimals$}"),
            None => return Err(Failed(format!("{how:?} is no way to show a number"))),
        },
    })
}

/// 5.1, 22, 112, 1,010: never more than a tenth, and no tenth from ten on.
fn two_digits(number: f64) -> String {
    match number < 9.95 {
        true => format!("{number:.1}"),
        false => grouped(Some(number)),
    }
}

fn grouped(number: Option<f64>) -> String {
    let digits = format!("{:.0}", number.unwrap_or(f64::NAN));
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits.as_str()),
    };
    let mut out = sign.to_owned();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `{"columns": [names], "rows": [[cells]]}`; a cell is words, or `[number, how]`. Columns but the first stand
/// right.
fn shown_table(table: &Value) -> Result<String, Failed> {
    let list = |value: &Value| {
        let list = value.as_array().cloned();
        list.ok_or_else(|| Failed("a table has columns and rows".into()))
    };
    let columns = list(&table["columns"])?;
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let names: Result<Vec<String>, Failed> = columns.iter().map(|name| show(name, "")).collect();
    let rule = "---:|".repeat(columns.len().saturating_sub(1));
    let mut out = line(names?) + "|---|" + &rule + "\n";
    for row in list(&table["rows"])? {
        let row = list(&row)?;
        if row.len() != columns.len() {
            return Err(Failed(format!(
                "a row has {} cells, not {}",
                row.len(),
                columns.len()
            )));
        }
        let cells: Result<Vec<String>, Failed> = row.iter().map(cell).collect();
        out += &line(cells?);
    }
    Ok(out.trim_end().to_owned())
}

fn cell(cell: &Value) -> Result<String, Failed> {
    match cell.as_array().map(Vec::as_slice) {
        Some([value, how]) => show(value, how.as_str().unwrap_or_default()),
        _ => show(cell, ""),
    }
}
