//! Test data, and how it is compared.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use guestlist_lm::{DeviceChoice, Model, Precision, Scores, Source};
use serde_json::Value;

pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// All small checkpoints share one tokenizer.
pub fn source(name: &str) -> Source {
    Source {
        path: data(name),
        adapter: None,
        tokenizer: Some(data("tokenizer.json")),
    }
}

pub fn open(name: &str) -> Model {
    Model::open(&source(name), DeviceChoice::Cpu, Precision::F32).unwrap()
}

pub fn texts(path: &Path) -> Vec<String> {
    let lines = std::fs::read_to_string(path).unwrap();
    lines
        .lines()
        .map(|line| {
            let value: Value = serde_json::from_str(line).unwrap();
            value["text"].as_str().unwrap().to_owned()
        })
        .collect()
}

/// What transformers says about one text.
pub struct Reference {
    pub ids: Vec<u32>,
    pub logprob: Vec<f64>,
    pub rank: Vec<u32>,
    pub mean: Vec<f64>,
    pub variance: Vec<f64>,
}

impl Reference {
    pub fn read(path: &Path) -> Vec<Self> {
        let values: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        values.iter().map(Self::parse).collect()
    }

    fn parse(value: &Value) -> Self {
        let numbers = |key: &str| serde_json::from_value(value[key].clone()).unwrap();
        let whole = |key: &str| serde_json::from_value(value[key].clone()).unwrap();
        Self {
            ids: whole("ids"),
            logprob: numbers("logprob"),
            rank: whole("rank"),
            mean: numbers("mean"),
            variance: numbers("variance"),
        }
    }

    /// The largest differences of log-probability, mean and variance. Ranks may differ only where
    /// logits lie closer than f32 sums can tell.
    pub fn compare(&self, scores: &Scores) -> [f64; 3] {
        assert_eq!(scores.windows, 1);
        assert_eq!(scores.rank.len(), self.rank.len());
        for (ours, theirs) in scores.rank.iter().zip(&self.rank) {
            let allowed = 1 + theirs / 1000;
            assert!(
                ours.abs_diff(*theirs) <= allowed,
                "rank {ours}, not {theirs}"
            );
        }
        let same = scores.rank.iter().zip(&self.rank).filter(|(a, b)| a == b);
        assert!(same.count() * 100 >= self.rank.len() * 95, "ranks differ");
        [
            largest(&scores.logprob, &self.logprob),
            largest(&scores.mean, &self.mean),
            largest(&scores.variance, &self.variance),
        ]
    }
}

fn largest(ours: &[f32], theirs: &[f64]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    ours.iter()
        .zip(theirs)
        .map(|(ours, theirs)| (f64::from(*ours) - theirs).abs())
        .fold(0.0, f64::max)
}
