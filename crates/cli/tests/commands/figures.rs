//! Figures as files: written with the report, gone with it, and drawn again from it.

use std::fs;

use crate::common::Desk;
use crate::signals::Signals;

const AUDIT: &str = "audit signals --attacks loss,lira --bootstrap 0 --quiet --out out";

fn ours(desk: &Desk) -> Vec<String> {
    desk.names("out/figures")
}

#[test]
fn figures_come_with_a_report_and_go_with_it() {
    let desk = Desk::with(&Signals::leaky());
    desk.guestlist(&format!("{AUDIT} --figures")).exits(1);
    let names = ours(&desk);
    for name in [
        "roc",
        "roc-linear",
        "forest",
        "tpr",
        "gate",
        "log-mia",
        "histogram-lira",
    ] {
        for ending in ["svg", "png"] {
            let file = format!("{name}.{ending}");
            assert!(names.contains(&file), "{file} is not in {names:?}");
        }
    }
    assert_eq!(
        &desk.bytes("out/figures/roc.png")[..8],
        b"\x89PNG\r\n\x1a\n"
    );
    let drawing = String::from_utf8(desk.bytes("out/figures/roc.svg")).unwrap();
    assert!(drawing.starts_with("<?xml") && drawing.ends_with("</svg>\n"));

    // What is not ours stays, and what is ours does not outlive its report.
    fs::write(desk.path("out/figures/mine.svg"), "mine").unwrap();
    desk.guestlist(AUDIT).exits(1);
    assert_eq!(ours(&desk), ["mine.svg"]);
    fs::remove_file(desk.path("out/figures/mine.svg")).unwrap();
    desk.guestlist(&format!("{AUDIT} --figures")).exits(1);
    desk.guestlist(AUDIT).exits(1);
    assert!(!desk.path("out/figures").exists());
}

#[test]
fn a_stored_report_is_drawn_again_to_the_same_bytes() {
    let desk = Desk::with(&Signals::leaky());
    desk.guestlist(&format!("{AUDIT} --figures")).exits(1);
    let names = ours(&desk);
    let before: Vec<Vec<u8>> = (names.iter())
        .map(|name| desk.bytes(format!("out/figures/{name}")))
        .collect();
    fs::remove_dir_all(desk.path("out/figures")).unwrap();
    for place in ["out", "out/report.json"] {
        let said = desk
            .guestlist(&format!("report {place} --figures"))
            .exits(0);
        assert!(said.stderr.contains("figures/roc.svg"), "{}", said.stderr);
        assert_eq!(ours(&desk), names);
        for (name, bytes) in names.iter().zip(&before) {
            assert!(
                &desk.bytes(format!("out/figures/{name}")) == bytes,
                "{name}"
            );
        }
    }
}

#[test]
fn figures_need_a_folder() {
    let desk = Desk::with(&Signals::leaky());
    let said = desk.guestlist("audit signals --figures").exits(2);
    assert!(said.stderr.contains("--out"), "{}", said.stderr);
}

#[test]
fn a_folder_that_cannot_be_made_leaves_the_old_report_alone() {
    let desk = Desk::with(&Signals::leaky());
    desk.guestlist(AUDIT).exits(1);
    let before = desk.bytes("out/report.json");
    fs::write(desk.path("out/figures"), "a file in the way").unwrap();
    let said = desk
        .guestlist(&format!("{AUDIT} --seed 7 --figures"))
        .exits(2);
    assert!(said.stderr.contains("figures"), "{}", said.stderr);
    assert_eq!(desk.bytes("out/report.json"), before);
}
