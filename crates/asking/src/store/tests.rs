use std::time::{Duration, UNIX_EPOCH};

use rusqlite::Connection;

use super::*;
use crate::ErrorKind;

fn question(request: &[u8]) -> Question<'_> {
    Question {
        dialect: "vllm",
        url: "http://127.0.0.1:8000/v1/completions",
        model: Some("m"),
        request,
    }
}

fn answer(body: &[u8]) -> Answer {
    Answer {
        status: 200,
        body: body.to_vec(),
        received: UNIX_EPOCH + Duration::from_millis(1_800_000_000_123),
        seconds: Some(0.25),
        headers: vec![("x-cache".into(), "HIT".into())],
    }
}

fn key(byte: u8) -> Key {
    [byte; 32]
}

#[test]
fn keeps_answers_and_records_across_openings() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("new").join("audit");
    let store = Store::open(&inside).unwrap();
    let asked = question(b"{\"prompt\":\"a\"}");
    assert_eq!(store.answer(&asked.key()).unwrap(), None);
    store.put_answer(&asked, &answer(b"\0\xff")).unwrap();
    store
        .put_records("target", &[(key(1), vec![1, 2]), (key(2), vec![])])
        .unwrap();
    store
        .put_records("reference", &[(key(3), vec![3])])
        .unwrap();
    drop(store);

    let store = Store::open(&inside).unwrap();
    assert_eq!(store.answer(&asked.key()).unwrap(), Some(answer(b"\0\xff")));
    assert_eq!(
        store.records(&[key(2), key(9), key(1)]).unwrap(),
        [Some(vec![]), None, Some(vec![1, 2])]
    );
    let counts = store.counts().unwrap();
    assert_eq!(counts.answers, 1);
    assert_eq!(counts.records["target"], 2);
    assert_eq!(counts.records["reference"], 1);
}

#[test]
fn answers_that_are_looked_up_together_are_those_of_each() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let passage = "Thicker asphalt lowered the stress range. ".repeat(30);
    let bodies: Vec<String> = (0..6)
        .map(|number| {
            format!(
                "{{\"answer\":\"{number}\",\"text\":\"{}\"}}",
                &passage[number % 2..]
            )
        })
        .chain(["short".into(), "long ".repeat(200)])
        .collect();
    for body in &bodies {
        let kept = answer(body.as_bytes());
        store.put_answer(&question(body.as_bytes()), &kept).unwrap();
    }
    let mut keys: Vec<Key> = bodies
        .iter()
        .map(|body| question(body.as_bytes()).key())
        .collect();
    keys.insert(3, key(9));
    keys.push(keys[0]);
    let rows = store.rows(&keys).unwrap();
    assert_eq!(rows.len(), keys.len());
    for (key, row) in keys.iter().zip(rows) {
        let found = row.map(|row| store.unpacked(row).unwrap());
        assert_eq!(found, store.answer(key).unwrap());
        let body = bodies
            .iter()
            .find(|body| question(body.as_bytes()).key() == *key);
        assert_eq!(found, body.map(|body| answer(body.as_bytes())));
    }
    // What was looked up does not keep others from writing.
    store.put_answer(&question(b"z"), &answer(b"z")).unwrap();
}

#[test]
fn every_part_of_a_question_tells_it_apart() {
    let plain = question(b"x");
    let others = [
        question(b"y"),
        Question {
            dialect: "tgi",
            ..plain
        },
        Question {
            url: "http://other",
            ..plain
        },
        Question {
            model: Some("n"),
            ..plain
        },
        // The same letters, cut elsewhere.
        Question {
            model: Some("mx"),
            request: b"",
            ..plain
        },
    ];
    for other in others {
        assert_ne!(other.key(), plain.key(), "{other:?}");
    }
    assert_eq!(
        formats::files::hexadecimal(&plain.key()),
        "d5d05741312bee5c339b739463815fe10d874b9d584141701c0afafc6eaa7d45",
        "answers stored by earlier versions must be found"
    );
}

#[test]
fn a_second_holder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let first = Store::open(folder.path()).unwrap();
    let refused = Store::open(folder.path()).err().unwrap();
    assert_eq!(refused.kind, ErrorKind::Exists);
    assert!(refused.to_string().contains("another guestlist run"));
    drop(first);
    Store::open(folder.path()).unwrap();
}

#[test]
fn files_that_are_not_ours_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.sqlite");
    std::fs::write(&file, b"not a database, but long enough to be looked at").unwrap();
    let refused = Store::open(folder.path()).err().unwrap();
    assert_eq!(refused.kind, ErrorKind::Malformed, "{refused}");
    assert!(std::fs::read(&file).unwrap().starts_with(b"not a"));

    std::fs::remove_file(&file).unwrap();
    let foreign = Connection::open(&file).unwrap();
    foreign.execute_batch("CREATE TABLE songs (name)").unwrap();
    drop(foreign);
    let refused = Store::open(folder.path()).err().unwrap();
    assert_eq!(refused.kind, ErrorKind::Mismatch, "{refused}");
}

#[test]
fn a_newer_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    let connection = Connection::open(folder.path().join("audit.sqlite")).unwrap();
    connection.pragma_update(None, "user_version", 7).unwrap();
    drop(connection);
    let refused = Store::open(folder.path()).err().unwrap();
    assert_eq!(refused.kind, ErrorKind::Unsupported);
    assert!(refused.to_string().contains("newer guestlist"));
}

/// A store as version 1 wrote it.
#[test]
fn an_older_store_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.sqlite");
    let old = Connection::open(&file).unwrap();
    old.execute_batch(
        "CREATE TABLE answers (key BLOB PRIMARY KEY NOT NULL, dialect TEXT NOT NULL,
             url TEXT NOT NULL, model TEXT, request BLOB NOT NULL, status INTEGER NOT NULL,
             answer BLOB NOT NULL, received INTEGER NOT NULL);
         CREATE TABLE records (key BLOB PRIMARY KEY NOT NULL, pass TEXT NOT NULL,
             value BLOB NOT NULL);
         CREATE INDEX records_by_pass ON records (pass);
         PRAGMA application_id = 0x676c7374; PRAGMA user_version = 1;",
    )
    .unwrap();
    let asked = question(b"x");
    old.execute(
        "INSERT INTO answers VALUES (?1, 'vllm', '', 'm', x'78', 200, x'61', 1800000000123)",
        [asked.key().as_slice()],
    )
    .unwrap();
    drop(old);
    for _ in 0..2 {
        let store = Store::open(folder.path()).unwrap();
        let kept = store.answer(&asked.key()).unwrap().unwrap();
        assert_eq!((kept.body, kept.seconds), (b"a".to_vec(), None));
        assert_eq!(store.spending().unwrap(), Spending::default());
    }
    let store = Store::open(folder.path()).unwrap();
    store.put_answer(&asked, &answer(b"b")).unwrap();
    assert_eq!(store.answer(&asked.key()).unwrap(), Some(answer(b"b")));
}

/// A store as version 4 wrote it: its answers are read as they are, and new ones beside them.
#[test]
fn answers_of_before_pieces_stay() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let (before, after) = (question(b"before"), question(b"after"));
    store.put_answer(&before, &answer(b"a")).unwrap();
    drop(store);
    let old = Connection::open(folder.path().join("audit.sqlite")).unwrap();
    old.execute_batch(
        "DROP TABLE pieces; ALTER TABLE answers DROP COLUMN headers; PRAGMA user_version = 4;",
    )
    .unwrap();
    drop(old);
    let passage = format!("{{\"text\":\"{}\"}}", "stress range ".repeat(40));
    let long = answer(passage.as_bytes());
    for _ in 0..3 {
        let store = Store::open(folder.path()).unwrap();
        let kept = store.answer(&before.key()).unwrap().unwrap();
        assert_eq!((kept.body, kept.headers), (b"a".to_vec(), Vec::new()));
        store.put_answer(&after, &long).unwrap();
        store.put_answer(&question(b"third"), &long).unwrap();
        assert_eq!(store.answer(&after.key()).unwrap(), Some(long.clone()));
        drop(store);
    }
    let store = Store::open(folder.path()).unwrap();
    store.discard_answers().unwrap();
    store.put_answer(&after, &long).unwrap();
    assert_eq!(store.answer(&after.key()).unwrap(), Some(long));
}

/// What was not stored leaves nothing behind that later answers would rest on.
#[test]
fn pieces_of_answers_that_could_not_be_stored_are_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let passage = format!("{{\"text\":\"{}\"}}", "stress range ".repeat(40));
    let long = answer(passage.as_bytes());
    let asked = [question(b"1"), question(b"2"), question(b"3")];
    let fails =
        "CREATE TRIGGER fails BEFORE UPDATE ON spending BEGIN SELECT RAISE(ABORT, 'no'); END";
    store.connection().execute_batch(fails).unwrap();
    let both = [(asked[0], &long), (asked[1], &long)];
    assert!(store.put_answers(&both, 1).is_err());
    store
        .connection()
        .execute_batch("DROP TRIGGER fails")
        .unwrap();
    for asked in &asked {
        assert_eq!(store.answer(&asked.key()).unwrap(), None);
        store.put_answer(asked, &long).unwrap();
    }
    for asked in &asked {
        assert_eq!(store.answer(&asked.key()).unwrap(), Some(long.clone()));
    }
}

/// A store as version 2 wrote it for a key that stands in the configuration.
#[test]
fn digests_of_keys_leave_an_older_store_and_its_answers_stay_known() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.sqlite");
    let store = Store::open(folder.path()).unwrap();
    let before = question(br#"{"headers":{"x-key":"***0123abcd"}}"#);
    store.put_answer(&before, &answer(b"a")).unwrap();
    drop(store);
    let old = Connection::open(&file).unwrap();
    old.execute_batch(
        "ALTER TABLE answers DROP COLUMN packed; ALTER TABLE answers DROP COLUMN headers; DROP TABLE pieces; \
         PRAGMA user_version = 2;",
    )
    .unwrap();
    drop(old);
    let store = Store::open(folder.path()).unwrap();
    let now = question(br#"{"headers":{"x-key":"***"}}"#);
    assert_eq!(store.answer(&now.key()).unwrap().unwrap().body, b"a");
    assert_eq!(store.answer(&before.key()).unwrap(), None);
    drop(store);
    let bytes = std::fs::read(&file).unwrap();
    assert!(!bytes.windows(8).any(|part| part == b"0123abcd"));
}

#[test]
fn many_answers_are_stored_at_once_with_what_they_cost() {
    let (folder, one, two) = (tempfile::tempdir().unwrap(), answer(b"1"), answer(b"2"));
    let store = Store::open(folder.path()).unwrap();
    let asked = [(question(b"x"), &one), (question(b"y"), &two)];
    store.put_answers(&asked, 30).unwrap();
    store.put_answers(&asked[..1], 5).unwrap();
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.counts().unwrap().answers, 2);
    assert_eq!(store.spending().unwrap().tokens, 35);
    assert_eq!(store.answer(&asked[1].0.key()).unwrap(), Some(two));
}

#[test]
fn requests_are_set_aside_up_to_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.set_aside(4, Some(10)).unwrap(), 4);
    assert_eq!(store.set_aside(8, Some(10)).unwrap(), 6);
    assert_eq!(store.set_aside(1, Some(10)).unwrap(), 0);
    store.give_back(2).unwrap();
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.spending().unwrap().requests, 8);
    assert_eq!(store.set_aside(5, Some(3)).unwrap(), 0, "a lowered limit");
    assert_eq!(store.set_aside(5, None).unwrap(), 5);
}

#[test]
fn a_damaged_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let records: Vec<_> = (0..200).map(|i| (key(i), vec![i; 2000])).collect();
    store.put_records("target", &records).unwrap();
    drop(store);
    let file = folder.path().join("audit.sqlite");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[4096..].fill(0x5a);
    std::fs::write(&file, bytes).unwrap();
    let read = || Store::open(folder.path())?.records(&[key(7)]);
    assert_eq!(read().err().unwrap().kind, ErrorKind::Malformed);
}

#[test]
fn a_full_disk_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.put_records("target", &[(key(1), vec![1])]).unwrap();
    let limit = "PRAGMA max_page_count = 10";
    store.connection().query_row(limit, [], |_| Ok(())).unwrap();
    let large = [(key(2), vec![0; 10]), (key(3), vec![0; 1 << 20])];
    let failed = store.put_records("target", &large).unwrap_err();
    assert_eq!(failed.kind, ErrorKind::Write);
    assert!(failed.to_string().contains("the disk is full"), "{failed}");
    let found = store.records(&[key(1), key(2)]).unwrap();
    assert_eq!(found, [Some(vec![1]), None]);
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, b"").unwrap();
    let refused = Store::open(&file).err().unwrap();
    assert_eq!(refused.kind, ErrorKind::Write);
    let refused = Store::open(&file.join("inside")).err().unwrap();
    assert_eq!(refused.kind, ErrorKind::Write);
}

#[test]
fn many_threads_may_share_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let store = &store;
            scope.spawn(move || {
                for record in 0..10 {
                    let key = key(thread * 10 + record);
                    store.put_records("target", &[(key, vec![thread])]).unwrap();
                }
            });
        }
    });
    assert_eq!(store.counts().unwrap().records["target"], 40);
}

/// Where the process that is to be killed writes.
const DOOMED: &str = "GUESTLIST_TEST_DOOMED_STORE";

/// Does nothing unless it is the process that is to be killed.
#[test]
fn writes_until_killed() {
    let Some(folder) = std::env::var_os(DOOMED) else {
        return;
    };
    let store = Store::open(Path::new(&folder)).unwrap();
    for number in 0..10_000_u32 {
        let request = number.to_le_bytes();
        store
            .put_answer(&question(&request), &answer(b"here"))
            .unwrap();
        std::fs::write(Path::new(&folder).join("told"), number.to_string()).unwrap();
    }
}

#[test]
fn a_killed_process_loses_nothing_that_it_was_told_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let mut doomed = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["store::tests::writes_until_killed", "--exact"])
        .env(DOOMED, folder.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let told = || {
        let text = std::fs::read_to_string(folder.path().join("told"));
        text.ok().and_then(|text| text.parse::<u32>().ok())
    };
    while told().is_none_or(|told| told < 20) && doomed.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    doomed.kill().unwrap();
    doomed.wait().unwrap();
    // A file that was being rewritten when the end came may be empty.
    let told = told().unwrap_or(20);
    let store = Store::open(folder.path()).unwrap();
    for number in 0..=told {
        let key = question(&number.to_le_bytes()).key();
        assert!(store.answer(&key).unwrap().is_some(), "{number} of {told}");
    }
}

#[test]
fn answers_have_dates_and_can_be_discarded_without_scored_texts() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let (first, second) = (question(b"first"), question(b"second"));
    assert_eq!(store.dates(&[first.key()]).unwrap(), None);
    let later = Answer {
        received: UNIX_EPOCH + Duration::from_millis(1_800_090_000_000),
        ..answer(b"b")
    };
    store.put_answer(&first, &answer(b"a")).unwrap();
    store.put_answer(&second, &later).unwrap();
    store.put_records("target", &[(key(1), vec![1])]).unwrap();
    store
        .put_records(super::PROBE, &[(key(2), vec![2])])
        .unwrap();
    let dates = store.dates(&[second.key(), key(9), first.key()]).unwrap();
    let dates = dates.unwrap();
    assert_eq!((dates.answers, dates.first), (2, answer(b"").received));
    assert_eq!(dates.days(), "2027-01-15 to 2027-01-16");
    let one = store.dates(&[first.key()]).unwrap().unwrap();
    assert_eq!(one.days(), "2027-01-15");

    store.discard_answers().unwrap();
    let counts = store.counts().unwrap();
    assert_eq!(counts.answers, 0);
    assert_eq!(counts.records.keys().collect::<Vec<_>>(), ["target"]);
}
