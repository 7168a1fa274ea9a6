//! Where visitors find the dashboard: at its own address, or behind a proxy under another name and path.

use axum::http::Uri;

use crate::Error;
use crate::http::query::encoded;

/// The address that visitors type, of a proxy in front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    /// `https` or `http`.
    scheme: String,
    /// In small letters, without the scheme's own port.
    authority: String,
    /// Begins with a slash and does not end with one; empty at the top.
    path: String,
}

impl PublicUrl {
    pub fn parse(text: &str) -> Result<Self, Error> {
        let refuse = |problem: &str| {
            Error::usage(
                format!("--public-url {text:?} {problem}"),
                "give the address that visitors type, such as https://intranet.example/guestlist",
            )
        };
        if text.contains(['#', '?', '@']) {
            return Err(refuse("has a question, a fragment or a user"));
        }
        let address: Uri = text.parse().map_err(|_| refuse("is no address"))?;
        let scheme = address.scheme_str().unwrap_or_default().to_lowercase();
        let port = match scheme.as_str() {
            "https" => ":443",
            "http" => ":80",
            _ => return Err(refuse("begins with neither https:// nor http://")),
        };
        let authority = address
            .authority()
            .map_or("", |authority| authority.as_str());
        let authority = authority.to_lowercase();
        let path = address.path().trim_end_matches('/').to_owned();
        match plain(&path) {
            true => Ok(Self {
                authority: authority.trim_end_matches(port).to_owned(),
                scheme,
                path,
            }),
            false => Err(refuse(
                "has a path of other signs than letters, digits and - . _ ~ between single slashes",
            )),
        }
    }

    fn is_secure(&self) -> bool {
        self.scheme == "https"
    }

    fn is_authority(&self, other: &str) -> bool {
        let port = if self.is_secure() { ":443" } else { ":80" };
        let other = other.to_lowercase();
        other.strip_suffix(port).unwrap_or(&other) == self.authority
    }
}

impl std::fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}{}/", self.scheme, self.authority, self.path)
    }
}

/// It goes into links, redirects and a cookie's path as it is.
fn plain(path: &str) -> bool {
    let sign = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
    let part = |part: &str| !matches!(part, "" | "." | "..") && part.chars().all(sign);
    path.is_empty() || path.split('/').skip(1).all(part)
}

/// Our place, as links, forms, cookies and the guard see it.
#[derive(Clone, Debug, Default)]
pub struct Site(Option<PublicUrl>);

impl Site {
    pub fn new(public: Option<PublicUrl>) -> Self {
        Self(public)
    }

    fn path(&self) -> &str {
        self.0.as_ref().map_or("", |public| &public.path)
    }

    /// A link to a place of ours that begins with a slash.
    pub fn to(&self, place: &str) -> String {
        format!("{}{place}", self.path())
    }

    /// The page of an audit.
    pub fn audit(&self, place: &[String]) -> String {
        let mut link = self.to("/audits/");
        for part in place {
            link += &encoded(part);
            link.push('/');
        }
        link
    }

    /// A request's address without our path. Some proxies take it off and others leave it on, and both are right.
    pub fn inside(&self, address: &Uri) -> Option<Uri> {
        let path = self.path();
        let whole = address.path_and_query()?.as_str();
        let rest = whole.strip_prefix(path).filter(|_| !path.is_empty())?;
        let rest = match rest.chars().next() {
            Some('/') => rest.to_owned(),
            None | Some('?') => format!("/{rest}"),
            Some(_) => return None,
        };
        let mut parts = address.clone().into_parts();
        parts.path_and_query = Some(rest.parse().ok()?);
        Uri::from_parts(parts).ok()
    }

    /// Whether visitors call us by this name.
    pub fn is_host(&self, host: &str) -> bool {
        let public = self.0.as_ref();
        public.is_some_and(|public| public.is_authority(host))
    }

    /// Whether pages of ours come from there.
    pub fn is_origin(&self, origin: &str) -> bool {
        let (public, parts) = (self.0.as_ref(), origin.split_once("://"));
        public.zip(parts).is_some_and(|(public, (scheme, host))| {
            scheme.eq_ignore_ascii_case(&public.scheme) && public.is_authority(host)
        })
    }

    /// For whom a browser keeps a cookie: never sent where it could be read on the way, nor to others on the same
    /// name.
    pub fn cookie_scope(&self) -> String {
        let secure = self.0.as_ref().is_some_and(PublicUrl::is_secure);
        let secure = if secure { "; Secure" } else { "" };
        format!("Path={}{secure}", self.to("/"))
    }

    pub fn is_public(&self) -> bool {
        self.0.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(text: &str) -> Site {
        Site::new(Some(PublicUrl::parse(text).unwrap()))
    }

    #[test]
    fn addresses_are_read_as_visitors_write_them() {
        for (text, read) in [
            ("https://Intranet.Example", "https://intranet.example/"),
            ("https://a.example:443/x/", "https://a.example/x/"),
            ("http://a.example:8080/x/y", "http://a.example:8080/x/y/"),
            ("http://[::1]:80/", "http://[::1]/"),
        ] {
            assert_eq!(PublicUrl::parse(text).unwrap().to_string(), read);
        }
        for text in [
            "",
            "intranet.example/x",
            "/x",
            "ftp://a.example",
            "https://u:p@a.example/",
            "https://a.example/?x",
            "https://a.example/#x",
            "https://a.example/a//b",
            "https://a.example/../b",
            "https://a.example/a;b",
            "https://a.example/a%2fb",
            "https://",
        ] {
            let error = PublicUrl::parse(text).unwrap_err().to_string();
            assert!(error.contains("--public-url"), "{text}: {error}");
        }
    }

    #[test]
    fn only_our_own_path_is_taken_off() {
        let site = site("https://a.example/guest/list");
        let inside = |text: &str| {
            let address: Uri = text.parse().unwrap();
            site.inside(&address).map(|uri| uri.to_string())
        };
        for (given, rest) in [
            ("/guest/list", Some("/")),
            ("/guest/list/", Some("/")),
            ("/guest/list?a=1", Some("/?a=1")),
            ("/guest/list/audits/a/?b", Some("/audits/a/?b")),
            ("/guest/lists", None),
            ("/audits/a/", None),
            ("/", None),
        ] {
            assert_eq!(inside(given).as_deref(), rest, "{given}");
        }
        assert_eq!(Site::default().inside(&"/x".parse().unwrap()), None);
    }

    #[test]
    fn hosts_and_origins_are_ours_to_the_letter() {
        let site = site("https://a.example/x");
        assert!(site.is_host("A.example") && site.is_host("a.example:443"));
        assert!(site.is_origin("https://a.example") && site.is_origin("https://a.example:443"));
        for other in [
            "a.example:80",
            "b.example",
            "a.example.evil",
            "",
            "xa.example",
        ] {
            assert!(!site.is_host(other), "{other}");
        }
        for other in [
            "http://a.example",
            "https://evil.example",
            "null",
            "a.example",
        ] {
            assert!(!site.is_origin(other), "{other}");
        }
        assert!(!Site::default().is_host("") && !Site::default().is_origin("null"));
        assert_eq!(site.cookie_scope(), "Path=/x/; Secure");
        assert_eq!(Site::default().cookie_scope(), "Path=/");
    }
}
