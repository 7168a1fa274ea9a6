//! `cargo xtask study tables`: tables of the guides that follow from formulas and simulations alone.

use attacks::source::nulls::{Habits, Null, NullRates, nulls_of};
use guestlist_bench::Failed;
use guestlist_bench::figures::Source;
use judge::epsilon::gaussian::epsilon_of;
use judge::epsilon::{Claim, Mechanism, coins};
use judge::gate::Gate;
use judge::power::{largest_epsilon, minimum_detectable_auc, needed_for};
use serde_json::{Value, json};
use stats::normal::{normal_cdf, normal_quantile};
use stats::streams::Seed;

use crate::{calls, noise};

const COMMAND: &str = "cargo xtask study tables";
const CONFIDENCE: f64 = 0.95;
const DELTA: f64 = 1e-5;

pub fn run() -> Result<(), Failed> {
    let failed = |error: judge::Error| Failed(error.to_string());
    let written = [
        ("calls-chosen", calls::chosen().map_err(failed)?),
        ("policy-noise", noise::of_the_best().map_err(failed)?),
        ("policy-auc", even_leaks()),
        ("policy-epsilon", proven_by_a_perfect_attack()),
        ("rag-smallest", seen_by_documents()),
        ("canaries-most", shown_by_canaries()),
        ("source-nulls", called_where_nothing_is()),
    ];
    for (name, values) in written {
        let command = COMMAND;
        Source {
            name,
            command,
            values,
        }
        .write()?;
        println!("wrote bench/figures/{name}.json");
    }
    Ok(())
}

fn table(columns: &[&str], rows: Vec<Value>) -> Value {
    json!({"table": {"columns": columns, "rows": rows}})
}

/// What an AUC says of all else where scores of members and others are normals of equal spread, μ apart:
/// Φ(μ/√2) is the AUC, 2Φ(μ/2) − 1 the advantage, Φ(μ + Φ⁻¹(FPR)) the TPR.
fn even_leaks() -> Value {
    let row = |auc: f64| {
        let apart = std::f64::consts::SQRT_2 * normal_quantile(auc);
        let caught = |fpr: f64| normal_cdf(apart + normal_quantile(fpr));
        json!([
            format!("{auc:.2}"),
            [2.0 * normal_cdf(apart / 2.0) - 1.0, ".2"],
            [caught(0.1), "percent"],
            [caught(0.01), "percent"],
            format!("{:.2}%", 100.0 * caught(0.001)),
            [epsilon_of(apart, DELTA), ".2"]
        ])
    };
    table(
        &[
            "AUC",
            "advantage",
            "TPR at 10% FPR",
            "TPR at 1%",
            "TPR at 0.1%",
            "ε at δ = 1e-5",
        ],
        [0.55, 0.6, 0.65, 0.7, 0.75, 0.8].map(row).to_vec(),
    )
}

/// For the best of 25 attacks.
fn proven_by_a_perfect_attack() -> Value {
    let sizes = [50, 100, 300, 1_000, 5_000, 10_000];
    let confidence = Gate::default().confidence_for(25);
    let bound = |size: usize| json!([largest_epsilon(size, size, confidence, DELTA), ".2"]);
    let head = ["of each", "50", "100", "300", "1,000", "5,000", "10,000"];
    let row: Vec<Value> = std::iter::once(json!("ε at the most"))
        .chain(sizes.map(bound))
        .collect();
    table(&head, vec![json!(row)])
}

fn seen_by_documents() -> Value {
    let sizes = [15, 30, 50, 100, 200, 500];
    let gate = Gate::default();
    let seen = sizes.map(|size| json!([minimum_detectable_auc(size, size), ".3"]));
    let head: Vec<String> = sizes.map(|size| size.to_string()).into();
    let columns = std::iter::once("of each".to_owned()).chain(head);
    let row = std::iter::once(json!("AUC")).chain(seen);
    let table = json!({
        "columns": columns.collect::<Vec<_>>(),
        "rows": [row.collect::<Vec<_>>()]
    });
    json!({"table": table, "needed": needed_for(gate.measure, gate.threshold), "threshold": gate.threshold})
}

/// By δ and by how many attacks share the error.
fn shown_by_canaries() -> Value {
    const CASES: [(f64, f64); 5] = [
        (0.0, 1.0),
        (1e-6, 1.0),
        (1e-5, 1.0),
        (1e-6, 10.0),
        (1e-5, 10.0),
    ];
    let row = |count: u64| {
        let most = |(delta, attacks): (f64, f64)| {
            let confidence = 1.0 - (1.0 - CONFIDENCE) / attacks;
            let claim = Claim { confidence, delta };
            json!([coins::largest(count, 1, Mechanism::Any, &claim), ".2"])
        };
        let cells = std::iter::once(json!([count, "count"])).chain(CASES.map(most));
        json!(cells.collect::<Vec<_>>())
    };
    table(
        &[
            "canaries",
            "δ = 0, one attack",
            "δ = 1e-6, one attack",
            "δ = 1e-5, one attack",
            "δ = 1e-6, best of ten",
            "δ = 1e-5, best of ten",
        ],
        [100, 200, 500, 1_000, 2_000, 5_000, 10_000]
            .map(row)
            .to_vec(),
    )
}

/// Shares of the words of made-up texts that fixed and calibrated thresholds call, 64 copies each.
fn called_where_nothing_is() -> Value {
    const LENGTHS: [usize; 6] = [8, 16, 32, 64, 128, 256];
    const COPIES: usize = 64;
    let drawn = |kind: Null, texts: usize| {
        LENGTHS.map(|length| nulls_of(kind, length, COPIES, texts, &Habits::default(), Seed(11)))
    };
    let (flat, noisy) = (drawn(Null::Flat, 1_000), drawn(Null::Noisy, 150));
    // A model that reacts to words does know them: only that retrieval brought them is false there.
    let (reacting, tied) = (drawn(Null::Reacting, 1_000), drawn(Null::Tied, 1_000));
    let row = |what: &str, found: &[NullRates; 6], pick: fn(&NullRates) -> f64| {
        let cells = found.iter().map(|rates| json!([pick(rates), ".3"]));
        json!(
            std::iter::once(json!(what))
                .chain(cells)
                .collect::<Vec<_>>()
        )
    };
    let (pretrained, retrieved) = (
        |one: &NullRates| one.calibrated_pretrained,
        |one: &NullRates| one.calibrated_retrieved,
    );
    table(
        &["key words", "8", "16", "32", "64", "128", "256"],
        vec![
            row("the paper's constants: pretrained", &flat, |one| {
                one.fixed_pretrained
            }),
            row("the paper's constants: retrieved", &flat, |one| {
                one.fixed_retrieved
            }),
            row("the same with deviation 0.3: retrieved", &noisy, |one| {
                one.fixed_retrieved
            }),
            row("calibrated: pretrained", &flat, pretrained),
            row("calibrated: retrieved", &flat, retrieved),
            row("with deviation 0.3: pretrained", &noisy, pretrained),
            row("with deviation 0.3: retrieved", &noisy, retrieved),
            row("both arms react to words: retrieved", &reacting, retrieved),
            row("answers of three values: pretrained", &tied, pretrained),
            row("answers of three values: retrieved", &tied, retrieved),
        ],
    )
}
