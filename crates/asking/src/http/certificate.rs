//! What is wrong with a certificate, and how to mend it.

use std::error::Error as Cause;

use rustls::CertificateError as Wrong;

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
        other => (
            format!("its certificate is not accepted ({other:?})"),
            "have whoever runs the service look at it, for instance with `openssl s_client -connect HOST:443`",
        ),
    })
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
