//! Documents by owner.

use serde_json::json;

use crate::bench::Bench;
use crate::service::text;

#[test]
fn recorded_answers_are_judged_by_the_owner_of_the_documents() {
    let bench = Bench::new();
    let mut talk = String::new();
    let mut documents = String::new();
    for number in 0..160 {
        let owner = number / 4;
        let member = owner % 2 == 0;
        let answer = match member {
            true => text(number),
            false => "I don't know.".into(),
        };
        talk += &format!(
            "{}\n",
            json!({
                "document": format!("paper-{number}"), "member": member, "strategy": "content",
                "query": "What is said about it?", "answer": answer, "citations": [],
            })
        );
        documents += &format!(
            "{}\n",
            json!({"id": format!("paper-{number}"), "text": text(number), "owner": format!("Ana {owner}")})
        );
    }
    bench.write("talk.jsonl", &talk);
    bench.write("texts.jsonl", &documents);
    let said = bench
        .guestlist("audit talk.jsonl --documents texts.jsonl --group owner --out o")
        .exits(1);
    assert!(said.stdout.contains("by person"), "{}", said.stdout);
    let report = bench.json("o/report.json");
    let persons = &report["persons"];
    assert_eq!(
        (&persons["members"], &persons["nonmembers"]),
        (&20.into(), &20.into())
    );
    assert!(!report.to_string().contains("Ana 3"));
    let said = bench.guestlist("audit talk.jsonl --group owner");
    said.complains(&["--group owner needs the documents"]);
}
