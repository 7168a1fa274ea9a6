//! Flags that belong to another kind of audit.

use guestlist::Error;

/// Refuses the first that was given; `why` makes the message of its name.
pub fn refuse(flags: &[(bool, &str)], why: impl Fn(&str) -> String) -> Result<(), Error> {
    match flags.iter().find(|(given, _)| *given) {
        None => Ok(()),
        Some((_, flag)) => Err(Error::usage(why(flag), "leave it out")),
    }
}
