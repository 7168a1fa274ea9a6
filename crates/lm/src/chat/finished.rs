//! Conversations as a trainer lays them out: with the answers, and nothing left to say.

use std::path::Path;

use super::{ChatMessage, found, template};
use crate::Result;
use crate::weights::GgufFile;

/// A model's chat template, without the model.
pub struct ChatTemplate {
    template: String,
    begin: String,
    end: String,
}

impl ChatTemplate {
    /// The template in a model's folder or GGUF file, if it has one. A `tokenizer.json` is seen with the
    /// folder that it lies in.
    pub fn find(path: &Path) -> Result<Option<Self>> {
        let conversation = match path.extension().and_then(|ending| ending.to_str()) {
            Some("gguf") => found::from_gguf(&GgufFile::open(path)?),
            Some("json") => found::from_folder(path.parent().unwrap_or(Path::new(".")))?,
            _ => found::from_folder(path)?,
        };
        let with = |template: String| Self {
            template,
            begin: conversation.begin.clone(),
            end: conversation.end.clone(),
        };
        Ok(conversation.template.clone().map(with))
    }

    /// The whole conversation as text, without the sign that begins a text where the template writes
    /// it: a tokenizer puts it there.
    pub fn render(&self, messages: &[ChatMessage]) -> Result<String> {
        let signs = (self.begin.as_str(), self.end.as_str());
        let text = template::render(&self.template, messages, signs, false)?;
        let begun = Some(&self.begin).filter(|begin| !begin.is_empty());
        let rest = begun.and_then(|begin| text.strip_prefix(begin.as_str()));
        Ok(rest.map(str::to_owned).unwrap_or(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finished_conversation_asks_for_nothing_and_begins_once() {
        let folder = tempfile::tempdir().unwrap();
        assert!(ChatTemplate::find(folder.path()).unwrap().is_none());
        let settings = serde_json::json!({
            "bos_token": "<s>",
            "chat_template": "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}\
                              {% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}",
        });
        let path = folder.path().join("tokenizer_config.json");
        std::fs::write(path, settings.to_string()).unwrap();
        let template = ChatTemplate::find(folder.path()).unwrap().unwrap();
        let said = [
            ChatMessage::new("user", "a?"),
            ChatMessage::new("assistant", "b."),
        ];
        assert_eq!(template.render(&said).unwrap(), "[user]a?[assistant]b.");
    }
}
