//! What is read, and how much travels for it.

use std::path::Path;

use formats::parts::{files_of, stored};

use super::server::{SECRET, Store};
use super::table::table;

pub fn only_ranges_of_what_is_wanted_travel(store: &Store) {
    // Sixteen megabytes, of which scores, ids and truth are one in a hundred.
    let (whole, first, second) = (table(0..8000), table(0..2000), table(2000..8000));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("whole.parquet");
    std::fs::write(&file, &whole).unwrap();
    store.put("/box/whole.parquet", &whole);
    store.put("/box/many/part-00000.parquet", &first);
    store.put("/box/many/part-00001.parquet", &second);
    store.put("/box/many/_SUCCESS", b"");

    let expected = formats::scores::read(&file).unwrap();
    for (place, all) in [
        ("whole.parquet", whole.len()),
        ("many", first.len() + second.len()),
    ] {
        store.proxy.taken();
        let found = formats::scores::read(Path::new(&format!("s3://box/{place}"))).unwrap();
        assert_eq!(found.ids, expected.ids);
        assert_eq!(found.members, expected.members);
        let bits = |scores: &formats::scores::PrecomputedScores| {
            let column = scores.columns[0].1.as_slice().iter();
            column.map(|score| score.to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(bits(&found), bits(&expected));
        let seen = store.proxy.taken();
        assert!(seen.bytes * 20 < all, "{} bytes of {all} came", seen.bytes);
        let fetched = seen
            .heads
            .iter()
            .filter(|head| head.starts_with("GET /box/") && head.contains(".parquet"));
        assert!(fetched.clone().count() > 0);
        for head in fetched {
            assert!(head.to_lowercase().contains("range: bytes="), "{head}");
        }
        assert!(seen.heads.iter().all(|head| !head.contains(SECRET)));
    }
}

pub fn objects_are_listed_and_known_by_their_etag(store: &Store) {
    let whole = table(0..100);
    store.put("/box/whole.parquet", &whole);
    store.put("/box/many/part-00000.parquet", &table(0..10));
    store.put("/box/many/part-00001.parquet", &table(10..20));
    store.put("/box/many/_SUCCESS", b"");
    // What stands in for a digest, and what is listed.
    let object = stored(Path::new("s3://box/whole.parquet")).unwrap();
    assert!(
        object.size == whole.len() as u64 && object.etag.is_some(),
        "{object:?}"
    );
    let files = files_of(Path::new("s3://box/many/")).unwrap();
    let files: Vec<String> = files
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    assert_eq!(
        files,
        [
            "s3://box/many/part-00000.parquet",
            "s3://box/many/part-00001.parquet"
        ]
    );
}
