//! What is looked up, in each mode.

use guestlist_rehearsal::{
    Ask, ChunkSettings, Embedder, Index, Mode, Result, RetrieveSettings, Service, ServiceSettings,
};

use crate::documents;

/// Sees two subjects and nothing else.
struct TwoSubjects;

impl Embedder for TwoSubjects {
    fn name(&self) -> String {
        "two subjects".into()
    }

    fn dimension(&self) -> usize {
        3
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let has = |text: &str, words: &[&str]| {
            f32::from(u8::from(words.iter().any(|word| text.contains(word))))
        };
        let embed = |text: &&str| {
            vec![
                has(text, &["insulin", "medicine"]),
                has(text, &["mirror", "astronomy"]),
                0.1,
            ]
        };
        Ok(texts.iter().map(embed).collect())
    }
}

fn look_up(mode: Mode, question: &str, minimum_score: Option<f32>) -> Vec<String> {
    let embedder = mode
        .needs_embeddings()
        .then(|| Box::new(TwoSubjects) as Box<dyn Embedder>);
    let index = Index::new(documents(), ChunkSettings::default(), embedder).unwrap();
    let retrieve = RetrieveSettings {
        mode,
        top_k: 3,
        minimum_score,
    };
    let settings = ServiceSettings {
        retrieve,
        ..ServiceSettings::default()
    };
    let answer = Service::extractive(index, settings)
        .unwrap()
        .answer(&Ask::new(question))
        .unwrap();
    answer.retrieved.into_iter().map(|shown| shown.id).collect()
}

#[test]
fn words_find_words_and_meanings_find_meanings() {
    assert_eq!(look_up(Mode::Bm25, "medicine and lavender", None), ["bees"]);
    assert_eq!(
        look_up(Mode::Dense, "medicine and lavender", Some(0.9)),
        ["insulin"]
    );
    let both = look_up(Mode::Hybrid, "medicine and lavender", None);
    assert!(
        both.contains(&"bees".to_owned()) && both.contains(&"insulin".to_owned()),
        "{both:?}"
    );
}

#[test]
fn weak_chunks_can_be_left_out() {
    assert_eq!(look_up(Mode::Bm25, "percent", None).len(), 3);
    assert!(look_up(Mode::Bm25, "percent", Some(50.0)).is_empty());
}

#[test]
fn titles_find_their_documents() {
    assert_eq!(look_up(Mode::Bm25, "medieval accounts", None), ["ledger"]);
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let service = |mode, top_k| {
        let index = Index::new(documents(), ChunkSettings::default(), None).unwrap();
        let retrieve = RetrieveSettings {
            mode,
            top_k,
            minimum_score: None,
        };
        Service::extractive(
            index,
            ServiceSettings {
                retrieve,
                ..ServiceSettings::default()
            },
        )
    };
    assert!(
        service(Mode::Dense, 4)
            .err()
            .unwrap()
            .to_string()
            .contains("needs embeddings")
    );
    assert!(
        service(Mode::Bm25, 0)
            .err()
            .unwrap()
            .to_string()
            .contains("top_k is 0")
    );
    let mut ask = Ask::new("bees");
    ask.top_k = Some(101);
    assert!(service(Mode::Bm25, 4).unwrap().answer(&ask).is_err());
}
