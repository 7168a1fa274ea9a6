//! Models and texts to audit: the demonstration's own.

use std::fs;
use std::path::{Path, PathBuf};

use crate::bench::Bench;

pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../rehearsal/data/lm")
        .join(name)
}

/// Another model with a tokenizer of its own, from the tests of the room that runs models.
pub fn stranger(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lm/tests/data");
    tests.join(name)
}

/// The demonstration's models in a workbench, where they may be damaged.
pub fn models(bench: &Bench) {
    for model in ["base", "fine-tuned"] {
        fs::create_dir(bench.path(model)).unwrap();
        for file in ["config.json", "model.safetensors"] {
            let place = format!("{model}/{file}");
            fs::copy(data(&place), bench.path(&place)).unwrap();
        }
        let tokenizer = bench.path(format!("{model}/tokenizer.json"));
        fs::copy(data("tokenizer.json"), tokenizer).unwrap();
    }
}

/// So many texts of each kind, as JSON Lines.
pub fn texts(bench: &Bench, count: usize) {
    for (from, to) in [("members", "in.jsonl"), ("held-out", "out.jsonl")] {
        let packed = fs::File::open(data(&format!("{from}.jsonl.gz"))).unwrap();
        let mut lines = String::new();
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(packed), &mut lines)
            .unwrap();
        let lines: Vec<&str> = lines.lines().take(count).collect();
        bench.write(to, &(lines.join("\n") + "\n"));
    }
}

/// A configuration, with further lines at its end.
pub fn configure(bench: &Bench, more: &str) {
    bench.write(
        "guestlist.toml",
        &format!(
            "kind = \"lm\"\n[texts]\nmembers = \"in.jsonl\"\nnonmembers = \"out.jsonl\"\n\
             [target]\nmodel = \"fine-tuned\"\n[reference]\nmodel = \"base\"\n{more}\n"
        ),
    );
}

/// Everything for an audit of so many texts of each kind.
pub fn ready(count: usize, more: &str) -> Bench {
    let bench = Bench::new();
    models(&bench);
    texts(&bench, count);
    configure(&bench, more);
    bench
}
