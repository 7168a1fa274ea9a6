//! What becomes of a CSV.

use formats::data::{self, ColumnKind, Wanted};
use proptest::prelude::*;

use crate::helpers::{csv, file, gzip, has, note, refusal, row};

const PEOPLE: &str = "name,age,city,income\n\
                      ann,30,Rome,high\n\
                      bob,?,\"Paris, north\",low\n\
                      cy, 50 ,,low\n\
                      dee,40,Rome,high\n";

#[test]
fn numbers_are_standard_and_categories_are_one_hot() {
    let wanted = Wanted {
        id: Some("name".to_owned()),
        ..Wanted::label("income")
    };
    let records = csv(PEOPLE, &wanted);
    assert_eq!((records.len(), records.width), (4, 5));
    assert_eq!(records.classes, ["high", "low"]);
    assert_eq!(records.labels, [0, 1, 1, 0]);
    assert_eq!(records.ids.as_ref().unwrap()[3], "dee");
    let deviation = (200.0f64 / 3.0).sqrt();
    let standard = (10.0 / deviation) as f32;
    // Age, age is missing, (missing), Paris, Rome.
    assert_eq!(row(&records, 0), [-standard, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(row(&records, 1), [0.0, 1.0, 0.0, 1.0, 0.0]);
    assert_eq!(row(&records, 2), [standard, 0.0, 1.0, 0.0, 0.0]);
    let city = &records.groups[0];
    assert_eq!((city.name.as_str(), records.groups.len()), ("city", 1));
    assert_eq!(city.names, ["(missing)", "Paris, north", "Rome"]);
    assert_eq!(city.values, [2, 1, 0, 2]);
}

#[test]
fn every_column_has_a_note() {
    let records = csv(PEOPLE, &Wanted::label("income"));
    let age = note(&records, "age");
    assert_eq!((age.missing, age.features.clone()), (1, 4..6));
    let mean = match age.kind {
        ColumnKind::Number { mean, .. } => mean,
        _ => panic!("age is a number"),
    };
    assert!((mean - 40.0).abs() < 1e-12);
    assert_eq!(note(&records, "income").kind, ColumnKind::Label);
    assert_eq!(note(&records, "city").features, 6..9);
    let json = serde_json::to_string(&records.columns).unwrap();
    let back: Vec<data::ColumnNote> = serde_json::from_str(&json).unwrap();
    assert_eq!(back, records.columns);
}

#[test]
fn the_user_can_force_and_ignore() {
    let wanted = Wanted {
        ignore: vec!["#0".to_owned()],
        categories: vec!["age".to_owned()],
        ..Wanted::label("#3")
    };
    let records = csv(PEOPLE, &wanted);
    assert_eq!(note(&records, "name").kind, ColumnKind::Ignored);
    assert_eq!(records.groups[0].names, ["(missing)", "30", "40", "50"]);
    let mut wanted = Wanted::label("income");
    wanted.numbers = vec!["city".to_owned()];
    let said = refusal(PEOPLE, &wanted);
    has(
        &said,
        &["column city, line 2: \"Rome\" is not a number", "hint"],
    );
    wanted.missing.push("Rome".to_owned());
    wanted.missing.push("Paris, north".to_owned());
    assert_eq!(csv(PEOPLE, &wanted).width, 6);
}

#[test]
fn numbers_can_mean_missing() {
    let mut wanted = Wanted::label("y");
    wanted.missing.push("-999".to_owned());
    let records = csv("x,y\n1,a\n-999.0,b\n3,a\n", &wanted);
    assert_eq!(records.features, [-1.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
    let records = csv("x,y\n1,a\nNaN,b\n3,a\n", &Wanted::label("y"));
    assert_eq!(note(&records, "x").missing, 1);
}

#[test]
fn delimiters_line_ends_marks_and_gzip_make_no_difference() {
    let plain = csv("x,t,y\n1,u,a\n2,v,b\n", &Wanted::label("y"));
    for text in [
        "x;t;y\n1;u;a\n2;v;b\n",
        "x|t|y\n1|u|a\n2|v|b\n",
        "x\tt\ty\r\n1\tu\ta\r\n2\tv\tb\r\n",
        "\u{feff}x,t,y\n\n1, u ,a\n  \n2,\"v\",b",
        "x,t,y\r1,u,a\r2,v,b\r",
    ] {
        let records = csv(text, &Wanted::label("y"));
        assert_eq!(records.features, plain.features, "{text:?}");
        assert_eq!(records.labels, plain.labels, "{text:?}");
        let zipped = file("data.csv.gz", gzip(text.as_bytes()));
        let records = data::read(&zipped.path, &Wanted::label("y")).unwrap();
        assert_eq!(records.features, plain.features, "{text:?}");
    }
}

#[test]
fn a_file_without_names_is_read_by_position() {
    let text = "|a title\n39, Bachelors, <=50K\n50, Masters, >50K\n";
    let records = csv(text, &Wanted::label("#2"));
    assert_eq!(records.len(), 2);
    assert_eq!(records.classes, ["<=50K", ">50K"]);
    has(
        &records.notes.join("; "),
        &["line 1 was skipped", "line 2 looks like data"],
    );
    let said = refusal(text, &Wanted::label("income"));
    has(
        &said,
        &[
            "there is no column income",
            "#0, #1, #2",
            "line 2 is taken for data",
        ],
    );
    let names = data::columns(&file("adult.csv", text).path).unwrap();
    assert_eq!(names, ["#0", "#1", "#2"]);
}

#[test]
fn the_user_has_the_last_word_on_the_header() {
    let text = "a,b,y\nu,v,0\nu,w,1\n";
    let mut wanted = Wanted::label("#2");
    assert_eq!(csv(text, &wanted).len(), 2);
    wanted.header = Some(false);
    assert_eq!(csv(text, &wanted).classes, ["0", "1", "y"]);
    let numbers = "1990,1991,5\n1,2,a\n2,1,b\n";
    wanted.header = Some(true);
    assert_eq!(csv(numbers, &wanted).len(), 2);
}

#[test]
fn a_first_row_of_text_above_text_is_remarked_on() {
    let notes = |text: &str, wanted: &Wanted| csv(text, wanted).notes.join("; ");
    let texts = "p,x,s\ne,x,y\np,b,y\np,b,w\n";
    let guess = "line 1, the first row, was taken for names; set data.header = false";
    let mut wanted = Wanted::label("#0");
    has(&notes(texts, &wanted), &[guess]);
    has(&notes(texts, &Wanted::label("p")), &[guess]);
    wanted.header = Some(true);
    assert_eq!(notes(texts, &wanted), "");
    // The label's name, or numbers below texts, leave no doubt.
    let named = "class,cap\ne,x\np,b\np,x\n";
    assert_eq!(notes(named, &Wanted::label("class")), "");
    let numbers = "class,size\ne,1\np,2\np,2\n";
    assert_eq!(notes(numbers, &Wanted::label("#0")), "");
}

#[test]
fn equal_numbers_are_one_class() {
    let records = csv("x,y\n1,1\n2,1.0\n3,0\n", &Wanted::label("y"));
    assert_eq!(records.classes, ["0", "1"]);
    assert_eq!(records.labels, [1, 1, 0]);
}

#[test]
fn large_whole_numbers_are_compared_exactly() {
    let start = 1i64 << 60;
    let lines = (0..40).map(|n| format!("{},{},{}\n", start + n, start + n % 2, n % 2));
    let text = format!("account,branch,y\n{}", lines.collect::<String>());
    let records = csv(&text, &Wanted::label("y"));
    assert_eq!(note(&records, "account").kind, ColumnKind::Ignored);
    assert_eq!(
        note(&records, "branch").kind,
        ColumnKind::Category { values: 2 }
    );
    has(
        &records.notes.join("; "),
        &["all values differ", "account", "column branch: its 2"],
    );
}

#[test]
fn what_teaches_nothing_is_left_out_with_a_note() {
    let lines = (0..30).map(|n| format!("{},r{n},same,{},{}\n", n * 7, n % 3, n % 2));
    let text = format!("number,code,constant,x,y\n{}", lines.collect::<String>());
    let records = csv(&text, &Wanted::label("y"));
    assert_eq!(records.width, 1);
    assert_eq!(note(&records, "number").kind, ColumnKind::Ignored);
    assert_eq!(note(&records, "constant").kind, ColumnKind::Constant);
    let notes = records.notes.join("; ");
    has(
        &notes,
        &["all values are the same: constant", "all values differ"],
    );
    has(&notes, &["number, code"]);
}

#[test]
fn many_classes_of_whole_numbers_are_in_numeric_order() {
    let records = csv("x,y\n1,10\n2,9\n3,10\n", &Wanted::label("y"));
    assert_eq!(records.classes, ["9", "10"]);
    assert_eq!(records.labels, [1, 0, 1]);
}

fn look(bytes: &[u8]) {
    let fixture = file("data.csv", bytes);
    let _ = data::columns(&fixture.path);
    for label in ["a", "#0", "#1"] {
        let read = data::read(&fixture.path, &Wanted::label(label));
        if let Ok(records) = read {
            assert_eq!(records.features.len(), records.len() * records.width);
            assert!(records.features.iter().all(|x| x.is_finite()));
        }
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        look(&bytes);
        look(&gzip(&bytes));
    }

    #[test]
    fn arbitrary_tables_never_panic(text in "(a|b|)([,;\t\"\r\n]|1|-|e|9|x| |\\?|é|inf){0,80}") {
        look(text.as_bytes());
    }
}
