use std::path::Path;

use tempfile::TempDir;

use super::*;

const CSV: &str = "id;age;job;y\n1;30;\"a;b\";no\n2;41;c;yes\r\n3;52;d;no\n";

fn csv(text: &str) -> (TempDir, RowTable) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.csv");
    std::fs::write(&path, text).unwrap();
    let table = RowTable::open(&path, None, &["id".to_owned()]).unwrap();
    (folder, table)
}

/// The second row with the first's age and label.
fn made() -> Composed {
    Composed {
        base: 1,
        label: 0,
        features: Some(vec![0, 2]),
    }
}

#[test]
fn lines_of_a_csv_stay_as_they_are_and_made_ones_have_its_form() {
    let (_folder, table) = csv(CSV);
    assert_eq!((table.len(), table.features(), table.ending), (3, 2, "csv"));
    assert_eq!(table.labels, ["no", "yes", "no"]);
    let (own, made) = (Composed::whole(0), made());
    let text = String::from_utf8(table.encode(&[&made, &own], None).unwrap()).unwrap();
    assert_eq!(text, "id;age;job;y\n2;30;d;no\n1;30;\"a;b\";no\n");
    let ids = ["canary-1".to_owned()];
    let named = String::from_utf8(table.encode(&[&made], Some(&ids)).unwrap()).unwrap();
    assert_eq!(named, "canary;id;age;job;y\ncanary-1;2;30;d;no\n");
}

#[test]
fn rows_are_compared_by_their_features_alone() {
    let (_folder, table) = csv("id,age,y\n1,30,no\n2, 30,yes\n3,31,no\n");
    let digest = |row: usize| table.digest(&Composed::whole(row));
    assert_eq!(digest(0), digest(1));
    assert_ne!(digest(0), digest(2));
}

/// An array file in memory.
fn npy(element: &str, shape: &[usize], bytes: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    crate::npy::write_header(&mut file, element, shape).unwrap();
    file.extend_from_slice(bytes);
    file
}

fn npz(path: &Path, arrays: &[(&str, Vec<u8>)]) {
    use std::io::Write;
    let mut zip = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    for (name, bytes) in arrays {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

#[test]
fn arrays_are_put_together_element_by_element() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.npz");
    npz(
        &path,
        &[
            ("x", npy("|u1", &[3, 1, 2], &[1, 2, 3, 4, 5, 6])),
            ("y", npy("|u1", &[3], &[0, 1, 0])),
            ("weight", npy("|u1", &[3], &[7, 8, 9])),
            ("names", npy("|S2", &[2], b"aabb")),
        ],
    );
    let table = RowTable::open(&path, None, &[]).unwrap();
    assert_eq!((table.len(), table.features()), (3, 2));
    assert_eq!(table.labels, ["0", "1", "0"]);
    let (own, made) = (Composed::whole(2), made());
    let ids = ["ü".to_owned(), "canary-2".to_owned()];
    let again = folder.path().join("again.npz");
    std::fs::write(&again, table.encode(&[&made, &own], Some(&ids)).unwrap()).unwrap();
    let mut archive = crate::shadow::npz::Archive::open(&again).unwrap();
    use crate::shadow::matrix::NamedArrays;
    let mut bytes = |name: &str| archive.fetch(name).unwrap().all_bytes().to_vec();
    assert_eq!(bytes("x"), [1, 6, 5, 6]);
    assert_eq!(bytes("y"), [0, 0]);
    assert_eq!(bytes("weight"), [8, 9]);
    assert_eq!(bytes("names"), b"aabb");
    let ids_back = archive.fetch("ids").unwrap();
    assert_eq!(crate::shadow::ids::read(&ids_back).unwrap(), ids);
}

#[test]
fn columns_of_parquet_keep_their_types_and_missing_values() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
    use std::sync::Arc;
    let age: ArrayRef = Arc::new(Int64Array::from(vec![Some(30), None, Some(52)]));
    let job: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
    let label: ArrayRef = Arc::new(StringArray::from(vec!["no", "yes", "no"]));
    let batch = RecordBatch::try_from_iter([("age", age), ("job", job), ("y", label)]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.parquet");
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ::parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let table = RowTable::open(&path, Some("y"), &[]).unwrap();
    let made = Composed {
        base: 0,
        label: 1,
        features: Some(vec![1, 2]),
    };
    let again = folder.path().join("again.parquet");
    let ids = ["canary-1".to_owned()];
    std::fs::write(&again, table.encode(&[&made], Some(&ids)).unwrap()).unwrap();
    let file = std::fs::File::open(&again).unwrap();
    let reader = ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file);
    let back = reader.unwrap().build().unwrap().next().unwrap().unwrap();
    assert_eq!(back["canary"].as_string::<i32>().value(0), "canary-1");
    assert!(back["age"].as_primitive::<Int64Type>().is_null(0));
    assert_eq!(back["job"].as_string::<i32>().value(0), "c");
    assert_eq!(back["y"].as_string::<i32>().value(0), "yes");
    let whole = |row: usize| table.digest(&Composed::whole(row));
    assert_ne!(whole(0), whole(1));
}

#[test]
fn a_label_that_is_not_there_is_named_with_what_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.csv");
    std::fs::write(&path, "age,salary\n1,2\n").unwrap();
    let unsaid = RowTable::open(&path, None, &[]).err().unwrap().to_string();
    assert!(
        unsaid.contains("age, salary") && unsaid.contains("--label"),
        "{unsaid}"
    );
    let wrong = RowTable::open(&path, Some("wage"), &[])
        .err()
        .unwrap()
        .to_string();
    assert!(wrong.contains("wage"), "{wrong}");
}
