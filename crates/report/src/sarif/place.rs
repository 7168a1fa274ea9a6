//! The file that a result is pinned to: servers show no alert without one.

use crate::document::Report;

/// Used where the audit names no file inside the working folder.
const FALLBACK: &str = "report.json";

/// The configuration of a run, else a configuration or the first file among the inputs, as a
/// relative URI reference.
pub fn place(report: &Report) -> String {
    let inputs = || report.read_of_subject().map(|input| input.path.as_str());
    let configurations = inputs().filter(|path| path.ends_with(".toml"));
    let candidates = configuration(&report.provenance.command).into_iter();
    candidates
        .chain(configurations)
        .chain(inputs())
        .find_map(relative)
        .unwrap_or_else(|| FALLBACK.into())
}

/// The file that `guestlist run` was given: inputs are named from where it lies, it itself from
/// where the command was typed.
fn configuration(command: &str) -> Option<&str> {
    let words = command.strip_prefix("guestlist run ")?;
    match words.strip_prefix('\'') {
        // A quote inside the quotes would be spelled '\'': such a name is left alone.
        Some(quoted) if !quoted.contains('\\') => quoted.split('\'').next(),
        Some(_) => None,
        None => words.split(' ').next(),
    }
}

/// A path inside the working folder with forward slashes; others would point nowhere in a
/// repository, and tell of the machine.
fn relative(path: &str) -> Option<String> {
    let path = path.replace('\\', "/");
    let drive = path.as_bytes().get(1) == Some(&b':');
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| *part != "." && !part.is_empty())
        .collect();
    let outside = path.starts_with('/') || drive || parts.contains(&"..");
    if outside || parts.is_empty() {
        return None;
    }
    Some(percent_encoded(&parts.join("/")))
}

/// RFC 3986: everything but unreserved characters and slashes as %XX.
fn percent_encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes()
        .map(|byte| match plain(byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_folder_and_become_uris() {
        assert_eq!(relative("./a/b.npz").as_deref(), Some("a/b.npz"));
        assert_eq!(relative("a\\b.npz").as_deref(), Some("a/b.npz"));
        assert_eq!(
            relative("a b\u{1b}:ü#?.npz").as_deref(),
            Some("a%20b%1B%3A%C3%BC%23%3F.npz")
        );
        for outside in ["/etc/passwd", "../x", "a/../../x", "C:\\x", "c:x", "", "./"] {
            assert_eq!(relative(outside), None, "{outside}");
        }
    }

    #[test]
    fn a_run_is_pinned_to_its_configuration() {
        let found = configuration;
        assert_eq!(
            found("guestlist run ci/rag.toml --shadows 4"),
            Some("ci/rag.toml")
        );
        assert_eq!(
            found("guestlist run 'my audit.toml'"),
            Some("my audit.toml")
        );
        assert_eq!(found("guestlist run 'it'\\''s.toml'"), None);
        assert_eq!(found("guestlist audit signals.npz"), None);
    }
}
