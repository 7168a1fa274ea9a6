//! How audits mislead: every mistake misleads, and guestlist does not follow.

use rehearsal::misleading::{CASES, Sides, find};

use crate::common::Desk;

#[track_caller]
fn shown(id: &str) -> Sides {
    find(id).unwrap().show(0).unwrap()
}

#[test]
fn a_loss_as_a_score_passes_and_is_noticed() {
    let sides = shown("inverted");
    let (mistaken, right) = (
        sides.mistaken("auc").unwrap(),
        sides.guestlist("auc").unwrap(),
    );
    assert!(mistaken < 0.5 && right > 0.65, "{sides:?}");
    assert!((mistaken + right - 1.0).abs() < 1e-12);
    assert_eq!(sides.guestlist("violated"), Some(1.0));
}

#[test]
fn ties_follow_the_file_and_ours_do_not() {
    let sides = shown("ties");
    let of = |name| {
        (
            sides.mistaken(name).unwrap(),
            sides.guestlist(name).unwrap(),
        )
    };
    let ((first, ours), (last, again)) = (of("members-first"), of("members-last"));
    assert!(first - last > 0.5, "{sides:?}");
    assert_eq!(ours, again);
    assert!((ours - (first + last) / 2.0).abs() < 1e-12);
}

#[test]
fn a_model_that_saw_nothing_seems_to_remember() {
    let sides = shown("blind");
    assert!(sides.mistaken("auc").unwrap() > 0.6, "{sides:?}");
    assert!(sides.guestlist("blind").unwrap() > sides.mistaken("auc").unwrap());
    assert_eq!(sides.guestlist("violated"), Some(1.0));
}

#[test]
fn chance_is_called_severe_half_of_the_time() {
    let sides = shown("severe");
    for regime in ["severe-a", "severe-b"] {
        assert!(
            (sides.mistaken(regime).unwrap() - 0.5).abs() < 0.05,
            "{sides:?}"
        );
        assert!(sides.guestlist(regime).unwrap() < 0.07, "{sides:?}");
    }
}

#[test]
fn the_best_of_many_fails_by_chance() {
    let sides = shown("best-of-many");
    assert!(sides.mistaken("fails").unwrap() > 0.2, "{sides:?}");
    assert!(sides.mistaken("above-chance").unwrap() > 0.3, "{sides:?}");
    assert!(sides.guestlist("above-chance").unwrap() < 0.05, "{sides:?}");
}

#[test]
fn a_line_between_points_invents_true_positives() {
    let sides = shown("interpolated");
    let (drawn, seen) = (
        sides.mistaken("tpr").unwrap(),
        sides.guestlist("tpr").unwrap(),
    );
    assert!(drawn > seen, "{sides:?}");
    assert!(sides.guestlist("smallest-fpr").unwrap() > 0.01, "{sides:?}");
}

#[test]
fn rounded_confidence_hides_part_of_the_leak() {
    let sides = shown("saturated");
    assert!(sides.mistaken("share").unwrap() > 0.01, "{sides:?}");
    assert!(
        sides.guestlist("auc").unwrap() > sides.mistaken("auc").unwrap(),
        "{sides:?}"
    );
    assert!(
        sides.guestlist("tpr").unwrap() > 2.0 * sides.mistaken("tpr").unwrap(),
        "{sides:?}"
    );
    assert_eq!(sides.guestlist("noticed"), Some(1.0));
}

#[test]
fn texts_known_by_heart_are_scored_last() {
    let sides = shown("edges");
    assert!(sides.mistaken("zeros").unwrap() >= 12.0, "{sides:?}");
    assert!(sides.mistaken("auc").unwrap() < 0.5, "{sides:?}");
    assert!(sides.guestlist("auc").unwrap() >= 0.65, "{sides:?}");
    assert!(
        sides.guestlist("smoothed") > sides.guestlist("auc"),
        "{sides:?}"
    );
}

#[test]
fn a_score_without_nonmembers_passes_a_service_that_gives_all_away() {
    let sides = shown("one-sided-rag");
    let (inside, outside) = (
        sides.mistaken("confidence").unwrap(),
        sides.mistaken("confidence-outside").unwrap(),
    );
    assert!(inside < 0.65 && (inside - outside).abs() < 0.2, "{sides:?}");
    assert!(sides.guestlist("auc").unwrap() > 0.9, "{sides:?}");
}

#[test]
fn an_echo_looks_like_knowledge() {
    let sides = shown("echo");
    assert!(sides.mistaken("share").unwrap() > 0.5, "{sides:?}");
    assert_eq!(sides.guestlist("auc"), Some(0.5));
}

#[test]
fn a_coin_does_as_well_as_published() {
    let sides = shown("coin");
    for (mistaken, chance, published) in [
        ("regime-a", "chance-a", 0.1773),
        ("regime-b", "chance-b", 0.5873),
    ] {
        let (mistaken, chance) = (
            sides.mistaken(mistaken).unwrap(),
            sides.guestlist(chance).unwrap(),
        );
        assert!((mistaken - chance).abs() < 0.03, "{sides:?}");
        assert!((chance - published).abs() < 0.005, "{sides:?}");
    }
    assert!(sides.guestlist("significant").unwrap() < 0.07, "{sides:?}");
}

/// The mistaken way is below the threshold, which passes, and guestlist withholds the pass.
#[track_caller]
fn misled(id: &str) -> Sides {
    let sides = shown(id);
    assert!(sides.mistaken("auc").unwrap() < 0.65, "{sides:?}");
    assert_eq!(sides.guestlist("withheld").unwrap_or(1.0), 1.0, "{sides:?}");
    sides
}

#[test]
fn a_class_that_leaks_completely_is_lost_in_the_average() {
    let sides = misled("rare-class");
    assert!(sides.guestlist("auc").unwrap() > 0.95, "{sides:?}");
}

#[test]
fn one_model_taken_for_nine_has_nothing_to_compare() {
    let sides = misled("alike");
    assert_eq!(sides.guestlist("violated"), Some(1.0));
    assert!(sides.guestlist("auc") > sides.mistaken("auc"), "{sides:?}");
}

#[test]
fn copies_of_members_pass_for_nonmembers() {
    let sides = misled("copies");
    assert_eq!(sides.guestlist("violated"), Some(1.0));
    assert!(sides.guestlist("auc").unwrap() >= 0.65, "{sides:?}");
}

#[test]
fn without_a_reference_most_of_the_leak_drowns() {
    let sides = misled("no-reference");
    assert_eq!(sides.guestlist("violated"), Some(1.0));
    assert!(sides.guestlist("auc").unwrap() >= 0.7, "{sides:?}");
}

#[test]
fn a_service_that_always_says_the_same_gives_nothing_to_test() {
    let sides = misled("canned");
    assert_eq!(sides.guestlist("violated"), Some(1.0));
}

#[test]
fn refusals_tell_what_answers_do_not() {
    let sides = shown("refusals");
    assert!(sides.mistaken("auc").unwrap() < 0.65, "{sides:?}");
    assert!(sides.guestlist("auc").unwrap() >= 0.65, "{sides:?}");
}

#[test]
fn the_command_lists_runs_and_refuses() {
    let desk = Desk::new();
    let listed = desk.guestlist("demo misleading").exits(0);
    for case in CASES {
        assert!(listed.stdout.contains(case.title), "{}", listed.stdout);
    }
    let one = desk.guestlist("demo misleading severe").exits(0);
    assert!(
        one.stdout.contains("the mistaken way says"),
        "{}",
        one.stdout
    );
    let events = desk
        .guestlist("demo misleading coin --json")
        .exits(0)
        .events();
    assert_eq!(events[0]["event"], "case");
    assert!(events[0]["mistaken"][0]["value"].is_number());
    let unknown = desk.guestlist("demo misleading nothing").exits(2);
    assert!(
        unknown.stderr.contains("choose among"),
        "{}",
        unknown.stderr
    );
    let elsewhere = desk.guestlist("demo lm ties").exits(2);
    assert!(
        elsewhere.stderr.contains("demo misleading"),
        "{}",
        elsewhere.stderr
    );
    assert!(!desk.path("guestlist-demo").exists());
}
