//! What a page may do: run its own script and wear its own style, known by their digests, and
//! nothing else. No address is ever asked.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::style::sheet;

/// The page's script.
pub const SCRIPT: &str = include_str!("assets/report.js");

/// The Content-Security-Policy that pages of this version work under.
pub fn html_policy() -> String {
    format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; \
         form-action 'none'",
        source(SCRIPT),
        source(&sheet())
    )
}

/// An inline text's name in a policy.
fn source(text: &str) -> String {
    format!(
        "sha256-{}",
        STANDARD.encode(Sha256::digest(text.as_bytes()))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_known_by_their_digests() {
        // `printf 'alert(1)' | openssl dgst -sha256 -binary | base64`
        assert_eq!(
            source("alert(1)"),
            "sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI="
        );
    }

    #[test]
    fn the_script_cannot_end_itself() {
        assert!(!SCRIPT.contains("</"), "a page would end its script there");
        assert!(SCRIPT.len() < 15_000);
    }
}
