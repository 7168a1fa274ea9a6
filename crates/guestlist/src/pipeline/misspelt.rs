//! A key or a word that nothing knows: what was meant by it, or where it belongs.

/// Which of the names that a reader expected was meant; nothing where none is near.
pub fn meant(refusal: &str) -> Option<String> {
    let (name, expected) = unknown(refusal)?;
    let nearest = text::nearest(&expected, name)?;
    Some(format!("did you mean `{nearest}`?"))
}

/// The sections of a commented configuration that have this very key.
pub fn belongs(refusal: &str, template: &str) -> Option<String> {
    let (name, _) = unknown(refusal).filter(|_| refusal.starts_with(FIELD))?;
    let mut places: Vec<String> = Vec::new();
    let mut place = "at the top, before the first section".to_owned();
    for line in template.lines().map(setting) {
        match header(line) {
            Some(head) if head == name => {
                return Some(format!("it is a section of its own, [{head}]"));
            }
            Some(head) => place = format!("under [{head}]"),
            None if key(line) == Some(name) && !places.contains(&place) => {
                places.push(place.clone());
            }
            None => {}
        }
    }
    (!places.is_empty()).then(|| format!("`{name}` belongs {}", places.join(" or ")))
}

const FIELD: &str = "unknown field `";
const VARIANT: &str = "unknown variant `";

/// A name that was refused, and those that were expected in its place, as serde tells of them.
fn unknown(refusal: &str) -> Option<(&str, Vec<&str>)> {
    let rest = refusal
        .strip_prefix(FIELD)
        .or_else(|| refusal.strip_prefix(VARIANT))?;
    let (name, expected) = rest.split_once("`, ")?;
    Some((name, expected.split('`').skip(1).step_by(2).collect()))
}

/// A line of a template, whether or not it is commented out.
fn setting(line: &str) -> &str {
    line.trim_start_matches(['#', ' '])
}

fn key(line: &str) -> Option<&str> {
    line.split_once('=').map(|(key, _)| key.trim())
}

fn header(line: &str) -> Option<&str> {
    let inside = line.trim().strip_prefix('[')?;
    let (head, _) = inside.split_once(']')?;
    let name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    (!head.is_empty() && head.chars().all(name)).then_some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATE: &str = "kind = \"x\"\nseed = 0 # of all\n[models]\nshadows = 64\n\
                            # [training]\n# epochs = 30   # passes\n[audit]\n# attacks = \"all\"\n";

    #[test]
    fn the_nearest_of_what_was_expected_was_meant() {
        let refusal = "unknown field `epoch`, expected one of `hidden`, `epochs`, `rate`";
        assert_eq!(meant(refusal).unwrap(), "did you mean `epochs`?");
        let refusal = "unknown variant `Classifer`, expected `classifier` or `lm`";
        assert_eq!(meant(refusal).unwrap(), "did you mean `classifier`?");
        for other in [
            "unknown field `zzz`, expected one of `hidden`, `epochs`",
            "unknown field `epoch`, there are no fields",
            "invalid type: string, expected `epochs`",
            "unknown field `",
        ] {
            assert_eq!(meant(other), None, "{other}");
        }
    }

    #[test]
    fn a_key_of_another_section_is_told_its_place() {
        let refused = |key: &str| format!("unknown field `{key}`, expected `a` or `b`");
        let told = |key: &str| belongs(&refused(key), TEMPLATE);
        assert_eq!(told("epochs").unwrap(), "`epochs` belongs under [training]");
        assert_eq!(
            told("seed").unwrap(),
            "`seed` belongs at the top, before the first section"
        );
        assert_eq!(
            told("audit").unwrap(),
            "it is a section of its own, [audit]"
        );
        assert_eq!(told("passes"), None);
        assert_eq!(
            belongs("unknown variant `seed`, expected `a`", TEMPLATE),
            None
        );
    }
}
