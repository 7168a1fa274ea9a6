//! Audits of canaries: what is proved from one run, what is not, and what is refused.

use std::fs;

use serde_json::{Value, json};

use crate::bench::{Bench, Output};
use crate::drawn::{self, Coin, normal};
use crate::shelf;

/// Token signals of canaries under a model that raises what it was trained on by this much.
fn tokens<'a>(coins: impl IntoIterator<Item = &'a Coin>, gain: impl Fn(&Coin) -> f64) -> String {
    let row = |(place, coin): (usize, &Coin)| {
        let lift = if coin.included { gain(coin) } else { 0.0 };
        let reference = |turn: usize| -4.0 + normal(32 * place + turn, 1);
        // Noise of 0.5 on a token is one of 0.1 on the mean of 24.
        let own = |turn: usize| reference(turn) + 0.1 * lift + 0.5 * normal(32 * place + turn, 2);
        let list = |value: &dyn Fn(usize) -> f64| {
            let values = (0..24).map(|turn| Some(value(turn).min(-0.01)));
            std::iter::once(None).chain(values).collect::<Vec<_>>()
        };
        let row = json!({
            "id": coin.id, "text": coin.text, "logprob": list(&own),
            "ref_logprob": list(&reference),
        });
        format!("{row}\n")
    };
    coins.into_iter().enumerate().map(row).collect()
}

/// So many canaries and what a model made of them.
fn bench(count: usize, gain: f64) -> (Bench, Vec<Coin>) {
    let bench = Bench::new();
    let coins = drawn::coins(count, &[1], 3);
    drawn::write(&bench.path("drawn"), "lm", &coins);
    bench.write("tokens.jsonl", &tokens(&coins, |_| gain));
    (bench, coins)
}

fn audit(bench: &Bench, more: &str) -> Output {
    let quick = "--attacks ratio,lm-loss --bootstrap 0";
    let canaries = "--canaries drawn/manifest.json";
    bench.guestlist(&format!(
        "audit tokens.jsonl {canaries} {quick} --out o {more}"
    ))
}

fn report(bench: &Bench) -> Value {
    bench.json("o/report.json")
}

#[test]
fn remembered_canaries_fail_and_prove_an_epsilon() {
    let (bench, coins) = bench(600, 6.0);
    let said = audit(&bench, "--verbose").exits(1);
    assert!(said.stdout.contains("Canaries"), "{}", said.stdout);
    assert!(
        said.stdout.contains("Said word for word"),
        "{}",
        said.stdout
    );
    let report = report(&bench);
    let included = coins.iter().filter(|coin| coin.included).count();
    let found = &report["canaries"];
    assert_eq!(found["canaries"], 600);
    assert_eq!(found["included"], included);
    assert_eq!(
        (&found["missing"], &found["foreign"]),
        (&0.into(), &0.into())
    );
    let names: Vec<&str> = (found["parts"].as_array().unwrap().iter())
        .map(|part| part["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["all", "trained on 1×", "random-tokens"]);
    let bound = &report["attacks"][0]["epsilon_lower_bound"];
    assert_eq!(bound["method"], "one-run, both sides, bonferroni");
    assert!(bound["value"].as_f64().unwrap() > 2.0, "{bound}");
    assert!(!report.to_string().contains("not a proof"));
    assert_eq!(
        report["provenance"]["measuring"]["inclusion"],
        "independent-coins"
    );
    let said = |kind: &str| found["extraction"][kind]["median_ln"].as_f64().unwrap();
    assert!(said("included") > said("held_out") + 5.0, "{found}");
    // Ids and coins are nobody's business who reads the report.
    assert!(!report.to_string().contains("canary-1"));
    // A stored report is judged again by a policy.
    let outcomes = bench.three_criteria("o", 1);
    assert_eq!(outcomes[2], "fail");
}

#[test]
fn a_claim_is_refuted_or_stands_or_is_not_tested() {
    let (leaky, _) = bench(600, 6.0);
    let said = audit(&leaky, "--claim-epsilon 1 --claim-delta 1e-5").exits(1);
    assert!(said.stdout.contains("does not hold"), "{}", said.stdout);
    assert_eq!(report(&leaky)["claim"]["outcome"], "refuted");

    // A noisy model whose AUC would fail the usual gate: the claim decides.
    let (noisy, _) = bench(1000, 1.0);
    audit(&noisy, "").exits(1);
    let said = audit(&noisy, "--claim-epsilon 4 --claim-delta 1e-5").exits(0);
    assert!(said.stdout.contains("no proof"), "{}", said.stdout);
    let found = report(&noisy);
    assert_eq!(found["claim"]["outcome"], "not-refuted");
    assert!(found["claim"]["largest"].as_f64().unwrap() > 4.0);
    assert!(found["claim"]["bound"].as_f64().unwrap() > 0.5);
    // Unless another gate was asked for.
    audit(
        &noisy,
        "--claim-epsilon 4 --claim-delta 1e-5 --threshold 0.65",
    )
    .exits(1);

    // No model at all could have refuted this one: nothing passes.
    for gain in [0.0, 6.0] {
        let (few, _) = bench(200, gain);
        let said = audit(&few, "--claim-epsilon 5 --claim-delta 1e-6");
        assert_eq!(said.code, Some(3), "{}", said.stdout);
        let claim = &report(&few)["claim"];
        assert_eq!(claim["outcome"], "untested");
        let needed = claim["canaries"]["needed"].as_u64();
        assert!(needed.is_some_and(|count| count >= 1000), "{claim}");
        // At a larger δ no number of canaries could.
        let said = audit(&few, "--claim-epsilon 8 --claim-delta 1e-5").exits(3);
        assert!(said.stdout.contains("smaller δ"), "{}", said.stdout);
    }
}

#[test]
fn a_model_that_remembers_nothing_has_nothing_proved_against_it() {
    let (null, _) = bench(1000, 0.0);
    audit(&null, "").exits(0);
    let found = report(&null);
    let all = &found["canaries"]["parts"][0];
    assert!(all["epsilon"].as_f64().unwrap() < 0.2, "{all}");
    assert!(all["auc"]["value"].as_f64().unwrap() < 0.55, "{all}");
}

/// Canaries of two tiers, of which the one that was repeated is remembered.
fn repeated(times: u64) -> Bench {
    let bench = Bench::new();
    let coins = drawn::coins(1200, &[1, times], 3);
    drawn::write(&bench.path("drawn"), "lm", &coins);
    let gain = |coin: &Coin| if coin.tier == times { 8.0 } else { 0.0 };
    bench.write("tokens.jsonl", &tokens(&coins, gain));
    bench
}

/// A threshold on ε asks every tier, on the command line, in a policy and of a stored report.
#[test]
fn a_tier_alone_fails_a_threshold_on_epsilon() {
    let bench = repeated(4);
    let said = audit(&bench, "--measure epsilon --threshold 0.3").exits(1);
    let words = "by canaries that were trained on 4 times";
    assert!(said.stdout.contains(words), "{}", said.stdout);
    let found = report(&bench);
    assert_eq!(found["verdict"]["gate"]["repetitions"], 4);
    // What an attack shows by itself still rests on what was trained on once.
    assert!(
        found["attacks"][0]["epsilon_lower_bound"]["value"]
            .as_f64()
            .unwrap()
            < 0.3
    );
    audit(&bench, "--measure epsilon --threshold 2").exits(0);
    bench.write(
        "ours.toml",
        "name = \"ours\"\n[[criteria]]\nmeasure = \"epsilon\"\ndelta = 1e-5\nthreshold = 0.3\n\
         why = \"what we promise\"\n",
    );
    audit(&bench, "--policy ours.toml").exits(1);
    audit(&bench, "--measure epsilon --threshold 2").exits(0);
    bench
        .guestlist("policy check o --policy ours.toml")
        .exits(1);
}

/// Eight repetitions are remembered, one is not: a claim about one record stands.
#[test]
fn a_claim_is_held_against_the_least_repeated() {
    let bench = repeated(8);
    let said = audit(&bench, "--claim-epsilon 2 --claim-delta 1e-5 --verbose").exits(0);
    assert!(
        said.stdout.contains("group of r records"),
        "{}",
        said.stdout
    );
    let found = report(&bench);
    assert_eq!(found["claim"]["canaries"]["canaries"], 600);
    let parts = found["canaries"]["parts"].as_array().unwrap();
    let number = |part: usize, key: &str| parts[part][key].as_f64().unwrap();
    assert!(number(2, "epsilon_together") > 3.0 && number(1, "epsilon") < 0.5);
    assert!(number(2, "epsilon") <= number(2, "epsilon_together") / 8.0 + 1e-9);
}

#[test]
fn canaries_without_a_score_are_counted_and_take_a_pass() {
    let (bench, coins) = bench(800, 0.0);
    bench.write("tokens.jsonl", &tokens(coins.iter().skip(8), |_| 0.0));
    audit(&bench, "").exits(0);
    assert_eq!(report(&bench)["canaries"]["missing"], 8);
    bench.write("tokens.jsonl", &tokens(coins.iter().skip(80), |_| 0.0));
    let said = audit(&bench, "").exits(3);
    assert!(said.stdout.contains("missing-canaries"), "{}", said.stdout);
    assert_eq!(report(&bench)["canaries"]["canaries"], 800);
}

#[test]
fn rows_that_are_no_canaries_are_neither_judged_nor_called() {
    let (bench, coins) = bench(400, 0.0);
    let alone = audit(&bench, "").exits(0);
    assert!(!alone.stdout.contains("no canaries"), "{}", alone.stdout);
    let own = report(&bench);
    let stranger = Coin {
        id: "somebody".into(),
        text: "a text of the user".into(),
        tier: 1,
        included: true,
    };
    let lines = tokens(coins.iter().chain([&stranger]), |_| 0.0);
    bench.write("tokens.jsonl", &lines);
    audit(&bench, "").exits(0);
    let found = report(&bench);
    assert_eq!(found["canaries"]["foreign"], 1);
    assert_eq!(found["attacks"][0]["auc"], own["attacks"][0]["auc"]);
    assert_eq!(found["provenance"]["data"]["judged_records"], 400);
    assert!(found["unknown"].is_null() && !bench.path("o/calls.parquet").exists());
}

/// Scores are the same whatever the coins are, and whatever the file says of members.
#[test]
fn attacks_see_no_truth() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float64Type;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    let (bench, mut coins) = bench(300, 2.0);
    let scores = || -> Vec<f64> {
        let file = fs::File::open(bench.path("o/scores.parquet")).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let table = reader.build().unwrap().next().unwrap().unwrap();
        let column = table.column_by_name("ratio").unwrap();
        column.as_primitive::<Float64Type>().values().to_vec()
    };
    audit(&bench, "");
    let (first, measured) = (scores(), report(&bench)["attacks"].clone());
    let told = fs::read_to_string(bench.path("tokens.jsonl")).unwrap();
    bench.write(
        "tokens.jsonl",
        &told.replace("{\"id\"", "{\"member\":true,\"id\""),
    );
    audit(&bench, "");
    assert_eq!(
        (scores(), &report(&bench)["attacks"]),
        (first.clone(), &measured)
    );
    for (place, coin) in coins.iter_mut().enumerate() {
        coin.included = drawn::mixed(place, 99) & 1 == 1;
    }
    drawn::write(&bench.path("drawn"), "lm", &coins);
    audit(&bench, "");
    assert_eq!(scores(), first);
    assert_ne!(report(&bench)["attacks"], measured);
}

#[test]
fn what_was_changed_or_is_of_another_draw_is_refused() {
    let changes: [(&str, &str, &str, &str); 4] = [
        (
            "truth.json",
            "true",
            "false",
            "truth.json: was changed since it was sealed",
        ),
        (
            "canaries.jsonl",
            "vault",
            "house",
            "canaries.jsonl: was changed since it was sealed",
        ),
        (
            "manifest.json",
            "guestlist.canaries/1",
            "guestlist.canaries/9",
            "guestlist.canaries/9",
        ),
        (
            "manifest.json",
            "\"kind\":\"lm\"",
            "\"kind\":\"classifier\"",
            "canaries of kind classifier",
        ),
    ];
    for (name, from, to, words) in changes {
        let (bench, _) = bench(40, 0.0);
        let name = format!("drawn/{name}");
        let text = fs::read_to_string(bench.path(&name)).unwrap();
        assert!(text.contains(from), "{text}");
        bench.write(&name, &text.replacen(from, to, 1));
        audit(&bench, "").complains(&[words]);
        assert!(!bench.path("o").exists());
    }
    let (bench, coins) = bench(40, 0.0);
    bench.write("ids.txt", "canary-1\n");
    audit(&bench, "--members ids.txt").complains(&["--canaries and --members do not go together"]);
    let twice = tokens(coins.iter().chain(&coins[..1]), |_| 0.0);
    bench.write("tokens.jsonl", &twice);
    audit(&bench, "").complains(&[
        "tokens.jsonl",
        "rows 1 and 41 are both the canary \"canary-0\"",
    ]);
    let others = drawn::coins(40, &[1], 5);
    let others: Vec<Coin> = (others.into_iter())
        .map(|coin| Coin {
            id: format!("other-{}", coin.id),
            ..coin
        })
        .collect();
    bench.write("tokens.jsonl", &tokens(&others, |_| 0.0));
    audit(&bench, "").complains(&["tokens.jsonl", "none of the 40 rows is a canary"]);
    fs::remove_file(bench.path("drawn/truth.json")).unwrap();
    bench.write("tokens.jsonl", &tokens(&coins, |_| 0.0));
    audit(&bench, "").complains(&["truth.json", "is not there"]);
}

/// What was never trained on cannot be found: a pass would be one for the wrong reason.
#[test]
fn canaries_that_training_did_not_see_pass_nothing() {
    let (quiet, _) = bench(600, 0.0);
    let noted = |check: Value| {
        drawn::note(&quiet.path("drawn"), check);
        audit(&quiet, "")
    };
    let said = noted(drawn::visible()).exits(0);
    assert!(!said.stdout.contains("unseen-canaries"), "{}", said.stdout);
    // Nobody looked, or nobody could tell: noise is what a model gives that never saw them.
    for check in [Value::Null, json!({"outcome": "unknown"})] {
        let said = noted(check).exits(3);
        for words in ["unseen-canaries", "guestlist canaries check"] {
            assert!(said.stdout.contains(words), "{}", said.stdout);
        }
        audit(&quiet, "--claim-epsilon 2 --claim-delta 1e-5").exits(3);
    }
    let finding = json!({"trap": "truncated", "status": "violated"});
    let struck = json!({"outcome": "invisible", "invisible": 9, "findings": [finding]});
    let said = noted(struck).exits(3);
    assert!(
        said.stdout.contains("9 of 600 canaries") && said.stdout.contains("truncated"),
        "{}",
        said.stdout
    );
    // A trainer tells no counts.
    let said = noted(json!({"outcome": "invisible", "findings": [finding]})).exits(3);
    assert!(
        said.stdout.contains("canaries are invisible") && said.stdout.contains("truncated"),
        "{}",
        said.stdout
    );
}

/// What is remembered was seen, whoever looked.
#[test]
fn a_leak_is_one_though_nobody_looked_before() {
    let (leaky, _) = bench(600, 6.0);
    drawn::note(&leaky.path("drawn"), Value::Null);
    audit(&leaky, "").exits(1);
    audit(&leaky, "--claim-epsilon 1 --claim-delta 1e-5").exits(1);
    assert_eq!(report(&leaky)["claim"]["outcome"], "refuted");
}

/// One half chooses the attack, the other is what everything rests on; the coins are those of both.
#[test]
fn a_half_is_judged_and_all_coins_are_counted() {
    let claim = "--holdout --claim-epsilon 1 --claim-delta 1e-5";
    let (leaky, coins) = bench(600, 6.0);
    audit(&leaky, claim).exits(1);
    let found = report(&leaky);
    assert_eq!(found["claim"]["outcome"], "refuted");
    assert_eq!(found["claim"]["canaries"]["canaries"], 300);
    assert_eq!(found["canaries"]["canaries"], 300);
    assert_eq!(found["attacks"][0]["coins"]["records"], 300);
    let included = coins.iter().filter(|coin| coin.included).count();
    let coins = guardrail(&found, "canary-coins");
    assert_eq!(coins["status"], "ok", "{coins}");
    let words = format!("{included} of 600 canaries");
    assert!(
        coins["detail"].as_str().unwrap().contains(&words),
        "{coins}"
    );

    let (null, coins) = bench(1600, 0.0);
    audit(&null, claim).exits(0);
    // Canaries that nobody scored are of both halves too.
    null.write("tokens.jsonl", &tokens(coins.iter().skip(40), |_| 0.0));
    audit(&null, claim).exits(0);
    let found = report(&null);
    assert_eq!(found["canaries"]["canaries"], 800);
    assert_eq!(found["canaries"]["missing"], 20);
    let missing = guardrail(&found, "missing-canaries");
    assert!(
        missing["detail"].as_str().unwrap().contains("40 of 1600"),
        "{missing}"
    );
}

fn guardrail<'a>(report: &'a Value, id: &str) -> &'a Value {
    let mut all = report["guardrails"].as_array().unwrap().iter();
    all.find(|finding| finding["id"] == id).unwrap()
}

/// The ids of two draws may be the same; their texts are not.
#[test]
fn texts_that_were_not_drawn_are_refused() {
    let (bench, coins) = bench(600, 0.0);
    let under = |text: &dyn Fn(usize) -> String| {
        let coin = |(place, coin): (usize, &Coin)| Coin {
            id: coin.id.clone(),
            text: text(place),
            ..*coin
        };
        let coins: Vec<Coin> = coins.iter().enumerate().map(coin).collect();
        bench.write("tokens.jsonl", &tokens(&coins, |_| 0.0));
    };
    under(&|place| format!("a text of another draw {place}"));
    audit(&bench, "").complains(&[
        "tokens.jsonl",
        "600 of 600 canaries",
        "canaries.jsonl",
        "row 1 (\"canary-0\")",
    ]);
    under(&|place| {
        coins[if place < 598 { place } else { 1197 - place }]
            .text
            .clone()
    });
    audit(&bench, "").complains(&["2 of 600 canaries", "row 599 (\"canary-598\")"]);
    under(&|place| format!("  {}\n", coins[place].text));
    let said = audit(&bench, "--verbose").exits(0);
    assert!(
        !said.stdout.contains("by their ids alone"),
        "{}",
        said.stdout
    );
    // Without texts, nothing but the ids tells.
    let lines = fs::read_to_string(bench.path("tokens.jsonl")).unwrap();
    bench.write("tokens.jsonl", &lines.replace("\"text\":", "\"source\":"));
    let said = audit(&bench, "--verbose").exits(0);
    assert!(
        said.stdout.contains("by their ids alone"),
        "{}",
        said.stdout
    );
}

/// A file that knows other members was made for another draw.
#[test]
fn a_file_that_says_other_members_passes_nothing() {
    let (bench, coins) = bench(600, 0.0);
    let lines = fs::read_to_string(bench.path("tokens.jsonl")).unwrap();
    let saying = |said: &dyn Fn(usize) -> bool| {
        let row = |(place, line): (usize, &str)| {
            let member = said(place);
            line.replacen('{', &format!("{{\"member\":{member},"), 1) + "\n"
        };
        let rows: String = lines.lines().enumerate().map(row).collect();
        bench.write("tokens.jsonl", &rows);
        audit(&bench, "")
    };
    saying(&|place| coins[place].included).exits(0);
    saying(&|_| true).exits(0);
    let said = saying(&|place| coins[place].included != (place == 7)).exits(0);
    assert!(said.stdout.contains("canary-members"), "{}", said.stdout);
    let said = saying(&|place| drawn::mixed(place, 99) & 1 == 1).exits(3);
    assert!(said.stdout.contains("canary-members"), "{}", said.stdout);
}

/// What a changed training file made of the canaries, nobody knows.
#[test]
fn a_training_file_that_was_changed_passes_nothing() {
    let (bench, _) = bench(600, 0.0);
    let absent = "does not lie beside the manifest";
    let said = audit(&bench, "--verbose").exits(0);
    assert!(said.stdout.contains(absent), "{}", said.stdout);
    let text = "{\"text\":\"as it was drawn\"}\n";
    drawn::seal_training(&bench.path("drawn"), text);
    fs::remove_file(bench.path("drawn/training.jsonl")).unwrap();
    let said = audit(&bench, "--verbose").exits(0);
    assert!(said.stdout.contains(absent), "{}", said.stdout);
    bench.write("drawn/training.jsonl", text);
    let said = audit(&bench, "--verbose").exits(0);
    assert!(!said.stdout.contains(absent), "{}", said.stdout);
    bench.write("drawn/training.jsonl", &text.replace("drawn", "filtered"));
    let said = audit(&bench, "").exits(3);
    assert!(
        said.stdout.contains("training.jsonl was changed"),
        "{}",
        said.stdout
    );
}

/// A mechanism is what canaries are held against; where there are none it is refused, wherever it was written.
#[test]
fn a_mechanism_without_canaries_is_refused() {
    let (bench, _) = bench(400, 0.0);
    let claim = "--claim-epsilon 1 --claim-delta 1e-5 --claim-mechanism";
    audit(&bench, &format!("{claim} gaussian")).exits(0);
    for mechanism in ["gaussian", "any"] {
        bench
            .guestlist(&format!("audit tokens.jsonl {claim} {mechanism}"))
            .complains(&["--claim-mechanism means nothing without canaries", "hint: "]);
    }
    audit(&bench, "--claim-mechanism gaussian").complains(&["--claim-mechanism has no claim"]);
    let text = "{\"text\":\"a text\"}\n";
    bench.write("in.jsonl", text);
    bench.write("out.jsonl", text);
    bench.write(
        "guestlist.toml",
        "kind = \"lm\"\n[texts]\nmembers = \"in.jsonl\"\nnonmembers = \"out.jsonl\"\n[target]\n\
         model = \"m\"\n[claim]\nepsilon = 1.0\ndelta = 1e-5\nmechanism = \"gaussian\"\n",
    );
    bench.guestlist("plan").complains(&[
        "claim.mechanism means nothing without canaries",
        "texts.canaries",
    ]);
}

/// A bound at next to no confidence would refute any claim, and an interval of one cover nothing.
#[test]
fn confidences_that_say_nothing_are_refused() {
    let (bench, _) = bench(400, 0.0);
    for confidence in ["0.0001", "0.499", "0", "1", "nan"] {
        audit(&bench, &format!("--confidence {confidence}"))
            .complains(&["--confidence is ", "from 0.5 to below 1, such as 0.95"]);
    }
    audit(&bench, "--confidence 0.5 --threshold 0.9").exits(0);
    bench.write(
        "guestlist.toml",
        "kind = \"lm\"\n[texts]\ncanaries = \"drawn/manifest.json\"\n[target]\nmodel = \"m\"\n[audit]\n\
         confidence = 0.0001\n",
    );
    bench
        .guestlist("plan")
        .complains(&["audit.confidence is 0.0001", "from 0.5 to below 1"]);
    bench.write(
        "ours.toml",
        "name = \"ours\"\nconfidence = 0.0001\n[[criteria]]\nmeasure = \"auc\"\nthreshold = 0.6\n\
         why = \"so\"\n",
    );
    audit(&bench, "--policy ours.toml").complains(&["ours.toml", "confidence is 0.0001"]);
}

/// Somebody who reads one line reads what became of the claim.
#[test]
fn the_first_line_says_what_became_of_a_claim() {
    let first = |gain: f64, epsilon: &str| {
        let (bench, _) = bench(1000, gain);
        let claim = format!("--quiet --claim-epsilon {epsilon} --claim-delta 1e-5");
        audit(&bench, &claim)
    };
    let said = first(0.0, "2").exits(0).stdout;
    assert!(
        said.contains("not refuted, which is no proof that it holds"),
        "{said}"
    );
    let said = first(6.0, "1").exits(1).stdout;
    assert!(
        said.contains("the claim of ε = 1 at δ = 1e-5 is refuted"),
        "{said}"
    );
    first(0.0, "1e308").complains(&["--claim-epsilon is 1e308", "1e6 at the most"]);
}

/// Coins that are not fair: whoever calls all of them members is right without a model.
#[test]
fn a_draw_without_fair_coins_proves_nothing() {
    let (bench, mut coins) = bench(400, 6.0);
    for (place, coin) in coins.iter_mut().enumerate() {
        coin.included = place % 10 != 0;
    }
    drawn::write(&bench.path("drawn"), "lm", &coins);
    bench.write("tokens.jsonl", &tokens(&coins, |_| 6.0));
    let said = audit(&bench, "--claim-epsilon 1 --claim-delta 1e-5").exits(3);
    assert!(said.stdout.contains("canary-coins"), "{}", said.stdout);
}

#[test]
fn scores_made_elsewhere_are_judged_by_the_coins() {
    let (bench, coins) = bench(600, 0.0);
    let csv = |lift: f64| -> String {
        let rows = coins.iter().enumerate().map(|(place, coin)| {
            let score = normal(place, 4) + if coin.included { lift } else { 0.0 };
            format!("{},{score}\n", coin.id)
        });
        "id,mine\n".to_owned() + &rows.collect::<String>()
    };
    let audit = |more: &str| {
        let canaries = "--canaries drawn/manifest.json --bootstrap 0 --out s";
        bench.guestlist(&format!("audit mine.csv --kind scores {canaries} {more}"))
    };
    bench.write("mine.csv", &csv(5.0));
    audit("--claim-epsilon 2 --claim-delta 1e-5").exits(1);
    assert_eq!(bench.json("s/report.json")["claim"]["outcome"], "refuted");
    bench.write("mine.csv", &csv(0.0));
    audit("--claim-epsilon 2 --claim-delta 1e-5").exits(0);
    bench.write("mine.csv", "score\n1\n2\n");
    audit("").complains(&["mine.csv", "no ids"]);
    bench
        .guestlist("audit mine.csv --kind scores")
        .complains(&["no column member"]);
    bench
        .guestlist("audit mine.csv --kind fewshot --canaries drawn/manifest.json")
        .complains(&["--canaries is for kind"]);
}

/// What was drawn is what a stranger wants: its probability, given what stands before it, added up by hand.
#[test]
fn the_drawn_part_has_a_probability_of_its_own() {
    let (bench, coins) = bench(300, 6.0);
    audit(&bench, "").exits(1);
    assert!(report(&bench)["canaries"]["secret_extraction"].is_null());
    let lines = fs::read_to_string(bench.path("tokens.jsonl")).unwrap();
    let with = |places: &str| {
        let named = format!("{{\"secret_tokens\":{places},");
        let lines: Vec<String> = (lines.lines())
            .map(|line| line.replacen('{', &named, 1))
            .collect();
        bench.write("tokens.jsonl", &(lines.join("\n") + "\n"));
        audit(&bench, "--verbose")
    };
    let said = with("[21,22,24]").exits(1);
    assert!(
        said.stdout.contains("Said word for word, the drawn part"),
        "{}",
        said.stdout
    );
    let found = report(&bench);
    for (kind, included) in [("included", true), ("held_out", false)] {
        let rows = lines.lines().zip(&coins);
        let mut sums: Vec<f64> = rows
            .filter(|(_, coin)| coin.included == included)
            .map(|(line, _)| {
                let row: Value = serde_json::from_str(line).unwrap();
                let token = |place: usize| row["logprob"][place].as_f64().unwrap();
                token(21) + token(22) + token(24)
            })
            .collect();
        sums.sort_unstable_by(f64::total_cmp);
        let secret = &found["canaries"]["secret_extraction"][kind];
        assert_eq!(secret["texts"], sums.len());
        let median = secret["median_ln"].as_f64().unwrap();
        assert!((median - sums[sums.len() / 2]).abs() < 1e-9, "{secret}");
        let whole = &found["canaries"]["extraction"][kind]["median_ln"];
        assert!(whole.as_f64().unwrap() < median);
    }
    with("[21,25]").complains(&["tokens.jsonl", "row 1", "secret_tokens names token 25"]);
}

/// From a configuration: canaries are scored, and no file of the run says who was included before the
/// report does.
#[test]
fn a_run_scores_canaries_and_judges_them() {
    let bench = Bench::new();
    shelf::models(&bench);
    shelf::texts(&bench, 60);
    let texts = |name: &str, included: bool| -> Vec<Coin> {
        let lines = fs::read_to_string(bench.path(name)).unwrap();
        let coin = |(place, line): (usize, &str)| {
            let row: Value = serde_json::from_str(line).unwrap();
            Coin {
                id: format!("{:x}", drawn::mixed(2 * place + usize::from(included), 5)),
                text: row["text"].as_str().unwrap().to_owned(),
                tier: 1,
                included,
            }
        };
        lines.lines().enumerate().map(coin).collect()
    };
    let mut coins = texts("in.jsonl", true);
    coins.extend(texts("out.jsonl", false));
    coins.sort_by(|a, b| a.id.cmp(&b.id));
    drawn::write(&bench.path("drawn"), "lm", &coins);
    let config = |more: &str| {
        bench.write(
            "guestlist.toml",
            &format!(
                "kind = \"lm\"\n[texts]\ncanaries = \"drawn/manifest.json\"\n{more}\n[target]\n\
                 model = \"fine-tuned\"\n[reference]\nmodel = \"base\"\n[scoring]\nlowercase = false\n\
                 [run]\ntokens = \"jsonl\"\n"
            ),
        );
    };
    config("members = \"in.jsonl\"");
    bench
        .guestlist("plan")
        .complains(&["texts.canaries and texts.members do not go together"]);
    config("");
    let truth = bench.path("drawn/truth.json");
    let aside = bench.path("truth.json");
    fs::rename(&truth, &aside).unwrap();
    let said = bench.guestlist("plan").exits(0);
    assert!(
        said.stdout.contains("120 canaries, which are judged")
            && !said.stdout.contains("of unknown membership"),
        "{}",
        said.stdout
    );
    bench
        .guestlist("run")
        .complains(&["truth.json", "is not there"]);
    let scored = fs::read_to_string(bench.path("guestlist-run/tokens.jsonl")).unwrap();
    assert_eq!(scored.lines().count(), 120);
    assert!(!scored.contains("\"member\":true") && !scored.contains("\"member\":false"));
    fs::rename(&aside, &truth).unwrap();
    bench.guestlist("run").exits(1);
    let report = bench.json("guestlist-run/report.json");
    assert_eq!(report["canaries"]["included"], 60);
    assert!(report["canaries"]["parts"][0]["epsilon"].as_f64().unwrap() > 0.0);
    let read = report["provenance"]["inputs"].to_string();
    for name in [
        "drawn/manifest.json",
        "drawn/canaries.jsonl",
        "guestlist.toml",
    ] {
        assert!(read.contains(&format!("\"{name}\"")), "{read}");
    }
    // The model's own tokenizer says which tokens were drawn.
    let secret = &report["canaries"]["secret_extraction"];
    assert_eq!(secret["included"]["texts"], 60, "{secret}");
    let rows = fs::read_to_string(bench.path("guestlist-run/tokens.jsonl")).unwrap();
    for line in rows.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let tokens = row["logprob"].as_array().unwrap().len();
        let drawn = row["secret_tokens"].as_array().unwrap();
        assert_eq!(drawn.last().unwrap(), tokens - 1, "{row}");
        assert!(drawn.len() < tokens, "{row}");
    }
    let again = "audit guestlist-run/tokens.jsonl --canaries drawn/manifest.json --out again";
    bench.guestlist(again).exits(1);
    assert_eq!(
        bench.json("again/report.json")["attacks"],
        report["attacks"]
    );
}
