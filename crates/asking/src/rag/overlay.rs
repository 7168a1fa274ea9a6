//! Settings on top of settings: a target over its preset, the arm without retrieval over both.

use serde_json::Value;

use super::settings::{ExtractSettings, TargetSettings};

impl TargetSettings {
    /// These settings, with what the other ones say put on top.
    pub(super) fn with(mut self, over: &TargetSettings) -> Self {
        replace(&mut self.preset, &over.preset);
        replace(&mut self.url, &over.url);
        replace(&mut self.command, &over.command);
        replace(&mut self.elsewhere, &over.elsewhere);
        replace(&mut self.method, &over.method);
        replace(&mut self.api_key, &over.api_key);
        replace(&mut self.stream, &over.stream);
        replace(&mut self.stream_text, &over.stream_text);
        replace(&mut self.refused_status, &over.refused_status);
        replace(&mut self.price, &over.price);
        if !over.base.as_os_str().is_empty() {
            self.base.clone_from(&over.base);
        }
        self.headers.extend(over.headers.clone());
        self.values.extend(over.values.clone());
        self.extract = self.extract.with(&over.extract);
        self.take_body(over);
        self.remove_keys(&over.remove);
        self
    }

    /// A body of another kind takes the place of what was there; JSON is merged key by key.
    fn take_body(&mut self, over: &TargetSettings) {
        if over.body.is_none() && over.body_text.is_none() && over.form.is_none() {
            return;
        }
        self.body_text.clone_from(&over.body_text);
        self.body = match (self.body.take(), &over.body) {
            (Some(under), Some(over)) => Some(merged(under, over)),
            (_, over) => over.clone(),
        };
        self.form = match (self.form.take(), &over.form) {
            (Some(mut under), Some(over)) => {
                under.extend(over.clone());
                Some(under)
            }
            (_, over) => over.clone(),
        };
    }

    fn remove_keys(&mut self, keys: &[String]) {
        for key in keys {
            if let Some(Value::Object(body)) = &mut self.body {
                body.remove(key);
            }
            if let Some(form) = &mut self.form {
                form.remove(key);
            }
        }
    }
}

impl ExtractSettings {
    pub(super) fn with(mut self, over: &ExtractSettings) -> Self {
        replace(&mut self.answer, &over.answer);
        replace(&mut self.citations, &over.citations);
        replace(&mut self.retrieved, &over.retrieved);
        replace(&mut self.delta, &over.delta);
        replace(&mut self.end, &over.end);
        replace(&mut self.blocked, &over.blocked);
        replace(&mut self.source_id, &over.source_id);
        replace(&mut self.source_title, &over.source_title);
        replace(&mut self.source_text, &over.source_text);
        self
    }
}

fn replace<T: Clone>(under: &mut Option<T>, over: &Option<T>) {
    if over.is_some() {
        under.clone_from(over);
    }
}

fn merged(under: Value, over: &Value) -> Value {
    match (under, over) {
        (Value::Object(mut under), Value::Object(over)) => {
            for (key, value) in over {
                let below = under.remove(key).unwrap_or_default();
                under.insert(key.clone(), merged(below, value));
            }
            Value::Object(under)
        }
        (_, over) => over.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(json: Value) -> TargetSettings {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn bodies_are_merged_key_by_key_and_keys_taken_out() {
        let under = settings(json!({
            "url": "a", "headers": {"x": "1", "y": "2"},
            "body": {"model": "m", "options": {"a": 1, "b": [1, 2]}, "files": []},
        }));
        let over = settings(json!({
            "headers": {"y": "3"}, "remove": ["files", "absent"],
            "body": {"options": {"b": [3]}, "new": true},
        }));
        let both = under.with(&over);
        assert_eq!(
            both.body.unwrap(),
            json!({"model": "m", "options": {"a": 1, "b": [3]}, "new": true})
        );
        assert_eq!(both.headers["x"], "1");
        assert_eq!(both.headers["y"], "3");
        assert_eq!(both.url.as_deref(), Some("a"));
    }

    #[test]
    fn a_body_of_another_kind_takes_its_place() {
        let under = settings(json!({"body": {"a": 1}}));
        let both = under.with(&settings(json!({"form": {"q": "{{query}}"}})));
        assert_eq!(both.body, None);
        assert_eq!(both.form.unwrap()["q"], "{{query}}");
    }
}
