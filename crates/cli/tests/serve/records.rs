//! Pages of records are what the file holds.

use std::fs::File;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::folder::Folder;
use crate::server::Server;
use crate::signals::Signals;

/// Ids and scores of one attack, by reading the whole file.
fn naive(folder: &Folder, attack: &str) -> Vec<(String, Option<f64>)> {
    let file = File::open(folder.path("a/scores.parquet")).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .unwrap()
        .build()
        .unwrap();
    let mut all = Vec::new();
    for batch in reader {
        let batch = batch.unwrap();
        let ids = batch["id"].as_string::<i32>();
        let scores = batch[attack].as_primitive::<Float64Type>();
        all.extend((0..ids.len()).map(|at| {
            let score = (!scores.is_null(at)).then(|| scores.value(at));
            (ids.value(at).to_owned(), score)
        }));
    }
    all
}

/// The ids of a page, in its order.
fn ids(page: &str) -> Vec<String> {
    let rows = page.split("<th scope=\"row\"><a href=").skip(1);
    // A name from outside stands in an element of its own.
    let id = |row: &str| {
        row.split("<bdi>")
            .nth(1)?
            .split('<')
            .next()
            .map(str::to_owned)
    };
    rows.filter_map(id).collect()
}

#[test]
fn pages_orders_and_searches_are_those_of_a_naive_read() {
    let folder = Folder::new();
    folder.audit(
        "a",
        &Signals::leaky().with_ids(|record| format!("r{record}")),
    );
    let server = Server::start(&folder.path(""), "");
    server.await_text("/", "1 audit");
    let all = naive(&folder, "lira");
    for page in 1..=4 {
        let shown = server
            .get(&format!("/audits/a/records?page={page}"))
            .is(200)
            .text();
        let expected: Vec<String> = all
            .iter()
            .skip((page - 1) * 100)
            .take(100)
            .map(|one| one.0.clone())
            .collect();
        assert_eq!(ids(&shown), expected);
    }
    let mut sorted: Vec<(String, f64)> = all
        .iter()
        .filter_map(|(id, score)| Some((id.clone(), (*score)?)))
        .collect();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    for page in [1, 3] {
        let target = format!("/audits/a/records?sort=exposed&attack=lira&page={page}");
        let shown = server.get(&target).is(200).text();
        let expected: Vec<String> = sorted
            .iter()
            .skip((page - 1) * 100)
            .take(100)
            .map(|one| one.0.clone())
            .collect();
        assert_eq!(ids(&shown), expected);
        assert!(shown.contains(&format!("{:.4}", sorted[(page - 1) * 100].1).replace('-', "−")));
    }
    let shown = server.get("/audits/a/records?search=r39").is(200).text();
    let expected: Vec<String> = ["r39"]
        .into_iter()
        .map(str::to_owned)
        .chain((390..400).map(|at| format!("r{at}")))
        .collect();
    assert_eq!(ids(&shown), expected);
    server
        .get("/audits/a/records?search=nobody")
        .is(200)
        .says("No id is or begins with nobody");
    server
        .get("/audits/a/records?page=99999999&attack=none&sort=what")
        .is(200)
        .says("page 4 of 4");

    let record = server.get("/audits/a/records/17").is(200);
    record.says("r17");
    record.says("rmia");
    record.says("% of ");
    server.get("/audits/a/records/400").is(404);
    server
        .get("/audits/a/records/99999999999999999999999")
        .is(303);
}

#[test]
fn a_damaged_file_of_scores_is_told() {
    let folder = Folder::new();
    folder.audit("a", &Signals::leaky());
    let whole = std::fs::read(folder.path("a/scores.parquet")).unwrap();
    let server = Server::start(&folder.path(""), "");
    for length in [0, 10, whole.len() / 2, whole.len() - 1] {
        std::fs::write(folder.path("a/scores.parquet"), &whole[..length]).unwrap();
        server
            .get("/audits/a/records")
            .is(422)
            .says("scores.parquet");
    }
    std::fs::remove_file(folder.path("a/scores.parquet")).unwrap();
    server.get("/audits/a/records").is(404);
}
