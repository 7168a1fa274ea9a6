use std::fs;
use std::path::Path;

use super::*;

fn error(folder: &Path, name: &str, bytes: &[u8], wanted: Wanted) -> Option<Error> {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    refuse(&path, wanted).err()
}

#[test]
fn each_is_known_by_its_content_whatever_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let legacy = [0x80, 2, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20];
    let known: [(&[u8], &str, &str); 7] = [
        (b"\x80\x04\x95abc", "is a Python pickle", "pickle.load"),
        (&legacy, "is a file of torch.save", "torch.load"),
        (b"\x89HDF\r\n\x1a\n", "is an HDF5 file", "h5py.File"),
        (b"MATLAB 5.0 MAT-file", "is a MATLAB file", "loadmat"),
        (b"MATLAB 7.3 MAT-file", "is an HDF5 file", "h5py.File"),
        (b"ARROW1\0\0", "is an Arrow", "read_table"),
        (b"[{\"id\": 1}]", "is a JSON document", "json.load"),
    ];
    for (bytes, what, line) in known {
        let error = error(folder.path(), "my data.bin", bytes, Wanted::Rows).unwrap();
        assert!(error.to_string().contains(what), "{error}");
        let example = error.example.unwrap();
        assert!(
            example.contains(line) && example.contains("my data.bin"),
            "{example}"
        );
    }
    let old = error(
        folder.path(),
        "old.pkl",
        b"cposix\nsystem\n.",
        Wanted::Signals,
    );
    assert!(old.unwrap().message.contains("pickle"));
}

#[test]
fn the_length_in_front_of_safetensors_is_taken_for_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    for length in [0x0280_u64, 0x0580, b'['.into(), b'{'.into(), 0x5b0a] {
        let bytes = [&length.to_le_bytes(), b"{\"phi\":{}}".as_slice()].concat();
        let error = error(folder.path(), "b.safetensors", &bytes, Wanted::Signals);
        assert!(error.is_none(), "{length:#x}: {error:?}");
    }
}

#[test]
fn an_archive_of_torch_is_no_archive_of_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.npz");
    let mut archive = zip::ZipWriter::new(fs::File::create(&path).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file("archive/data.pkl", options).unwrap();
    archive.finish().unwrap();
    let error = refuse(&path, Wanted::Signals).unwrap_err();
    assert!(error.message.contains("torch.save"), "{error}");
}

#[test]
fn rows_and_tables_are_left_to_their_readers() {
    let folder = tempfile::tempdir().unwrap();
    let fine: [(&str, &[u8], Wanted); 6] = [
        ("a.jsonl", b"{\"id\": 1}\n{\"id\": 2}\n", Wanted::Rows),
        ("a.json", b"{\"id\": 1, \"text\": \"x\"}\n", Wanted::Rows),
        ("a.csv", b"[a],[b]\n1,2\n", Wanted::Data),
        ("a.csv", b"member,loss\n1,2\n", Wanted::Scores),
        ("a.npy", b"\x93NUMPY", Wanted::Features),
        ("empty", b"", Wanted::Rows),
    ];
    for (name, bytes, wanted) in fine {
        let error = error(folder.path(), name, bytes, wanted);
        assert!(error.is_none(), "{name}: {error:?}");
    }
    assert!(refuse(&folder.path().join("nowhere"), Wanted::Rows).is_ok());
    let pretty = error(
        folder.path(),
        "a.json",
        b"{\n \"logits\": []\n}",
        Wanted::Signals,
    );
    assert!(pretty.unwrap().message.contains("JSON"));
}

#[test]
fn a_file_for_each_model_and_a_table_of_logits_get_lines_with_their_own_names() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    fs::create_dir(&models).unwrap();
    let mut archive = zip::ZipWriter::new(fs::File::create(models.join("0.npz")).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for name in ["probs.npy", "in_data.npy", "y.npy"] {
        archive.start_file(name, options).unwrap();
    }
    archive.finish().unwrap();
    let (what, lines) = unrecognised(&models).unwrap();
    assert!(what.contains("a .npz for each model"), "{what}");
    for part in [
        "*.npz",
        "probabilities=np.stack([model[\"probs\"]",
        "\"in_data\"",
        "\"y\"",
    ] {
        assert!(lines.contains(part), "{part} is not in {lines}");
    }
    let table = folder.path().join("logits.csv");
    fs::write(&table, "c0,c1,target,train\n1,2,0,1\n").unwrap();
    let (_, lines) = unrecognised(&table).unwrap();
    for part in [
        "logits.csv",
        "member = \"target\", \"train\"",
        "\"logits.npz\"",
    ] {
        assert!(lines.contains(part), "{part} is not in {lines}");
    }
}

#[test]
fn a_hostile_name_stays_within_its_quotes() {
    let quoted = python_text("a\"; import os #\\\n\u{202e}é");
    assert_eq!(quoted, "\"a\\\"; import os #\\\\\\U0000000a\\U0000202eé\"");
}
