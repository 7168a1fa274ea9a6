//! Who may ask: decided here for every request, before anything is looked up.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::IntoResponse;

use super::problem::Problem;
use super::query::Query;
use super::respond;
use super::token::same;
use crate::folder::address::{Action, Target};
use crate::site::Site;

/// Longer addresses are nobody's.
const LONGEST_ADDRESS: usize = 8 << 10;

/// The rules of this process.
#[derive(Clone)]
pub struct Guard {
    pub bound: SocketAddr,
    pub site: Site,
    pub token: Option<Arc<str>>,
    /// Whether audits may be started and stopped.
    pub posts: bool,
}

pub async fn check(State(guard): State<Guard>, request: Request, next: Next) -> Response<Body> {
    let mut response = match guard.admit(&request) {
        Ok(Admitted::Known) => next.run(request).await,
        Ok(Admitted::Introduced) => guard.welcome(request.uri()),
        Err(problem) => problem.into_response(),
    };
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        response = problem.page(&guard.site);
    }
    respond::protect(&mut response);
    response
}

/// How a visitor was let in.
enum Admitted {
    Known,
    /// By a token in the address, which is to vanish from it.
    Introduced,
}

impl Guard {
    fn admit(&self, request: &Request) -> Result<Admitted, Problem> {
        self.check_method(request.method())?;
        if request.uri().to_string().len() > LONGEST_ADDRESS {
            return Err(Problem::new(
                StatusCode::URI_TOO_LONG,
                "the address is too long",
            ));
        }
        let host = host(request)?;
        self.check_host(&host)?;
        self.check_origin(request, &host)?;
        self.check_token(request)
    }

    fn check_method(&self, method: &Method) -> Result<(), Problem> {
        let allowed = *method == Method::GET
            || *method == Method::HEAD
            || (self.posts && *method == Method::POST);
        match allowed {
            true => Ok(()),
            false => Err(Problem::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "this dashboard only shows; start it with --allow-run to start and stop audits",
            )),
        }
    }

    /// A page elsewhere can make its own name point here (DNS rebinding); its name still gives it
    /// away. Only addresses in digits, this machine's own name and that of the public address are ours.
    fn check_host(&self, host: &str) -> Result<(), Problem> {
        let name = without_port(host);
        let ours = match name.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(address) => {
                let bound = self.bound.ip();
                address.is_loopback() || address == bound || bound.is_unspecified()
            }
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        };
        match ours || self.site.is_host(host) {
            true => Ok(()),
            false => Err(Problem::new(
                StatusCode::MISDIRECTED_REQUEST,
                "this server does not go by that name; open it by its address in digits, or start it with \
                 --public-url and the address that visitors type",
            )),
        }
    }

    /// Browsers say where a request comes from; from elsewhere pages are opened, and nothing else is answered.
    /// Changes must come from a page of ours for certain.
    fn check_origin(&self, request: &Request, host: &str) -> Result<(), Problem> {
        let elsewhere = || Problem::forbidden("requests from other sites are refused");
        let headers = request.headers();
        let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let site = text("sec-fetch-site");
        let foreign = site.is_some_and(|site| !matches!(site, "same-origin" | "none"));
        if foreign && !is_navigation(request) {
            return Err(elsewhere());
        }
        let origin = text("origin");
        let ours = origin.is_some_and(|origin| self.is_own(origin, host));
        // Some browsers hide a form's origin, but not the site it was sent from.
        let hidden = origin == Some("null") && site == Some("same-origin");
        match *request.method() == Method::POST {
            true if ours || hidden => Ok(()),
            true => Err(elsewhere()),
            false if origin.is_none() || ours => Ok(()),
            false => Err(elsewhere()),
        }
    }

    /// Pages come from the public address, or from the name that the visitor called us by himself.
    fn is_own(&self, origin: &str, host: &str) -> bool {
        let name = origin
            .strip_prefix("http://")
            .or(origin.strip_prefix("https://"));
        let called = name.is_some_and(|name| name.eq_ignore_ascii_case(host));
        self.site.is_origin(origin) || (called && !self.site.is_host(host))
    }

    fn check_token(&self, request: &Request) -> Result<Admitted, Problem> {
        // The page that asks for the token is to look like the others; style and script tell nothing.
        let Some(token) = self.token.as_ref().filter(|_| !is_asset(request)) else {
            return Ok(Admitted::Known);
        };
        let right = |given: &str| same(given.as_bytes(), token.as_bytes());
        let headers = request.headers();
        if bearer(headers).is_some_and(right) || cookies(headers, &self.cookie()).any(right) {
            return Ok(Admitted::Known);
        }
        let query = Query::parse(request.uri().query());
        if *request.method() == Method::GET && query.get("token").is_some_and(right) {
            return Ok(Admitted::Introduced);
        }
        Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "a token is needed: open the address that `guestlist serve` printed, or send \
             Authorization: Bearer and the token",
        ))
    }

    /// Cookies do not know ports, so that the name must.
    fn cookie(&self) -> String {
        format!("guestlist_{}", self.bound.port())
    }

    /// Keeps the token in a cookie that scripts cannot read, and opens the page without it.
    fn welcome(&self, address: &Uri) -> Response<Body> {
        let query = Query::parse(address.query()).with(&[("token", "")]);
        let place = format!("{}{}", address.path(), query.trim_end_matches('?'));
        // Two slashes would lead to another server.
        let place = format!("/{}", place.trim_start_matches(['/', '\\']));
        let mut response = respond::see_other(&self.site.to(&place));
        let token = self.token.as_deref().unwrap_or_default();
        // Lax: who follows a link from elsewhere is known, and changes from elsewhere come without it.
        let (name, scope) = (self.cookie(), self.site.cookie_scope());
        let cookie = format!("{name}={token}; HttpOnly; SameSite=Lax; {scope}");
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        response
    }
}

/// The one name that the visitor called us by.
fn host(request: &Request) -> Result<String, Problem> {
    let missing = || Problem::bad_request("the request has no Host header, or several");
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let host = hosts.next().ok_or_else(missing)?;
    if hosts.next().is_some() {
        return Err(missing());
    }
    // A request to a proxy names the host in its address, too.
    if request.uri().authority().is_some() {
        return Err(Problem::bad_request("this server is no proxy"));
    }
    let host = host.to_str().map_err(|_| missing())?;
    Ok(host.to_owned())
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Somebody followed a link or typed an address: the page opens on its own, where no other site can look at it.
/// Frames, pictures, scripts and what another site's script fetches say otherwise, and so do forms.
fn is_navigation(request: &Request) -> bool {
    let says = |name: &str, value: &str| {
        let mut said = request.headers().get_all(name).iter();
        said.next().is_some_and(|said| said == value) && said.next().is_none()
    };
    *request.method() == Method::GET
        && says("sec-fetch-mode", "navigate")
        && says("sec-fetch-dest", "document")
        && is_page(request)
}

/// Neither a download, nor a stream that would keep its seat, nor a part of a page.
fn is_page(request: &Request) -> bool {
    let path = request.uri().path();
    let action = Target::parse(path).ok().and_then(|target| target.action);
    let other = matches!(action, Some(Action::Events | Action::File));
    path != "/events" && !is_asset(request) && !other
}

fn is_asset(request: &Request) -> bool {
    request.uri().path().starts_with("/assets/")
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer")).then_some(token.trim())
}

fn cookies<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(header::COOKIE).iter();
    let pairs = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'));
    pairs.filter_map(move |pair| {
        let (key, value) = pair.trim().split_once('=')?;
        (key == name).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(bound: &str) -> Guard {
        Guard {
            bound: bound.parse().unwrap(),
            site: Site::default(),
            token: None,
            posts: false,
        }
    }

    #[test]
    fn only_addresses_and_the_own_machine_are_hosts() {
        let local = guard("127.0.0.1:7878");
        for host in [
            "127.0.0.1:7878",
            "localhost:9",
            "LOCALHOST",
            "[::1]:7878",
            "127.0.0.2",
        ] {
            assert!(local.check_host(host).is_ok(), "{host}");
        }
        for host in [
            "evil.example:7878",
            "localhost.evil.example",
            "10.0.0.7:7878",
            "127.0.0.1.nip.io",
            "",
            "2130706433",
        ] {
            assert!(local.check_host(host).is_err(), "{host}");
        }
        assert!(guard("0.0.0.0:1").check_host("10.0.0.7:1").is_ok());
        assert!(guard("0.0.0.0:1").check_host("evil.example").is_err());
    }
}
