//! What all kinds of audits read and refuse alike.

use std::fs;
use std::path::Path;

use stats::streams::Seed;
use tempfile::TempDir;

use super::{DocumentSettings, ItemSettings, LabelledDocument, Text, TextSettings};
use crate::{ErrorKind, Result};

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

fn one_file(text: &str, limit: Option<usize>) -> Result<Vec<LabelledDocument>> {
    let folder = folder(&[("d.jsonl", text.as_bytes())]);
    let settings = DocumentSettings {
        file: Some("d.jsonl".into()),
        limit,
        ..DocumentSettings::default()
    };
    let read = settings.read(folder.path(), Seed(7))?;
    Ok(read.documents)
}

fn two_folders() -> DocumentSettings {
    DocumentSettings {
        members: Some("in".into()),
        nonmembers: Some("out".into()),
        ..DocumentSettings::default()
    }
}

#[test]
fn json_lines_with_everything() {
    let listed = one_file(
        "{\"id\": 1, \"text\": \"a\", \"member\": true, \"title\": \"T\", \"topic\": \"x\", \
         \"date\": 2024, \"questions\": [{\"question\": \"q?\", \"yes\": true}, {\"question\": \
         \"r?\", \"answer\": \"No\"}]}\n\n{\"text\": \"b\", \"member\": 0}\n",
        None,
    )
    .unwrap();
    let first = &listed[0];
    assert_eq!(first.document.id, "1");
    assert_eq!(first.document.title.as_deref(), Some("T"));
    assert_eq!(first.topic.as_deref(), Some("x"));
    assert_eq!(first.date.as_deref(), Some("2024"));
    let answers = first.document.questions.iter();
    let answers: Vec<bool> = answers.map(|question| question.yes).collect();
    assert_eq!(answers, [true, false]);
    assert_eq!(listed[1].document.id, "3", "the line stands in for an id");
    assert_eq!(listed[1].member, Some(false));
}

#[test]
fn folders_of_texts() {
    let folder = folder(&[
        ("in/a.md", b"# The title\n\nBody." as &[u8]),
        ("in/sub/b.txt", b"# not markdown"),
        ("in/c.csv", b"left alone"),
        ("out/d.md", b"## Another\ntext"),
    ]);
    let listed = two_folders()
        .read(folder.path(), Seed(1))
        .unwrap()
        .documents;
    let ids: Vec<&str> = listed
        .iter()
        .map(|listed| listed.document.id.as_str())
        .collect();
    assert_eq!(ids, ["a.md", "sub/b.txt", "d.md"]);
    assert_eq!(listed[0].document.title.as_deref(), Some("The title"));
    assert_eq!(listed[1].document.title, None);
    assert_eq!(listed[2].document.title, None);
    assert_eq!(
        [true, true, false].map(Some),
        [listed[0].member, listed[1].member, listed[2].member]
    );
}

#[test]
fn files_beside_texts_are_named() {
    let folder = folder(&[
        ("in/a.md", b"Body." as &[u8]),
        ("in/sub/x.docx", b"PK"),
        ("in/b.csv", b"x"),
        ("in/.DS_Store", b"x"),
        ("in/.git/config", b"x"),
        ("rows/a.jsonl", b"{}"),
    ]);
    let left_out = |name: &str| super::left_out(&folder.path().join(name));
    assert_eq!(left_out("in"), ["b.csv", "sub/x.docx"]);
    // No folder of texts, and a file.
    assert!(left_out("rows").is_empty() && left_out("in/a.md").is_empty());
}

#[test]
fn one_id_in_both_sets_is_refused() {
    let folder = folder(&[
        ("in/a.md", b"One text." as &[u8]),
        ("out/a.md", b"Another text."),
    ]);
    let error = two_folders().read(folder.path(), Seed(1)).unwrap_err();
    let words = "a member and a non-member have the id \"a.md\"";
    assert!(error.message.contains(words), "{error}");
    let hint = error.hint.unwrap();
    assert!(hint.contains("a folder deeper"), "{hint}");
    // What the hint says helps.
    fs::create_dir(folder.path().join("in/more")).unwrap();
    fs::rename(
        folder.path().join("in/a.md"),
        folder.path().join("in/more/a.md"),
    )
    .unwrap();
    assert!(two_folders().read(folder.path(), Seed(1)).is_ok());
}

#[test]
fn parquet_columns() {
    use std::sync::Arc;

    use arrow_array::RecordBatch;
    use arrow_array::{ArrayRef, BooleanArray, StringArray};

    let words = |texts: [Option<&str>; 2]| Arc::new(StringArray::from(texts.to_vec())) as ArrayRef;
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("id", words([Some("a"), Some("b")]), true),
        ("text", words([Some("one"), Some("two")]), true),
        ("title", words([Some("T"), None]), true),
        ("topic", words([None, Some("x")]), true),
        (
            "member",
            Arc::new(BooleanArray::from(vec![true, false])) as ArrayRef,
            true,
        ),
    ])
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = fs::File::create(folder.path().join("d.parquet")).unwrap();
    let mut writer = ::parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let settings = DocumentSettings {
        file: Some("d.parquet".into()),
        ..DocumentSettings::default()
    };
    let listed = settings.read(folder.path(), Seed(1)).unwrap().documents;
    assert_eq!(listed[0].document.title.as_deref(), Some("T"));
    assert_eq!(listed[1].topic.as_deref(), Some("x"));
    assert_eq!(
        [listed[0].member, listed[1].member],
        [Some(true), Some(false)]
    );
}

#[test]
fn a_limit_chooses_the_same_each_time() {
    let text: String = (0..40)
        .map(|i| {
            format!(
                "{{\"id\":\"{i}\",\"text\":\"t{i}\",\"member\":{}}}\n",
                i % 2 == 0
            )
        })
        .collect();
    let listed = one_file(&text, Some(5)).unwrap();
    assert_eq!(
        listed
            .iter()
            .filter(|listed| listed.member == Some(true))
            .count(),
        5
    );
    assert_eq!(listed.len(), 10);
    assert_eq!(listed, one_file(&text, Some(5)).unwrap());
    let order = |listed: &LabelledDocument| listed.document.id.parse::<u32>().unwrap();
    assert!(listed.is_sorted_by_key(order));
    assert_ne!(listed, one_file(&text, None).unwrap()[..10]);
    assert_eq!(one_file(&text, Some(500)).unwrap().len(), 40);
}

#[test]
fn what_is_wrong_is_named() {
    let row = |id: &str, text: &str, member: bool| {
        format!("{{\"id\":\"{id}\",\"text\":\"{text}\",\"member\":{member}}}\n")
    };
    let refused = |text: &str| one_file(text, None).unwrap_err().to_string();
    let both = row("m", "same  words", true) + &row("n", " same\\nwords ", false);
    let both = refused(&both);
    assert!(both.contains("\"m\"") && both.contains("\"n\""), "{both}");
    let twice = row("m", "a", true) + &row("m", "b", true) + &row("n", "c", false);
    assert!(refused(&twice).contains("two documents of one set have the id \"m\""));
    for (text, words) in [
        (String::new(), "holds no document"),
        (row("a", "x", true), "no non-member"),
        (
            row("a", "x", true) + "{\"id\":\"b\",\"member\":false}",
            "row 2 (\"b\"): has no text",
        ),
        ("{\"text\":\"x\"}".into(), "has no member"),
        ("[]".into(), "is a JSON document"),
        ("3".into(), "line 1"),
        ("{\"text\":\"x\",\"member\":2}".into(), "member is 2"),
        (
            "{\"text\":\"x\",\"member\":true,\"questions\":[{\"question\":\"q\"}]}".into(),
            "has no answer",
        ),
    ] {
        let refused = refused(&text);
        assert!(refused.contains(words), "{text}: {refused}");
    }
}

#[test]
fn bytes_that_are_no_text_are_named_with_their_place() {
    let folder = folder(&[("in/a.txt", b"good \xff bad" as &[u8]), ("out/b.txt", b"b")]);
    let refused = two_folders().read(folder.path(), Seed(1)).unwrap_err();
    let refused = refused.to_string();
    assert!(
        refused.contains("a.txt") && refused.contains("byte 6"),
        "{refused}"
    );
}

#[test]
fn settings_that_do_not_go_together_are_refused() {
    let read = |settings: DocumentSettings| settings.read(Path::new("."), Seed(1)).unwrap_err();
    assert_eq!(read(DocumentSettings::default()).kind, ErrorKind::Setting);
    let none = DocumentSettings {
        limit: Some(0),
        ..two_folders()
    };
    assert!(read(none).to_string().contains("limit"));
    let empty = folder(&[("in/a.csv", b"x" as &[u8])]);
    assert!(two_folders().read(empty.path(), Seed(1)).is_err());
}

/// The texts of a language model's audit, from two files.
fn texts(members: &str, others: &str) -> Result<Vec<Text>> {
    let files = [
        ("in.jsonl", members.as_bytes()),
        ("out.jsonl", others.as_bytes()),
    ];
    let folder = folder(&files);
    let settings = TextSettings {
        members: Some("in.jsonl".into()),
        nonmembers: Some("out.jsonl".into()),
        ..TextSettings::default()
    };
    settings.read(folder.path())
}

#[test]
fn texts_of_a_language_model_are_checked_as_documents_are() {
    let row = |id: &str, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    let members = row("a", "one text") + &row("b", "two texts");
    for (others, parts) in [
        (
            row("c", "three") + &row("d", " two\\ntexts"),
            [
                "have the same text",
                "row 2 of",
                "and row 2",
                "\"b\"",
                "\"d\"",
            ],
        ),
        (
            row("c", "three") + &row("a", "four"),
            [
                "a member and a non-member have",
                "\"a\"",
                "row 1 of",
                "row 2",
                "id of its own",
            ],
        ),
        (
            row("c", "three") + &row("c", "four"),
            [
                "two texts of one set have",
                "\"c\"",
                "row 1 of",
                "row 2",
                "id of its own",
            ],
        ),
        (
            String::new(),
            [
                "holds no text",
                "2 members",
                "0 non-members",
                "out.jsonl",
                "hint",
            ],
        ),
        (
            row("c", "three").replace('}', ",\"member\":true}"),
            [
                "row 1",
                "is a member but its file",
                "a non-member",
                "\"c\"",
                "hint",
            ],
        ),
    ] {
        let refused = texts(&members, &others).unwrap_err().to_string();
        assert!(refused.contains("out.jsonl"), "{refused}");
        for part in parts {
            assert!(refused.contains(part), "{part}: {refused}");
        }
    }
    assert_eq!(texts(&members, &row("c", "three")).unwrap().len(), 3);
}

#[test]
fn rows_without_ids_are_told_apart_by_file_and_row() {
    let rows = "{\"text\":\"TEXT one\"}\n\n{\"text\":\"TEXT two\"}\n";
    let read = texts(
        &rows.replace("TEXT", "member"),
        &rows.replace("TEXT", "other"),
    )
    .unwrap();
    let ids: Vec<&str> = read.iter().map(|text| text.id.as_str()).collect();
    let expected = ["in.jsonl:1", "in.jsonl:3", "out.jsonl:1", "out.jsonl:3"];
    assert_eq!(ids, expected);
}

#[test]
fn fields_that_a_kind_does_not_look_at_may_hold_anything() {
    let row = "{\"text\":\"a\",\"title\":[1],\"topic\":{},\"questions\":7,\"member\":true}\n\
               {\"text\":\"b\",\"source\":5,\"prompt\":[],\"image\":{},\"member\":0}\n";
    let folder = folder(&[("d.jsonl", row.as_bytes())]);
    let settings = TextSettings {
        file: Some("d.jsonl".into()),
        ..TextSettings::default()
    };
    assert_eq!(settings.read(folder.path()).unwrap().len(), 2);
    let documents = DocumentSettings {
        file: Some("d.jsonl".into()),
        ..DocumentSettings::default()
    };
    let refused = documents.read(folder.path(), Seed(1)).unwrap_err();
    assert!(refused.to_string().contains("row 1"), "{refused}");
    let items = ItemSettings {
        path: Some("d.jsonl".into()),
        ..ItemSettings::default()
    };
    assert!(items.read(folder.path(), Seed(1)).is_err());
}
