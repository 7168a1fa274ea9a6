//! The program from the outside: what is typed, what is said, what lies on disk afterwards.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod bad_arguments;
mod bad_input;
mod bad_parquet;
mod canaries;
mod cards;
mod common;
mod contract;
mod convert;
mod determinism;
mod diagnostics;
mod diff;
#[path = "../lm/drawn.rs"]
#[allow(dead_code)] // shared with the tests of language models
mod drawn;
mod duplicates;
mod earned_passes;
mod evidence;
mod failing_commands;
mod figures;
mod folders;
mod full_disk;
mod given_scores;
mod hidden_leaks;
mod hostile_text;
mod interrupt;
mod interrupted_commands;
mod misleading;
mod mixed_up;
mod models_alike;
mod npy;
mod offline;
mod one_model;
mod options;
mod persons;
mod policy;
mod programs;
mod rag_server;
mod rendering;
mod scikit_learn_example;
mod scores;
mod signals;
mod streams;
mod study;
mod study_few_shot;
mod unknown;
#[path = "../fewshot/vectors.rs"]
#[allow(dead_code)] // shared with the tests of few-shot audits
mod vectors;
mod verdicts;
mod words;
mod wrong_numbers;
