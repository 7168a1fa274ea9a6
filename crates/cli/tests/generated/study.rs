//! Pages of studies: each says what was stored when it was measured, in `bench/figures`.

use std::path::Path;

use guestlist::study::bavaria::Bavaria;
use guestlist::study::ez::Ez;
use guestlist::study::few_shot::FewShot;

use super::page;

#[test]
fn the_page_of_the_bavaria_study_says_what_was_measured() {
    let study: Bavaria = stored("study-bavaria.json");
    assert!(!study.sets.is_empty(), "nothing was studied");
    page::check_whole("study-bavaria.md", &study.to_markdown());
}

#[test]
fn the_page_of_few_shot_attacks_says_what_was_measured() {
    let study: FewShot = stored("study-few-shot.json");
    assert!(!study.sets.is_empty(), "nothing was studied");
    page::check_whole("study-few-shot.md", &study.to_markdown());
}

#[test]
fn the_page_of_the_study_of_ez_says_what_was_measured() {
    let study: Ez = stored("study-ez.json");
    assert!(!study.sets.is_empty(), "nothing was studied");
    page::check_whole("study-ez.md", &study.to_markdown());
}

fn stored<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/figures");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}
