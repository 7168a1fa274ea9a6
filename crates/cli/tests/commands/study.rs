//! Studies: pages of a paper's experiments, run again.

use serde_json::Value;

use crate::common::Desk;
use crate::signals::Signals;

fn attack<'a>(attacks: &'a Value, id: &str) -> &'a Value {
    let attacks = attacks.as_array().unwrap();
    attacks.iter().find(|one| one["id"] == id).expect(id)
}

#[test]
fn a_study_measures_what_an_audit_of_the_same_targets_does() {
    let desk = Desk::with(&Signals::new(13, 300, 1.0));
    let said =
        desk.guestlist("study bavaria Loc-3=signals --targets 3 --shadows 4,8,100 --out study");
    let said = said.exits(0).stderr;
    assert!(said.contains("Loc-3: left out with 100 shadows"), "{said}");
    let study = desk.json("study/study-bavaria.json");
    let set = &study["sets"][0];
    assert_eq!(
        (&set["name"], &set["targets"]),
        (&"Loc-3".into(), &3.into())
    );
    let shadows: Vec<u64> = set["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| point["shadows"].as_u64().unwrap())
        .collect();
    assert_eq!(shadows, [4, 8], "a hundred there are not");

    let same = "--attacks lira,rmia,bavaria-t --replicates 3 --scaling 4,8 --fpr 0.01,0.001";
    let code = desk
        .guestlist(&format!("audit signals {same} --out audit"))
        .code;
    assert!(code.is_some_and(|code| code != 2));
    let report = desk.json("audit/report.json");
    for place in 0..2 {
        let (ours, theirs) = (&set["points"][place], &report["scaling"][place]);
        for id in ["lira", "rmia", "bavaria-t"] {
            let (ours, theirs) = (attack(&ours["attacks"], id), attack(&theirs["attacks"], id));
            assert_eq!(ours["auc"], theirs["auc"], "{id}");
        }
        // Differences target by target have the mean of the differences.
        let mean = |id: &str| {
            attack(&ours["attacks"], id)["auc"]["mean"]
                .as_f64()
                .unwrap()
        };
        let against = attack(&ours["against"], "bavaria-t")["auc"]["mean"]
            .as_f64()
            .unwrap();
        assert!((against - (mean("bavaria-t") - mean("lira"))).abs() < 1e-12);
    }
}

#[test]
fn the_page_has_the_papers_rows_beside_ours_and_its_own_command() {
    let desk = Desk::with(&Signals::new(13, 300, 1.0));
    let said = desk.run([
        "study",
        "bavaria",
        "Loc-3=signals",
        "a|<b>=signals",
        "--targets",
        "2",
    ]);
    let page = said.exits(0).stdout;
    assert_eq!(
        page.as_bytes(),
        desk.bytes("guestlist-study/study-bavaria.md")
    );
    for words in [
        "guestlist study bavaria Loc-3=signals",
        "| paper, 254 | -0.072 |",
        "| paper | 1.966 | 85.0% | 0.402 | 12.9% |",
        "| paper, mean of its twelve | -0.041 |",
        "a\\|&lt;b&gt;",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
    // The command is code, where nothing is markup.
    let (_, tables) = page.split_once("| data |").unwrap();
    assert!(!tables.contains("<b>"), "{page}");
}

#[test]
fn wrong_data_are_told_before_anything_is_trained() {
    let desk = Desk::with(&Signals::new(5, 60, 1.0));
    for (arguments, words) in [
        ("study bavaria digits missing.npz", "missing.npz"),
        ("study bavaria signals --shadows 8", "has 5 models"),
        ("study bavaria signals --targets 0", "at least one target"),
        ("study bavaria =x", "names no data"),
    ] {
        let said = desk.guestlist(arguments).exits(2);
        assert!(said.stderr.contains(words), "{arguments}: {}", said.stderr);
        assert!(!desk.path("guestlist-study").exists(), "{arguments}");
    }
}

#[test]
fn as_many_shadows_as_there_are_beside_the_target_are_enough() {
    let desk = Desk::with(&Signals::new(9, 300, 1.0));
    desk.guestlist("study bavaria signals --shadows 8 --targets 2")
        .exits(0);
    let study = desk.json("guestlist-study/study-bavaria.json");
    assert_eq!(study["sets"][0]["points"][0]["shadows"], 8);
}

#[test]
fn what_an_audit_would_not_decide_is_said_of_the_data() {
    let desk = Desk::with(&Signals::new(13, 300, 1.0));
    let keep = std::fs::read(desk.path("signals/keep.npy")).unwrap();
    let header = keep.len() - 13 * 300;
    let rolled = [
        &keep[..header],
        &keep[header + 300..],
        &keep[header..header + 300],
    ]
    .concat();
    std::fs::write(desk.path("signals/keep.npy"), rolled).unwrap();
    let said = desk
        .guestlist("study bavaria signals --shadows 8 --targets 2")
        .exits(0);
    assert!(
        said.stdout.contains("## What speaks against these data"),
        "{}",
        said.stdout
    );
    assert!(said.stderr.contains("decides nothing"), "{}", said.stderr);
    let study = desk.json("guestlist-study/study-bavaria.json");
    assert!(study["sets"][0]["doubts"][0]["guardrail"].is_string());
    let said = desk
        .guestlist("study bavaria signals --shadows 8 --targets 2 --json")
        .exits(0);
    let events = said.stdout.lines();
    assert!(
        events
            .into_iter()
            .all(|line| serde_json::from_str::<Value>(line).is_ok()),
        "{}",
        said.stdout
    );
}

#[test]
fn a_command_of_backticks_stays_what_was_typed() {
    let desk = Desk::with(&Signals::new(13, 300, 1.0));
    std::fs::rename(desk.path("signals"), desk.path("a`$(b)`=c")).unwrap();
    let said = desk
        .run([
            "study",
            "bavaria",
            "a`$(b)`=c",
            "--shadows",
            "8",
            "--targets",
            "2",
        ])
        .exits(0);
    assert!(
        said.stdout
            .contains("`` guestlist study bavaria 'a`$(b)`=c'"),
        "{}",
        said.stdout
    );
}

#[test]
fn digits_are_trained_once() {
    let desk = Desk::new();
    let command = "study bavaria --models 7 --targets 2 --shadows 4";
    desk.guestlist(command).exits(0);
    let first = desk.bytes("guestlist-study/study-bavaria.json");
    let model = desk.path("guestlist-study/digits/models");
    let dated = std::fs::metadata(&model).unwrap().modified().unwrap();
    desk.guestlist(command).exits(0);
    assert_eq!(first, desk.bytes("guestlist-study/study-bavaria.json"));
    assert_eq!(
        dated,
        std::fs::metadata(&model).unwrap().modified().unwrap()
    );
}
