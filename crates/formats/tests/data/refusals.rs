//! What is said about data sets that cannot be read: file, place, value and remedy.

use formats::data::{self, Wanted};

use crate::helpers::{csv, file, gzip, has, refusal};

fn y(text: &str) -> String {
    refusal(text, &Wanted::label("y"))
}

#[test]
fn a_label_that_is_not_there() {
    let said = refusal("age,Income\n1,a\n2,b\n", &Wanted::label("income"));
    has(
        &said,
        &["data.csv: there is no column income", "age, Income"],
    );
    has(&said, &["did you mean Income?"]);
    let said = refusal("age,Income\n1,a\n2,b\n", &Wanted::label("zzz"));
    has(&said, &["name one of them, or #0 to #1"]);
    has(
        &refusal("a,b\n1,2\n", &Wanted::label("#2")),
        &["no column #2"],
    );
}

#[test]
fn labels_that_cannot_be_learned() {
    has(
        &y("x,y\n1,a\n2,a\n"),
        &["column y is \"a\" for every record", "two classes"],
    );
    has(
        &y("x,y\n1,a\n2,?\n"),
        &["column y, line 3: the label is missing (\"?\")"],
    );
    let lines: String = (0..300).map(|n| format!("{},v{n}\n", n % 7)).collect();
    has(
        &y(&format!("x,y\n{lines}")),
        &["300 classes for 300 records", "bin"],
    );
    let lines: String = (0..300).map(|n| format!("{},{}.5\n", n % 7, n)).collect();
    has(
        &y(&format!("x,y\n{lines}")),
        &[
            "column y looks like a number to predict",
            "300 different numbers",
            "categories = [\"y\"]",
        ],
    );
}

#[test]
fn tables_without_records() {
    has(&y(""), &["is an empty file"]);
    has(&y("\n\n"), &["there are no rows"]);
    has(&y("x,y\n"), &["there are no records"]);
    has(&y("x,y\n1,a\n"), &["there is only one record"]);
    has(&y("y\na\nb\n"), &["no column is left to learn from"]);
    has(&refusal(gzip(b""), &Wanted::label("y")), &["holds nothing"]);
}

#[test]
fn lines_that_are_broken() {
    has(
        &y("x,y\n1,a\n\n2,b,c\n"),
        &["line 4 has 3 values but line 1 has 2", "hint"],
    );
    has(
        &y("x,y\r\n1,a\r\n2\r\n"),
        &["line 3 has 1 values but line 1 has 2"],
    );
    has(&y("x,y\n\"a\nb\",a\n2\n"), &["line 4 has 1 values"]);
    has(
        &y("x,y\n1,a\n2,\"b\n3,a\n"),
        &["line 3 opens a quote that is never closed"],
    );
    let latin = refusal(b"x,y\n1,a\ncaf\xe9,b\n", &Wanted::label("y"));
    has(&latin, &["line 3 is not text in UTF-8", "iconv"]);
}

#[test]
fn a_lone_quote_inside_a_value_is_a_value() {
    assert_eq!(
        csv("x,y\n5\" pipe,a\n6\" pipe,b\n", &Wanted::label("y")).width,
        2
    );
}

#[test]
fn junk_in_a_column_of_numbers() {
    let lines: String = (0..500).map(|n| format!("{n}.25,{}\n", n % 2)).collect();
    let text = format!("x,y\n{lines}oops,1\noh,0\n");
    has(
        &y(&text),
        &[
            "data.csv: column x, line 502: \"oops\" is not a number",
            "500 of 502 values are, 2 are not",
            "data.missing",
            "data.categories",
        ],
    );
    let mut wanted = Wanted::label("y");
    wanted.missing.extend(["oops".to_owned(), "oh".to_owned()]);
    assert_eq!(csv(&text, &wanted).width, 2);
    wanted = Wanted::label("y");
    wanted.categories.push("x".to_owned());
    assert_eq!(csv(&text, &wanted).width, 100);
}

#[test]
fn a_label_is_looked_for_in_every_format() {
    let text = file("data.csv", "age,class\n1,a\n2,b\n");
    assert!(data::check_label(&text.path, "class").is_ok());
    assert!(data::check_label(&text.path, "#1").is_ok());
    let said = data::check_label(&text.path, "clas").unwrap_err();
    has(&said.to_string(), &["no column clas", "age, class", "hint"]);
    let headless = file("data.csv", "1.5,a\n2.5,b\n");
    let said = data::check_label(&headless.path, "class").unwrap_err();
    has(&said.to_string(), &["no column class", "#0, #1"]);
}

#[test]
fn values_that_are_infinite() {
    has(
        &y("x,y\n1,a\ninf,b\n"),
        &["column x, line 3: inf is not a finite number", "hint"],
    );
    has(&y("x,y\n1,a\n1e999,b\n"), &["column x, line 3"]);
}

#[test]
fn names_that_are_given_twice() {
    has(
        &y("x,x,y\n1,2,a\n"),
        &["the columns #0 and #1 are both named x", "header = false"],
    );
    let wanted = Wanted {
        ignore: vec!["y".to_owned()],
        ..Wanted::label("y")
    };
    let said = refusal("x,y\n1,a\n2,b\n", &wanted);
    has(&said, &["column y is named as the label and to be ignored"]);
    let wanted = Wanted {
        id: Some("x".to_owned()),
        ..Wanted::label("y")
    };
    let said = refusal("x,z,y\n1,1,a\n2,2,b\n1,3,b\n", &wanted);
    has(
        &said,
        &["the id \"1\" names both line 2 and line 4", "hint"],
    );
    let said = refusal("x,z,y\n1,1,a\n,2,b\n", &wanted);
    has(&said, &["column x, line 3: the id is missing"]);
}

#[test]
fn files_of_other_kinds() {
    let said = |bytes: &[u8]| refusal(bytes, &Wanted::label("y"));
    has(&said(b"BZh91AY"), &["compressed with bzip2"]);
    has(&said(b"\x93NUMPY\x01\x00"), &["single array", "savez"]);
    has(&said(&gzip(b"PAR1")), &["compressed twice"]);
    has(&said(b"\x1f\x8b\x08\x00"), &["not a whole gzip file"]);
    has(
        &said(b"PAR1 and nothing else"),
        &["not a whole Parquet file"],
    );
    has(
        &said(b"PK\x03\x04 and nothing else"),
        &["not a whole .npz archive"],
    );
    let folder = file("a", "a").folder;
    let error = data::read(folder.path(), &Wanted::label("y")).unwrap_err();
    has(&error.to_string(), &["is a folder"]);
    let error = data::read(&folder.path().join("b"), &Wanted::label("y")).unwrap_err();
    has(&error.to_string(), &["no such file"]);
}
