//! `scores.parquet`: a row per record, a column per attack, null where an attack abstained.

use std::fs::File;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use arrow_select::concat::concat_batches;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::common::Desk;
use crate::signals::Signals;

fn table(path: &Path) -> RecordBatch {
    let file = File::open(path).unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let schema = builder.schema().clone();
    let batches: Vec<RecordBatch> = builder.build().unwrap().map(Result::unwrap).collect();
    concat_batches(&schema, &batches).unwrap()
}

#[test]
fn columns_are_id_member_and_one_number_per_attack() {
    let signals = Signals::leaky().with_ids(|record| format!("person-{record}"));
    let desk = Desk::with(&signals);
    desk.guestlist("audit signals --out out --quiet").exits(1);
    let report = desk.json("out/report.json");
    let attacks = report["attacks"].as_array().unwrap();
    let table = table(&desk.path("out/scores.parquet"));
    assert_eq!(table.num_rows(), signals.records);
    let schema = table.schema();
    let names: Vec<&str> = schema
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect();
    let ids = attacks.iter().map(|attack| attack["id"].as_str().unwrap());
    assert_eq!(
        names,
        ["id", "member"].into_iter().chain(ids).collect::<Vec<_>>()
    );
    assert_eq!(schema.field(0).data_type(), &DataType::Utf8);
    assert_eq!(schema.field(1).data_type(), &DataType::Boolean);
    for (column, attack) in table.columns()[2..].iter().zip(attacks) {
        assert_eq!(column.data_type(), &DataType::Float64);
        assert_eq!(
            column.null_count() as u64,
            attack["abstained"].as_u64().unwrap()
        );
        assert!(
            column
                .as_primitive::<Float64Type>()
                .iter()
                .flatten()
                .all(|score| !score.is_nan())
        );
    }
    let nulls = table.columns()[2..]
        .iter()
        .map(|column| column.null_count());
    assert!(
        nulls.sum::<usize>() > 0,
        "these signals make some attacks abstain"
    );
}

#[test]
fn rows_are_the_records_in_their_order() {
    let signals = Signals::leaky().with_ids(|record| format!("person-{record}"));
    let desk = Desk::with(&signals);
    desk.guestlist("audit signals --attacks loss --out out --quiet")
        .exits(1);
    let table = table(&desk.path("out/scores.parquet"));
    for record in 0..signals.records {
        assert_eq!(
            table.column(0).as_string::<i32>().value(record),
            format!("person-{record}")
        );
        assert_eq!(
            table.column(1).as_boolean().value(record),
            signals.keep[record]
        );
    }
}

#[test]
fn the_numbers_in_the_file_give_the_auc_of_the_report() {
    let desk = Desk::with(&Signals::leaky());
    desk.guestlist("audit signals --attacks lira,rmia,elsa1 --out out --quiet")
        .exits(1);
    let table = table(&desk.path("out/scores.parquet"));
    let member = table.column(1).as_boolean();
    for attack in desk.json("out/report.json")["attacks"].as_array().unwrap() {
        let column = table
            .column_by_name(attack["id"].as_str().unwrap())
            .unwrap();
        let scores = column.as_primitive::<Float64Type>();
        let of = |wanted: bool| -> Vec<f64> {
            let rows = (0..table.num_rows()).filter(|&row| member.value(row) == wanted);
            rows.filter(|&row| scores.is_valid(row))
                .map(|row| scores.value(row))
                .collect()
        };
        // Records that the attack abstained on are tied: the file has no score of them.
        let among = attack["judged"]["auc"]["value"].as_f64();
        let found = among.or(attack["auc"]["value"].as_f64()).unwrap();
        assert!((pair_count(&of(true), &of(false)) - found).abs() < 1e-12);
    }
}

/// The share of pairs in which the member scores higher; ties count half.
fn pair_count(members: &[f64], nonmembers: &[f64]) -> f64 {
    let worth = |member: f64, nonmember: f64| match member.total_cmp(&nonmember) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    let pairs = members
        .iter()
        .flat_map(|&m| nonmembers.iter().map(move |&n| worth(m, n)));
    pairs.sum::<f64>() / (members.len() * nonmembers.len()) as f64
}
