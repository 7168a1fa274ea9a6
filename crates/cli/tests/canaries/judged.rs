//! Scores are of one draw: another one's canaries are others, whatever its size.

use std::fs;

use crate::common::Desk;
use crate::world::{Drawn, plain, write};

#[test]
fn scores_of_another_draw_are_refused() {
    let desk = Desk::new();
    write(&desk, 50, plain);
    for out in ["one", "two"] {
        let drawn = format!("canaries lm --training train.jsonl --count 100 --out {out}");
        desk.guestlist(&drawn).exits(0);
    }
    let drawn = Drawn::read(&desk, "one");
    let row = |(id, coin): (&String, &bool)| format!("{id},{}\n", u8::from(*coin));
    let rows: String = drawn.truth.iter().map(row).collect();
    fs::write(desk.path("mine.csv"), format!("id,mine\n{rows}")).unwrap();
    let audit = |folder: &str| {
        desk.guestlist(&format!(
            "audit mine.csv --kind scores --canaries {folder}/manifest.json --bootstrap 0 --out r{folder}"
        ))
    };
    audit("one").exits(1);
    let said = audit("two").exits(2);
    let words = "none of the 100 rows is a canary of two/manifest.json";
    assert!(said.stderr.contains(words), "{}", said.stderr);
}

#[test]
fn a_manifest_whose_tiers_are_others_is_refused() {
    let desk = Desk::new();
    write(&desk, 50, plain);
    desk.guestlist("canaries lm --training train.jsonl --count 20 --tiers 1,4")
        .exits(0);
    let path = desk.path("canaries/manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replace("\"repetitions\": 4", "\"repetitions\": 2"),
    )
    .unwrap();
    let said = desk.guestlist("canaries check").exits(2);
    for words in ["manifest.json: tiers is ", "\"repetitions\":2", "hint: "] {
        assert!(said.stderr.contains(words), "{words}: {}", said.stderr);
    }
}
