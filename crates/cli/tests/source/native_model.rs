//! The embedded service with a language model that was fine-tuned on some texts, over a store that
//! holds others.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rehearsal::{ChunkSettings, Document, Index, Native, Running, Service, ServiceSettings};
use serde_json::Value;

use crate::bench::Bench;
use crate::world::{configure, confusion, report};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../rehearsal/data")
        .join(name)
}

/// The model's folder, its tokenizer beside its weights.
fn model(bench: &Bench) -> PathBuf {
    let folder = bench.path("model");
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["config.json", "model.safetensors", "chat_template.jinja"] {
        let from = data("source/model").join(name);
        std::fs::copy(from, folder.join(name)).unwrap();
    }
    std::fs::copy(data("lm/tokenizer.json"), folder.join("tokenizer.json")).unwrap();
    folder
}

fn serve(bench: &Bench) -> Running {
    let store = formats::texts::documents_of(&data("source/store.jsonl.gz")).unwrap();
    let store = store.into_iter().map(|document| Document {
        id: document.id,
        title: document.title,
        text: document.text,
    });
    let index = Index::new(store.collect(), ChunkSettings::default(), None).unwrap();
    let model = Native::new(
        rehearsal::open_language_model(&model(bench), rehearsal::Device::default()).unwrap(),
    );
    let service = Service::new(index, Box::new(model), ServiceSettings::default()).unwrap();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    rehearsal::start(Arc::new(service), address, None).unwrap()
}

#[test]
fn what_the_model_knows_what_the_store_holds_and_what_is_new_are_told_apart() {
    let bench = Bench::new();
    let running = serve(&bench);
    configure(&bench, running.address(), "[source]\nperturbations = 16\n");
    let config = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    for name in ["pretrained", "retrieved", "fresh"] {
        let name = format!("{name}.jsonl.gz");
        std::fs::copy(data("source").join(&name), bench.path(&name)).unwrap();
    }
    let items = "pretrained = \"pretrained.jsonl.gz\"\nretrieved = \"retrieved.jsonl.gz\"\n\
                 nonmembers = \"fresh.jsonl.gz\"\nlimit = 10";
    let config = config.replace("path = \"items.jsonl\"", items);
    bench.write("guestlist.toml", &config);
    bench.guestlist("run").exits(1);
    let found = report(&bench);
    let table = confusion(&found);
    assert!(
        table[0][0] >= 9 && table[1][1] >= 9 && table[2][2] >= 7,
        "{table:?}"
    );
    let shuffled = found["detail"]["shuffled"]["mean"].as_f64().unwrap();
    assert!((shuffled - 1.0 / 3.0).abs() < 0.1, "{shuffled}");
    for attack in found["attacks"].as_array().unwrap() {
        let auc = attack["auc"]["value"].as_f64().unwrap();
        assert!(auc > 0.9, "{}: {auc}", attack["id"]);
    }
    let echo = |finding: &&Value| finding["id"] == "echo";
    let guardrails = found["guardrails"].as_array().unwrap();
    assert_eq!(guardrails.iter().find(echo).unwrap()["status"], "ok");
    running.stop();
}
