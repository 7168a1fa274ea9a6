//! Documents as they lie: CSV, Markdown, HTML and PDF.

use std::fs;

use stats::streams::Seed;

use super::{DocumentSettings, LabelledDocument, documents_of};
use crate::Result;

/// The least PDF that a reader takes: a page that shows these words, or none.
fn pdf(words: &str) -> Vec<u8> {
    let shown = match words.is_empty() {
        true => String::new(),
        false => format!("BT /F1 12 Tf 72 700 Td ({words}) Tj ET"),
    };
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{shown}\nendstream", shown.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj\n{object}\nendobj\n", number + 1).into_bytes());
    }
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1).into_bytes());
    for place in &places {
        file.extend(format!("{place:010} 00000 n \n").into_bytes());
    }
    let size = places.len() + 1;
    let end = format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n");
    file.extend(end.into_bytes());
    file
}

#[test]
fn a_folder_holds_every_kind_of_text() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("a.txt", b"plain words");
    write("b.md", b"# Leave\n\nLeave is paid.");
    write(
        "c.html",
        b"<title>Rest</title><p>Rest is <b>not</b> paid.<script>no()</script>",
    );
    write("d.PDF", &pdf("Wards keep 37 litres."));
    write("e.docx", b"nobody reads this");
    let read = documents_of(folder.path()).unwrap();
    let found: Vec<(&str, Option<&str>, &str)> = read
        .iter()
        .map(|document| {
            let title = document.title.as_deref();
            (document.id.as_str(), title, document.text.trim())
        })
        .collect();
    let wanted = [
        ("a.txt", None, "plain words"),
        ("b.md", Some("Leave"), "# Leave\n\nLeave is paid."),
        ("c.html", Some("Rest"), "Rest is not paid."),
        ("d.PDF", None, "Wards keep 37 litres."),
    ];
    assert_eq!(found, wanted);
}

#[test]
fn a_pdf_without_words_and_a_broken_one_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let told = |bytes: &[u8]| {
        fs::write(folder.path().join("scan.pdf"), bytes).unwrap();
        documents_of(folder.path()).unwrap_err().to_string()
    };
    let pictures = told(&pdf(""));
    assert!(
        pictures.contains("scan.pdf") && pictures.contains("without text"),
        "{pictures}"
    );
    let whole = pdf("Wards keep 37 litres.");
    let broken = told(&whole[..whole.len() / 3]);
    assert!(
        broken.contains("cannot be read") || broken.contains("without text"),
        "{broken}"
    );
    assert!(told(b"no PDF at all").contains("cannot be read"));
}

fn csv(text: &str) -> Result<Vec<LabelledDocument>> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.csv"), text).unwrap();
    let settings = DocumentSettings {
        file: Some("all.csv".into()),
        ..DocumentSettings::default()
    };
    let read = settings.read(folder.path(), Seed(7))?;
    Ok(read.documents)
}

#[test]
fn csv_has_the_columns_of_other_tables() {
    let read = csv(
        "id,text,member,title,topic\n7,\"Leave, is paid.\",true,Leave,hr\n8,Rest is not.,0,,hr\n9,Who knows.,,,\n",
    );
    let read = read.unwrap();
    let members: Vec<Option<bool>> = read.iter().map(|listed| listed.member).collect();
    assert_eq!(members, [Some(true), Some(false), None]);
    assert_eq!(read[0].document.text, "Leave, is paid.");
    assert_eq!(read[0].document.title.as_deref(), Some("Leave"));
    assert_eq!(
        (read[1].document.id.as_str(), &read[1].document.title),
        ("8", &None)
    );
    assert_eq!(read[1].topic.as_deref(), Some("hr"));
    let error = csv("id,text,member\n7,a,true\n8,b,perhaps\n")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("line 3") && error.contains("perhaps"),
        "{error}"
    );
    let error = csv("id,words\n7,a\n8,b\n").unwrap_err().to_string();
    assert!(error.contains("no column text"), "{error}");
}

#[test]
fn questions_may_be_texts_alone() {
    let folder = tempfile::tempdir().unwrap();
    let row = r#"{"text": "a", "questions": ["Is it?", {"question": "Or not?", "answer": "no"}]}"#;
    fs::write(folder.path().join("a.jsonl"), row).unwrap();
    let read = documents_of(&folder.path().join("a.jsonl")).unwrap();
    let asked: Vec<(&str, bool)> = read[0]
        .questions
        .iter()
        .map(|question| (question.question.as_str(), question.yes))
        .collect();
    assert_eq!(asked, [("Is it?", true), ("Or not?", false)]);
}
