//! Addresses as they may be shown: without the user and the password that stand in them.

use std::borrow::Cow;

const STARS: &str = "***";

/// A text in which no address (`s3://`, `https://`) says who may read it.
pub(crate) fn masked(text: &str) -> Cow<'_, str> {
    const MARK: &str = "://";
    let mut shown = String::new();
    let mut rest = text;
    while let Some(place) = rest.find(MARK) {
        let (before, address) = rest.split_at(place + MARK.len());
        shown += before;
        rest = match credentials(address) {
            Some(end) => {
                shown += STARS;
                &address[end..]
            }
            None => address,
        };
    }
    match shown.is_empty() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(shown + rest),
    }
}

/// Where the `@` behind a user and a password is, seen from the `://`.
fn credentials(address: &str) -> Option<usize> {
    let ends = |sign: char| sign.is_whitespace() || "\"'`".contains(sign);
    let address = &address[..address.find(ends).unwrap_or(address.len())];
    let host = &address[..address.find(['/', '?', '#']).unwrap_or(address.len())];
    // A password may have slashes in it; what follows the colon of a host is a number.
    let is_port = |port: &str| port.bytes().all(|sign| sign.is_ascii_digit());
    let broken = host
        .split_once(':')
        .is_some_and(|(_, after)| !is_port(after));
    host.rfind('@')
        .or_else(|| address.rfind('@').filter(|_| broken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_read_is_not_shown() {
        for (text, shown) in [
            (
                "s3://KEY:SECRET@bucket/x: is not there",
                "s3://***@bucket/x: is not there",
            ),
            ("S3://KEY:SEC/RE+T@bucket/x", "S3://***@bucket/x"),
            (
                "at https://u:pw@host/x and gs://u@b",
                "at https://***@host/x and gs://***@b",
            ),
            (
                "give \"s3://a:b@c\", not 'az://d:e@f'",
                "give \"s3://***@c\", not 'az://***@f'",
            ),
        ] {
            assert_eq!(masked(text), shown);
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "s3://bucket/key: no such object",
            "http://127.0.0.1:8000/users/a@b.org",
            "mail to a@b.org",
            "https://host/x?to=a@b",
            "",
        ] {
            assert_eq!(masked(text), text);
        }
    }
}
