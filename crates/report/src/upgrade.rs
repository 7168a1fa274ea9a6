//! Documents of the first version, `guestlist.report/1`, in today's shape. There the kind was told by
//! which keys were present, and every kind filled in the counts of a classifier.

use serde_json::{Map, Value};

pub const FIRST: &str = "guestlist.report/1";

/// Moves old keys to where they are now; a damaged document is left for the reader to refuse.
pub fn upgrade(mut document: Value) -> Value {
    let Some(report) = document.as_object_mut() else {
        return document;
    };
    let mut nothing = Map::new();
    let data = report
        .get_mut("provenance")
        .and_then(|provenance| provenance.get_mut("data"))
        .and_then(Value::as_object_mut)
        .unwrap_or(&mut nothing);
    let mut counts = Map::new();
    for key in ["models", "augmentations", "target", "shadows", "tokens"] {
        counts.extend(data.remove(key).map(|count| (key.to_owned(), count)));
    }
    let (kind, detail) = detail(report, counts);
    report.insert("schema".into(), crate::SCHEMA.into());
    report.insert("kind".into(), kind.into());
    report.insert("detail".into(), detail.into());
    document
}

/// The kind as it was guessed, and what is particular to it.
fn detail(report: &mut Object, mut counts: Object) -> (&'static str, Object) {
    let mut take = |key: &str| report.remove(key).filter(|value| !value.is_null());
    let parts = ["source", "retrieval", "fewshot", "training", "language"].map(&mut take);
    let [source, retrieval, fewshot, training, language] = parts;
    let checkpoints = take("checkpoints");
    if let Some(source) = source {
        return ("source", object(source));
    }
    if let Some(retrieval) = retrieval {
        return ("rag", object(retrieval));
    }
    if let Some(tokens) = counts.remove("tokens") {
        let parts = [
            ("tokens", Some(tokens)),
            ("scoring", language),
            ("checkpoints", checkpoints),
        ];
        return ("lm", parted(parts));
    }
    if let Some(fewshot) = fewshot {
        let of_a_model = ["models", "target"].map(|key| (key, counts.remove(key)));
        let mut detail = object(fewshot);
        detail.extend(parted(of_a_model));
        return ("fewshot", detail);
    }
    if counts.get("models").is_some_and(|models| models == 0) {
        return ("scores", Object::new());
    }
    counts.extend(parted([("training", training)]));
    ("classifier", counts)
}

type Object = Map<String, Value>;

fn object(value: Value) -> Object {
    match value {
        Value::Object(keys) => keys,
        _ => Object::new(),
    }
}

fn parted<const N: usize>(parts: [(&str, Option<Value>); N]) -> Object {
    let there = parts
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
    there.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn first(data: Value, part: (&str, Value)) -> Value {
        let mut document = json!({"schema": FIRST, "provenance": {"data": data}});
        document[part.0] = part.1;
        document
    }

    fn check(data: Value, part: (&str, Value), kind: &str, detail: Value) {
        let upgraded = upgrade(first(data, part));
        assert_eq!(upgraded["schema"], crate::SCHEMA);
        assert_eq!(
            (&upgraded["kind"], &upgraded["detail"]),
            (&kind.into(), &detail)
        );
        assert_eq!(
            upgraded["provenance"]["data"],
            json!({"format": "f", "records": 4})
        );
    }

    #[test]
    fn every_kind_is_told_as_it_was() {
        let data = |models: usize| json!({"format": "f", "models": models, "records": 4, "augmentations": 1, "target": 0, "shadows": 2});
        let mut texts = data(1);
        texts["tokens"] = 9.into();
        let counts = json!({"models": 3, "augmentations": 1, "target": 0, "shadows": 2});
        check(
            data(3),
            ("training", Value::Null),
            "classifier",
            counts.clone(),
        );
        let mut trained = counts;
        trained["training"] = json!({"trainer": "t"});
        check(
            data(3),
            ("training", json!({"trainer": "t"})),
            "classifier",
            trained,
        );
        check(data(0), ("notes", json!([])), "scores", json!({}));
        check(
            texts.clone(),
            ("checkpoints", json!([1])),
            "lm",
            json!({"tokens": 9, "checkpoints": [1]}),
        );
        check(
            texts,
            ("language", json!({"texts": 4})),
            "lm",
            json!({"tokens": 9, "scoring": {"texts": 4}}),
        );
        check(
            data(1),
            ("retrieval", json!({"answers": []})),
            "rag",
            json!({"answers": []}),
        );
        check(
            data(1),
            ("source", json!({"echoes": 0})),
            "source",
            json!({"echoes": 0}),
        );
        check(
            data(2),
            ("fewshot", json!({"white_box": true})),
            "fewshot",
            json!({"white_box": true, "models": 2, "target": 0}),
        );
    }

    #[test]
    fn what_is_no_report_stays_none() {
        assert_eq!(upgrade(json!([1])), json!([1]));
        assert!(upgrade(json!({})).get("provenance").is_none());
    }
}
