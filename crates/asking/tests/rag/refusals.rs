//! What can be seen to be wrong is refused before anything is sent.

use base::ErrorKind;

use super::*;

fn refused(toml: &str) -> String {
    let settings: TargetSettings = toml::from_str(toml).unwrap();
    let error = Service::new(&settings, &transport()).err().expect(toml);
    assert_eq!(error.kind, ErrorKind::Setting, "{error}");
    error.to_string()
}

#[test]
fn a_whole_target_in_toml() {
    let target = r#"
        url = "https://host/ask?tenant={{tenant}}"
        api_key = "${PATH}"
        stream = "sse"
        stream_text = "cumulative"
        values = { tenant = "a b", model = "m" }
        [headers]
        X-Trace = "{{session}}"
        [body]
        model = "{{model}}"
        messages = [{ role = "user", content = "{{query}}" }]
        [extract]
        delta = ["$.text", "$.delta"]
        citations = "$.sources[*]"
        source_id = "$.file"
        [off]
        remove = ["model"]
        body = { retrieval = false }
    "#;
    let settings: TargetSettings = toml::from_str(target).unwrap();
    let service = Service::new(&settings, &transport()).unwrap();
    assert!(service.has_off());
    let about = service.about();
    let wanted = "a service at https://host/ask?tenant=a b (POST, server-sent events), with and \
                  without retrieval";
    assert_eq!(about, wanted);
    let transport: TransportSettings = toml::from_str("timeout = 5\nmax_requests = 10").unwrap();
    assert_eq!((transport.concurrency, transport.retries), (4, 4));
}

#[test]
fn mistakes_are_named() {
    let good = "url = \"http://h\"\nbody = {q = \"{{query}}\"}\nextract = {answer = \"$.a\"}\n";
    let service = |more: &str| good.to_owned() + more;
    for (toml, words) in [
        (
            "body = {q = \"{{query}}\"}".to_owned(),
            "target.url is missing",
        ),
        (
            "url = \"ftp://h\"\nbody = \"{{query}}\"".into(),
            "http:// or https://",
        ),
        (
            "url = \"http://\"\nbody = \"{{query}}\"".into(),
            "url is wrong",
        ),
        ("url = \"http://{{query}}.h/\"".into(), "name of the host"),
        (
            "url = \"http://h\"\nbody = {q = \"x\"}".into(),
            "{{query}} stands nowhere",
        ),
        (
            "url = \"http://h\"\nbody = \"{{query}}\"".into(),
            "target.extract.answer is missing",
        ),
        (
            service("stream = \"sse\""),
            "target.extract.delta is missing",
        ),
        (service("method = \"FETCH\""), "target.method is \"FETCH\""),
        (service("method = \"GET\""), "GET does not send"),
        (service("form = {q = \"\"}"), "more than one of body"),
        (
            service("api_key = \"${NO_SUCH_VARIABLE_HERE}\""),
            "NO_SUCH_VARIABLE_HERE",
        ),
        (
            service("headers = {\"a b\" = \"c\"}"),
            "no name of a header",
        ),
        (service("headers = {a = \"c\\nd\"}"), "HTTP cannot send"),
        (service("preset = \"nonesuch\""), "choose one of guestlist"),
        (
            "preset = \"openai-chat\"\nurl = \"http://h\"".into(),
            "{{model}}",
        ),
        (service("off = {}"), "changes nothing"),
    ] {
        let refused = refused(&toml);
        assert!(refused.contains(words), "{toml}: {refused}");
    }
}

#[test]
fn paths_that_are_none_are_named_with_their_key() {
    for key in [
        "answer",
        "citations",
        "retrieved",
        "blocked",
        "source_id",
        "end",
    ] {
        let mut target = plain("http://h");
        target["extract"][key] = "$.a[".into();
        let error = Service::new(&settings(target), &transport()).err().unwrap();
        assert!(
            error.to_string().contains(&format!("target.extract.{key}")),
            "{error}"
        );
    }
}

#[test]
fn unknown_keys_are_refused() {
    let unknown = |toml: &str| {
        toml::from_str::<TargetSettings>(toml)
            .unwrap_err()
            .to_string()
    };
    assert!(unknown("adress = \"x\"").contains("adress"));
    assert!(unknown("[extract]\nansver = \"x\"").contains("ansver"));
    assert!(unknown("[off]\nmodel = \"x\"").contains("model"));
    assert!(toml::from_str::<TransportSettings>("retry = 1").is_err());
}

#[test]
fn transports_that_make_no_sense_are_refused() {
    let refused = |change: fn(&mut TransportSettings)| {
        let mut transport = transport();
        change(&mut transport);
        let error = Service::new(&settings(plain("http://h")), &transport)
            .err()
            .unwrap();
        assert_eq!(error.kind, ErrorKind::Setting);
        error.to_string()
    };
    assert!(refused(|t| t.concurrency = 0).contains("transport.concurrency is 0"));
    assert!(refused(|t| t.timeout = f64::NAN).contains("timeout"));
    assert!(refused(|t| t.timeout = 0.0).contains("timeout"));
    assert!(refused(|t| t.requests_per_minute = Some(0)).contains("requests_per_minute"));
    assert!(refused(|t| t.retries = 1000).contains("retries"));
}
