//! Names that somebody may have meant who wrote another: keys, options, words of a report.

/// Names that are less alike than this are not suggested for each other.
const ALIKE: f64 = 0.6;

/// The name that is most like this one, if any is.
pub fn nearest<S: AsRef<str>>(names: &[S], name: &str) -> Option<String> {
    let likeness = |there: &S| name_likeness(there.as_ref(), name);
    let nearest = names
        .iter()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(nearest) >= ALIKE).then(|| nearest.as_ref().to_owned())
}

/// How alike two names are, from 0 to 1. Swapped neighbours are one slip; capitals, hyphens,
/// underscores and dots count for nothing; a name that begins another is near enough.
pub fn name_likeness(one: &str, other: &str) -> f64 {
    let (one, other) = (plain_name(one), plain_name(other));
    if one.is_empty() || other.is_empty() {
        return 0.0;
    }
    let spelt = strsim::normalized_damerau_levenshtein(&one, &other);
    let shorter = one.chars().count().min(other.chars().count());
    match shorter >= 3 && (one.starts_with(&other) || other.starts_with(&one)) {
        true => spelt.max(0.6),
        false => spelt,
    }
}

/// What a hint says of a name that is not there: the nearest, or else all of them.
pub fn did_you_mean<S: AsRef<str>>(names: &[S], name: &str) -> String {
    let all: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let all = format!("there are {}", all.join(", "));
    match nearest(names, name) {
        Some(nearest) => format!("did you mean {nearest}? {all}"),
        None => all,
    }
}

fn plain_name(name: &str) -> String {
    let kept = name.chars().filter(|letter| letter.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 5] = ["epochs", "hidden", "batch-size", "learning_rate", "seed"];

    #[test]
    fn slips_of_the_keyboard_find_their_key() {
        for (slip, meant) in [
            ("epoch", "epochs"),
            ("epcohs", "epochs"),
            ("Hidden", "hidden"),
            ("batch_size", "batch-size"),
            ("learning-rate", "learning_rate"),
            ("learn", "learning_rate"),
        ] {
            assert_eq!(nearest(&KEYS, slip).as_deref(), Some(meant), "{slip}");
        }
    }

    #[test]
    fn what_is_like_nothing_finds_nothing() {
        for other in ["", "zzz", "\u{202e}", "temperature of the sampler"] {
            assert_eq!(nearest(&KEYS, other), None, "{other}");
        }
        assert_eq!(nearest::<&str>(&[], "epochs"), None);
        assert!(did_you_mean(&KEYS, "zzz").starts_with("there are epochs, hidden"));
        assert!(did_you_mean(&KEYS, "seeds").starts_with("did you mean seed? there are"));
    }
}
