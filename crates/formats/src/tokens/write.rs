//! Token signals as a file: Parquet or JSON Lines, written batch by batch.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{Float32Builder, Int32Builder, ListBuilder};
use arrow_array::{ArrayRef, BooleanArray, Int32Array};
use arrow_array::{RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde_json::{Map, Value, json};

use super::Scored;
use crate::files::{FileSet, Overwrite, plain_io};
use crate::texts::Text;
use crate::{Error, Result};

/// How token signals are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenFormat {
    Parquet,
    JsonLines,
}

impl TokenFormat {
    pub fn ending(self) -> &'static str {
        match self {
            TokenFormat::Parquet => "parquet",
            TokenFormat::JsonLines => "jsonl",
        }
    }
}

/// What the models made of one text.
pub struct ScoredText<'a> {
    pub text: &'a Text,
    pub target: Scored,
    pub reference: Option<Scored>,
    pub lowercase: Option<Scored>,
    /// Of a canary: the places of the tokens that its drawn parts became.
    pub secret: Option<&'a [usize]>,
}

/// Texts in their order, a batch at a time, until there are no more.
pub type NextBatch<'a> = dyn FnMut() -> Result<Vec<ScoredText<'a>>> + 'a;

/// Writes all batches; the file is there as a whole or not at all.
pub fn write(path: &Path, format: TokenFormat, next: &mut NextBatch) -> Result<()> {
    let mut failure: Option<Error> = None;
    let mut set = FileSet::new(Overwrite::Replace);
    let written = set.add(path, |out| {
        let mut batches = || match next() {
            Ok(batch) => batch,
            Err(error) => {
                failure = Some(error);
                Vec::new()
            }
        };
        match format {
            TokenFormat::Parquet => write_parquet(out, &mut batches),
            TokenFormat::JsonLines => write_lines(out, &mut batches),
        }
    });
    match failure {
        Some(error) => Err(error),
        None => written.and_then(|()| set.commit()),
    }
}

type Batches<'a, 'b> = &'b mut dyn FnMut() -> Vec<ScoredText<'a>>;

fn write_parquet(out: impl Write + Send, batches: Batches) -> std::io::Result<()> {
    let schema = schema();
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let mut writer =
        ArrowWriter::try_new(out, schema.clone(), Some(properties)).map_err(plain_io)?;
    loop {
        let batch = batches();
        if batch.is_empty() {
            break;
        }
        let batch = columns(&schema, &batch).map_err(std::io::Error::other)?;
        writer.write(&batch).map_err(plain_io)?;
    }
    writer.close().map_err(plain_io)?;
    Ok(())
}

fn list(name: &str, items: DataType) -> Field {
    Field::new(
        name,
        DataType::List(Arc::new(Field::new("item", items, true))),
        true,
    )
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("id", DataType::Utf8, false),
        Field::new("member", DataType::Boolean, true),
        Field::new("date", DataType::Utf8, true),
        Field::new("text", DataType::Utf8, true),
        list("token_ids", DataType::Int32),
        list("ref_token_ids", DataType::Int32),
        list("logprob", DataType::Float32),
        list("rank", DataType::Int32),
        Field::new("rank_cap", DataType::Int32, true),
        list("mean", DataType::Float32),
        list("variance", DataType::Float32),
        list("max_logprob", DataType::Float32),
        list("ref_logprob", DataType::Float32),
        list("ref_rank", DataType::Int32),
        Field::new("ref_rank_cap", DataType::Int32, true),
        list("ref_mean", DataType::Float32),
        list("ref_variance", DataType::Float32),
        list("ref_max_logprob", DataType::Float32),
        list("lowercase_logprob", DataType::Float32),
        list("secret_tokens", DataType::Int32),
    ]))
}

fn columns(
    schema: &SchemaRef,
    texts: &[ScoredText],
) -> std::result::Result<RecordBatch, arrow_schema::ArrowError> {
    let ids = |of: for<'a> fn(&'a ScoredText) -> Option<&'a Vec<u32>>| -> ArrayRef {
        let mut builder = ListBuilder::new(Int32Builder::new());
        for text in texts {
            match of(text) {
                Some(ids) => builder.append_value(ids.iter().map(|id| i32::try_from(*id).ok())),
                None => builder.append_null(),
            }
        }
        Arc::new(builder.finish())
    };
    let ranks = |of: for<'a> fn(&'a ScoredText) -> Option<&'a Scored>| -> ArrayRef {
        let mut builder = ListBuilder::new(Int32Builder::new());
        for text in texts {
            match of(text).and_then(|scored| scored.rank.as_ref()) {
                Some(ranks) => {
                    let rank = |rank: &Option<u32>| rank.and_then(|rank| i32::try_from(rank).ok());
                    builder.append_value(ranks.iter().map(rank));
                }
                None => builder.append_null(),
            }
        }
        Arc::new(builder.finish())
    };
    let numbers = |of: &dyn Fn(&ScoredText) -> Option<Vec<Option<f32>>>| -> ArrayRef {
        let mut builder = ListBuilder::new(Float32Builder::new());
        for text in texts {
            match of(text) {
                Some(numbers) => builder.append_value(numbers),
                None => builder.append_null(),
            }
        }
        Arc::new(builder.finish())
    };
    let string = |of: fn(&Text) -> Option<&str>| -> ArrayRef {
        Arc::new(StringArray::from_iter(
            texts.iter().map(|text| of(text.text)),
        ))
    };
    let caps = |of: for<'a> fn(&'a ScoredText) -> Option<&'a Scored>| -> ArrayRef {
        let cap = |text| i32::try_from(of(text)?.rank_cap?).ok();
        Arc::new(Int32Array::from_iter(texts.iter().map(cap)))
    };
    let mut places = ListBuilder::new(Int32Builder::new());
    for text in texts {
        match text.secret {
            Some(secret) => places.append_value(secret.iter().map(|at| i32::try_from(*at).ok())),
            None => places.append_null(),
        }
    }
    let places: ArrayRef = Arc::new(places.finish());
    let columns: Vec<ArrayRef> = vec![
        string(|text| Some(&text.id)),
        Arc::new(BooleanArray::from_iter(texts.iter().map(|t| t.text.member))),
        string(|text| text.date.as_deref()),
        string(|text| Some(&text.text)),
        ids(|text| text.target.token_ids.as_ref()),
        ids(|text| text.reference.as_ref()?.token_ids.as_ref()),
        numbers(&|text| Some(text.target.logprob.clone())),
        ranks(target),
        caps(target),
        numbers(&|text| text.target.mean.clone()),
        numbers(&|text| text.target.variance.clone()),
        numbers(&|text| text.target.max_logprob.clone()),
        numbers(&|text| Some(text.reference.as_ref()?.logprob.clone())),
        ranks(reference),
        caps(reference),
        numbers(&|text| text.reference.as_ref()?.mean.clone()),
        numbers(&|text| text.reference.as_ref()?.variance.clone()),
        numbers(&|text| text.reference.as_ref()?.max_logprob.clone()),
        numbers(&|text| Some(text.lowercase.as_ref()?.logprob.clone())),
        places,
    ];
    RecordBatch::try_new(schema.clone(), columns)
}

fn target<'a>(text: &'a ScoredText) -> Option<&'a Scored> {
    Some(&text.target)
}

fn reference<'a>(text: &'a ScoredText) -> Option<&'a Scored> {
    text.reference.as_ref()
}

fn write_lines(mut out: impl Write, batches: Batches) -> std::io::Result<()> {
    loop {
        let batch = batches();
        if batch.is_empty() {
            return Ok(());
        }
        for text in &batch {
            serde_json::to_writer(&mut out, &line(text))?;
            out.write_all(b"\n")?;
        }
    }
}

fn line(scored: &ScoredText) -> Value {
    let ScoredText {
        text,
        target,
        reference,
        lowercase,
        secret,
    } = scored;
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            fields.insert(name.to_owned(), value);
        }
    };
    put("id", json!(text.id));
    put("member", json!(text.member));
    put("date", json!(text.date));
    put("text", json!(text.text));
    put("token_ids", json!(target.token_ids));
    if let Some(reference) = reference {
        put("ref_token_ids", json!(reference.token_ids));
        put("ref_logprob", json!(reference.logprob));
        put("ref_rank", json!(reference.rank));
        put("ref_rank_cap", json!(reference.rank_cap));
        put("ref_mean", json!(reference.mean));
        put("ref_variance", json!(reference.variance));
        put("ref_max_logprob", json!(reference.max_logprob));
    }
    put("logprob", json!(target.logprob));
    put("rank", json!(target.rank));
    put("rank_cap", json!(target.rank_cap));
    put("mean", json!(target.mean));
    put("variance", json!(target.variance));
    put("max_logprob", json!(target.max_logprob));
    put(
        "lowercase_logprob",
        json!(lowercase.as_ref().map(|l| &l.logprob)),
    );
    put("secret_tokens", json!(secret));
    Value::Object(fields)
}
