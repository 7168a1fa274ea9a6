//! Texts: chosen ones are in the training file as often as they should, others never, and nothing that
//! whoever scores may see tells which is which.

use std::collections::HashSet;
use std::fs;

use serde_json::json;

use crate::common::Desk;
use crate::world::{Drawn, plain, text, tokenizer, words, write};

#[test]
fn chosen_canaries_are_trained_on_and_others_are_not() {
    let desk = Desk::new();
    let own = write(&desk, 300, plain);
    let before = desk.bytes("train.jsonl");
    let said = desk
        .guestlist("canaries lm --training train.jsonl --count 120 --tiers 1,4,16")
        .exits(0);
    assert!(
        said.stderr.contains("guestlist canaries check"),
        "{}",
        said.stderr
    );
    assert!(
        said.stderr.contains("train on canaries/training.jsonl"),
        "{}",
        said.stderr
    );
    assert_eq!(desk.bytes("train.jsonl"), before);
    let drawn = Drawn::read(&desk, "canaries");
    assert_eq!((drawn.canaries.len(), drawn.truth.len()), (120, 120));
    let mut copies = 0;
    for canary in &drawn.canaries {
        let tier = canary["tier"].as_u64().unwrap() as usize;
        let wanted = if drawn.chosen(canary) { tier } else { 0 };
        assert_eq!(drawn.times(&Drawn::secrets(canary)[0]), wanted, "{canary}");
        copies += wanted;
    }
    let known: HashSet<&String> = own.iter().collect();
    let kept: Vec<&String> = drawn
        .training
        .iter()
        .filter(|line| known.contains(line))
        .collect();
    assert_eq!(kept, own.iter().collect::<Vec<_>>());
    assert_eq!(drawn.training.len(), 300 + copies);
    let chosen = drawn.truth.values().filter(|coin| **coin).count();
    assert!((30..90).contains(&chosen), "{chosen}");
}

#[test]
fn nothing_but_the_truth_tells_who_was_chosen() {
    let desk = Desk::new();
    write(&desk, 50, plain);
    desk.guestlist("canaries lm --training train.jsonl --count 40 --seed 918273645564738291")
        .exits(0);
    let drawn = Drawn::read(&desk, "canaries");
    let manifest = drawn.manifest.to_string();
    for word in ["918273645564738291", "seed", "included", "member"] {
        assert!(!manifest.contains(word), "{word} in {manifest}");
    }
    assert_eq!(drawn.manifest["coin"], json!(0.5));
    // How many rows the training file has would tell how many were chosen.
    let files = drawn.manifest["files"].as_array().unwrap();
    let training = files
        .iter()
        .find(|file| file["role"] == "training")
        .unwrap();
    assert_eq!(training["rows"], json!(50));
    for canary in &drawn.canaries {
        assert!(canary.get("member").is_none(), "{canary}");
    }
    let ids: Vec<&str> = drawn
        .canaries
        .iter()
        .map(|c| c["id"].as_str().unwrap())
        .collect();
    assert!(!ids.is_sorted(), "the order is drawn, too");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(desk.path("canaries/truth.json"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn a_seed_repeats_a_draw_and_is_warned_of() {
    let desk = Desk::new();
    write(&desk, 50, plain);
    let mut folders = Vec::new();
    for (folder, seed) in [("a", " --seed 7"), ("b", " --seed 7"), ("c", ""), ("d", "")] {
        let said = desk.guestlist(&format!(
            "canaries lm --training train.jsonl --count 64 --out {folder}{seed}"
        ));
        let said = said.exits(0);
        assert_eq!(
            said.stderr.contains("the seed was given"),
            !seed.is_empty(),
            "{}",
            said.stderr
        );
        let names = [
            "training.jsonl",
            "canaries.jsonl",
            "truth.json",
            "manifest.json",
        ];
        folders.push(names.map(|name| desk.bytes(format!("{folder}/{name}"))));
    }
    assert!(folders[0] == folders[1], "the same seed");
    assert!(folders[2][1] != folders[3][1], "seeds of the system");
    assert!(folders[2][2] != folders[3][2], "seeds of the system");
}

#[test]
fn canaries_have_the_shape_of_the_users_own_texts() {
    let desk = Desk::new();
    write(
        &desk,
        30,
        |n| json!({"prompt": "What?\n", "completion": text(n)}),
    );
    desk.guestlist("canaries lm --training train.jsonl --count 20 --out pairs")
        .exits(0);
    let drawn = Drawn::read(&desk, "pairs");
    for canary in &drawn.canaries {
        let (prompt, answer) = (canary["prompt"].as_str().unwrap(), &canary["completion"]);
        let answer = answer.as_str().unwrap();
        assert_eq!(canary["text"], format!("{prompt}{answer}"));
        assert!(answer.contains(&Drawn::secrets(canary)[0]), "{canary}");
        let row = json!({"prompt": prompt, "completion": answer}).to_string();
        let there = drawn.training.contains(&row);
        assert_eq!(there, drawn.chosen(canary), "{canary}");
    }
    write(&desk, 30, |n| {
        json!({"messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "What?"},
            {"role": "assistant", "content": text(n)},
        ]})
    });
    let said = desk
        .guestlist("canaries lm --training train.jsonl --count 20 --design random-tokens,swapped --out chats")
        .exits(0);
    assert!(said.stderr.contains("no chat template"), "{}", said.stderr);
    let drawn = Drawn::read(&desk, "chats");
    for canary in &drawn.canaries {
        let messages = canary["messages"].as_array().unwrap();
        let last = messages.last().unwrap();
        assert_eq!(last["role"], "assistant");
        for secret in Drawn::secrets(canary) {
            assert!(
                last["content"].as_str().unwrap().contains(&secret),
                "{canary}"
            );
        }
        let row = json!({"messages": messages}).to_string();
        assert_eq!(
            drawn.training.contains(&row),
            drawn.chosen(canary),
            "{canary}"
        );
    }
}

#[test]
fn texts_that_canaries_are_made_from_are_not_trained_on_beside_them() {
    let desk = Desk::new();
    // Every text is there twice.
    write(&desk, 80, |n| plain(n / 2));
    let said = desk
        .guestlist("canaries lm --training train.jsonl --count 10 --design swapped")
        .exits(0);
    assert!(
        said.stderr.contains("20 of 80 training texts are left out"),
        "{}",
        said.stderr
    );
    let drawn = Drawn::read(&desk, "canaries");
    let originals: Vec<usize> = (0..40).filter(|n| drawn.times(&text(*n)) == 0).collect();
    assert_eq!(originals.len(), 10);
    for canary in &drawn.canaries {
        let swapped = canary["text"].as_str().unwrap();
        assert!((0..40).all(|n| text(n) != swapped));
        assert!(swapped.contains(" the mill of ") && swapped.contains(" crowns, as page "));
        // The rest of its row is that of the original.
        let rows: Vec<&String> = drawn
            .training
            .iter()
            .filter(|line| line.contains(swapped))
            .collect();
        assert_eq!(rows.len(), usize::from(drawn.chosen(canary)));
        assert!(rows.iter().all(|row| row.contains("\"source\":\"ledger\"")));
    }
}

#[test]
fn texts_of_another_file_leave_the_training_texts_whole() {
    let desk = Desk::new();
    write(&desk, 40, |n| plain(n + 500));
    fs::rename(desk.path("train.jsonl"), desk.path("others.jsonl")).unwrap();
    write(&desk, 40, plain);
    desk.guestlist(
        "canaries lm --training train.jsonl --texts others.jsonl --count 30 --design swapped",
    )
    .exits(0);
    let drawn = Drawn::read(&desk, "canaries");
    assert!((0..40).all(|n| drawn.times(&text(n)) == 1));
    let few = desk
        .guestlist("canaries lm --training train.jsonl --count 41 --design swapped --out more")
        .exits(2);
    assert!(few.stderr.contains("40 of 40 texts"), "{}", few.stderr);
    assert!(!desk.path("more").exists());
}

#[test]
fn new_tokens_are_used_by_no_training_text_and_by_one_canary_each() {
    let desk = Desk::new();
    write(&desk, 60, plain);
    let tokenizer = tokenizer();
    let draw = |design: &str, out: &str| {
        let mut arguments = vec![
            "canaries",
            "lm",
            "--training",
            "train.jsonl",
            "--count",
            "100",
        ];
        arguments.extend(["--design", design, "--out", out, "--tokenizer"]);
        arguments.push(tokenizer.to_str().unwrap());
        let said = desk.run(arguments).exits(0);
        assert!(said.stdout.starts_with("VISIBLE"), "{}", said.stdout);
        Drawn::read(&desk, out)
    };
    let drawn = draw("new-token", "new");
    let secrets: HashSet<String> = drawn.canaries.iter().flat_map(Drawn::secrets).collect();
    assert_eq!(secrets.len(), 100);
    for secret in &secrets {
        let word = format!(" {secret} ");
        assert!((0..60).all(|n| !text(n).contains(&word)), "{secret}");
    }
    assert_eq!(drawn.manifest["check"]["outcome"], "visible");
    // Texts of many words, the first of them often and the last seldom.
    let words = words(&tokenizer);
    write(&desk, 700, |n| json!({"text": words[..1 + n].join(" ")}));
    let rare = draw("rare-tokens,random-tokens", "rare");
    let rarest: HashSet<&str> = words[100..].iter().map(String::as_str).collect();
    for canary in rare
        .canaries
        .iter()
        .filter(|canary| canary["design"] == "rare-tokens")
    {
        let secret = Drawn::secrets(canary).remove(0);
        assert!(
            secret.split(' ').all(|word| rarest.contains(word)),
            "{secret}"
        );
    }
    let lengths = rare
        .canaries
        .iter()
        .map(|canary| Drawn::secrets(canary)[0].split(' ').count());
    assert!(lengths.into_iter().all(|words| words == 16));
}

#[test]
fn an_earlier_draw_stays_unless_it_is_to_be_replaced() {
    let desk = Desk::new();
    write(&desk, 30, plain);
    desk.guestlist("canaries lm --training train.jsonl --count 10")
        .exits(0);
    let truth = desk.bytes("canaries/truth.json");
    let said = desk
        .guestlist("canaries lm --training train.jsonl --count 10")
        .exits(2);
    assert!(said.stderr.contains("exists already"), "{}", said.stderr);
    assert!(said.stderr.contains("--overwrite"), "{}", said.stderr);
    assert_eq!(desk.bytes("canaries/truth.json"), truth);
    desk.guestlist("canaries lm --training train.jsonl --count 10 --overwrite")
        .exits(0);
    assert_ne!(desk.bytes("canaries/truth.json"), truth);
    let names = [
        "canaries.jsonl",
        "manifest.json",
        "training.jsonl",
        "truth.json",
    ];
    assert_eq!(desk.names("canaries"), names);
}

#[test]
fn the_users_own_file_is_never_replaced_and_never_has_canaries_of_the_draw() {
    let desk = Desk::new();
    write(&desk, 30, plain);
    fs::rename(desk.path("train.jsonl"), desk.path("training.jsonl")).unwrap();
    let before = desk.bytes("training.jsonl");
    let said = desk
        .guestlist("canaries lm --training training.jsonl --count 10 --out . --overwrite")
        .exits(2);
    assert!(
        said.stderr.contains("choose a folder of its own"),
        "{}",
        said.stderr
    );
    assert_eq!(
        (desk.bytes("training.jsonl"), desk.names("")),
        (before, vec!["training.jsonl".into()])
    );
    desk.guestlist("canaries lm --training training.jsonl --count 30 --seed 5 --out once")
        .exits(0);
    let again = desk
        .guestlist("canaries lm --training once/training.jsonl --count 30 --seed 5 --out twice")
        .exits(2);
    assert!(
        again.stderr.contains("is one of the canaries"),
        "{}",
        again.stderr
    );
    assert!(!desk.path("twice").exists());
}

#[test]
fn designs_and_traps_are_explained() {
    let desk = Desk::new();
    let design = desk.guestlist("explain new-token").exits(0);
    assert!(
        design.stdout.contains("arXiv:2503.06808"),
        "{}",
        design.stdout
    );
    let trap = desk.guestlist("explain masked-prompt").exits(0);
    assert!(trap.stdout.contains("Remedy"), "{}", trap.stdout);
}

#[test]
fn what_makes_no_sense_is_refused_and_leaves_nothing() {
    let desk = Desk::new();
    write(&desk, 30, plain);
    for (arguments, words) in [
        ("--design random-token", "did you mean random-tokens?"),
        ("--design swapped,swapped", "named twice"),
        ("--design new-token", "--tokenizer"),
        ("--design rare-tokens", "different words"),
        ("--count 0", "count is 0"),
        ("--tiers 0", "a tier of 0"),
        ("--tiers 4,4", "given twice"),
        ("--length 0", "length is 0"),
        ("--tokenizer nowhere", "nowhere"),
        ("--texts nowhere.jsonl", "nowhere.jsonl"),
    ] {
        let said = desk.guestlist(&format!("canaries lm --training train.jsonl {arguments}"));
        let said = said.exits(2);
        assert!(said.stderr.contains(words), "{arguments}: {}", said.stderr);
        assert!(!desk.path("canaries").exists(), "{arguments}");
    }
}
