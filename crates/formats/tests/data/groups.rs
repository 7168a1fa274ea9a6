//! Single columns as groups of records, by which an audit is sliced.

use arrow_array::{Float64Array, Int64Array, StringArray};
use formats::data::{Group, groups};
use zip::CompressionMethod;

use crate::common::{integers, npz};
use crate::helpers::{column, file, has, parquet};

fn named(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

fn ages() -> impl Iterator<Item = i64> {
    (0..60).map(|record| 20 + record * 7 % 60)
}

fn check(found: &[Group]) {
    let [sex, age] = found else {
        panic!("{found:?}")
    };
    assert_eq!(
        (sex.name.as_str(), sex.names.as_slice()),
        ("sex", &named(&["f", "m"])[..])
    );
    assert_eq!(sex.values[..3], [0, 1, 0]);
    let quarters = ["below 35", "35 to below 50", "50 to below 65", "65 or more"];
    assert_eq!(age.names, quarters);
    for (value, age) in age.values.iter().zip(ages()) {
        assert_eq!(i64::from(*value), (age - 20) / 15, "{age}");
    }
}

#[test]
fn the_same_groups_come_from_text_and_parquet() {
    let sex = |record: usize| if record.is_multiple_of(2) { "f" } else { "m" };
    let lines = ages().enumerate();
    let lines = lines.map(|(record, age)| format!("{record},{age},{}\n", sex(record)));
    let text = file(
        "d.csv",
        format!("id,age,sex\n{}", lines.collect::<String>()),
    );
    check(&groups(&text.path, &named(&["sex", "age"])).unwrap());
    check(&groups(&text.path, &named(&["#2", "age"])).unwrap());
    let fixture = file("d.parquet", "");
    let columns = vec![
        ("age", column(Int64Array::from_iter_values(ages()))),
        (
            "sex",
            column(StringArray::from_iter_values((0..60).map(sex))),
        ),
    ];
    parquet(&fixture.path, columns);
    check(&groups(&fixture.path, &named(&["sex", "age"])).unwrap());
}

#[test]
fn a_folder_of_parquet_is_one_table() {
    let folder = tempfile::tempdir().unwrap();
    for day in ["mon", "__HIVE_DEFAULT_PARTITION__", "tue"] {
        let part = folder.path().join(format!("day={day}"));
        std::fs::create_dir(&part).unwrap();
        let ages = column(Int64Array::from_iter_values(ages()));
        parquet(&part.join("p.parquet"), vec![("age", ages)]);
    }
    let found = groups(folder.path(), &named(&["day", "age"])).unwrap();
    let [day, age] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!((day.names.len(), age.names.len()), (3, 4));
    for word in ["mon", "tue", "(missing)"] {
        assert!(day.names.iter().any(|name| name == word), "{day:?}");
    }
    let sizes = (0..3).map(|value| day.values.iter().filter(|one| **one == value).count());
    assert_eq!(sizes.collect::<Vec<_>>(), [60, 60, 60]);
}

#[test]
fn few_numbers_are_groups_and_missing_is_one() {
    let fixture = file("d.parquet", "");
    let values = Float64Array::from(vec![Some(1.0), None, Some(2.5), Some(1.0)]);
    parquet(&fixture.path, vec![("grade", column(values))]);
    let found = groups(&fixture.path, &named(&["grade"])).unwrap();
    assert_eq!(found[0].names, ["(missing)", "1", "2.5"]);
    assert_eq!(found[0].values, [1, 0, 2, 1]);
}

#[test]
fn arrays_of_an_npz_are_columns() {
    let fixture = file("d.npz", "");
    let arrays = [
        ("y", integers(&[4], [3, 12, 3, 12])),
        ("site", integers(&[4, 1], [0, 0, 1, 1])),
        ("x", integers(&[3, 2], [0; 6])),
    ];
    npz(&fixture.path, CompressionMethod::Stored, &arrays);
    let found = groups(&fixture.path, &named(&["site", "y"])).unwrap();
    assert_eq!(
        (found[0].name.as_str(), &found[0].values[..]),
        ("site", &[0, 0, 1, 1][..])
    );
    let error = groups(&fixture.path, &named(&["site", "x"])).unwrap_err();
    has(&error.to_string(), &["x has shape [3, 2]"]);
    let error = groups(&fixture.path, &named(&["sites"])).unwrap_err();
    has(
        &error.to_string(),
        &["no column sites", "did you mean site?"],
    );
}

#[test]
fn what_cannot_be_sliced_is_refused_by_name() {
    let text = file("d.csv", "a,b,b\nu,1,2\nu,2,2\n");
    let refusal = |names: &[&str]| groups(&text.path, &named(names)).unwrap_err().to_string();
    has(&refusal(&["a"]), &["both named b"]);
    let text = file("d.csv", "a,b\nu,1\nu,2\n");
    let refusal = |names: &[&str]| groups(&text.path, &named(names)).unwrap_err().to_string();
    has(&refusal(&["a"]), &["column a", "the same for every record"]);
    has(&refusal(&["c"]), &["no column c", "a, b"]);
    assert!(groups(&text.path, &[]).unwrap().is_empty());
}
