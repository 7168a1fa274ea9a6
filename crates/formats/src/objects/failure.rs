//! What a store ran into, in words with a remedy. Nothing of a request is shown: signatures and keys
//! travel in it.

use crate::{Error, ErrorKind};

use super::address::{Address, Provider};

/// What was being done.
#[derive(Clone, Copy)]
pub(super) enum Doing {
    Opening,
    Looking,
    Listing,
    Reading,
}

impl Doing {
    fn words(self) -> &'static str {
        match self {
            Doing::Opening => "the store cannot be opened",
            Doing::Looking => "the object cannot be looked up",
            Doing::Listing => "the objects below it cannot be listed",
            Doing::Reading => "a range of the object cannot be read",
        }
    }
}

pub(super) fn not_there(address: &Address) -> Error {
    let Address { bucket, key, .. } = address;
    Error::new(
        ErrorKind::NotFound,
        format!("bucket {bucket} has no object {key:?}, and none below it"),
    )
    .at(&address.path)
    .hint("look at the bucket's name, the key, and the account and region in the environment")
}

pub(super) fn told(address: &Address, doing: Doing, error: &object_store::Error) -> Error {
    use object_store::Error as Found;
    match error {
        Found::NotFound { .. } => return not_there(address),
        Found::Precondition { .. } => {
            return Error::new(
                ErrorKind::Changed,
                "the object was replaced while it was read",
            )
            .at(&address.path)
            .hint("run again once nobody writes to it");
        }
        _ => {}
    }
    let why = reason(error);
    // What expired is answered with 400, and of an object that is only looked up without a word.
    let refused = matches!(
        error,
        Found::PermissionDenied { .. } | Found::Unauthenticated { .. }
    ) || ["400", "401", "403"]
        .iter()
        .any(|code| why.contains(&format!("status code: {code}")));
    let hint = match refused || matches!(doing, Doing::Opening) {
        true => credentials(address.provider),
        false => reaching(address.provider),
    };
    Error::new(ErrorKind::Server, format!("{}: {why}", doing.words()))
        .at(&address.path)
        .hint(hint)
}

fn credentials(provider: Provider) -> &'static str {
    match provider {
        Provider::Amazon => {
            "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION of somebody who may list and \
             read it (AWS_SESSION_TOKEN too where they are temporary: such expire), or \
             AWS_SKIP_SIGNATURE=true where it is public"
        }
        Provider::Google => {
            "set GOOGLE_APPLICATION_CREDENTIALS to the file of somebody who may list and read it, or \
             GOOGLE_SKIP_SIGNATURE=true where it is public"
        }
        Provider::Azure => {
            "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, or AZURE_STORAGE_SAS_KEY, \
             of somebody who may list and read it"
        }
    }
}

fn reaching(provider: Provider) -> &'static str {
    match provider {
        Provider::Amazon => {
            "run again; of a server of your own, AWS_ENDPOINT_URL is the address, with \
             AWS_ALLOW_HTTP=true where it has no certificate"
        }
        Provider::Google | Provider::Azure => "run again, and look at the network",
    }
}

/// The causes, without addresses: a query may be a signature.
fn reason(error: &object_store::Error) -> String {
    let mut told: Vec<String> = Vec::new();
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(inner) = cause {
        let text = cleaned(&inner.to_string());
        // An error often repeats what it came from.
        if !told.iter().any(|known| known.contains(&text)) {
            told.retain(|known| !text.contains(known.as_str()));
            told.push(text);
        }
        cause = inner.source();
    }
    let told = told.join(": ");
    let shown: String = told.chars().take(400).collect();
    shown
}

/// Without control characters, every address up to its query, and of an answer in XML what it says.
fn cleaned(text: &str) -> String {
    let text = said_in_xml(text);
    let words = text
        .split_whitespace()
        .map(|word| match word.split_once('?') {
            Some((before, _)) if before.contains("://") => format!("{before}?…"),
            _ => word.to_owned(),
        });
    let words: Vec<String> = words.collect();
    let text = words.join(" ");
    text.chars().filter(|letter| !letter.is_control()).collect()
}

/// Stores answer with a document of which two elements are for people; the others are numbers of requests and hosts.
fn said_in_xml(text: &str) -> String {
    let Some((before, document)) = text.split_once('<') else {
        return text.to_owned();
    };
    let element = |name: &str| {
        let (_, rest) = document.split_once(&format!("{name}>"))?;
        rest.split_once("</").map(|(inside, _)| inside)
    };
    match (element("Code"), element("Message")) {
        (Some(code), Some(message)) => format!("{before}{code}: {message}"),
        (Some(code), None) => format!("{before}{code}"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn shown(error: object_store::Error, doing: Doing) -> String {
        let address = Address::parse(Path::new("s3://models/a/b.parquet")).unwrap();
        told(&address, doing, &error).to_string()
    }

    #[test]
    fn failures_name_the_object_and_a_remedy_and_no_signature() {
        let source =
            "GET https://models.s3.amazonaws.com/a?X-Amz-Signature=hush: Server returned non-2xx status code: \
             400 Bad Request: <?xml version=\"1.0\"?><Error><Code>ExpiredToken</Code><Message>The provided token has \
             expired.</Message><RequestId>4442587FB7D0A2F9</RequestId></Error>"
                .into();
        let error = object_store::Error::Generic {
            store: "S3",
            source,
        };
        let text = shown(error, Doing::Reading);
        assert!(
            text.starts_with("s3://models/a/b.parquet: a range"),
            "{text}"
        );
        assert!(
            text.contains("400 Bad Request: ExpiredToken: The provided token has expired.")
                && text.contains("AWS_SESSION_TOKEN"),
            "{text}"
        );
        assert!(
            !text.contains("hush") && !text.contains("4442587"),
            "{text}"
        );
        let source = "gone".into();
        let path = "a/b.parquet".to_owned();
        let text = shown(
            object_store::Error::NotFound { path, source },
            Doing::Looking,
        );
        assert!(
            text.contains("bucket models has no object \"a/b.parquet\""),
            "{text}"
        );
    }
}
