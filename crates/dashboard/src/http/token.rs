//! Tokens: random, and compared without telling how much of them was right.

use crate::Error;

/// 32 hexadecimal digits from the system's randomness.
pub fn random() -> Result<String, Error> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Error::usage(
            format!("the system gives no random numbers: {error}"),
            "set GUESTLIST_TOKEN to a secret of your own",
        )
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares every byte, so that the time it takes does not tell how many are right.
pub fn same(given: &[u8], right: &[u8]) -> bool {
    let differing = given.iter().zip(right).fold(0, |sum, (a, b)| sum | (a ^ b));
    given.len() == right.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_only_equals_are_the_same() {
        let (one, other) = (random().unwrap(), random().unwrap());
        assert!(one.len() == 32 && one != other);
        assert!(same(one.as_bytes(), one.as_bytes()));
        assert!(!same(one.as_bytes(), other.as_bytes()));
        assert!(!same(b"", b"x") && !same(&one.as_bytes()[..31], one.as_bytes()));
    }
}
