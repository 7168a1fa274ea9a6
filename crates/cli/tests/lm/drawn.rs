//! A draw of canaries, written by hand: manifest, canaries, and the truth apart.

use std::fs;
use std::path::Path;

use formats::files::sha256_of;
use serde_json::{Value, json};

/// One canary with its coin.
pub struct Coin {
    pub id: String,
    pub text: String,
    pub tier: u64,
    pub included: bool,
}

/// So many canaries, each with a coin of its own, in turns of these tiers.
pub fn coins(count: usize, tiers: &[u64], seed: u64) -> Vec<Coin> {
    (0..count)
        .map(|place| Coin {
            id: format!("canary-{place}"),
            text: format!(
                "the code of vault {} is {:x}",
                mixed(place, 7),
                mixed(place, 9)
            ),
            tier: tiers[place % tiers.len()],
            included: mixed(place, seed) & 1 == 1,
        })
        .collect()
}

/// SplitMix64.
pub fn mixed(place: usize, seed: u64) -> u64 {
    let mut bits = (place as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (seed << 32);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Nearly normal.
pub fn normal(place: usize, seed: u64) -> f64 {
    let uniform = |turn: u64| mixed(place, seed + turn) as f64 / 2f64.powi(64);
    (100..112).map(uniform).sum::<f64>() - 6.0
}

/// The folder of a draw; of texts, with a check that found all of them where training sees them.
pub fn write(folder: &Path, kind: &str, coins: &[Coin]) {
    fs::create_dir_all(folder).unwrap();
    let lines: String = (coins.iter())
        .map(|coin| {
            let mut row = json!({"id": coin.id, "tier": coin.tier, "design": "random-tokens"});
            if kind == "lm" {
                row["text"] = coin.text.clone().into();
                row["secret"] = json!([last_word(&coin.text)]);
            }
            format!("{row}\n")
        })
        .collect();
    let included: serde_json::Map<String, Value> = (coins.iter())
        .map(|coin| (coin.id.clone(), coin.included.into()))
        .collect();
    let truth = json!({"schema": "guestlist.canaries.truth/1", "seed": 7, "included": included});
    let mut tiers: Vec<u64> = coins.iter().map(|coin| coin.tier).collect();
    tiers.sort_unstable();
    tiers.dedup();
    let tier = |tier: &u64| {
        let count = coins.iter().filter(|coin| coin.tier == *tier).count();
        json!({"repetitions": tier, "canaries": count})
    };
    let sealed = |role: &str, name: &str, text: &str| {
        fs::write(folder.join(name), text).unwrap();
        json!({"role": role, "path": name, "sha256": sha256_of(text.as_bytes()), "rows": coins.len()})
    };
    let manifest = json!({
        "schema": "guestlist.canaries/1", "kind": kind, "guestlist": "0.1.0",
        "canaries": coins.len(),
        "designs": [{"design": "random-tokens", "canaries": coins.len()}],
        "tiers": tiers.iter().map(tier).collect::<Vec<_>>(),
        "coin": 0.5,
        "files": [
            sealed("canaries", "canaries.jsonl", &lines),
            sealed("truth", "truth.json", &truth.to_string()),
        ],
        "check": (kind == "lm").then(visible),
    });
    fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
}

/// Where the last word of a text lies, in characters.
fn last_word(text: &str) -> Value {
    let end = text.chars().count();
    let word = text.rsplit(' ').next().unwrap().chars().count();
    json!({"start": end - word, "end": end})
}

/// What a check notes that found nothing.
pub fn visible() -> Value {
    json!({"outcome": "visible", "invisible": 0, "findings": []})
}

/// Changes what the manifest says of a check.
pub fn note(folder: &Path, check: Value) {
    change(folder, |manifest| manifest["check"] = check);
}

/// Lays a training file beside the manifest, and seals it.
pub fn seal_training(folder: &Path, text: &str) {
    fs::write(folder.join("training.jsonl"), text).unwrap();
    let file = json!({
        "role": "training", "path": "training.jsonl", "rows": 1,
        "sha256": sha256_of(text.as_bytes()),
    });
    change(folder, |manifest| {
        manifest["files"].as_array_mut().unwrap().push(file);
    });
}

fn change(folder: &Path, change: impl FnOnce(&mut Value)) {
    let path = folder.join("manifest.json");
    let mut manifest = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    fs::write(path, manifest.to_string()).unwrap();
}
