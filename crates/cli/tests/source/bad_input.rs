//! What cannot work is refused with a remedy before anything is sent; what is hostile is shown as
//! text.

use std::fs;

use crate::bench::Bench;
use crate::service::{Odd, said};
use crate::world::{World, configure};

fn ready() -> (Odd, Bench) {
    let odd = Odd::start(|_, _, _| said("yes"));
    let bench = Bench::new();
    World::new(4, 16).write(&bench, true);
    configure(&bench, odd.address, "");
    (odd, bench)
}

fn change(bench: &Bench, from: &str, to: &str) {
    let config = fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    assert!(config.contains(from), "{from}");
    bench.write("guestlist.toml", &config.replace(from, to));
}

#[test]
fn bad_items_are_refused_with_file_and_row() {
    let (odd, bench) = ready();
    for (text, words) in [
        ("", "items.jsonl"),
        ("{\"id\": \"a\"}\n", "neither text nor image"),
        ("{\"text\": \"a\", \"source\": \"web\"}\n", "row 1"),
        (
            "{\"id\": 1, \"text\": \"a\"}\n{\"id\": 1, \"text\": \"b\"}\n",
            "row 2",
        ),
        (
            "{\"id\": \"p\", \"image\": \"cat.png\"}\n",
            "nobody describes pictures",
        ),
    ] {
        bench.write("items.jsonl", text);
        bench.guestlist("run").complains(&["items.jsonl", words]);
    }
    fs::remove_file(bench.path("items.jsonl")).unwrap();
    bench.guestlist("run").complains(&["items.jsonl"]);
    assert_eq!(odd.count(), 0);
}

#[test]
fn bad_settings_are_refused_by_their_keys() {
    let (odd, bench) = ready();
    let good = fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    for (more, words) in [
        ("[source]\nperturbations = 4\n", "source.perturbations"),
        ("[source]\nperturbation = \"shout\"\n", "shout"),
        ("[source]\nquestion = \"What?\"\n", "source.question"),
        ("[source]\nmode = \"loose\"\n", "loose"),
        ("[source]\nlevel = 2.0\n", "source.level"),
        (
            "[source]\nsimilarity = { model = \"nowhere\" }\n",
            "nowhere",
        ),
        ("[source]\nword = 1\n", "word"),
        ("[audit]\nattacks = \"lira\"\n", "sma-retrieved"),
        ("[audit]\nreplicates = 2\n", "replicates"),
        (
            "[images]\nnoise = 300\n[images.endpoint]\nurl = \"http://127.0.0.1:1\"\n",
            "300",
        ),
        (
            "[images.endpoint]\npreset = \"openai-vision\"\n",
            "images.endpoint.url",
        ),
        ("[stand_in]\npreset = \"openai-chat\"\n", "stand_in.url"),
    ] {
        bench.write("guestlist.toml", &(good.clone() + more));
        bench.guestlist("run").complains(&[words]);
    }
    bench.write("guestlist.toml", &good.replace("\"source\"", "\"sauce\""));
    bench
        .guestlist("run")
        .complains(&["classifier", "rag", "source"]);
    assert_eq!(odd.count(), 0);
}

#[test]
fn somebody_must_answer_without_retrieval() {
    let (odd, bench) = ready();
    change(&bench, "\"guestlist\"", "\"openai-chat\"");
    change(
        &bench,
        "[transport]",
        "values = { model = \"m\" }\n[transport]",
    );
    bench
        .guestlist("run")
        .complains(&["[target.off]", "[stand_in]"]);
    let address = odd.address;
    let same = format!(
        "[stand_in]\npreset = \"openai-chat\"\nurl = \"http://{address}\"\nvalues = {{ model = \"m\" }}\n[transport]"
    );
    change(&bench, "[transport]", &same);
    bench.guestlist("run").complains(&["compared with itself"]);
    change(
        &bench,
        "[stand_in]",
        "[target.off]\nbody = { retrieval = false }\n[stand_in]",
    );
    bench.guestlist("run").complains(&["both given"]);
    assert_eq!(odd.count(), 0);
}

#[test]
fn flags_of_other_kinds_are_refused() {
    let (_odd, bench) = ready();
    bench
        .guestlist("run --shadows 3")
        .complains(&["--shadows", "source"]);
    bench
        .guestlist("init rag --out a.toml --stand-in http://x")
        .complains(&["--stand-in"]);
    bench
        .guestlist("init source --out a.toml --reference x")
        .complains(&["--reference"]);
    bench
        .guestlist("init source --out a.toml --items items.jsonl --stand-in http://127.0.0.1:1 --images http://127.0.0.1:2")
        .exits(0);
    bench.guestlist("plan a.toml").exits(0);
}

#[test]
fn hostile_words_are_shown_as_text() {
    let evil = "\u{1b}[2J<script>alert(1)</script> ![x](http://evil)";
    let odd = Odd::start(move |_, _, number| said(&format!("{evil} {number}")));
    let bench = Bench::new();
    let rows: String = (0..12)
        .map(|n| {
            let source = ["retrieved", "non-member"][n % 2];
            let text = format!("{evil} word{n} other{n} third{n} fourth{n}");
            let row =
                serde_json::json!({"id": format!("{evil}{n}"), "text": text, "source": source});
            row.to_string() + "\n"
        })
        .collect();
    bench.write("items.jsonl", &rows);
    configure(&bench, odd.address, "[source]\nperturbations = 16\n");
    let said = bench.guestlist("run");
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    let page = fs::read_to_string(bench.path("guestlist-run/report.md")).unwrap();
    for text in [&said.stdout, &said.stderr, &page] {
        assert!(!text.contains('\u{1b}'), "{text}");
    }
    assert!(
        !page.contains("<script>") && !page.contains("![x]"),
        "{page}"
    );
}
