//! What the configurations that `guestlist init` writes have in common. Each kind has its own.

/// Whether a model's name is the address of a server.
pub fn is_server(name: &str) -> bool {
    name.starts_with("http://") || name.starts_with("https://")
}

/// A TOML string, whatever is in it.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            c if c.is_control() => out += &format!("\\u{:04X}", u32::from(c)),
            c => out.push(c),
        }
    }
    out + "\""
}

/// Whether a comment holds a setting.
#[cfg(test)]
pub fn is_setting(text: &str) -> bool {
    let key = text.split([' ', '=']).next().unwrap_or_default();
    let word = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    (word && text.contains(" = ")) || (text.starts_with('[') && text.ends_with(']'))
}
