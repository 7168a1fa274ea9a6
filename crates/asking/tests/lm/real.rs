//! A real OpenAI-style server, for those who have one running.

use asking::lm::{Endpoint, Server};

use crate::{Watcher, endpoint, store, text};

const TEXTS: [&str; 3] = [
    "The quick brown fox jumps over the lazy dog.",
    "It was the best of times, it was the worst of times, it was the age of wisdom.",
    "Der süße Bär 🐻 schläft.",
];

/// `GUESTLIST_OPENAI_PREFIX` is the beginning-of-text token where the server needs it in front.
#[test]
#[ignore = "needs an OpenAI-style server at GUESTLIST_OPENAI_SERVER"]
fn a_real_openai_server_scores_texts() {
    let url = std::env::var("GUESTLIST_OPENAI_SERVER").unwrap();
    let endpoint = Endpoint {
        prefix: std::env::var("GUESTLIST_OPENAI_PREFIX").ok(),
        timeout: std::time::Duration::from_secs(120),
        ..endpoint(&url, "openai")
    };
    let server = Server::connect(endpoint).unwrap();
    println!("{}", server.about());
    let (_folder, store) = store();
    let texts = TEXTS.map(text);
    let scored = server
        .score(&texts, &store, Watcher::default().progress())
        .unwrap();
    let again = server
        .score(&texts, &store, Watcher::default().progress())
        .unwrap();
    assert_eq!(scored, again);
    for (text, scored) in TEXTS.iter().zip(&scored) {
        println!("{text}");
        for token in 0..scored.logprob.len() {
            let piece = scored.pieces.as_ref().map(|pieces| &pieces[token]);
            let rank = scored.rank.as_ref().and_then(|rank| rank[token]);
            println!("  {piece:?} {:?} {rank:?}", scored.logprob[token]);
        }
        let predicted: Vec<f32> = scored.logprob.iter().flatten().copied().collect();
        let mean = predicted.iter().sum::<f32>() / predicted.len() as f32;
        println!("  mean {mean}");
        // Any model of language does better than this on English.
        assert!(mean > -8.0);
    }
}
