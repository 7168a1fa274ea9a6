//! Scores depend on the text alone, however it is batched and windowed.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use common::open;
use guestlist_lm::{Model, Scores, Wants};

const WANTS: Wants = Wants { moments: true };

fn tokens(seed: u32, length: usize) -> Vec<u32> {
    (0..length as u32)
        .map(|i| (i * i * 31 + seed * 17 + i) % 320)
        .collect()
}

fn score(model: &Model, batch: &[&[u32]]) -> Vec<Scores> {
    model.score(batch, WANTS).unwrap()
}

fn close(ours: &[f32], theirs: &[f32]) {
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert!((ours - theirs).abs() < 1e-4, "{ours} and {theirs}");
    }
}

#[test]
fn neighbours_in_a_batch_change_nothing_but_rounding() {
    for name in ["gpt2", "llama", "qwen2", "gpt_neox"] {
        let model = open(name);
        let texts: Vec<Vec<u32>> = [2, 90, 17, 64, 33, 5].map(|n| tokens(n as u32, n)).into();
        let batch: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
        let together = score(&model, &batch);
        for (text, together) in batch.iter().zip(&together) {
            let alone = &score(&model, &[text])[0];
            assert_eq!(alone.rank, together.rank);
            close(&alone.logprob, &together.logprob);
            close(&alone.mean, &together.mean);
            close(&alone.variance, &together.variance);
            close(&alone.max_logprob, &together.max_logprob);
        }
        assert_eq!(
            together,
            score(&model, &batch),
            "the same batch, the same bits"
        );
    }
}

#[test]
fn moments_come_only_when_wanted() {
    let model = open("gpt2");
    let scores = model.score(&[&tokens(1, 9)], Wants::default()).unwrap();
    assert_eq!(scores[0].logprob.len(), 8);
    assert!(scores[0].mean.is_empty() && scores[0].variance.is_empty());
    assert!(scores[0].max_logprob.is_empty());
}

#[test]
fn windows_equal_naive_windows() {
    let mut model = open("llama");
    let text = tokens(3, 75);
    let whole = &score(&model, &[&text])[0];
    assert_eq!(whole.windows, 1);
    model.cap_context(20);
    assert_eq!(model.about().context, 20);
    let windowed = &score(&model, &[&text])[0];
    // Windows begin every 10 tokens and are 20 long; each adds the tokens not predicted before.
    let mut naive = Scores::default();
    for begin in (0..70).step_by(10) {
        let window = &text[begin..(begin + 20).min(75)];
        let scores = &score(&model, &[window])[0];
        let new = if begin == 0 { 0 } else { 9 };
        naive.logprob.extend(&scores.logprob[new..]);
        naive.rank.extend(&scores.rank[new..]);
        naive.mean.extend(&scores.mean[new..]);
        naive.variance.extend(&scores.variance[new..]);
        naive.max_logprob.extend(&scores.max_logprob[new..]);
    }
    assert_eq!(windowed.windows, 7);
    assert_eq!(windowed.rank, naive.rank);
    close(&windowed.logprob, &naive.logprob);
    close(&windowed.mean, &naive.mean);
    close(&windowed.variance, &naive.variance);
    close(&windowed.max_logprob, &naive.max_logprob);
}

#[test]
fn an_empty_batch_has_no_scores() {
    assert!(score(&open("gpt2"), &[]).is_empty());
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let model = open("llama");
    let texts: Vec<Vec<u32>> = (0..12).map(|n| tokens(n, 200)).collect();
    let batch: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| score(&model, &batch))
    };
    let one = run(1);
    assert!(run(2) == one && run(7) == one);
}

#[test]
fn a_model_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&open("gpt2"));
}
