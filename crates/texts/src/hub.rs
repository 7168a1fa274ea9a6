//! Names of models on Hugging Face's hub, given where a folder is wanted.

use std::path::Path;

use crate::Error;

/// Nothing is downloaded here: the message says how to.
pub(crate) fn refused(name: &str, path: &Path) -> Option<Error> {
    if path.exists() || !is_hub_id(name) {
        return None;
    }
    let folder = name.rsplit('/').next().unwrap_or(name);
    Some(
        Error::missing("no such file or folder")
            .at(path)
            .hint(format!(
                "{name} looks like a name on Hugging Face's hub, and models are not downloaded \
                 here: run `hf download {name} --local-dir {folder}` (or `huggingface-cli download \
                 {name} --local-dir {folder}`), then set model = \"{folder}\""
            )),
    )
}

/// `owner/name`, of the characters that the hub allows.
fn is_hub_id(name: &str) -> bool {
    let allowed = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && part
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter))
    };
    let file = name.to_ascii_lowercase().ends_with(".gguf");
    match name.split_once('/') {
        Some((owner, model)) => !file && allowed(owner) && allowed(model),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_the_hub_is_explained_and_a_path_is_not() {
        let refused = refused(
            "HuggingFaceTB/SmolLM2-135M",
            Path::new("HuggingFaceTB/SmolLM2-135M"),
        );
        let hint = refused.unwrap().hint.unwrap();
        assert!(
            hint.contains("hf download HuggingFaceTB/SmolLM2-135M --local-dir SmolLM2-135M"),
            "{hint}"
        );
        for path in [
            "SmolLM2",
            "./models/SmolLM2",
            "../SmolLM2",
            "/models/SmolLM2",
            "models/a/b",
            "models/SmolLM2.gguf",
            "",
        ] {
            assert!(!is_hub_id(path), "{path}");
        }
    }

    #[test]
    fn a_folder_that_is_there_is_no_name() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(refused("owner/name", here).is_none());
    }
}
