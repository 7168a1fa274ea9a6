//! Documents in German and in Chinese: they are asked about in their own language, what the store holds is
//! found, and what it does not hold is not called a leak.

use rehearsal::Document;
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::service::{configure, serve};

const COUNT: usize = 48;

/// The words of a language that sentences are made of.
struct Words {
    places: [&'static str; 12],
    things: [&'static str; 12],
    names: [&'static str; 12],
    sentence: fn([&str; 3], usize, usize) -> String,
    /// What stands between two sentences.
    between: &'static str,
}

const GERMAN: Words = Words {
    places: [
        "Reutlingen",
        "Görlitz",
        "Aurich",
        "Passau",
        "Husum",
        "Meißen",
        "Bamberg",
        "Stade",
        "Lindau",
        "Soest",
        "Wismar",
        "Fulda",
    ],
    things: [
        "Mühle",
        "Brücke",
        "Werkstatt",
        "Bibliothek",
        "Scheune",
        "Sternwarte",
        "Orgel",
        "Zisterne",
        "Schleuse",
        "Gießerei",
        "Kapelle",
        "Schmiede",
    ],
    names: [
        "Meister Lorenz",
        "Frau Hellwig",
        "Vogt Brandis",
        "Abt Ruprecht",
        "Witwe Kessler",
        "Ritter Elmar",
        "Pfarrer Distel",
        "Kaufmann Oswald",
        "Magd Irmgard",
        "Bauer Thiele",
        "Schreiber Anselm",
        "Graf Wendelin",
    ],
    sentence: |[place, thing, name], year, count| {
        format!(
            "Die große {thing} bei {place} wurde im Jahr {year} fertiggestellt und kostete {count} Gulden, wie \
             {name} in einem langen Brief berichtet."
        )
    },
    between: " ",
};

const CHINESE: Words = Words {
    places: [
        "临安", "泉州", "大理", "敦煌", "徽州", "平遥", "凤凰", "丽江", "绍兴", "洛阳", "开封",
        "承德",
    ],
    things: [
        "水车",
        "石桥",
        "书院",
        "粮仓",
        "观星台",
        "织布坊",
        "钟楼",
        "水库",
        "造船厂",
        "铸铁厂",
        "寺庙",
        "茶馆",
    ],
    names: [
        "工匠李四海",
        "县令王守仁",
        "商人陈万年",
        "画家赵明远",
        "医生孙德胜",
        "船长郑成海",
        "僧人慧能",
        "教师周文斌",
        "木匠鲁大志",
        "诗人苏小坡",
        "将军岳飞云",
        "农民田大壮",
    ],
    sentence: |[place, thing, name], year, count| {
        format!(
            "{place}附近的大型{thing}于{year}年建成，共花费了{count}两白银，{name}在一封长信中记载了这件事。"
        )
    },
    between: "",
};

/// A text of its own, like all others in kind.
fn text(words: &Words, number: usize) -> String {
    let mut state = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((state ^ (state >> 29)) >> 33) as usize % below as usize
    };
    let mut sentence = || {
        let drawn = [
            words.places[draw(12)],
            words.things[draw(12)],
            words.names[draw(12)],
        ];
        (words.sentence)(drawn, 1200 + draw(700), 100 + draw(9000))
    };
    let sentences: Vec<String> = (0..4).map(|_| sentence()).collect();
    sentences.join(words.between)
}

fn documents(words: &Words, numbers: std::ops::Range<usize>) -> Vec<Document> {
    let document = |number: usize| Document {
        id: format!("akte-{number:05}"),
        title: None,
        text: text(words, number),
    };
    numbers.map(document).collect()
}

/// The report of an audit of a service that holds these, the first half of the documents being called
/// members.
fn audit(words: &Words, held: std::ops::Range<usize>) -> (Value, String) {
    let bench = Bench::new();
    for (name, numbers) in [("in.jsonl", 0..COUNT), ("out.jsonl", COUNT..2 * COUNT)] {
        let rows = documents(words, numbers).into_iter();
        let rows = rows.map(|one| json!({"id": one.id, "text": one.text}).to_string() + "\n");
        bench.write(name, &rows.collect::<String>());
    }
    let running = serve(documents(words, held), &[]);
    configure(
        &bench,
        running.address(),
        "[probes]\nrepeats = 0\nwithout_retrieval = false\n[audit]\nattacks = [\"facts\", \"citation\", \"yes-no\", \
         \"mba\", \"ia\"]",
    );
    let said = bench.guestlist("run");
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    (
        bench.json("guestlist-run/report.json"),
        std::fs::read_to_string(bench.path("guestlist-run/transcript.jsonl")).unwrap(),
    )
}

fn checked(words: &Words, asked: &str) {
    let (report, transcript) = audit(words, 0..COUNT);
    assert!(
        transcript.contains(asked),
        "questions are in another language"
    );
    assert_eq!(
        report["verdict"]["outcome"], "fail",
        "{}",
        report["verdict"]
    );
    let auc = |report: &Value, id: &str| {
        let attacks = report["attacks"].as_array().unwrap();
        let attack = attacks.iter().find(|attack| attack["id"] == id).unwrap();
        attack["auc"]["value"].as_f64().unwrap()
    };
    for id in ["facts", "yes-no", "mba", "ia"] {
        assert!(auc(&report, id) > 0.8, "{id}: {}", auc(&report, id));
    }
    // The same questions to a service that holds neither half.
    let (report, _) = audit(words, 2 * COUNT..3 * COUNT);
    assert_ne!(
        report["verdict"]["outcome"], "fail",
        "{}",
        report["verdict"]
    );
}

#[test]
fn german_documents_are_found_by_german_questions() {
    checked(&GERMAN, "Antworte mit Ja oder Nein");
}

#[test]
fn chinese_documents_are_found_by_chinese_questions() {
    checked(&CHINESE, "请根据你的文档填空");
}
