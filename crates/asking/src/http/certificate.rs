//! What is wrong with a certificate, and how to mend it.

use std::error::Error as Cause;

use rustls::CertificateError as Wrong;

/// What the verifier calls an authority's certificate in a server's place: it has a type for that, which
/// is not ours to name.
const AUTHORITY: &str = "CaUsedAsEndEntity";

/// In words, with a remedy; nothing where the failure has nothing to do with a certificate.
pub(super) fn explain(error: &(dyn Cause + 'static)) -> Option<(String, &'static str)> {
    let found = rejected(error)?;
    let clock = "have whoever runs the service renew its certificate; if it is new, set this machine's clock";
    Some(match found {
        Wrong::Expired | Wrong::ExpiredContext { .. } => {
            ("its certificate has expired".to_owned(), clock)
        }
        Wrong::NotValidYet | Wrong::NotValidYetContext { .. } => {
            ("its certificate is not valid yet".to_owned(), clock)
        }
        Wrong::UnknownIssuer | Wrong::BadSignature => (
            "its certificate is signed by nobody whom this machine trusts".to_owned(),
            "name the file of your own authority's certificate, or of a self-signed one that \
             certificate itself, in PEM, in the variable SSL_CERT_FILE",
        ),
        Wrong::NotValidForName => (
            "its certificate is for another name".to_owned(),
            "give the url with the name that the certificate has",
        ),
        Wrong::NotValidForNameContext {
            expected,
            presented,
        } => (
            format!(
                "its certificate is for {}, not for {}",
                presented.join(", "),
                expected.to_str()
            ),
            "give the url with a name that the certificate has, or have one issued for this name",
        ),
        Wrong::Revoked => (
            "its certificate was revoked".to_owned(),
            "have whoever runs the service replace it, and do not trust it before",
        ),
        Wrong::Other(other) if other.to_string() == AUTHORITY => (
            "its certificate is an authority's own, made to sign others, and not a server's (as \
             `openssl req -x509` makes self-signed ones)"
                .to_owned(),
            "have whoever runs the service make one for a server (`openssl req -x509` with `-addext \
             basicConstraints=critical,CA:FALSE`), and name its file in the variable SSL_CERT_FILE",
        ),
        other => (
            format!("its certificate is not accepted: {}", in_words(other)),
            "have whoever runs the service look at it, for instance with `openssl s_client -connect HOST:443`",
        ),
    })
}

/// Problems that nobody meets often.
fn in_words(wrong: &Wrong) -> &'static str {
    match wrong {
        Wrong::BadEncoding => "it is damaged, or of a kind that nobody should issue any more",
        Wrong::UnhandledCriticalExtension => "it demands something that is not supported here",
        Wrong::UnknownRevocationStatus => "nobody says whether it was revoked",
        Wrong::ExpiredRevocationList | Wrong::ExpiredRevocationListContext { .. } => {
            "the list of revoked certificates is out of date"
        }
        Wrong::UnsupportedSignatureAlgorithmContext { .. }
        | Wrong::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            "it is signed in a way that is not supported here, as too weak ones are"
        }
        Wrong::InvalidPurpose | Wrong::InvalidPurposeContext { .. } => {
            "it was not issued for a server"
        }
        _ => "it does not keep to the rules for certificates of servers",
    }
}

/// Errors of input and output hold theirs inside, where `source` does not look.
fn rejected<'a>(error: &'a (dyn Cause + 'static)) -> Option<&'a Wrong> {
    let mut next = Some(error);
    while let Some(cause) = next {
        if let Some(rustls::Error::InvalidCertificate(wrong)) = cause.downcast_ref() {
            return Some(wrong);
        }
        let inner = cause.downcast_ref::<std::io::Error>();
        next = match inner.and_then(std::io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => cause.source(),
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustls::OtherError;

    use super::*;

    fn told(wrong: Wrong) -> (String, &'static str) {
        explain(&rustls::Error::InvalidCertificate(wrong)).unwrap()
    }

    #[test]
    fn an_authority_in_a_servers_place_is_named_and_nothing_is_shown_as_it_is_called_inside() {
        let other =
            |words: &'static str| Wrong::Other(OtherError(Arc::new(std::io::Error::other(words))));
        let (problem, remedy) = told(other(AUTHORITY));
        assert!(problem.contains("an authority's own"), "{problem}");
        assert!(remedy.contains("CA:FALSE"), "{remedy}");
        for wrong in [
            other("SomethingNew"),
            Wrong::InvalidPurpose,
            Wrong::BadEncoding,
        ] {
            let (problem, _) = told(wrong);
            let words = ["Other", "SomethingNew", "InvalidPurpose", "BadEncoding"];
            assert!(
                !words.iter().any(|word| problem.contains(word)),
                "{problem}"
            );
        }
    }
}
