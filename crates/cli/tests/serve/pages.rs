//! What the pages show.

use std::fs;

use crate::folder::Folder;
use crate::server::Server;
use crate::signals::Signals;

fn three() -> Folder {
    let folder = Folder::new();
    folder.audit("leaky", &Signals::leaky());
    folder.audit("nested/deep/clean", &Signals::clean());
    folder.audit("small", &Signals::too_few_members());
    folder.write(
        "broken/report.json",
        "{\"schema\": \"guestlist.report/1\", \"verdict\"",
    );
    folder.write("newer/report.json", "{\"schema\": \"guestlist.report/9\"}");
    folder
}

/// Numbers of the report, as the page shows them.
fn auc(folder: &Folder, name: &str) -> String {
    let text = fs::read_to_string(folder.path(name).join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let gate = &report["verdict"]["gate"]["attack"];
    let attacks = report["attacks"].as_array().unwrap();
    let attack = attacks.iter().find(|attack| attack["id"] == *gate).unwrap();
    format!("{:.4}", attack["auc"]["value"].as_f64().unwrap())
}

#[test]
fn every_audit_is_listed_and_damaged_ones_say_why() {
    let folder = three();
    let server = Server::start(&folder.path(""), "");
    let page = server.await_text("/", "5 audits");
    for part in [
        "/audits/leaky/",
        "/audits/nested/deep/clean/",
        "✕",
        "fail",
        "pass",
        "inconclusive",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("is a damaged report") || page.contains("is not a guestlist report"));
    assert!(page.contains("has schema guestlist.report/9"));
    assert!(page.contains(&auc(&folder, "leaky")));
    assert!(page.contains(&auc(&folder, "nested/deep/clean")));

    let found = server.get("/?search=DEEP").is(200);
    found.says("1 of 5 audits");
    let found = server.get("/?verdict=fail").is(200).text();
    assert!(found.contains("/audits/leaky/") && !found.contains("/audits/small/"));
    let found = server.get("/?verdict=damaged").is(200);
    found.says("2 of 5 audits");
    let found = server.get("/?kind=rag").is(200);
    found.says("0 of 5 audits");
    let rows = server.get("/?sort=auc&order=desc").is(200).text();
    assert!(
        rows.find("/audits/leaky/").unwrap() < rows.find("/audits/nested/deep/clean/").unwrap()
    );
    let rows = server.get("/?sort=auc&order=asc").is(200).text();
    assert!(
        rows.find("/audits/leaky/").unwrap() > rows.find("/audits/nested/deep/clean/").unwrap()
    );
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn an_audit_has_a_page_a_report_and_a_place_in_trend_and_comparison() {
    let folder = three();
    let server = Server::start(&folder.path(""), "");
    server.await_text("/", "5 audits");
    let page = server.get("/audits/leaky/").is(200);
    for part in [
        "Full report",
        "scores.parquet",
        "lira",
        "decides",
        &auc(&folder, "leaky"),
    ] {
        page.says(part);
    }
    assert!(!page.text().contains("<form class=\"action\""));
    server
        .get("/audits/broken/")
        .is(200)
        .says("is not a guestlist report");
    server.get("/audits/leaky").is(303);
    server.get("/audits/nested/").is(404);

    let report = server.get("/audits/leaky/report").is(200);
    assert!(report.headers["content-security-policy"].contains("frame-ancestors 'none'"));

    let trend = server.get("/trend?measure=auc").is(200);
    trend.says("AUC of 3 audits");
    trend.says(&auc(&folder, "leaky"));
    assert_eq!(trend.text().matches("data-tip=").count(), 3);
    server
        .get("/trend?measure=tpr@0.01&attack=rmia")
        .is(200)
        .says("rmia");
    server
        .get("/trend?kind=rag")
        .is(200)
        .says("No audit here has AUC");
    server
        .get("/trend?measure=nonsense&attack=%00&kind=x")
        .is(200);

    let compared = server.get("/compare?a=/nested/deep/clean&b=/leaky").is(200);
    compared.says("a rise");
    compared.says("rose beyond noise");
    compared.says("phi.npy");
    let compared = server.get("/compare?run=%2Fleaky&run=%2Fleaky").is(200);
    compared.says("no measure rose or fell beyond noise");
    compared.says("All settings are the same");
    server.get("/compare?a=/leaky").is(200).says("Which two?");
    server.get("/compare?a=/leaky&b=/broken").is(422);
    server.get("/compare?a=/leaky&b=/../leaky").is(400);
    server.get("/nowhere").is(404);
}

#[test]
fn the_report_says_when_an_audit_was_and_not_its_file() {
    let folder = Folder::new();
    for (name, date) in [("newest", "2031-05-04"), ("oldest", "1999-12-31")] {
        folder.audit(name, &Signals::leaky());
        dated(&folder, name, Some(date));
    }
    folder.audit("undated", &Signals::clean());
    dated(&folder, "undated", None);
    let server = Server::start(&folder.path(""), "");
    server.await_text("/", "3 audits");
    let inside = |text: &str, names: [&str; 3]| {
        let places = names.map(|name| text.find(&format!("/audits/{name}/\"")).unwrap());
        assert!(places.is_sorted(), "{names:?}: {text}");
    };
    let list = server.get("/").is(200).text();
    inside(&list, ["newest", "undated", "oldest"]);
    let list = server.get("/?sort=date&order=asc").is(200).text();
    inside(&list, ["oldest", "undated", "newest"]);
    assert!(list.contains("1999-12-31") && list.contains("(of the file)"));
    let trend = server.get("/trend").is(200).text();
    inside(&trend, ["oldest", "undated", "newest"]);
    // Of two ticks the earlier audit is the earlier one, whichever file was written first.
    let compared = server
        .get("/compare?run=/newest&run=/oldest")
        .is(200)
        .text();
    let earlier = compared.split("Earlier: ").nth(1).unwrap();
    let named = earlier.find("/audits/oldest/").unwrap();
    assert!(named < earlier.find("/audits/newest/").unwrap());
    server.get("/audits/newest/").is(200).says("2031-05-04");
    server
        .get("/audits/undated/")
        .is(200)
        .says("the report does not say");
}

/// Another day in a report, or none.
fn dated(folder: &Folder, name: &str, date: Option<&str>) {
    let path = folder.path(name).join("report.json");
    let text = fs::read_to_string(&path).unwrap();
    let mut report: serde_json::Value = serde_json::from_str(&text).unwrap();
    match date {
        Some(date) => report["provenance"]["date"] = date.into(),
        None => {
            let provenance = report["provenance"].as_object_mut().unwrap();
            provenance.remove("date");
        }
    }
    fs::write(path, report.to_string()).unwrap();
}

#[test]
fn trends_show_what_audits_were_held_against() {
    let folder = three();
    let server = Server::start(&folder.path(""), "");
    server.await_text("/", "5 audits");
    let trend = server.get("/trend?measure=auc").is(200).text();
    assert!(trend.contains("line threshold") && trend.contains("threshold 0.65"));
    assert!(trend.contains("held against is red"));
    // Nobody held this measure against anything.
    let trend = server.get("/trend?measure=tpr@0.01").is(200).text();
    assert!(!trend.contains("line threshold") && !trend.contains("held against is red"));
}

#[test]
fn the_folder_may_itself_be_an_audit() {
    let folder = three();
    let server = Server::start(&folder.path("leaky"), "");
    server.await_text("/", "1 audit");
    server.get("/audits/").is(200).says("Full report");
    server
        .get("/audits/records")
        .is(200)
        .says("Rows 0 to 99 of 400");
    server.get("/audits/records/7").is(200);
    server
        .get("/compare?a=/&b=/")
        .is(200)
        .says("no measure rose");
}

#[test]
fn changes_in_the_folder_show_without_a_new_start() {
    let folder = Folder::new();
    let server = Server::start(&folder.path(""), "");
    server.await_text("/", "No audits here yet");
    folder.audit("first", &Signals::leaky());
    server.await_text("/", "/audits/first/");
    server.await_text("/", "1 audit");
    fs::write(folder.path("first/report.json"), "{").unwrap();
    server.await_text("/", "damaged");
    fs::remove_dir_all(folder.path("first")).unwrap();
    server.await_text("/", "No audits here yet");
}

#[test]
fn a_folder_that_is_none_is_refused_in_words() {
    let folder = Folder::new();
    folder.write("file", "");
    for (name, part) in [("nowhere", "cannot be read"), ("file", "is not a folder")] {
        let output = crate::server::program()
            .arg("serve")
            .arg(folder.path(name))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(part) && said.contains("hint: "), "{said}");
    }
}
