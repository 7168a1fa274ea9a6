//! Continuing a text is the same as scoring it whole, remembered or not.

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::ErrorKind;
use crate::scores::Wants;
use crate::source::{DeviceChoice, Precision, Source};

const ALL: [&str; 12] = [
    "gpt2",
    "llama",
    "llama.gguf",
    "llama_yarn",
    "qwen2",
    "gpt_neox",
    "gpt_neox_serial",
    "mistral",
    "gemma2",
    "gemma3",
    "phi3",
    "olmo2",
];

fn open(name: &str) -> Arc<Model> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let source = Source {
        tokenizer: Some(data.join("tokenizer.json")),
        ..Source::new(data.join(name))
    };
    Arc::new(Model::open(&source, DeviceChoice::Cpu, Precision::F32).unwrap())
}

fn prompt(length: u32, seed: u32) -> Vec<u32> {
    (0..length)
        .map(|i| 1 + (i * 37 + seed * 101) % 319)
        .collect()
}

fn greedy(generator: &Generator, prompt: &[u32], max_tokens: usize) -> Generated {
    let options = Sampling {
        max_tokens,
        ..Sampling::default()
    };
    generator.generate(prompt, &options, &mut |_| true).unwrap()
}

/// Asks the full pass, at every step, which token it ranks first.
fn is_greedy(model: &Model, prompt: &[u32], generated: &Generated) {
    let text = [prompt, &generated.tokens].concat();
    for end in prompt.len()..text.len() {
        let scores = model.score(&[&text[..=end]], Wants::default()).unwrap();
        assert_eq!(scores[0].rank.last(), Some(&1), "token {end}");
    }
}

#[test]
fn greedy_tokens_are_those_that_the_full_pass_ranks_first() {
    for name in ALL {
        let model = open(name);
        let generator = Generator::new(model.clone());
        let mut written = 0;
        for (length, seed) in [(1, 0), (5, 1), (30, 2), (70, 3)] {
            let prompt = prompt(length, seed);
            let generated = greedy(&generator, &prompt, 20);
            is_greedy(&model, &prompt, &generated);
            let full = generated.finished == Finish::Length;
            assert!(full == (generated.tokens.len() == 20), "{name}");
            written += generated.tokens.len();
        }
        assert!(written > 20, "{name} wrote {written} tokens");
    }
}

#[test]
fn remembered_beginnings_change_nothing() {
    for name in ALL {
        let model = open(name);
        let generator = Generator::new(model.clone());
        let first = prompt(60, 1);
        let mut second = first[..50].to_vec();
        second.extend(prompt(20, 9));
        let mut third = first[..10].to_vec();
        third.extend(prompt(40, 5));
        for (prompt, reused) in [(&first, 0), (&second, 50), (&third, 10), (&first, 50)] {
            let with = greedy(&generator, prompt, 12);
            let without = greedy(&Generator::new(model.clone()), prompt, 12);
            assert_eq!(with.tokens, without.tokens, "{name}");
            assert!(with.reused >= reused, "{name}: {} tokens", with.reused);
            assert_eq!(without.reused, 0);
        }
        assert_eq!(greedy(&generator, &first, 1).reused, 59);
    }
}

#[test]
fn logits_do_not_depend_on_how_a_text_was_read() {
    for name in ALL {
        let model = open(name);
        let text = prompt(80, 4);
        let whole = model.read(None, &text).unwrap();
        for steps in [vec![40, 80], vec![79, 80], vec![1, 2, 3, 77, 78, 79, 80]] {
            let mut memory = model.memory().unwrap();
            let mut found = Vec::new();
            for end in steps {
                found = model.read(Some(&mut memory), &text[..end]).unwrap();
            }
            let pairs = whole.iter().zip(&found);
            let far = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(far < 1e-4, "{name}: {far}");
            memory.truncate(30);
            assert_eq!(memory.tokens(), &text[..30]);
        }
    }
}

#[test]
fn texts_longer_than_a_chunk_are_read_alike() {
    let model = open("llama");
    let text = prompt(250, 4);
    let text = [text.clone(), text].concat();
    let whole = model.read(None, &text).unwrap();
    let mut memory = model.memory().unwrap();
    model.read(Some(&mut memory), &text[..450]).unwrap();
    let parts = model.read(Some(&mut memory), &text).unwrap();
    let far = whole.iter().zip(&parts).map(|(a, b)| (a - b).abs());
    assert!(far.fold(0.0, f32::max) < 1e-4);
}

#[test]
fn draws_are_repeatable_and_listeners_can_stop() {
    let generator = Generator::new(open("qwen2"));
    let prompt = prompt(12, 2);
    let options = Sampling {
        max_tokens: 30,
        temperature: 1.5,
        top_p: 0.95,
        seed: 7,
    };
    let mut heard = Vec::new();
    let first = generator.generate(&prompt, &options, &mut |token| {
        heard.push(token);
        true
    });
    let first = first.unwrap();
    assert_eq!(first.tokens, heard);
    let again = generator
        .generate(&prompt, &options, &mut |_| true)
        .unwrap();
    assert_eq!(first.tokens, again.tokens);
    assert!(first.tokens.len() > 3);
    let mut count = 0;
    let stopped = generator.generate(&prompt, &options, &mut |_| {
        count += 1;
        count < 3
    });
    let stopped = stopped.unwrap();
    assert_eq!(stopped.tokens, first.tokens[..3]);
    assert_eq!(stopped.finished, Finish::Stop);
}

#[test]
fn the_context_ends_a_text_and_refuses_longer_prompts() {
    let mut model = Arc::into_inner(open("llama")).unwrap();
    model.cap_context(40);
    let generator = Generator::new(Arc::new(model));
    let generated = greedy(&generator, &prompt(35, 1), 100);
    assert_eq!(
        (generated.tokens.len(), generated.finished),
        (5, Finish::Length)
    );
    let options = Sampling::default();
    let error = generator
        .generate(&prompt(40, 1), &options, &mut |_| true)
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Text);
    assert!(error.to_string().contains("40 tokens"), "{error}");
    for refused in [vec![], vec![320]] {
        assert!(
            generator
                .generate(&refused, &options, &mut |_| true)
                .is_err()
        );
    }
    for wrong in [
        Sampling {
            temperature: f32::NAN,
            ..options
        },
        Sampling {
            top_p: 0.0,
            ..options
        },
    ] {
        let error = generator.generate(&[1], &wrong, &mut |_| true).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Setting);
    }
}

#[test]
fn threads_may_share_a_generator() {
    let model = open("gpt2");
    let generator = Generator::new(model.clone());
    let prompts: Vec<Vec<u32>> = (0..12).map(|seed| prompt(20, seed % 4)).collect();
    std::thread::scope(|scope| {
        for prompts in prompts.chunks(4) {
            let (generator, model) = (&generator, &model);
            scope.spawn(move || {
                for prompt in prompts {
                    is_greedy(model, prompt, &greedy(generator, prompt, 8));
                }
            });
        }
    });
}

#[test]
fn only_the_latest_texts_are_remembered() {
    let generator = Generator::new(open("qwen2"));
    let prompts: Vec<Vec<u32>> = (0..9).map(|seed| prompt(20, seed)).collect();
    for prompt in &prompts {
        assert_eq!(greedy(&generator, prompt, 1).reused, 0);
    }
    assert_eq!(greedy(&generator, &prompts[1], 1).reused, 19);
    assert_eq!(greedy(&generator, &prompts[0], 1).reused, 0);
    // It took the place of the one that was used longest ago.
    assert_eq!(greedy(&generator, &prompts[2], 1).reused, 0);
    assert_eq!(greedy(&generator, &prompts[1], 1).reused, 19);
}
