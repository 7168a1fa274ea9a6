//! What texts give away, and what they do not.

use super::*;

const TOPICS: [&str; 12] = [
    "river", "mountain", "harbour", "engine", "garden", "letter", "window", "orchard", "station",
    "market", "bridge", "lantern",
];

/// A text of random words; `salt` makes another one.
fn text(salt: u64, words: usize, extra: &str) -> String {
    let mut rng = Seed(7).numbered("text", salt);
    let mut text: Vec<&str> = (0..words)
        .map(|_| TOPICS[stats::streams::below(&mut rng, 12) as usize])
        .collect();
    text.push(extra);
    text.join(" ")
}

fn corpus(texts: &[String], dates: &[&str]) -> Corpus {
    let mut corpus = Corpus::default();
    for (place, text) in texts.iter().enumerate() {
        let date = dates.get(place).copied();
        corpus.add(place, Some(text), None, date);
    }
    corpus
}

fn halves(n: usize) -> Vec<bool> {
    (0..n).map(|i| i < n / 2).collect()
}

#[test]
fn sets_from_one_pool_pass_and_sets_with_telling_words_do_not() {
    let members = halves(400);
    let alike: Vec<String> = (0..400).map(|i| text(i, 60, "")).collect();
    let facts = corpus(&alike, &[]).facts(&members, None, 0.95, Seed(0));
    let blind = facts.blind.unwrap();
    assert!(
        (0.4..0.62).contains(&blind.auc) && blind.p_value > 0.01,
        "{blind:?}"
    );
    assert_eq!(facts.duplicates.unwrap().copies, 0);
    assert_eq!(facts.lengths.unwrap().auc, 0.5);

    let marked: Vec<String> = (0..400)
        .map(|i| text(i, 60, if i < 200 { "chapter" } else { "website" }))
        .collect();
    let blind = corpus(&marked, &[])
        .facts(&members, None, 0.95, Seed(0))
        .blind
        .unwrap();
    assert!(blind.auc > 0.95 && blind.low > 0.9, "{blind:?}");
    let named = |parts: &[String]| {
        parts
            .iter()
            .any(|part| "chapter website".contains(part.trim_matches('"')))
    };
    assert!(
        named(&blind.for_members) && named(&blind.for_nonmembers),
        "{blind:?}"
    );
}

/// Texts of one pool that were written down in two ways.
#[test]
fn capitals_spaces_and_marks_are_seen() {
    let members = halves(400);
    let changes: [fn(String) -> String; 5] = [
        |text| text.to_uppercase(),
        |text| text.replace(' ', "  "),
        |text| text + "\n",
        |text| text.replace("er ", "’er "),
        |text| text + " kappa",
    ];
    for (place, change) in changes.into_iter().enumerate() {
        let texts: Vec<String> = (0..400)
            .map(|i| match i < 200 {
                true => change(text(i, 60, "end")),
                false => text(i, 60, "end"),
            })
            .collect();
        let blind = corpus(&texts, &[])
            .facts(&members, None, 0.95, Seed(0))
            .blind
            .unwrap();
        assert!(blind.low > 0.9, "{place}: {blind:?}");
    }
}

/// Many null sets: the blind baseline rejects about as often as it says.
#[test]
fn chance_is_rejected_no_more_often_than_claimed() {
    let members = halves(120);
    let found: Vec<Blind> = (0..60)
        .map(|round| {
            let texts: Vec<String> = (0..120).map(|i| text(round * 1000 + i, 30, "")).collect();
            let facts = corpus(&texts, &[]).facts(&members, None, 0.95, Seed(round));
            facts.blind.unwrap()
        })
        .collect();
    let above = found.iter().filter(|blind| blind.p_value < 0.05).count();
    let below = found.iter().filter(|blind| blind.p_below < 0.05).count();
    assert!(above <= 8 && below <= 8, "{above} and {below} of 60");
}

#[test]
fn copies_dates_and_lengths_are_found() {
    let mut texts: Vec<String> = (0..40).map(|i| text(i, 60, "")).collect();
    texts[30] = format!("{} with another end", texts[3]);
    texts[31] = texts[4].to_uppercase();
    for long in texts.iter_mut().take(20) {
        *long += " and more words here";
    }
    let dates: Vec<&str> = (0..40)
        .map(|i| if i < 20 { "1999" } else { "2024-05" })
        .collect();
    let facts = corpus(&texts, &dates).facts(&halves(40), None, 0.95, Seed(0));
    let duplicates = facts.duplicates.unwrap();
    assert_eq!(duplicates.copies, 2);
    assert_eq!(duplicates.examples, [30, 31]);
    assert_eq!(facts.dates.unwrap().auc, 0.0);
    let lengths = facts.lengths.unwrap();
    assert!(lengths.auc > 0.9 && lengths.at_least() > 0.2, "{lengths:?}");
}

#[test]
fn the_training_file_is_searched_by_words() {
    let texts: Vec<String> = (0..20).map(|i| text(i, 60, "")).collect();
    let corpus = corpus(&texts, &[]);
    let mut training = corpus.training();
    // One long file: chunks of it, and other spaces, are found all the same.
    let long: Vec<String> = texts[..10].iter().map(|t| t.replace(' ', "\n ")).collect();
    training.add(&long.join(".\n\n").repeat(3));
    let facts = corpus.facts(&halves(20), Some(&training), 0.95, Seed(0));
    let found = facts.training.unwrap();
    assert_eq!((found.members_found, found.members), (10, 10));
    assert_eq!((found.nonmembers_found, found.nonmembers), (0, 10));
}

/// Texts beyond those that are looked at word by word: copies are found among all, and the report says
/// how many were drawn. Members and others take turns, which must not decide who is drawn.
#[test]
fn of_very_many_texts_some_are_drawn_and_every_copy_is_found() {
    let mut corpus = Corpus::default();
    let members: Vec<bool> = (0..120_000).map(|record| record % 2 == 0).collect();
    for record in 0..120_000 {
        let words = if record % 1000 == 1 {
            record - 1
        } else {
            record
        };
        // Mixed, so that no letter of a number tells whether it is even.
        let number = words * 7_919 % 1_000_003;
        corpus.add(record, Some(&format!("number {number}")), Some(1), None);
    }
    let facts = corpus.facts(&members, None, 0.95, Seed(0));
    assert_eq!(facts.drawn_from, Some(120_000));
    assert!((20_000..=50_000).contains(&facts.texts), "{}", facts.texts);
    let blind = facts.blind.unwrap();
    assert!(blind.texts == facts.texts && blind.low < 0.6, "{blind:?}");
    let found = facts.duplicates.unwrap();
    assert_eq!(
        (found.copies, found.nonmembers, found.one_run_in),
        (120, 60_000, 1)
    );
    assert_eq!(corpus.exact_copies(&members).unwrap().copies, 120);
}

#[test]
fn a_set_that_was_trained_on_is_recognised_where_single_texts_are_not() {
    let truth = crate::Truth::new(halves(2000)).unwrap();
    let mut rng = Seed(3).stream("scores");
    let mut scores = |shift: f64| -> attacks::scores::Scores {
        (0..2000)
            .map(|i| {
                let lift = if i < 1000 { shift } else { 0.0 };
                Ok(lift + stats::streams::standard_normal(&mut rng))
            })
            .collect()
    };
    let weak = [
        ("weak".to_owned(), scores(0.5)),
        ("none".to_owned(), scores(0.0)),
    ];
    let found = inference::infer(&weak, &truth, Seed(0)).unwrap();
    assert_eq!(found.attack, "weak");
    assert!(found.p_value < 1e-4 && found.members + found.nonmembers == 1000);
    // Without a leak the p-value is uniform: small ones are rare.
    let small = (0..100)
        .filter(|round| {
            let none = [("none".to_owned(), scores(0.0))];
            inference::infer(&none, &truth, Seed(*round))
                .unwrap()
                .p_value
                < 0.05
        })
        .count();
    assert!(small <= 12, "{small} of 100");
}
