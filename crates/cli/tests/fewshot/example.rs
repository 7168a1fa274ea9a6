//! The library's own example, as a program of ten lines has it.

use judge::verdict::Outcome;

use crate::vectors::Vectors;

#[path = "../../../guestlist/examples/fewshot.rs"]
#[allow(dead_code)]
mod fewshot;

#[test]
fn the_example_of_the_library_finds_the_leak() {
    let folder = tempfile::tempdir().unwrap();
    let features = folder.path().join("features.npz");
    std::fs::write(&features, Vectors::new(400, 6, 3.0).npz()).unwrap();
    let report = fewshot::audit(features.as_os_str(), 60).unwrap();
    assert_eq!(report.kind(), report::Kind::Fewshot);
    assert_eq!(report.verdict.outcome, Outcome::Fail);
}
