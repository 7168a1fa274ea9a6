//! Which address shows what.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{Method, Response, StatusCode, Uri, header};
use axum::middleware;
use axum::routing::{get, post};

use super::access::{self, AccessLog};
use super::download;
use super::guard::{self, Guard};
use super::problem::Problem;
use super::query::Query;
use super::{asset, events, post, respond};
use crate::folder::address::{Action, Target};
use crate::pages::{App, audit, compare, home, record, records, report, trend};

/// Forms hold a token and nothing else.
const BODY_LIMIT: usize = 4 << 10;

type Answer = Result<Response<Body>, Problem>;

pub fn routes(app: Arc<App>, guard: Guard, log: Option<Arc<AccessLog>>) -> Router {
    let mut routes = Router::new()
        .route("/", get(show_home))
        .route("/trend", get(show_trend))
        .route("/compare", get(show_comparison))
        .route("/events", get(all_events))
        .route("/assets/dashboard.js", get(asset::script))
        .route("/assets/dashboard.css", get(asset::style))
        .route("/audits/", get(audits))
        .route("/audits/{*rest}", get(audits));
    if guard.posts {
        routes = routes
            .route("/audits/{*rest}", post(post::change))
            .layer(DefaultBodyLimit::max(BODY_LIMIT));
    }
    let routes = routes
        .fallback(async || Problem::not_found("there is no such page"))
        .method_not_allowed_fallback(async || {
            let message = "this page is only shown";
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, message)
        })
        .with_state(app)
        .layer(middleware::from_fn_with_state(guard, guard::check));
    match log {
        Some(log) => routes.layer(middleware::from_fn_with_state(log, access::note)),
        None => routes,
    }
}

/// Files are read apart from the threads that talk.
pub async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Problem::server("the page could not be made"))?
}

async fn page(work: impl FnOnce() -> Result<String, Problem> + Send + 'static) -> Answer {
    let text = apart(work).await?;
    Ok(respond::html(StatusCode::OK, text))
}

async fn show_home(State(app): State<Arc<App>>, uri: Uri) -> Answer {
    page(move || Ok(home::page(&app, &Query::parse(uri.query())))).await
}

async fn show_trend(State(app): State<Arc<App>>, uri: Uri) -> Answer {
    page(move || Ok(trend::page(&app, &Query::parse(uri.query())))).await
}

async fn show_comparison(State(app): State<Arc<App>>, uri: Uri) -> Answer {
    page(move || compare::page(&app, &Query::parse(uri.query()))).await
}

async fn all_events(State(app): State<Arc<App>>) -> Answer {
    events::stream(&app, None)
}

async fn audits(
    State(app): State<Arc<App>>,
    method: Method,
    uri: Uri,
    headers: axum::http::HeaderMap,
) -> Answer {
    let target = Target::parse(uri.path())?;
    let query = Query::parse(uri.query());
    let Some(action) = target.action else {
        return folder_page(app, target, &uri).await;
    };
    let place = target.place;
    match action {
        Action::Records => page(move || records::page(&app, &place, &query)).await,
        Action::Record(row) => page(move || record::page(&app, &place, row)).await,
        Action::Report => full_report(app, place).await,
        Action::Events => {
            let known = app.clone();
            let path = place.clone();
            apart(move || known.root.audit(&path).map(drop)).await?;
            events::stream(&app, Some(place.join("/")))
        }
        Action::File => download::file(app, place, query, method, headers).await,
        Action::Run | Action::Stop => Err(Problem::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "audits are started and stopped by their buttons",
        )),
    }
}

async fn folder_page(app: Arc<App>, target: Target, uri: &Uri) -> Answer {
    if !uri.path().ends_with('/') {
        // Whether there is such a folder is told on the page itself.
        return Ok(respond::see_other(&app.site.audit(&target.place)));
    }
    page(move || audit::page(&app, &target.place)).await
}

/// The report itself has its own policy: its script and style are inside of it.
async fn full_report(app: Arc<App>, place: Vec<String>) -> Answer {
    let rendered = apart(move || report::page(&app, &place)).await?;
    let mut response = respond::html(StatusCode::OK, rendered.page);
    let policy = axum::http::HeaderValue::from_str(&rendered.policy)
        .map_err(|_| Problem::server("the report has no policy"))?;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(response)
}
