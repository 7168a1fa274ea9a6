//! Certificates that are not accepted, by a real server: which problem it is, and how to mend it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::bench::Bench;
use crate::service::{said, write_documents};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A server with a certificate for this name, which ends in this year.
fn start(authority: &Authority, name: &str, year: i32) -> SocketAddr {
    let mut params = CertificateParams::new([name.to_owned()]).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(year, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.signed_by(&key, authority).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    serve(certificate.der().clone(), key)
}

/// A server with the certificate of an authority, as `openssl req -x509` makes one.
fn start_as_authority() -> (SocketAddr, Authority) {
    let itself = authority("itself");
    let key = PrivateKeyDer::try_from(itself.key().serialize_der()).unwrap();
    (serve(itself.der().clone(), key), itself)
}

fn serve(certificate: CertificateDer<'static>, key: PrivateKeyDer<'static>) -> SocketAddr {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for connection in listener.incoming().map_while(Result::ok) {
            let secured = ServerConnection::new(config.clone()).unwrap();
            let mut stream = StreamOwned::new(secured, connection);
            let mut request = vec![0; 1 << 16];
            if stream.read(&mut request).is_ok() {
                let _ = stream.write_all(&said("It is."));
                let _ = stream.flush();
            }
        }
    });
    address
}

/// What `guestlist probe` says, where this machine trusts one authority.
fn probe(address: SocketAddr, trusted: &Authority) -> (Option<i32>, String) {
    let bench = Bench::new();
    write_documents(&bench, 12);
    bench.write("authority.pem", trusted.pem().as_bytes());
    bench.write(
        "guestlist.toml",
        &format!(
            "kind = \"rag\"\n[documents]\nmembers = \"in.jsonl\"\nnonmembers = \"out.jsonl\"\n\
             [target]\npreset = \"guestlist\"\nurl = \"https://{address}\"\n"
        ),
    );
    let output = bench
        .command("probe")
        .env("SSL_CERT_FILE", bench.path("authority.pem"))
        .env_remove("SSL_CERT_DIR")
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), words)
}

#[test]
fn a_certificate_that_is_not_accepted_says_why_and_what_helps() {
    let (known, unknown) = (authority("known"), authority("unknown"));
    let good = start(&known, "127.0.0.1", 2200);
    let (code, words) = probe(good, &known);
    assert_eq!(code, Some(0), "{words}");
    for (address, trusted, problem, remedy) in [
        (
            good,
            &unknown,
            "signed by nobody whom this machine trusts",
            "SSL_CERT_FILE",
        ),
        (
            start(&known, "127.0.0.1", 2021),
            &known,
            "its certificate has expired",
            "renew",
        ),
        (
            start(&known, "other.example", 2200),
            &known,
            "its certificate is for",
            "name that the certificate has",
        ),
    ] {
        let (code, words) = probe(address, trusted);
        assert_eq!(code, Some(2), "{words}");
        assert!(words.contains(problem), "{problem}: {words}");
        assert!(words.contains(remedy), "{remedy}: {words}");
    }
    let (address, itself) = start_as_authority();
    let (_, words) = probe(address, &itself);
    assert!(words.contains("an authority's own"), "{words}");
    assert!(
        words.contains("CA:FALSE") && !words.contains("Other"),
        "{words}"
    );
    let (_, words) = probe(start(&known, "other.example", 2200), &known);
    assert!(
        words.contains("other.example") && words.contains("127.0.0.1"),
        "{words}"
    );
}
